"""What the companion has seen of a finding, as reports say it."""

from __future__ import annotations

from torchdet_lint.finding import Evidence, Finding
from torchdet_lint.report.summary import printable


def word(finding: Finding) -> str:
    """` [confirmed]`, for forms with one short line a finding; empty where nothing was tried."""
    return f" [{finding.evidence.verdict}]" if finding.evidence is not None else ""


def sentence(finding: Finding) -> str:
    """`confirmed (entropy): …` on one line; empty where nothing was tried."""
    return spoken(finding.evidence) if finding.evidence is not None else ""


def spoken(evidence: Evidence) -> str:
    """The verdict, what it hangs on, and what was seen."""
    about = evidence.factor or (evidence.check and f"check {evidence.check}")
    return printable(f"{evidence.verdict}{f' ({about})' if about else ''}: {evidence.text}")
