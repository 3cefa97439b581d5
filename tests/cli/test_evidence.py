"""`check --verify` and `check --evidence`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import torchdet_lint.verify.probe
from tests.cli.conftest import ERROR, NOTE, WARNING, Engine, Ran
from torchdet_lint.finding import Evidence, Finding

Lint = Callable[..., Ran]

EVENT = {"kind": "OP", "op": "aten.add", "line": "a.py:7:main", "fwd": None}
RUN = {
    "schema": 1,
    "torch": "2.13.0",
    "runs": [],
    "findings": [
        {
            "fingerprint": "f1", "verdict": "confirmed", "reason": "two plain runs part here", "factor": "torch",
            "cuda_check": None, "effect": EVENT,
        },
        {
            "fingerprint": "f2", "verdict": "not-reached", "reason": "the sample never ran the line", "factor": None,
            "cuda_check": None, "effect": None,
        },
    ],
}  # fmt: skip
PROBED = {
    "schema": 1,
    "evidence": [
        {"fingerprint": "f3", "verdict": "needs-cuda", "text": "takes a GPU", "factor": "", "check": "replay"}
    ],
}


@pytest.fixture
def printed(engine: Engine) -> tuple[Finding, ...]:
    """The engine's findings, with fingerprints f1 to f3."""
    findings = tuple(replace(each, fingerprint=f"f{i}") for i, each in enumerate((ERROR, WARNING, NOTE), 1))
    engine.result = replace(engine.result, findings=findings)
    return findings


def evidence_of(ran: Ran) -> list[str | None]:
    rows = json.loads(ran.out)["findings"]
    return [
        None if row["evidence"] is None else f"{row['evidence']['verdict']}: {row['evidence']['text']}" for row in rows
    ]


@pytest.mark.usefixtures("printed")
def test_verdicts_of_a_run_join_findings_by_fingerprint(lint: Lint) -> None:
    Path("run.json").write_text(json.dumps(RUN))
    ran = lint("check", "--evidence", "run.json", "--output-format", "json")
    assert evidence_of(ran) == [
        "confirmed: two plain runs part here; two runs part first at a.py:7 (aten.add) (torch 2.13.0)",
        "not-reached: the sample never ran the line (torch 2.13.0)",
        None,
    ]
    assert (ran.status, ran.err) == (1, "")


@pytest.mark.usefixtures("printed")
def test_places_in_notebooks_are_told_with_their_cell(lint: Lint) -> None:
    parted = {**RUN["findings"][0], "effect": {**EVENT, "line": "a.ipynb:cell 3:7:main"}}  # type: ignore[index]
    Path("run.json").write_text(json.dumps({**RUN, "findings": [parted]}))
    found = evidence_of(lint("check", "--evidence", "run.json", "--output-format", "json"))
    assert "first at a.ipynb:cell 3:7 (aten.add)" in str(found[0])


@pytest.mark.usefixtures("printed")
def test_verdicts_of_probes_join_too(lint: Lint) -> None:
    Path("probes.json").write_text(json.dumps(PROBED))
    assert evidence_of(lint("check", "--evidence", "probes.json", "--output-format", "json")) == [
        None, None, "needs-cuda: takes a GPU",
    ]  # fmt: skip


@pytest.mark.usefixtures("engine")
def test_a_file_of_another_revision_is_said(lint: Lint) -> None:
    Path("run.json").write_text(json.dumps(RUN))  # the engine's findings have other fingerprints
    ran = lint("check", "--evidence", "run.json", "-q")
    assert "run.json speaks of none of these findings: it may be of another revision" in ran.err
    assert ran.status == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{", "no JSON; write it by `torchdet-lint verify --output-format json`"),
        ('{"schema": 7}', "no report of schema 1"),
        ('{"schema": 1, "findings": [{}], "torch": ""}', "no complete report of `verify`"),
    ],
)
@pytest.mark.usefixtures("printed")
def test_a_file_that_is_no_report_is_one_clear_line(lint: Lint, content: str | None, said: str) -> None:
    if content is not None:
        Path("run.json").write_text(content)
    ran = lint("check", "--evidence", "run.json")
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> dict[str, Evidence]:
    """What a fake prober says, by fingerprint."""
    said: dict[str, Evidence] = {}

    def probe(findings: list[Finding], *_args: object, **_named: object) -> dict[str, Evidence]:
        return {each.fingerprint: said.get(each.fingerprint, Evidence("unprobed", "no")) for each in findings}

    monkeypatch.setattr(torchdet_lint.verify.probe, "probe", probe)
    return said


@pytest.mark.usefixtures("printed")
def test_check_verify_probes_what_no_file_speaks_of(lint: Lint, probes: dict[str, Evidence]) -> None:
    Path("run.json").write_text(json.dumps(RUN))
    probes.update(f1=Evidence("refuted-on-this-torch", "no"), f3=Evidence("confirmed", "seen", "entropy"))
    ran = lint("check", "--verify", "--evidence", "run.json", "--output-format", "concise")
    assert ran.out.count("[confirmed]") == 2  # the run's word stands above that of a probe
    assert "[not-reached]" in ran.out
    assert "evidence: 2 confirmed, 1 not-reached" in ran.out


@pytest.mark.usefixtures("printed")
def test_evidence_changes_no_exit_status_and_is_not_replayed(lint: Lint, probes: dict[str, Evidence]) -> None:
    probes["f1"] = Evidence("confirmed", "seen")
    assert lint("check", "--verify").status == 1
    assert lint("check", "--verify", "--exit-zero").status == 0
    probes["f1"] = Evidence("refuted-on-this-torch", "not so")
    assert "[refuted-on-this-torch]" in lint("check", "--verify", "--output-format", "concise").out


@pytest.mark.usefixtures("printed")
def test_an_interpreter_without_torch_is_said_once(lint: Lint, probes: dict[str, Evidence]) -> None:
    lacks = Evidence("unprobed", "the interpreter has no torch: No module named 'torch'")
    probes.update(f1=lacks, f2=lacks)
    ran = lint("check", "--verify", "--python", sys.executable, "-q")
    assert ran.err.count("the interpreter has no torch") == 1
    assert "name another one with --python" in ran.err
    assert ran.status == 2


@pytest.mark.usefixtures("printed")
def test_options_that_need_each_other(lint: Lint) -> None:
    assert "--python names the interpreter for --verify" in lint("check", "--python", "python3").err
    assert "no such program" in lint("check", "--verify", "--python", "no-such-python").err
