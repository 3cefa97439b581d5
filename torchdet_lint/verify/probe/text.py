"""Evidence as text for people, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from torchdet_lint.finding import VERDICTS, Evidence, Finding
from torchdet_lint.verify.probe.evidence import CONFIRMED, CUDA, HIDDEN, NOTHING, REFUTED, UNPROBED

SCHEMA = 1
_MARKS = {CONFIRMED: "!", HIDDEN: "!", REFUTED: "x", NOTHING: "-", CUDA: "?", UNPROBED: "?"}


def as_text(findings: Sequence[Finding], evidence: Mapping[str, Evidence]) -> Iterator[str]:
    """A paragraph for each finding, then a line of counts."""
    for finding in findings:
        found = evidence[finding.fingerprint]
        at = finding.location
        place = f"{at.path}:cell {at.cell}:{at.line}" if at.cell is not None else f"{at.path}:{at.line}"
        yield f"{place}:{at.column}: {finding.code} {finding.message}\n"
        check = f" (check {found.check})" if found.check else f" ({found.factor})" if found.factor else ""
        said = f"{_MARKS[found.verdict]} {found.verdict}{check}: {found.text}"
        yield f"  {said}\n\n"
    counts = Counter(evidence[finding.fingerprint].verdict for finding in findings)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    yield f"{len(findings)} finding{'s' if len(findings) != 1 else ''}{': ' if told else ''}{told}\n"
    if counts:
        yield "Probes try single calls: what they see is there, and what they do not see may be.\n"


def as_json(findings: Iterable[Finding], evidence: Mapping[str, Evidence], python: str, version: str) -> str:
    """One object: `schema`, `version` of torchdet-lint, `python`, and `evidence`, an object a finding."""
    rows = [
        {
            "fingerprint": finding.fingerprint,
            "code": finding.code,
            "path": finding.location.path,
            "line": finding.location.line,
            "column": finding.location.column,
            "cell": finding.location.cell,
            "verdict": (found := evidence[finding.fingerprint]).verdict,
            "text": found.text,
            "factor": found.factor,
            "check": found.check,
        }
        for finding in findings
    ]
    document = {"schema": SCHEMA, "version": version, "python": python, "evidence": rows}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
