"""Which runs an experiment makes, and what it concludes; programs are played by functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.verify.conftest import event, record, run_of, stream
from torchdet_lint.verify.experiment import Experiment, NothingToCompare, ProgramFailed, failures, perform
from torchdet_lint.verify.factors import BY_NAME, GROUPS, Setting, asked_for
from torchdet_lint.verify.record import Draw, Ledger, Record
from torchdet_lint.verify.running import Run

ALL = frozenset(GROUPS["all"])
FACTS = {"torch": "2.13.0"}


def lab(program: Callable[[Setting], Record]) -> tuple[Callable[[Setting], Run], list[str]]:
    """A way to run a program, and the names of the runs that were made."""
    names: list[str] = []

    def execute(setting: Setting) -> Run:
        names.append(setting.name)
        return run_of(setting, program(setting))

    return execute, names


def experiment(program: Callable[[Setting], Record], chosen: frozenset[str] = ALL) -> tuple[Experiment, list[str]]:
    execute, names = lab(program)
    return perform(execute, chosen, frozenset(), lambda *_: None), names


def test_a_clean_program_needs_few_runs() -> None:
    found, names = experiment(lambda _: record(stream("rank0", event("OP"))))
    assert not found.natural.differ
    assert not found.changing()
    assert names == [
        "natural-1", "natural-2", "pinned-1", "pinned-2",
        "hash+address+memory+environment-1", "hash+address+memory+environment-2", "hash+address+memory+environment-3", "threads-1",
    ]  # fmt: skip
    assert {name for name, item in found.shown.items() if item.status == "not-asked"} == {
        "torch", "numpy", "python", "os", "clock", "pid", "listing", "cwd", "completion",
    }  # fmt: skip


def test_the_culprit_is_the_factor_that_changes_an_effect() -> None:
    def program(setting: Setting) -> Record:
        hashes = setting.env.get("PYTHONHASHSEED", setting.name)
        return record(stream("rank0", event("OP", hashes, "train.py:7:f")))

    found, _ = experiment(program)
    assert found.natural.differ
    assert [item.factor.name for item in found.changing()] == ["hash"]
    assert found.shown["hash"].divergence is not None
    assert found.shown["hash"].divergence.place == "train.py:7:f"


def test_a_pinned_pair_that_differs_ends_the_experiment() -> None:
    count = iter(range(100))
    found, names = experiment(lambda _: record(stream("rank0", event("OP", str(next(count))))))
    assert found.residual
    assert names == ["natural-1", "natural-2", "pinned-1", "pinned-2"]
    assert {item.status for item in found.shown.values()} == {"not-run"}


@pytest.mark.parametrize(("tasks", "shaky"), [(True, True), (True, False), (False, True)])
def test_a_busy_machine_that_breaks_the_order_of_tasks_is_no_factor(tasks: bool, shaky: bool) -> None:
    """Of the pinned runs only a late one shows that the schedule is to blame for what other addresses seem to change."""

    def program(setting: Setting) -> Record:
        other = "heap" in setting.pins or (shaky and setting.name == "pinned-4")
        ledger = Ledger(facts={**FACTS, **({"tasks": True} if tasks else {})})
        return record(stream("rank0", event("OP", str(other), "train.py:7:f")), ledger=ledger)

    found, names = experiment(program)
    assert found.residual is (tasks and shaky)
    assert ("pinned-3" in names) is tasks
    assert bool(found.changing()) is not (tasks and shaky)


def test_factors_that_differ_where_addresses_do_are_confounded() -> None:
    def program(setting: Setting) -> Record:
        moved = setting.pins.get("heap", 0), setting.pins.get("memory", 0)
        return record(stream("rank0", event("OP", str(moved), "train.py:7:f")))

    found, _ = experiment(program)
    assert found.shown["address"].status == "changes"
    assert found.shown["memory"].status == "confounded"


def test_memory_that_reaches_nothing_has_no_effect() -> None:
    def program(setting: Setting) -> Record:
        filled = setting.pins.get("memory", 0)
        return record(stream("rank0", event("OP", str(filled)), *[event("OP", "5")] * 30))

    found, _ = experiment(program)
    assert found.shown["memory"].status == "no-effect"


def test_only_what_the_program_asks_for_is_released() -> None:
    ledger = Ledger(draws=(Draw("numpy", "a.py:1:f", "", 1), Draw("torch", "a.py:1:f", "a.py:0:f", 1)), facts=FACTS)
    asked = {name for name, factor in BY_NAME.items() if asked_for(factor, ledger)}
    assert asked == {"numpy", "hash", "address", "memory", "environment", "threads"}
    asking = Ledger(
        asked=(("TIME", "time.time", "a.py:1:f", 3), ("FS", "os.listdir", "a.py:1:f", 1)), facts={"tasks": 3}
    )
    assert {"clock", "listing", "completion"} <= {name for name, factor in BY_NAME.items() if asked_for(factor, asking)}


def test_suspected_factors_are_released_anyway() -> None:
    execute, names = lab(lambda _: record(stream("rank0", event("OP"))))
    perform(execute, ALL, frozenset({"listing"}), lambda *_: None)
    assert "listing-1" in names


def test_without_factors_only_the_natural_pair_runs() -> None:
    found, names = experiment(lambda _: record(stream("rank0", event("OP"))), frozenset())
    assert names == ["natural-1", "natural-2"]
    assert found.pinned is None


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (record(processes=0), "not instrumented"),
        (record(ledger=Ledger()), "never imported torch"),
        (record(), "before it reached an operation"),
    ],
)
def test_nothing_to_compare_is_never_clean(left: Record, text: str) -> None:
    with pytest.raises(NothingToCompare, match=text):
        experiment(lambda _: left)


def test_what_is_stopped_before_any_operation_says_why() -> None:
    def execute(setting: Setting) -> Run:
        run = run_of(setting, record(), None)
        return replace(
            run, outcome=replace(run.outcome, stopped="time", notes=("it was stopped after 9 s, the time limit",))
        )

    with pytest.raises(NothingToCompare, match="no operation of torch; it was stopped after 9 s, the time limit"):
        perform(execute, ALL, frozenset(), lambda *_: None)


def test_what_takes_all_its_time_is_run_twice_only() -> None:
    def execute(setting: Setting) -> Run:
        run = run_of(setting, record(stream("rank0", event("OP"))), None)
        return replace(run, outcome=replace(run.outcome, stopped="time"))

    found = perform(execute, ALL, frozenset(), lambda *_: None)
    assert [run.setting.name for run in found.runs] == ["natural-1", "natural-2"]
    assert "no factors were released" in next(failures(found.runs))


def test_a_program_that_fails_by_itself() -> None:
    with pytest.raises(ProgramFailed) as caught:
        perform(lambda s: run_of(s, record(stream("rank0", event("OP"))), 3, "boom"), ALL, frozenset(), lambda *_: None)
    assert caught.value.run.outcome.stderr == "boom"


def test_later_failures_are_told() -> None:
    settings = [Setting("natural-1"), Setting("hash-1")]
    runs = tuple(run_of(setting, record(), status=index) for index, setting in enumerate(settings))
    assert list(failures(runs)) == ["run hash-1 ended with status 1"]


def test_a_source_that_several_lines_ask_for_is_released_line_by_line() -> None:
    asked = tuple(("FS", "os.listdir", f"a.py:{line}:f", 1) for line in (3, 8))

    def program(setting: Setting) -> Record:
        reached = setting.pins.get("listing", 0) if setting.only != ("a.py:3",) else 0
        return record(stream("rank0", event("OP", str(reached))), ledger=Ledger(asked=asked, facts=FACTS))

    found, names = experiment(program)
    assert [name for name in names if name.startswith("listing")] == [
        "listing-1",
        "listing-1-line-1",
        "listing-1-line-2",
    ]
    alone = found.shown["listing"].alone
    assert {line: divergence is not None for line, divergence in alone.items()} == {"a.py:3": False, "a.py:8": True}
