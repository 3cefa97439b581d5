"""Checks of an accelerator, on a CPU that is taken for one, with operators that are planted to be wrong."""

from __future__ import annotations

import _thread
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.verify.conftest import event, needs_torch, record, run_of, stream
from tests.verify.test_verdict import finding
from torchdet_lint.verify import accelerator
from torchdet_lint.verify.accelerator import CONVOLUTIONS, QUESTIONS, RACES, REPLAY, Seen, Sight, question
from torchdet_lint.verify.compare import Comparison
from torchdet_lint.verify.device_verdict import what_was_seen
from torchdet_lint.verify.document import document
from torchdet_lint.verify.experiment import Experiment, Shown, perform
from torchdet_lint.verify.factors import BY_NAME, Setting, natural, pinned
from torchdet_lint.verify.record import Ledger, Record
from torchdet_lint.verify.report import text
from torchdet_lint.verify.running import Run, Sample, execute
from torchdet_lint.verify.verdict import judge

RACY = """
import itertools
import torch

count = itertools.count()
library = torch.library.Library("planted", "DEF")
library.define("add(Tensor x) -> Tensor")
library.define("add_(Tensor(a!) x, Tensor y) -> Tensor(a!)")
library.define("steady(Tensor x, float p) -> Tensor")

def add(x):
    return x.sum() + next(count) * 1e-3  # as atomics would: another order, another rounding

def add_(x, y):
    x.copy_(x + y + next(count) * 1e-3)
    return x

def steady(x, p):
    return x * 2

library.impl("add", add, "CPU")
library.impl("add_", add_, "CPU")
library.impl("steady", steady, "CPU")

torch.manual_seed(0)
x = torch.arange(4.0)
a = torch.ops.planted.add(x)
b = torch.ops.planted.add_(torch.zeros(4), x)
c = torch.ops.planted.steady(x, 0.5)
d = torch.nn.functional.dropout(x, 0.5) + torch.rand(4)
e = torch.nn.functional.batch_norm(x.reshape(2, 2), torch.zeros(2), torch.ones(2), training=True)
f = torch.zeros(4).index_add_(0, torch.tensor([0, 0]), torch.ones(2))
print(c.tolist(), d.tolist(), e.tolist(), f.tolist(), torch.rand(2).tolist())
"""


def checked(what: Sample, **pins: int) -> Record:
    held = pinned("check")
    return execute(replace(what, accelerator="cpu"), replace(held, pins={**held.pins, **pins})).record


@needs_torch
def test_operations_are_run_again_and_numbers_stay_what_they_were(sample: Callable[..., Sample]) -> None:
    what = replace(sample(RACY), accelerator="cpu")
    held = pinned("plain")
    plain = execute(what, held)
    again = execute(what, replace(held, name="again", pins={**held.pins, "replay": 3}))
    assert again.outcome.stdout == plain.outcome.stdout
    sights = accelerator._sights(again.record, REPLAY)
    assert {(one.operation, one.places, one.said) for one in sights} == {
        ("planted.add", ("train.py:27:<module>",), "3/3"),
        ("planted.add_", ("train.py:28:<module>",), "3/3"),
    }
    assert again.record.ledger.facts["replayed"] >= 9
    assert "failures" not in again.record.ledger.facts


ALERTED = """
import warnings
import torch

warnings.filterwarnings("ignore")  # as many programs do

def unpool(x):
    pooled, where = torch.nn.functional.max_pool2d(x, 2, return_indices=True)
    return torch.nn.functional.max_unpool2d(pooled, where, 2)

unpool(torch.randn(1, 1, 4, 4))
x = torch.zeros(2).put_(torch.tensor([0]), torch.tensor([1.0]))
"""


@needs_torch
def test_alerts_of_strict_mode_get_the_users_line_whatever_the_program_filters(sample: Callable[..., Sample]) -> None:
    found = checked(sample(ALERTED), strict=1)
    assert {(one.operation, one.places) for one in accelerator._alerts(found)} == {
        ("max_unpooling2d_forward_out", ("train.py:9:unpool",)),
        ("put_", ("train.py:12:<module>",)),
    }


def test_an_alert_of_cublas_is_one_and_other_errors_stay_errors() -> None:
    from torchdet_lint.verify.rt.alerts import Alerts

    heard: list[tuple[str, str]] = []
    modes: list[bool] = []
    alerts = Alerts.__new__(Alerts)
    alerts._set = lambda _mode, warn_only: modes.append(warn_only)
    alerts._run = SimpleNamespace(ledger=SimpleNamespace(alert=lambda *said: heard.append(said)))  # type: ignore[assignment]

    def product(message: str) -> Callable[[], str]:
        def call() -> str:
            if not modes[-1]:
                raise RuntimeError(message)
            return "done"

        return call

    strict = "Deterministic behavior was enabled, but this operation is not deterministic because it uses CuBLAS and you have"
    assert alerts.call(product(strict), (), {}, lambda: "train.py:3:f") == "done"
    assert heard == [("CuBLAS", "train.py:3:f")]
    with pytest.raises(RuntimeError, match="out of memory"):
        alerts.call(product("out of memory"), (), {}, lambda: "")
    assert modes[-1]  # what only warns is on again


HELD = """
import torch
print(torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic, torch.get_float32_matmul_precision())
torch.ones(1) + 1
"""


@needs_torch
def test_what_is_held_for_convolutions_and_products(sample: Callable[..., Sample]) -> None:
    what = sample(HELD)
    said = [
        execute(what, Setting(name, pins)).outcome.stdout.split()
        for name, pins in (("a", {"cudnn": 0}), ("b", {"precision": 1}))
    ]
    assert said == [["False", "True", "highest"], ["False", "False", "high"]]


def test_copies_that_do_not_wait_are_read_twice() -> None:
    """The copy itself takes a device; here its bytes arrive while one waits."""
    from torchdet_lint.verify.rt.races import Races

    arrived = [False]
    written: list[tuple[str, ...]] = []
    on = partial(SimpleNamespace, type="cuda")
    stream_of = SimpleNamespace(event=lambda *fields: written.append(fields))
    race = Races.__new__(Races)
    race._run = SimpleNamespace(  # type: ignore[assignment]
        orders=SimpleNamespace(accelerator="cuda"),
        places=SimpleNamespace(nearest=lambda _frame: "train.py:3:f"),
        streams=SimpleNamespace(current=lambda: stream_of),
    )
    race._digests = SimpleNamespace(add=lambda _before, _tensor: arrived[0])  # type: ignore[assignment]
    race._wait = lambda: arrived.__setitem__(0, True)
    dispatch = race.around(lambda *_: "recorded")
    tensor = SimpleNamespace(device=on())

    def copy(*_args: object, **_kwargs: object) -> object:
        return tensor

    copy._schema = SimpleNamespace(name="aten::_to_copy")  # type: ignore[attr-defined]
    assert dispatch(copy, (tensor,), {"device": on(type="cpu"), "non_blocking": True}) is tensor
    assert written == [("RACE", "aten._to_copy", "train.py:3:f", "1")]
    assert dispatch(copy, (tensor,), {"device": on(type="cpu")}) == "recorded"  # one that waits
    assert dispatch(copy, (tensor,), {"device": on(), "non_blocking": True}) == "recorded"  # it stays on the device


def test_threads_of_the_engine_have_a_stream_and_the_lines_of_the_main_thread(tmp_path: Path) -> None:
    """Backward passes of an accelerator run in threads that Python did not start."""
    from torchdet_lint.verify.rt.mode import Graph
    from torchdet_lint.verify.rt.streams import Streams

    streams, graph, done = Streams(str(tmp_path)), Graph(), threading.Event()
    graph.add(8, "train.py:3:f", "net.layer")
    said: list[object] = []

    def backward() -> None:
        said.extend((streams.current().name, graph.lines.get(7)))
        done.set()

    _thread.start_new_thread(backward, ())
    assert done.wait(10)
    assert said == ["rank0/backward", ("train.py:3:f", "net.layer")]
    assert graph.of(SimpleNamespace(_sequence_nr=lambda: 7), "") == ("train.py:3:f", "net.layer")
    assert graph.of(SimpleNamespace(), "train.py:9:g") == ("train.py:9:g", "")  # a node without a number
    other = threading.Thread(target=lambda: said.append(graph.lines.get(7)))
    other.start()
    other.join()
    assert said[2] is None


def seen_by(*sights: Sight, **more: object) -> Experiment:
    """An experiment on an accelerator in which the checks saw this."""
    ledger = Ledger(facts={"torch": "2.13.0", "device": "cuda"}, reached={"train.py": frozenset(range(1, 40))})
    runs = (run_of(natural("natural-1"), record(stream("rank0", event("OP")), ledger=ledger)),)
    shown = {name: Shown(factor, "not-asked") for name, factor in BY_NAME.items()}
    seen = Seen(frozenset({"operation-replay", "strict-alerts"}), sights, 100, **more)  # type: ignore[arg-type]
    return Experiment(runs, Comparison(), Comparison(), shown, seen=seen)


def verdict(experiment: Experiment, code: str, line: int = 5) -> tuple[str, tuple[str, ...]]:
    (found,) = judge((finding(code, line, effect="cuda"),), experiment).verdicts
    return found.verdict, found.checks


AGAIN = Sight("operation-replay", "aten.index_add_", ("train.py:5:f",), 4, "2/3")
BACKWARD = Sight(
    "operation-replay", "aten._scaled_dot_product_flash_attention_backward", ("train.py:9:f", "train.py:5:g"), 1, "3/3"
)
CUBLAS = Sight("strict-alerts", "CuBLAS", ("train.py:30:f",), 1, "1")
ALERT = Sight("strict-alerts", "cumsum_cuda_kernel", ("train.py:5:f",), 1, "1")


@pytest.mark.parametrize(
    ("code", "sight", "line", "expected"),
    [
        ("TDL401", AGAIN, 5, "confirmed"),
        ("TDL401", AGAIN, 6, "no-effect-seen"),
        ("TDL402", ALERT, 5, "confirmed"),
        ("TDL301", BACKWARD, 5, "confirmed"),
        ("TDL301", BACKWARD, 7, "no-effect-seen"),
        ("TDL302", BACKWARD, 7, "confirmed"),  # the layer is made on one line and called on another
        ("TDL303", AGAIN, 7, "no-effect-seen"),
        ("TDL203", AGAIN, 20, "confirmed"),
        ("TDL204", ALERT, 20, "confirmed"),
        ("TDL205", CUBLAS, 20, "confirmed"),
        ("TDL205", ALERT, 20, "no-effect-seen"),
        ("TDL403", CUBLAS, 20, "confirmed"),
        ("TDL207", AGAIN, 5, "needs-cuda"),
    ],
)
def test_each_rule_asks_what_speaks_for_it(code: str, sight: Sight, line: int, expected: str) -> None:
    assert verdict(seen_by(sight), code, line)[0] == expected


def test_convolutions_are_to_blame_where_holding_them_ends_the_difference() -> None:
    assert verdict(seen_by(steadied=True), "TDL201") == ("confirmed", ("natural-pair", "convolution-pairs"))
    assert verdict(seen_by(steadied=False), "TDL202")[0] == "no-effect-seen"
    assert verdict(seen_by(steadied=None), "TDL201")[0] == "no-effect-seen"


def test_reports_say_what_was_seen() -> None:
    judgement = judge((finding("TDL401", 5, effect="cuda"),), seen_by(AGAIN, BACKWARD))
    said = "".join(text(judgement))
    assert "aten.index_add_ gave other bytes on the same inputs (in 2/3 repeats) at train.py:5" in said
    assert "100 operations were run again" in said
    found = json.loads(document(judgement, "1"))
    assert [one["op"] for one in found["accelerator"]["sights"]] == [AGAIN.operation, BACKWARD.operation]
    jsonschema = pytest.importorskip("jsonschema")
    schema = Path(accelerator.__file__).parent / "schema-1.json"
    jsonschema.validate(found, json.loads(schema.read_text(encoding="utf-8")))


@pytest.mark.parametrize("line", ["train.py:5", "train.ipynb:cell 3:5"])
def test_a_sight_is_told_with_its_line(line: str) -> None:
    assert what_was_seen(AGAIN._replace(places=(f"{line}:f",))).endswith(f" at {line}")


def device_lab(device: str) -> tuple[Callable[[Setting], Run], list[Setting]]:
    """A device on which runs part unless cuDNN is held."""
    settings: list[Setting] = []

    def run(setting: Setting) -> Run:
        settings.append(setting)
        held = "cudnn" in setting.pins
        ledger = Ledger(facts={"torch": "2.13.0", "device": device, "replayed": 7})
        events = [
            event("BW", "1" if held else str(len(settings)), "train.py:9:f", "aten.convolution", forward="train.py:5:f")
        ]
        if "replay" in setting.pins:
            events.append(event("AGAIN", "1/3", "", "aten.convolution"))
        if "strict" in setting.pins:
            ledger = replace(ledger, alerts=(("convolution_backward_cuda", "train.py:5:f", 1),))
        return run_of(setting, record(stream("rank0", *events), ledger=ledger))

    return run, settings


def test_the_checks_that_findings_ask_for_are_run() -> None:
    run, settings = device_lab("cuda")
    plain = perform(run, frozenset({"hash"}), frozenset(), lambda *_: None)
    assert plain.residual
    findings = [finding("TDL201", 3, effect="cuda"), finding("TDL503", 4, effect="cuda")]
    found = accelerator.perform(run, plain, findings, "cuda", lambda *_: None)
    names = [setting.name for setting in settings[4:]]
    assert names == [
        "operation-replay-1",
        "strict-alerts-1",
        "copy-race-1",
        "convolution-pairs-1",
        "convolution-pairs-2",
    ]
    assert found.seen is not None
    assert found.seen.steadied
    assert found.seen.sights == (
        Sight("operation-replay", "aten.convolution", ("train.py:9:f", "train.py:5:f"), 1, "1/3"),
        Sight("strict-alerts", "convolution_backward_cuda", ("train.py:5:f",), 1, ""),
    )
    assert len(found.runs) == len(settings)


def test_a_sample_on_a_cpu_needs_none() -> None:
    run, settings = device_lab("cpu")
    plain = perform(run, frozenset(), frozenset(), lambda *_: None)
    assert accelerator.perform(run, plain, (), "cuda", lambda *_: None) is plain
    assert len(settings) == 2


def test_every_rule_about_cuda_has_a_question_or_a_reason() -> None:
    from torchdet_lint.catalog.rules import load_rules

    about = {rule.code for rule in load_rules().rules if "cuda" in rule.effects}
    assert {code for code in about if question(finding(code, 1)) is None} == {"TDL207"}
    assert {check.name for each in QUESTIONS for check in each.checks} >= {REPLAY.name, RACES.name, CONVOLUTIONS.name}


@needs_torch
def test_from_a_program_to_its_verdict(tmp_path: Path) -> None:
    """Everything together, on a CPU that is taken for the accelerator."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(RACY, encoding="utf-8")
    base = tmp_path / "base"
    base.mkdir()
    what = Sample((sys.executable, "train.py"), str(folder), str(base), lines={"train.py": (27, 29)}, accelerator="cpu")
    run = partial(execute, what)
    plain = perform(run, frozenset(), frozenset(), lambda *_: None)
    asked = (finding("TDL401", 27, effect="cuda"), finding("TDL401", 29, effect="cuda"))
    judgement = judge(asked, accelerator.perform(run, plain, asked, "cpu", lambda *_: None))
    assert [one.verdict for one in judgement.verdicts] == ["confirmed", "no-effect-seen"]
