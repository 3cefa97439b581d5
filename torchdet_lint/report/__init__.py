"""Reports: findings in the forms that people and programs read, one pure function each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import cast

from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

FORMATS = {
    "full": ("full", "full"),
    "concise": ("concise", "concise"),
    "grouped": ("grouped", "grouped"),
    "json": ("json_report", "json_report"),
    "json-lines": ("json_report", "json_lines"),
    "github": ("github", "github"),
    "sarif": ("sarif", "sarif"),
    "gitlab": ("gitlab", "gitlab"),
    "rdjson": ("rdjson", "rdjson"),
    "rdjsonl": ("rdjson", "rdjsonl"),
    "junit": ("junit", "junit"),
    "pylint": ("pylint", "pylint"),
    "markdown": ("markdown", "markdown"),
    "html": ("html.findings", "html"),
}
"""The module, and the function in it, of each output format."""

TEXT_FORMATS = ("full", "concise", "grouped")
"""Those that people read: coloured on terminals, and followed by a summary."""

WITH_RULES = ("sarif", "html")
"""Those that describe the rules of the findings."""

WITH_CARDS = ("html",)
"""Those that show the programs."""


def render(output_format: str, report: Report, style: Style) -> Iterator[str]:
    """The report in a format of `FORMATS`, in pieces; only that format's module is imported."""
    module, name = FORMATS[output_format]
    function = getattr(import_module(f"torchdet_lint.report.{module}"), name)
    return cast("Callable[[Report, Style], Iterator[str]]", function)(report, style)
