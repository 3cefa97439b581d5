"""Verdicts: what runs show, joined to what rules say."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.verify.conftest import event, record, run_of, stream
from torchdet_lint.finding import Finding, Location, Related
from torchdet_lint.verify.compare import Comparison, Divergence
from torchdet_lint.verify.document import document
from torchdet_lint.verify.experiment import Experiment, Shown
from torchdet_lint.verify.factors import BY_NAME, natural
from torchdet_lint.verify.record import Event, Ledger
from torchdet_lint.verify.report import markdown, text
from torchdet_lint.verify.verdict import judge


def finding(code: str, line: int, effect: str = "run", related: int = 0, path: str = "train.py") -> Finding:
    at = Location(path, line, 1, line, 9)
    ways = (Related(Location(path, related, 1, related, 9), "draws here"),) if related else ()
    return Finding(
        code, "name", "warning", "high", effect, "the message", at, related=ways, fingerprint=f"{code}{line}"
    )


def parted(line: int, *sources: Event, kind: str = "OP") -> Divergence:
    left, right = event(kind, "1", f"train.py:{line}:f"), event(kind, "2", f"train.py:{line}:f")
    return Divergence("rank0", 4, 0, left, right, sources, 0.5, lasting=True)


def source(kind: str, line: int) -> Event:
    return event(kind, "1", f"train.py:{line}:f", "a.call")


def experiment(
    *shown: Shown,
    first: Divergence | None = None,
    reached: range = range(1, 40),
    residual: bool = False,
    modes: str = "",
) -> Experiment:
    asked = tuple(
        (one.kind, one.name, one.place, 1) for item in shown if item.divergence for one in item.divergence.sources
    )
    ledger = Ledger(
        asked=asked,
        modes=(("aten.convolution", "train.py:3:f", modes, 1),),
        facts={"torch": "2.13.0"},
        reached={"train.py": frozenset(reached)},
    )
    held = Comparison((parted(30),)) if residual else Comparison()
    every = {name: Shown(factor, "not-asked") for name, factor in BY_NAME.items()}
    every.update({item.factor.name: item for item in shown})
    runs = (run_of(natural("natural-1"), record(stream("rank0", event("OP")), ledger=ledger)),)
    return Experiment(runs, Comparison((first,) if first else ()), held, every)


def changes(name: str, divergence: Divergence) -> Shown:
    return Shown(BY_NAME[name], "changes", divergence, f"{name}-1")


def verdicts(what: Experiment, *findings: Finding) -> list[tuple[int, str, str]]:
    return [(v.finding.location.line, v.verdict, v.factor) for v in judge(findings, what).verdicts]


def test_confirmed_at_the_line_of_the_source() -> None:
    shown = changes("os", parted(9, source("ENT", 5)))
    assert verdicts(experiment(shown, first=parted(9)), finding("TDL004", 5)) == [(5, "confirmed", "os")]


def test_hidden_where_two_plain_runs_agree() -> None:
    shown = changes("listing", parted(9, source("FS", 5)))
    assert verdicts(experiment(shown), finding("TDL105", 5)) == [(5, "confirmed-hidden", "listing")]


def test_a_program_finding_is_confirmed_by_the_way_to_the_draw() -> None:
    shown = changes("numpy", parted(9, source("RNGNP", 5)))
    assert verdicts(experiment(shown, first=parted(9)), finding("TDL002", 20, related=5)) == [
        (20, "confirmed", "numpy")
    ]


def test_only_the_guilty_one_of_two_findings_is_confirmed() -> None:
    shown = changes("hash", parted(22))
    found = verdicts(experiment(shown, first=parted(22)), finding("TDL106", 4), finding("TDL106", 20))
    assert found == [(4, "no-effect-seen", ""), (20, "confirmed", "hash")]


def test_of_two_lines_that_ask_only_the_one_that_matters_is_confirmed() -> None:
    both = parted(9, source("ENT", 5), source("ENT", 6))
    shown = Shown(
        BY_NAME["os"], "changes", both, "os-1", {"train.py:5": None, "train.py:6": parted(9, source("ENT", 6))}
    )
    found = verdicts(experiment(shown, first=both), finding("TDL004", 5), finding("TDL004", 6))
    assert found == [(5, "no-effect-seen", ""), (6, "confirmed", "os")]


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        ("no-effect", "no-effect-seen"),
        ("not-asked", "refuted-on-this-torch"),
        ("not-run", "unprobed"),
        ("confounded", "confounded"),
    ],
)
def test_what_was_not_confirmed(status: str, verdict: str) -> None:
    shown = Shown(BY_NAME["memory"], status, parted(30) if status == "confounded" else None)
    assert verdicts(experiment(shown), finding("TDL501", 5)) == [(5, verdict, "")]


def test_lines_that_never_ran() -> None:
    assert verdicts(experiment(reached=range(1, 4)), finding("TDL002", 20)) == [(20, "not-reached", "")]


def test_findings_of_files_that_were_not_loaded_are_counted() -> None:
    judgement = judge([finding("TDL002", 3, path="other.py")], experiment())
    assert (judgement.verdicts, judgement.elsewhere) == ((), 1)


def test_cuda_findings_name_their_check() -> None:
    judgement = judge([finding("TDL201", 3, "cuda"), finding("TDL402", 3, "cuda")], experiment())
    assert [v.cuda_check for v in judgement.verdicts] == ["convolution-pairs", "operation-replay"]
    assert {v.verdict for v in judgement.verdicts} == {"needs-cuda"}


def test_deterministic_mode_at_the_moment_of_use_refutes() -> None:
    on, off = experiment(modes="deterministic math"), experiment(modes="cudnn.deterministic math")
    assert verdicts(on, finding("TDL402", 3, "cuda"))[0][1] == "refuted-on-this-torch"
    assert verdicts(off, finding("TDL402", 3, "cuda"))[0][1] == "needs-cuda"


def test_frozen_findings_are_not_judged_by_runs_of_one_seed() -> None:
    assert verdicts(experiment(), finding("TDL104", 3, "frozen"))[0][1] == "unprobed"


def test_what_no_rule_spoke_of_is_unexplained() -> None:
    judgement = judge([], experiment(changes("clock", parted(9, source("TIME", 5))), first=parted(9)))
    assert [(item.factor, item.place, item.fails) for item in judgement.unexplained] == [
        ("clock", "train.py:5:f", True)
    ]
    assert not judgement.clean


def test_thread_counts_are_told_and_fail_nothing() -> None:
    judgement = judge([], experiment(changes("threads", parted(9))))
    assert [item.fails for item in judgement.unexplained] == [False]
    assert judgement.clean


def test_two_runs_that_differ_are_never_clean() -> None:
    judgement = judge([], experiment(first=parted(9)))
    assert [item.factor for item in judgement.unexplained] == [""]
    assert not judgement.clean


def test_the_schedule_confirms_completion_order() -> None:
    found = verdicts(experiment(first=parted(9), residual=True), finding("TDL107", 8), finding("TDL004", 3))
    assert found == [(8, "confirmed", "schedule"), (3, "confounded", "")]


def test_without_releases_only_the_line_where_runs_part_is_confirmed() -> None:
    what = replace(experiment(first=parted(9, source("RNGNP", 5))), pinned=None)
    found = verdicts(what, finding("TDL105", 3), finding("TDL002", 5))
    assert found == [(3, "unprobed", ""), (5, "confirmed", "numpy")]
    assert verdicts(replace(experiment(), pinned=None), finding("TDL002", 5)) == [(5, "unprobed", "")]


def test_reports_say_the_same() -> None:
    shown = changes("os", parted(9, source("ENT", 5)))
    judgement = judge([finding("TDL004", 5)], experiment(shown, first=parted(9, source("ENT", 5))))
    plain, mark = "".join(text(judgement)), "".join(markdown(judgement))
    assert "train.py:5: TDL004 confirmed: another value of entropy" in plain
    assert "unequal before it: a.call at train.py:5 in f" in plain
    assert "| `train.py:5` | TDL004 | **confirmed** |" in mark
    assert "never that nothing is" in plain
    assert "never that nothing is" in mark
    content = json.loads(document(judgement, "0.1"))
    assert content["clean"] is False
    assert content["findings"][0]["effect"]["line"] == "train.py:9:f"
    assert content["findings"][0]["source"]["call"] == "a.call"


def test_seeding_that_does_nothing_is_confirmed_though_its_line_never_runs() -> None:
    shown = changes("python", parted(25, source("RNGPY", 25))), changes("numpy", parted(24, source("RNGNP", 24)))
    optional = [
        replace(finding("TDL007", line), message=f"{name} generator is seeded only if `seed` is given")
        for line, name in ((11, "Python's"), (12, "NumPy's"), (13, "torch's"))
    ]
    what = experiment(*shown, first=parted(24), reached=range(20, 40))
    assert verdicts(what, finding("TDL011", 10), *optional) == [
        (10, "confirmed", "numpy"), (11, "confirmed", "python"), (12, "confirmed", "numpy"), (13, "not-reached", ""),
    ]  # fmt: skip
    assert verdicts(what, finding("TDL002", 24), finding("TDL011", 10))[0] == (24, "confirmed", "numpy")


def test_a_seed_that_is_drawn_from_an_unseeded_generator_is_confirmed() -> None:
    shown = changes("numpy", parted(12, source("RNGNP", 12)))
    assert verdicts(experiment(shown, first=parted(12)), finding("TDL005", 12)) == [(12, "confirmed", "numpy")]


def test_tasks_that_finish_in_any_order_are_confirmed_by_two_held_runs_that_part() -> None:
    what = experiment(residual=True)
    assert verdicts(what, finding("TDL107", 19)) == [(19, "confirmed", "schedule")]
    assert verdicts(what, finding("TDL105", 19)) == [(19, "unprobed", "")]
