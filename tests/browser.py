"""A headless Chromium for tests of pages, steered through its driver; tests that need it are skipped where there is none."""

from __future__ import annotations

import functools
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--hide-scrollbars",
)  # fmt: skip
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium(profile: Path, *, width: int = 1100, height: int = 900) -> Iterator[Any]:
    """A selenium driver of a fresh Chromium; the test is skipped where a part of that is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium steers the browser")
    from selenium.webdriver.chrome.service import Service

    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs Chromium and its driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--window-size={width},{height}", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield browser
    finally:
        browser.quit()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of a server for a folder, and the paths that it has been asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, *_: object) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def requests(browser: Any) -> list[str]:
    """The addresses that pages have asked for since the last call, without those of the browser's own pages."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith(("data:", "chrome"))]


def complaints(browser: Any) -> list[str]:
    """What the console says."""
    return [entry["message"] for entry in browser.get_log("browser")]


def pretend_dark(browser: Any, dark: bool) -> None:
    """As on a system whose theme is dark, or light."""
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def settled(browser: Any) -> None:
    """Waits until the page has drawn and done what it had put off for up to 100 ms: timers of one page run in their order."""
    browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 100))")


def eventually(answer: Callable[[], object], expected: object, seconds: float = 20) -> bool:
    """Whether a question to the browser comes to have this answer."""
    deadline = time.monotonic() + seconds
    while (found := answer()) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    return found == expected
