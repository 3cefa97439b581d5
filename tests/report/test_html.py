from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product

import pytest

from tests.report.page import BAD_TEXT, CARD, EVIL, RULES
from torchdet_lint.card import FamilyCard, ProgramCard
from torchdet_lint.finding import Finding, Fix, Location, Related
from torchdet_lint.report import WITH_CARDS, WITH_RULES, render
from torchdet_lint.report.html.frame import asset
from torchdet_lint.report.html.markup import escaped, link, prose, tag
from torchdet_lint.report.html.timeline import moments, timeline
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN

VOID = {"meta", "link", "input", "br"}
BLOCKS = {"p", "div", "ul", "ol", "pre", "table", "section", "article", "details", "figure", "h2", "h3", "h4"}


class Outline(HTMLParser):
    """The elements of a page, checked to be closed in order, and its text by the element that it is in."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        assert self.open[-1:] != ["p"] or tag not in BLOCKS, "a paragraph holds no blocks"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data

    def names(self) -> list[str]:
        return [name for name, _ in self.elements]

    def ids(self) -> list[str]:
        return [given["id"] or "" for _, given in self.elements if "id" in given]


def page(report: Report) -> Outline:
    text = "".join(render("html", report, PLAIN))
    assert text.isascii()
    return Outline(text)


def test_a_page_shows_everything_about_a_finding(report: Report) -> None:
    fixed = replace(report.findings[1], fix=Fix("seed `torch` first", "unsafe", ()))
    found = page(replace(report, findings=(report.findings[0], fixed, *report.findings[2:]), rules=RULES))
    for said in (
        "1 error, 2 warnings, 1 note", "in 10 files, 2 programs; 1 suppressed by comments",
        "Net(...) draws from torch's default generator", "TDL001 unseeded-torch-rng", "high confidence",
        "two runs on one machine differ", "weights [of fc] are drawn here", "models/net.py:3:19", "call torch.manual_seed(seed)",
        "Unsafe fix", "seed torch first", "self.fc = nn.Linear(8, 8)", "cell 3, line 2",
    ):  # fmt: skip
        assert said in found.text
    assert [given["data-code"] for name, given in found.elements if "data-code" in given] == [
        "TDL900",
        "TDL001",
        "TDL101",
        "TDL201",
    ]
    assert any(given.get("href") == "https://example.org/TDL001" for _, given in found.elements)
    ids = found.ids()
    assert len(ids) == len(set(ids))
    targets = {given["href"] for name, given in found.elements if name == "a" and (given["href"] or "").startswith("#")}
    assert targets <= {f"#{anchor}" for anchor in ids}


def test_a_clean_page_says_what_was_looked_at() -> None:
    found = page(Report(findings=(), files_checked=2, files=("a.py", "b.py"), programs=1, cards=(CARD,), known=3))
    assert "No findings" in found.text
    assert "in 2 files, 1 program; 3 in the baseline." in found.text
    assert "not a proof" in found.text
    assert "a.py" in found.text
    assert "train.py" in found.text
    assert "filters" not in found.ids()


def test_a_page_says_what_was_not_checked(report: Report) -> None:
    assert "cannot read folder x" in page(replace(report, problems=("cannot read folder x",))).text


def test_nothing_of_the_project_becomes_markup(report: Report) -> None:
    at = Location(EVIL, 1, 1, 1, 9)
    evil = Finding(
        "TDL001", BAD_TEXT, "error", "high", "run", BAD_TEXT, at, EVIL, (Related(at, BAD_TEXT),), BAD_TEXT, "javascript:alert(1)",
        BAD_TEXT, "", Fix(BAD_TEXT, "safe", ()),
    )  # fmt: skip
    card = replace(
        CARD,
        path=EVIL,
        name=BAD_TEXT,
        traits=(BAD_TEXT,),
        families=(FamilyCard(BAD_TEXT, "late", BAD_TEXT, (Related(at, BAD_TEXT),), (Related(at, BAD_TEXT),)),),
        missing=(BAD_TEXT,),
    )
    tame = page(Report(findings=(replace(evil, message="m"),), files_checked=1, rules=RULES))
    found = page(
        Report(
            findings=(evil,), files_checked=1, rules=RULES, cards=(card,), problems=(BAD_TEXT,), files=(EVIL,),
            excerpt=lambda _: (BAD_TEXT,), version=BAD_TEXT,
        )
    )  # fmt: skip
    assert found.names().count("script") == tame.names().count("script") == 1
    assert "img" not in found.names()
    assert not any(name.startswith("on") for _, given in found.elements for name in given)
    assert not any((given.get("href") or "").startswith("javascript") for _, given in found.elements)
    assert "<script>window.hacked = 1</script>" in found.text
    assert "\u202e" not in found.text, "marks of direction would turn a name around"


def test_pages_load_nothing(report: Report) -> None:
    found = page(replace(report, cards=(CARD,), rules=RULES))
    policy = next(
        given["content"] for _, given in found.elements if given.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy
    assert not any("src" in given or "style" in given for _, given in found.elements)
    assert "url(" not in asset("style.css")
    assert "@import" not in asset("style.css")


def test_the_order_of_a_timeline_is_that_of_the_program() -> None:
    found = moments(CARD)
    assert [moment.place.line for moment in found] == [8, 3, 9, 10, 11, 12]
    seeds = found[2]
    assert [(sign.kind, sign.lane, sign.look) for sign in seeds.signs] == [
        ("seed", "torch", "good"),
        ("seed", "NumPy", "good"),
    ]
    looks = {(sign.kind, sign.lane): sign.look for moment in found for sign in moment.signs}
    assert looks["draw", "torch"] == "bad", "drawn before the seed"
    assert looks["draw", "NumPy"] == "good"
    assert looks["draw", "Python"] == "bad"


def test_a_timeline_is_a_list_too() -> None:
    drawn = timeline(CARD)
    assert drawn is not None
    found = Outline(str(drawn))
    assert "seeds torch and NumPy: seed_all(...): --seed, default 0train.py:9:5" in found.text
    assert "builds DataLoader(...): shuffles, no generator" in found.text
    assert "mode cudnn.benchmark: off" in found.text
    assert found.names().count("svg") == 1 + 4, "the drawing, and a key for each shape"


def test_cards_without_an_order_are_drawn_all_the_same() -> None:
    assert len(moments(replace(CARD, order=()))) == 6
    assert timeline(ProgramCard("a.py", "script")) is None


def test_markup() -> None:
    assert tag("a", "x < y", None, 3, ["&", tag("b", "!")], href='"', hidden=True, class_=None) == (
        '<a href="&quot;" hidden>x &lt; y3&amp;<b>!</b></a>'
    )
    assert tag("br") == "<br>"
    assert prose("a `b<c` d") == "a <code>b&lt;c</code> d"
    assert prose("a ` b") == "a ` b"
    assert escaped("a\x1b[0m\nb") == "a\N{REPLACEMENT CHARACTER}[0m b"
    assert link("javascript:x", "y") == "<span>y</span>"
    assert link("https://example.org/?a&b", "y").startswith('<a href="https://example.org/?a&amp;b"')


def test_only_this_format_asks_for_more_than_findings() -> None:
    assert WITH_CARDS == ("html",)
    assert "html" in WITH_RULES


def colours() -> dict[str, tuple[str, str]]:
    found = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", asset("style.css"))
    return {name: (light, dark) for name, light, dark in found}


def luminance(colour: str) -> float:
    """As WCAG 2 defines it: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(theme: int) -> None:
    known = {name: pair[theme] for name, pair in colours().items()}
    pairs = [*product(("ink", "soft", "link", "error", "warning", "note", "good"), ("paper", "panel")), ("ink", "mark")]
    for text, ground in pairs:
        light, dark = sorted((luminance(known[text]), luminance(known[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{text} on {ground}"
