"""How often each rule speaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchdet_lint.finding import SEVERITIES
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import Style


def statistics_table(report: Report, style: Style) -> Iterator[str]:
    """A row a rule, the most frequent first: count, code, name, and the severities where there are several."""
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    severities = Counter((finding.code, finding.severity) for finding in report.findings)
    width = max((len(str(number)) for number in counts.values()), default=0)
    for (code, name), number in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        shares = [(word, severities[code, word]) for word in reversed(SEVERITIES) if severities[code, word]]
        detail = ", ".join(style.paint(word, word if len(shares) == 1 else f"{each} {word}") for word, each in shares)
        yield f"{number:>{width}}  {style.paint('strong', code)}  {name}  ({detail})\n"
