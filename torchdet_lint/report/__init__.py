"""Reports: findings in the forms that people and programs read, one pure function each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import cast

from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style

FORMATS = {"full": "full", "concise": "concise", "json": "json_report", "github": "github", "sarif": "sarif"}
"""The module, and function in it, of each output format."""

TEXT_FORMATS = ("full", "concise")
"""Those that people read: coloured on terminals, and followed by a summary."""


def render(output_format: str, report: Report, style: Style) -> Iterator[str]:
    """The report in a format of `FORMATS`, in pieces; only that format's module is imported."""
    name = FORMATS[output_format]
    function = getattr(import_module(f"torchdet_lint.report.{name}"), name)
    return cast("Callable[[Report, Style], Iterator[str]]", function)(report, style)
