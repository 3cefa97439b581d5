"""The page in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium, complaints, eventually, pretend_dark, requests, served, settled
from tests.report.page import BAD_TEXT, CARD, EVIL, RULES, excerpt_of
from torchdet_lint.finding import Finding, Location, Related
from torchdet_lint.report import render
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    def shown(report: Report) -> Any:
        (tmp_path / "page.html").write_text("".join(render("html", report, PLAIN)), encoding="utf-8")
        pretend_dark(browser, dark=False)
        browser.get((tmp_path / "page.html").as_uri())
        return browser

    yield shown
    assert complaints(browser) == []


def visible(browser: Any, selector: str = ".finding") -> list[str]:
    script = "return Array.from(document.querySelectorAll(arguments[0])).filter(e => e.checkVisibility()).map(e => e.id || e.dataset.path)"
    found: list[str] = browser.execute_script(script, selector)
    return found


def filtered(browser: Any, name: str, value: str) -> None:
    """Fills in a field of the form, as a user would."""
    script = """
        const field = document.querySelector(`#filters [name="${arguments[0]}"]`);
        field.value = arguments[1];
        field.dispatchEvent(new Event("input", {bubbles: true}));
    """
    browser.execute_script(script, name, value)
    settled(browser)


def click(browser: Any, selector: str) -> None:
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)
    settled(browser)


def finding(code: str, severity: str, path: str, effect: str, message: str) -> Finding:
    return Finding(
        code,
        "some-rule",
        severity,
        "high",
        effect,
        message,
        Location(path, 2, 1, 2, 9),
        fingerprint=f"{code}-{severity}",
    )


FEW = Report(
    findings=(
        finding("TDL101", "error", "src/a.py", "run", "shuffles apples"),
        finding("TDL102", "warning", "src/a.py", "stream", "seeds pears"),
        finding("TDL201", "warning", "lib/b.py", "cuda", "times kernels"),
    ),
    files_checked=2,
    rules=RULES,
    excerpt=excerpt_of,
    cards=(CARD,),
)
A, B, C = "f-TDL101-error", "f-TDL102-warning", "f-TDL201-warning"


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("rule", "code:TDL102", [B]),
        ("rule", f"family:{RULES['TDL101'].family}", [A, B]),
        ("effect", "cuda", [C]),
        ("path", "LIB", [C]),
        ("text", "pears seeds", [B]),
        ("text", "tdl201", [C]),
        ("text", "nothing says this", []),
    ],
)
def test_filters_narrow_the_findings_down(show: Any, name: str, value: str, left: list[str]) -> None:
    page = show(FEW)
    assert visible(page) == [A, B, C]
    filtered(page, name, value)
    assert visible(page) == left
    assert page.find_element("id", "shown").text == f"{len(left)} of 3 shown"
    click(page, "#filters [type=reset]")
    assert visible(page) == [A, B, C]
    assert page.find_element("id", "shown").text == ""


def test_severities_are_chosen_and_files_without_findings_go(show: Any) -> None:
    page = show(FEW)
    click(page, "#filters [value=warning]")
    assert visible(page) == [A]
    assert visible(page, ".file") == ["src/a.py"]
    assert page.find_element("css selector", ".file .count").text == "1"


def test_nothing_is_asked_for_but_the_page(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("".join(render("html", FEW, PLAIN)), encoding="utf-8")
    with served(tmp_path) as (address, asked):
        requests(browser)
        browser.get(f"{address}/page.html")
        filtered(browser, "text", "pears")
        assert visible(browser) == [B]
        assert requests(browser) == [f"{address}/page.html"]
        assert asked == ["/page.html"]
    assert complaints(browser) == []


def test_what_a_project_says_is_never_run(show: Any) -> None:
    evil = replace(FEW.findings[0], message=BAD_TEXT, location=Location(EVIL, 1, 1, 1, 9), help=BAD_TEXT, url=BAD_TEXT)
    evil = replace(evil, related=(Related(evil.location, BAD_TEXT),))
    page = show(replace(FEW, findings=(evil,), problems=(BAD_TEXT,), excerpt=lambda _: (BAD_TEXT,), files=(EVIL,)))
    assert page.execute_script("return [window.hacked, document.scripts.length, document.images.length]") == [
        None,
        1,
        0,
    ]
    assert BAD_TEXT.replace("`", "") in page.find_element("css selector", ".finding h4").text


def test_a_script_that_got_in_would_still_not_run(browser: Any, tmp_path: Path) -> None:
    text = "".join(render("html", FEW, PLAIN))
    broken = text.replace("</main>", "<script>window.hacked = 1</script></main>")
    (tmp_path / "broken.html").write_text(broken, encoding="utf-8")
    browser.get((tmp_path / "broken.html").as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert any("Content Security Policy" in line for line in complaints(browser))


def background(page: Any) -> str:
    found: str = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    return found


def test_the_theme_follows_the_system_and_the_button(show: Any) -> None:
    page = show(FEW)
    light = background(page)
    pretend_dark(page, dark=True)
    dark = background(page)
    assert light != dark
    assert eventually(lambda: page.find_element("id", "theme").text, "Light theme")
    click(page, "#theme")
    assert background(page) == light

    def loaded_again() -> str:
        page.refresh()
        settled(page)
        return background(page)

    # The browser stores a choice in its own time: a page that is loaded at once may be too early.
    assert eventually(loaded_again, light), "the choice is remembered"
    page.execute_script("localStorage.clear()")


def test_on_paper_there_are_no_controls_and_everything_is_light(show: Any) -> None:
    page = show(FEW)
    pretend_dark(page, dark=True)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert visible(page, "#filters, #theme, nav") == []
    assert visible(page) == [A, B, C]
    ink = page.execute_script("return getComputedStyle(document.body).color")
    assert ink == "rgb(32, 36, 42)"
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_printing_opens_what_is_closed(show: Any) -> None:
    page = show(replace(FEW, cards=tuple(replace(CARD, path=f"{number}.py") for number in range(5)), files=("a.py",)))
    count = "return document.querySelectorAll('details[open]').length"
    assert page.execute_script(count) == 1
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert page.execute_script(count) == 6
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.execute_script(count) == 1
    assert page.print_page()


def test_a_narrow_window_has_no_line_that_runs_out_of_it(browser: Any, show: Any) -> None:
    long = replace(
        FEW.findings[0], message="a_very_long_name_" * 20, location=Location("deep/" * 40 + "x.py", 1, 1, 1, 9)
    )
    browser.set_window_size(400, 800)
    try:
        page = show(replace(FEW, findings=(long, *FEW.findings)))
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        browser.set_window_size(1100, 900)


def test_without_scripts_everything_is_there(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("".join(render("html", FEW, PLAIN)), encoding="utf-8")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get((tmp_path / "page.html").as_uri())
        assert [each.get_attribute("id") for each in browser.find_elements("css selector", ".finding")] == [A, B, C]
        assert not browser.find_element("id", "filters").is_displayed()
        assert not browser.find_element("id", "theme").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_ten_thousand_findings_open_and_filter(browser: Any, show: Any) -> None:
    some = [
        replace(
            FEW.findings[index % 3],
            location=Location(f"src/module_{index // 25}.py", 2 + index % 25, 5, 2 + index % 25, 30),
            related=(Related(Location("lib/b.py", 1, 1, 1, 9), "drawn here"),),
            fingerprint=f"{index:016x}",
        )
        for index in range(10_000)
    ]
    page = show(replace(FEW, findings=tuple(some)))
    filtered(page, "text", "kernels")
    assert eventually(lambda: page.find_element("id", "shown").text, "3,333 of 10,000 shown")
