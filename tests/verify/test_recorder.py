"""The recorder under torch: it sees what happens, and changes no number."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tests.verify.conftest import needs_torch
from torchdet_lint.verify.compare import compare
from torchdet_lint.verify.factors import Setting, natural, pinned
from torchdet_lint.verify.record import Event, Record
from torchdet_lint.verify.running import Run, Sample, execute

pytestmark = needs_torch

NETS = """
import threading
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.full((1, 8, 8), float(i)) + torch.randn(1, 8, 8) + float(np.random.rand())

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.drop = nn.Dropout(0.1)
        self.attend = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.head = nn.Linear(16 * 9, 3)

    def forward(self, x):
        x = self.drop(torch.relu(self.conv(x)))
        x = nn.functional.max_pool2d(x, 2)
        x = self.attend(x.flatten(2).repeat(1, 4, 2)[:, :9, :16])
        return self.head(x.flatten(1))

def main():
    torch.manual_seed(3)
    np.random.seed(4)
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=0.1)
    for epoch in range(2):
        for x in DataLoader(Noisy(), batch_size=4, shuffle=True, num_workers=2):
            y = torch.randint(3, (4,))
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            print(loss.item().hex())
    net.eval()
    with torch.inference_mode():
        print(net(torch.ones(1, 1, 8, 8)).sum().item().hex())
    mean = []
    thread = threading.Thread(target=lambda: mean.append(torch.arange(5.0).mean()))
    thread.start()
    thread.join()

if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("nets")
    (folder / "train.py").write_text(NETS, encoding="utf-8")
    base = tmp_path_factory.mktemp("base")
    return execute(Sample((sys.executable, "train.py"), str(folder), os.path.realpath(base)), natural("natural-1"))


def lines(record: Record, kind: str, name: str, stream: str = "rank0") -> set[str]:
    return {event.place for event in record.streams[stream].events if event.kind == kind and event.name == name}


def line(text: str) -> str:
    return str(next(number for number, one in enumerate(NETS.splitlines(), 1) if text in one))


def test_numbers_are_bit_identical_without_the_recorder(nets: Run, tmp_path: object) -> None:
    assert nets.outcome.status == 0, nets.outcome.stderr
    plain = subprocess.run([sys.executable, "-c", NETS], capture_output=True, text=True, check=True)
    assert len(plain.stdout.split()) == 7
    assert nets.outcome.stdout == plain.stdout
    assert not nets.record.ledger.facts.get("failures")


def test_backward_operations_are_credited_to_forward_lines(nets: Run) -> None:
    backward = {
        event.name: event.forward.split(":")[1]
        for event in nets.record.streams["rank0"].events
        if event.kind == "BW" and event.forward
    }
    assert backward["aten.convolution_backward"] == line("self.conv(x)")
    assert backward["aten.max_pool2d_with_indices_backward"] == line("max_pool2d(x")
    assert backward["aten._log_softmax_backward_data"] == line("cross_entropy")


def test_operations_belong_to_modules(nets: Run) -> None:
    events = nets.record.streams["rank0"].events
    forward = {event.name: event.module for event in events if event.kind == "OP"}
    backward = {event.name: event.module for event in events if event.kind == "BW"}
    assert forward["aten.convolution"] == backward["aten.convolution_backward"] == "Net.conv"
    assert backward["aten.native_layer_norm_backward"] in ("Net.attend.norm1", "Net.attend.norm2")
    assert forward["aten.relu"] == "Net.attend" or forward["aten.relu"] == "Net"
    assert {event.module for event in events if "cross_entropy" in event.place} <= {""}


def test_streams_of_workers_and_threads(nets: Run) -> None:
    names = set(nets.record.streams)
    assert {"rank0", *(f"rank0/worker{number}" for number in range(1, 5))} <= names
    worker = nets.record.streams["rank0/worker1"]
    assert f"train.py:{line('torch.full(')}:Noisy.__getitem__" in {event.place for event in worker.events}
    threads = [name for name in names if "/thread" in name]
    assert any(event.name == "aten.mean" for name in threads for event in nets.record.streams[name].events)


def test_batches_of_workers_are_inputs(nets: Run) -> None:
    inputs = [event for event in nets.record.streams["rank0"].events if event.kind == "EXT"]
    assert len({event.digest for event in inputs}) >= 6


def test_the_ledger_knows_who_seeded_whom(nets: Run) -> None:
    draws = {(draw.generator, draw.place.split(":")[1]): draw for draw in nets.record.ledger.draws}
    assert draws["torch", line("nn.Linear(16 * 9")].seeded == f"train.py:{line('torch.manual_seed')}:main"
    assert draws["torch", line("torch.randint")].times == 6
    assert draws["numpy", line("np.random.rand()")].times == 24
    assert not nets.record.ledger.unseeded("torch")
    assert ("torch", f"train.py:{line('torch.manual_seed')}:main", 1) in nets.record.ledger.seeds


def test_switches_at_the_moment_of_use(nets: Run) -> None:
    states = {(name, place.split(":")[1]): state for name, place, state, _ in nets.record.ledger.modes}
    assert "math" in states["aten.convolution", line("self.conv(x)")].split()


def test_steps_are_counted(nets: Run) -> None:
    assert nets.record.steps == 6
    assert nets.record.end is not None
    assert nets.record.end.name == "exit"


STUBBORN = """
import torch
x = torch.nn.Parameter(torch.zeros(3))
opt = torch.optim.SGD([x], lr=0.1)
try:
    while True:
        try:
            (x - 1).pow(2).sum().backward()
            opt.step()
            print("step", flush=True)
        except:
            pass
finally:
    print("never")
"""


@pytest.mark.parametrize(
    ("limits", "why"), [({"steps": 2}, "steps"), ({"ops": 50}, "ops"), ({"seconds": 0.5, "steps": 10**9}, "seconds")]
)
def test_a_sample_ends_without_the_programs_handlers(
    ran: Callable[..., Run], limits: dict[str, float], why: str
) -> None:
    run = ran(STUBBORN, **limits)
    assert (run.outcome.status, run.outcome.stopped) == (0, "")
    assert "never" not in run.outcome.stdout
    assert run.record.end is not None
    assert run.record.end.name == why
    if why == "steps":
        assert run.outcome.stdout.split() == ["step"]  # the second step's own print comes too late


@pytest.mark.parametrize("leave", ["os._exit(0)", "os._exit(3)"])
def test_a_program_that_leaves_without_handlers_is_recorded_to_its_end(ran: Callable[..., Run], leave: str) -> None:
    run = ran(
        f"import os, torch\nx = torch.ones(3)\nif os.fork() == 0: os._exit(0)\nos.wait()\n(x + 1).sum()\n{leave}\n"
    )
    assert run.outcome.status == int(leave[9])
    stream = run.record.streams["rank0"]
    assert stream.end is not None
    assert stream.end.name == "exit"
    assert "aten.sum" in {event.name for event in stream.events}
    assert len([name for name in run.record.streams if name.startswith("rank0")]) == 1  # the child has done nothing


MEMORY = """
import torch
a = torch.empty(4)
b = a + 1
c = torch.empty(4).fill_(2)
d = torch.from_numpy(__import__("numpy").arange(4.0))
e = d[1:3] * 2
for _ in range(3):
    d = torch.tensor([1.0, 2.0])
    e = d * 2
"""


def test_memory_without_contents_and_inputs(sample: Callable[..., Sample]) -> None:
    what = sample(MEMORY)
    released = pinned("b").pins | {"memory": 1}  # type: ignore[operator]
    held, other = (
        execute(what, pinned("a")),
        execute(what, type(pinned("b"))("b", released, pinned("b").env, still=True)),
    )

    def of(run: Run) -> list[Event]:
        return [event for event in run.record.streams["rank0"].events if event.kind in ("OP", "EXT")]

    unequal = [
        int(one.place.split(":")[1]) for one, two in zip(of(held), of(other), strict=True) if one.digest != two.digest
    ]
    assert unequal == [4]
    assert [event.place.split(":")[1] for event in of(held) if event.kind == "EXT"] == ["6", "9", "9", "9"]
    explained = [event for event in other.record.streams["rank0"].events if event.kind == "MEM"]
    assert [(event.name, event.place) for event in explained] == [
        ("4 of 4 elements of torch.empty, read at train.py:4", "train.py:3:<module>")
    ]
    assert [event.kind for event in compare(held.record, other.record).divergences[0].sources] == ["MEM"]


COPIED = """
import copy
import torch
a = torch.tensor([1.0, 2.0])
b = copy.deepcopy(a)
c = a.untyped_storage().clone()
d = torch.empty(0).set_(c).add(1)
e = b + 1
"""


def test_memory_that_is_about_to_be_written_is_no_result(sample: Callable[..., Sample]) -> None:
    """A storage is copied through tensors that are made to look at it before anything stands there."""
    what = sample(COPIED)
    one, other = (execute(what, Setting(str(fill), env={"MALLOC_PERTURB_": str(fill)})) for fill in (85, 170))
    assert not compare(one.record, other.record).differ
    assert any("set_" in event.name for event in one.record.streams["rank0"].events)


HANDED_ON = """
import torch
from torch.utils.data import random_split
random_split(range(8), [4, 4])
torch.manual_seed(0)
own = torch.Generator().manual_seed(0)  # in the same state as the global one
random_split(range(8), [4, 4], generator=own)
random_split(range(8), [4, 4])
"""


def test_the_global_generator_is_known_where_it_is_handed_on(ran: Callable[..., Run]) -> None:
    ledger = ran(HANDED_ON).record.ledger
    drawn = {(int(draw.place.split(":")[1]), draw.generator) for draw in ledger.draws}
    assert drawn == {(4, "torch"), (7, "a seeded torch.Generator"), (8, "torch")}
    assert ledger.unseeded("torch")


TWO_THREADS = """
import threading
import torch

def left(turn):
    x = torch.ones(3, requires_grad=True)
    for _ in range(40):
        y = x.sin()
        turn.wait()
        y.sum().backward()

def right(turn):
    x = torch.ones(3, requires_grad=True)
    for _ in range(40):
        y = x.tanh()
        turn.wait()
        y.sum().backward()

turn = threading.Barrier(2)
threads = [threading.Thread(target=f, args=(turn,)) for f in (left, right)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_have_graphs_of_their_own(ran: Callable[..., Run]) -> None:
    run = ran(TWO_THREADS)
    forward = {
        (event.name, event.forward)
        for stream in run.record.streams.values()
        for event in stream.events
        if event.kind == "BW" and event.name in ("aten.cos", "aten.tanh_backward")
    }
    assert forward == {("aten.cos", "train.py:8:left"), ("aten.tanh_backward", "train.py:15:right")}


def test_threads_of_a_test_run_are_untouched() -> None:
    """The modules under `rt` wrap nothing when they are imported, only when they are started."""
    assert threading.Thread.start.__module__ == "threading"


WORKSPACE = """
import torch
torch.manual_seed(0)
layer = torch.nn.LSTM(6, 5, batch_first=True)
for _ in range(3):
    layer(torch.randn(2, 7, 6))[0].sum().backward()
"""


def test_workspaces_of_kernels_are_no_results(sample: Callable[..., Sample]) -> None:
    """The layer returns a buffer beside its results, of which parts are never written."""
    what = sample(WORKSPACE)
    runs = [execute(what, Setting(name, {}, {"MALLOC_PERTURB_": fill})) for name, fill in (("a", "90"), ("b", "165"))]
    assert not compare(runs[0].record, runs[1].record).differ


BARE = """
import torch
from torch.func import grad, vmap
from torch.utils.checkpoint import checkpoint
torch.manual_seed(1)
weight = torch.randn(4, 4, requires_grad=True)
torch.set_default_device("cpu")
def twice(x):
    return (x @ weight).tanh()
weight.register_hook(lambda g: g * 2)
single = grad(lambda x: (x * x).sum())
for step in range(5):
    x = torch.ones(3, 4)
    y = checkpoint(twice, x, use_reentrant=False)
    y.sum().backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
        weight.grad = None
    print(vmap(single)(torch.ones(2, 3) * step).sum().item(), weight.sum().item())
"""


def test_without_an_optimizer_backward_passes_are_steps(ran: Callable[..., Run]) -> None:
    """A checkpoint's second forward pass, hooks and functional transforms are seen, and credited to the user's lines."""
    run = ran(BARE, steps=4)
    assert run.outcome.status == 0, run.outcome.stderr
    assert not run.record.ledger.facts.get("failures")
    assert (run.record.steps, run.outcome.stdout.count(chr(10))) == (4, 3)
    events = run.record.streams["rank0"].events
    assert {event.place for event in events if event.name == "aten.tanh"} == {"train.py:9:twice"}
    assert {event.forward for event in events if event.name == "aten.tanh_backward"} == {"train.py:9:twice"}
    assert any(event.place.startswith("train.py:10:") and event.kind == "BW" for event in events)
    assert any(event.place.startswith("train.py:11:") for event in events)
