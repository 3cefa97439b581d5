"""Verdicts by what repeats within a record, and by trials."""

from __future__ import annotations

import dataclasses

import pytest

from tests.verify.conftest import event, record, run_of, stream
from torchdet_lint.finding import Finding, Location
from torchdet_lint.verify.compare import Comparison
from torchdet_lint.verify.experiment import Experiment
from torchdet_lint.verify.factors import Setting, natural
from torchdet_lint.verify.record import Draw, Ledger, Record
from torchdet_lint.verify.running import Run
from torchdet_lint.verify.trials import Tried, Wanted, tried, wanted
from torchdet_lint.verify.verdict import judge


def finding(code: str, line: int, effect: str, message: str = "m") -> Finding:
    at = Location("train.py", line, 1, line, 5)
    return Finding(code, "name", "warning", "high", effect, message, at, fingerprint=f"{code}{line}")  # type: ignore[arg-type]


def experiment(what: Record, *tried: Tried) -> Experiment:
    return Experiment((run_of(natural("natural-1"), what),), Comparison(), None, {}, tried)


def drawn(digest: str, line: int = 5, name: str = "aten.randperm") -> object:
    return event("RNG", digest, f"train.py:{line}:f", name)


def seeded(digest: str, line: int = 4) -> object:
    return event("SEED", digest, f"train.py:{line}:f", "torch.manual_seed")


def family(call: str) -> object:
    """The seed of another generator, by the same line."""
    return event("SEED", "1", "train.py:4:f", call)


REACHED = {"train.py": frozenset({3, 4, 5})}


@pytest.mark.parametrize(
    ("code", "events", "verdict"),
    [
        ("TDL012", [seeded("1"), drawn("a"), seeded("1"), drawn("a")], "confirmed"),
        ("TDL012", [seeded("1"), drawn("a"), seeded("2"), drawn("b")], "unprobed"),
        ("TDL012", [seeded("1"), seeded("1"), drawn("a")], "unprobed"),
        ("TDL012", [drawn("a"), family("random.seed"), family("numpy.random.seed"), seeded("1")], "unprobed"),
        ("TDL012", [seeded("1", 3), drawn("a"), seeded("1", 3), drawn("a")], "unprobed"),
        ("TDL108", [drawn("a"), drawn("a")], "confirmed"),
        ("TDL108", [drawn("a"), drawn("b")], "unprobed"),
        ("TDL108", [drawn("a", name="aten.randn"), drawn("a", name="aten.randn")], "unprobed"),
    ],
)
def test_numbers_that_repeat(code: str, events: list[object], verdict: str) -> None:
    what = record(stream("rank0", *events), ledger=Ledger(facts={"torch": "2"}, reached=REACHED))  # type: ignore[arg-type]
    (found,) = judge([finding(code, 4, "frozen")], experiment(what)).verdicts
    assert found.verdict == verdict, found.reason


def test_generators_that_nobody_seeds() -> None:
    draws = (Draw("torch.Generator", "train.py:5:f", "", 3), Draw("a seeded torch.Generator", "train.py:5:f", "?", 3))
    for number, verdict in ((0, "confirmed"), (1, "unprobed")):
        what = record(stream("rank0", event("OP")), ledger=Ledger(draws=draws[number : number + 1], reached=REACHED))
        (found,) = judge([finding("TDL013", 4, "frozen")], experiment(what)).verdicts
        assert found.verdict == verdict


@pytest.mark.parametrize(
    ("code", "effect", "name", "holds", "verdict"),
    [
        ("TDL011", "run", "seed", False, "confirmed-hidden"),
        ("TDL011", "run", "seed", True, "unprobed"),
        ("TDL601", "stream", "resume", False, "confirmed-hidden"),
        ("TDL601", "stream", "resume", True, "no-effect-seen"),
        ("TDL601", "stream", "resume", None, "unprobed"),
        ("TDL101", "stream", "without", False, "confirmed-hidden"),
        ("TDL101", "stream", "without", True, "no-effect-seen"),
        ("TDL101", "stream", "seed", False, "unprobed"),
    ],
)
def test_trials(code: str, effect: str, name: str, holds: bool | None, verdict: str) -> None:
    what = record(stream("rank0", event("OP", place="train.py:4:f")))
    judged = judge([finding(code, 4, effect)], experiment(what, Tried(name, holds, "said")))
    assert judged.verdicts[0].verdict == verdict
    assert judged.clean is (holds is not False or name == "seed" and code != "TDL011")


def test_alerts_confirm_that_there_is_no_kernel() -> None:
    what = record(stream("rank0", event("OP", place="train.py:4:f"), event("OP", place="train.py:5:f")))
    alerts = Tried("strict", holds=False, detail="", alerts=(("put_", "train.py:4:f", 2),))
    findings = [finding("TDL402", 4, "cuda"), finding("TDL402", 5, "cuda")]
    found = {one.finding.location.line: one for one in judge(findings, experiment(what, alerts)).verdicts}
    assert (found[4].verdict, found[5].verdict) == ("confirmed-hidden", "needs-cuda")
    assert "put_ has no deterministic" in found[4].reason


def test_which_trials_are_wanted() -> None:
    dead = finding("TDL011", 3, "run", "`--seed` is parsed and reaches no seeding call")
    command = ("python", "train.py", "--manual-seed=3")
    assert wanted([dead], command, True, "", ()).seed == ("--seed", "54321")
    assert wanted([], command, True, "", ()) == Wanted(inverse=True, seed=("--manual-seed", "54321"))
    assert wanted([dead], command, False, "valid*", ["--resume"]) == Wanted(
        seed=("--seed", "54321"), without="valid*", resume=("--resume",)
    )
    assert wanted([finding("TDL402", 3, "cuda")], ("x",), True, "", ()).names == ("strict",)
    assert wanted([], ("x",), True, "", ()).names == ()


@pytest.mark.parametrize(
    ("code", "line", "moved", "verdict"),
    [
        ("TDL101", 9, ("aten.randperm.generator", "train.py:20:main", ""), "confirmed-hidden"),  # iterated elsewhere
        ("TDL101", 9, ("aten.bernoulli_.float", "train.py:20:main", ""), "no-effect-seen"),
        ("TDL101", 9, ("aten.randperm.generator", "other.py:20:main", ""), "no-effect-seen"),
        ("TDL101", 9, ("aten.randperm.generator", "other.py:20:main", "train.py:9:main"), "confirmed-hidden"),
        ("TDL101", 9, ("aten.randperm.generator", "train.py:20:main", "train.py:8:main"), "no-effect-seen"),
        ("TDL101", 9, ("aten.randperm.generator", "train.py:20:main", "train.py:7:main"), "confirmed-hidden"),
        ("TDL103", 9, ("aten.randperm", "train.py:9:main", ""), "confirmed-hidden"),
        ("TDL103", 9, ("aten.randperm", "train.py:20:main", ""), "no-effect-seen"),
    ],
)
def test_one_draw_more(code: str, line: int, moved: tuple[str, str, str], verdict: str) -> None:
    facts = {"made-within": {"train.py:7:main": "train.py:9:Mine.__init__"}}
    ran = record(stream("rank0", event("OP", "1", f"train.py:{line}:f")), ledger=Ledger(facts=facts))
    what = experiment(ran, Tried("shift", False, "", moved=(moved,)))
    (found,) = judge((finding(code, line, "stream"),), what).verdicts
    assert (found.verdict, found.checks) == (verdict, ("shift-trial",))


def test_draws_are_compared_line_by_line() -> None:
    def run(setting: Setting) -> Run:
        moved = "2" if setting.pins.get("shift") else "1"
        shared = event("RNG", moved, "train.py:9:f", "aten.randperm")
        own = event("RNG", "7", "train.py:12:f", "aten.randperm.generator")
        ledger = Ledger(draws=(Draw("torch", "train.py:9:f", "train.py:3:f", 1),))
        return run_of(setting, record(stream("rank0", shared, own), ledger=ledger))

    (found,) = tried(run, run(Setting("pinned")).record, Wanted(shift=True), residual=False)
    assert found.moved == (("aten.randperm", "train.py:9:f", ""),)
    assert wanted([finding("TDL101", 9, "stream")], (), True, "", ()).shift
    assert not wanted([finding("TDL101", 9, "run")], (), True, "", ()).shift


@pytest.mark.parametrize("trial", [Tried("resume", None, "it saved nothing"), None])
def test_why_a_program_that_resumes_was_not_tried(trial: Tried | None) -> None:
    what = record(stream("rank0", event("OP", place="train.py:4:f")))
    (found,) = judge([finding("TDL601", 4, "stream")], experiment(what, *filter(None, [trial]))).verdicts
    assert found.verdict == "unprobed"
    assert (found.reason == "it saved nothing") if trial else ("--resume-args" in found.reason)


@pytest.mark.parametrize(("severity", "clean"), [("note", True), ("warning", False)])
def test_a_note_that_is_confirmed_fails_nothing(severity: str, clean: bool) -> None:
    found = dataclasses.replace(finding("TDL011", 4, "run"), severity=severity)
    what = record(stream("rank0", event("OP", place="train.py:4:f")))
    judged = judge([found], experiment(what, Tried("seed", False, "said")))
    assert judged.verdicts[0].verdict == "confirmed-hidden"
    assert judged.clean is clean
