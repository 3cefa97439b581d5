"""Evidence: what runs and probes say about findings, in the form that every report reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from torchdet_lint.finding import VERDICTS, Evidence, Finding
from torchdet_lint.verify.findings import FindingsError, document_in


def attached(findings: Iterable[Finding], evidence: Mapping[str, Evidence]) -> tuple[Finding, ...]:
    """The findings, each with the evidence that its fingerprint has."""
    return tuple(replace(each, evidence=evidence.get(each.fingerprint, each.evidence)) for each in findings)


def read(path: str) -> Mapping[str, Evidence]:
    """The evidence in a JSON report of `verify -- COMMAND` or of `verify --probe`, by fingerprint. Raises FindingsError."""
    document = document_in(path, "torchdet-lint verify --output-format json")
    try:
        rows = _probed(document["evidence"]) if "evidence" in document else _run(document)
        found = {fingerprint: evidence for fingerprint, evidence in rows if evidence.verdict in VERDICTS}
    except (KeyError, TypeError) as error:
        raise FindingsError(f"{path} is no complete report of `verify`: {type(error).__name__} {error}") from None
    return found


def _probed(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Evidence]]:
    for row in rows:
        yield row["fingerprint"], Evidence(row["verdict"], row["text"], row["factor"], row["check"])


def _run(document: Mapping[str, Any]) -> Iterator[tuple[str, Evidence]]:
    """What a sample of the program says; of a finding that was seen at work, also where two runs part."""
    version = f" (torch {document['torch']})" if document["torch"] else ""
    for row in document["findings"]:
        effect = row["effect"]
        parted = f"; two runs part first at {_place(effect)}" if effect else ""
        text = f"{row['reason']}{parted}{version}"
        yield row["fingerprint"], Evidence(row["verdict"], text, row["factor"] or "", row["cuda_check"] or "")


def _place(effect: Mapping[str, Any]) -> str:
    """`train.py:12 (aten.add)`, the forward line of a backward operation."""
    place = str(effect["fwd"] or effect["line"])
    at = place.rpartition(":")[0]
    if not at and effect["op"] == "print":
        return "what it prints"
    return f"{at} ({effect['op']})" if at else f"{effect['op']}, outside of your code"
