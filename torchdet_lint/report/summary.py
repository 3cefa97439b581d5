"""The closing line of text reports, and places as text."""

from __future__ import annotations

from collections import Counter

from torchdet_lint.engine.options import Work
from torchdet_lint.finding import VERDICTS, Location
from torchdet_lint.report.model import Report, count
from torchdet_lint.report.style import Style


def place(location: Location) -> str:
    """`path:line:column`, and `path:cell 3:line:column` in a notebook."""
    cell = "" if location.cell is None else f"cell {location.cell}:"
    return f"{printable(location.path)}:{cell}{location.line}:{location.column}"


def printable(text: str) -> str:
    """`text` on one line, with what would steer a terminal (an escape character in a file name) made visible."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char.isspace() else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _work(work: Work) -> str:
    """`12 of 30 files and 3 of 4 parts known, 5 statements parsed`"""
    known = (
        f"{work.files_known} of {count(work.files, 'file')} and {work.parts_known} of {count(work.parts, 'part')} known"
    )
    return f"{known}, {count(work.parsed, 'statement')} parsed"


def summary(report: Report, style: Style) -> str:
    """What was found where, and what can be fixed. It claims nothing about code that no rule speaks of."""
    where = count(report.files_checked, "file")
    if report.programs:
        where += f", {count(report.programs, 'program')}"
    took = "" if report.elapsed is None else f" in {report.elapsed:.2f} s"
    took += "" if report.work is None else f" ({_work(report.work)})"
    aside = [f"{len(report.fixed)} fixed"] if report.fixed else []
    aside += [f"{report.suppressed} suppressed"] if report.suppressed else []
    aside += [f"{report.known} in the baseline"] if report.known else []
    hidden = f" ({', '.join(aside)})" if aside else ""
    if not report.findings:
        return f"{style.paint('good', 'No findings')} in {where}{hidden}{took}\n"
    parts = [
        style.paint(severity, count(number, severity)) for severity, number in report.by_severity().items() if number
    ]
    fixable = f"{can_be_fixed(report)}\n" if can_be_fixed(report) else ""
    return f"{', '.join(parts)} in {where}{hidden}{took}\n{_tried(report)}{fixable}"


def _tried(report: Report) -> str:
    """How many findings got which verdict, where the companion was asked."""
    counts = Counter(finding.evidence.verdict for finding in report.findings if finding.evidence is not None)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"evidence: {told}\n" if told else ""


def can_be_fixed(report: Report) -> str:
    """How many fixes `--fix` would make, and how many more the unsafe ones are; empty for none."""
    safe, unsafe = report.fixable("safe"), report.fixable("unsafe")
    if not safe and not unsafe:
        return ""
    if not safe:
        return f"{unsafe} fixable with --fix --unsafe-fixes"
    more = f", {unsafe} more with --unsafe-fixes" if unsafe else ""
    return f"{safe} fixable with --fix{more}"
