"""The page of a verification in a real browser."""

from __future__ import annotations

from pathlib import Path

from tests.browser import chromium, complaints, pretend_dark, requests, served
from tests.verify.test_page import differing
from torchdet_lint.verify.page.sides import sides
from torchdet_lint.verify.page.sources import lines_in
from torchdet_lint.verify.page.whole import page


def test_the_page_opens_and_asks_for_nothing(tmp_path: Path) -> None:
    judgement = differing(tmp_path)
    (tmp_path / "page.html").write_text(page(judgement, sides(judgement, str(tmp_path)), lines_in(str(tmp_path)), "1"))
    with chromium(tmp_path / "profile") as browser, served(tmp_path) as (address, asked):
        browser.get(f"{address}/page.html")
        requests_made = requests(browser)
        assert requests_made[-1] == f"{address}/page.html"
        assert asked == ["/page.html"]
        for dark in (False, True):
            pretend_dark(browser, dark=dark)
            colours = (
                "return [document.querySelector('.beside .first'), document.querySelector('.plot .curve')].map(e => "
            )
            ground, curve = browser.execute_script(
                colours + "[getComputedStyle(e).backgroundColor, getComputedStyle(e).stroke])"
            )
            assert ground[0] == ("rgb(84, 69, 15)" if dark else "rgb(255, 236, 179)")
            assert curve[1] == ("rgb(255, 148, 138)" if dark else "rgb(173, 31, 24)")
        browser.set_window_size(420, 900)
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert complaints(browser) == []
