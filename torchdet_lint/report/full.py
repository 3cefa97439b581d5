"""The default report: every finding the way a compiler says it, with its source."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from torchdet_lint.finding import Finding, Location
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.excerpt import WIDTH, excerpt
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import place, printable

EFFECTS = {
    "run": "two runs on one machine differ",
    "cuda": "two runs on an accelerator differ",
    "machine": "runs on different machines differ",
    "stream": "repeats until something unrelated shifts the draws",
    "frozen": "repeats too much: another seed, worker or epoch changes nothing",
}
"""What the user would see, for each effect."""


def full(report: Report, style: Style) -> Iterator[str]:
    """One block a finding: place, severity, code and message, the source underlined, related places, help, evidence."""
    for finding in report.findings:
        yield "".join(_block(finding, report, style)) + "\n"


def _block(finding: Finding, report: Report, style: Style) -> Iterator[str]:
    at = finding.location
    margin = len(str(max(at.end_line, *(each.location.end_line for each in finding.related), 0)))
    head = f"{place(at)}: {finding.severity}[{finding.code}]: {printable(finding.message)}"
    yield _painted_head(_wrapped(head, "    "), finding, style)
    bar = f"{'':{margin}} {style.paint('margin', '|')}\n"
    lines = report.excerpt(at)
    if lines:
        yield bar
        yield from excerpt(lines, at, margin, "^", "", finding.severity, style)
    for related in finding.related:
        yield from _related(related.location, printable(related.label), at, margin, report, style)
    yield bar
    rule = f"{finding.name} ({finding.confidence} confidence{_effect(finding)})"
    for word, text, look in (
        ("help", printable(finding.help), "help"),
        ("help", _fix(finding), "help"),
        ("evidence", sentence(finding), "strong"),
        ("rule", rule, "strong"),
    ):
        if text:
            yield _note(word, text, margin, look, style)


def _fix(finding: Finding) -> str:
    """What `--fix` would do; a fix that is only for display is a suggestion."""
    if finding.fix is None:
        return ""
    kind = "suggestion" if finding.fix.safety == "display" else f"{finding.fix.safety} fix"
    return f"{kind}: {printable(finding.fix.title)}"


def _effect(finding: Finding) -> str:
    return f"; {EFFECTS[finding.effect]}" if finding.effect else ""


def _related(at: Location, label: str, main: Location, margin: int, report: Report, style: Style) -> Iterator[str]:
    """A related place: its path where it differs from the finding's, its first line, its label."""
    bar, lines = style.paint("margin", "|"), report.excerpt(at)
    if (at.path, at.cell) != (main.path, main.cell) or not lines:
        yield f"{'':{margin}} {style.paint('margin', ':::')} {place(at)}{'' if lines else ': ' + label}\n"
    else:
        yield f"{'':{margin}} {bar}\n"
    fits = lines and len(lines) == 1 and margin + 3 + at.end_column + len(label) < WIDTH
    if lines:
        first = at if at.line == at.end_line else at._replace(end_line=at.line, end_column=len(lines[0]) + 1)
        yield from excerpt(lines[:1], first, margin, "-", label if fits else "", "note", style)
        if not fits:
            yield from (f"{'':{margin}} {bar}   {line}\n" for line in textwrap.wrap(label, WIDTH - margin - 5))


def _note(word: str, text: str, margin: int, look: str, style: Style) -> str:
    prefix = f"{'':{margin}} = {word}: "
    body = _wrapped(prefix + text, " " * len(prefix))
    return body.replace(f"= {word}:", f"{style.paint('margin', '=')} {style.paint(look, word)}:", 1) + "\n"


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _painted_head(head: str, finding: Finding, style: Style) -> str:
    word, at = f"{finding.severity}[{finding.code}]", place(finding.location)
    if head.startswith(at):
        head = style.paint("strong", at) + head[len(at) :]
    return head.replace(word, style.paint(finding.severity, word), 1) + "\n"
