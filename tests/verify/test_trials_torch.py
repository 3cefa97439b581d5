"""Trials on programs that run: another seed, a part left out, a run that resumes, the deterministic mode."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

import pytest

from tests.verify.conftest import needs_torch, record
from torchdet_lint.verify.factors import Setting, pinned
from torchdet_lint.verify.frozen import never_seeded, reseeded, same_orders
from torchdet_lint.verify.record import Record
from torchdet_lint.verify.running import Run, Sample, execute
from torchdet_lint.verify.trials import Tried, Wanted, tried

pytestmark = needs_torch

PROGRAM = """
import argparse, datetime, os, random
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--resume", default="")
args = parser.parse_args()

def validate(model):
    return torch.rand(3).sum()

torch.manual_seed(args.seed if RIGHT else 3)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
start = 0
if args.resume:
    saved = torch.load(args.resume)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    start = saved["step"]
    if RIGHT:
        torch.set_rng_state(saved["rng"])
for step in range(start, 6):
    x = torch.randn(2, 4)
    model(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    validate(model)
    if step == 2:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3, "rng": torch.get_rng_state()}
        torch.save(state, "state.pt")
"""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Tried]:
    """`trial(wanted, right)`: what a trial of the program shows, which uses its seed and saves all, or neither."""
    made: dict[bool, tuple[Callable[[Setting], Run], Record]] = {}

    def program(right: bool) -> tuple[Callable[[Setting], Run], Record]:
        folder, base = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("base")
        (folder / "train.py").write_text(PROGRAM.replace("RIGHT", str(right)), encoding="utf-8")
        run = partial(execute, Sample((sys.executable, "train.py"), str(folder), os.path.realpath(base)))
        return run, run(pinned("pinned-1")).record

    def tested(what: Wanted, right: bool = True) -> Tried:
        if right not in made:
            made[right] = program(right)
        (found,) = tried(*made[right], what, residual=False)
        return found

    return tested


@pytest.mark.parametrize("used", [True, False])
def test_another_seed_should_change_the_result(trial: Callable[..., Tried], used: bool) -> None:
    found = trial(Wanted(inverse=True, seed=("--seed", "54321")), used)
    assert found.holds is used
    assert ("nothing" in found.detail) is not used


def test_what_is_left_out_should_change_nothing(trial: Callable[..., Tried]) -> None:
    found = trial(Wanted(without="valid*"))
    assert found.holds is False
    assert found.divergence is not None
    assert (found.divergence.step, found.divergence.event.name) == (1, "aten.randn")
    assert "randn(2, 4)" in PROGRAM.splitlines()[int(found.divergence.place.split(":")[1]) - 1]


@pytest.mark.parametrize("whole", [True, False])
def test_a_resumed_run_should_go_on(trial: Callable[..., Tried], whole: bool) -> None:
    found = trial(Wanted(resume=("--resume", "state.pt")), whole)
    assert found.holds is whole, found.detail
    if not whole:
        assert found.divergence is not None
        assert (found.divergence.step, found.divergence.event.name) == (3, "aten.randn")


def test_a_pattern_that_matches_nothing_says_so(trial: Callable[..., Tried]) -> None:
    found = trial(Wanted(without="nosuch"))
    assert found.holds is None
    assert "nosuch" in found.detail


INSIDE = """
import sys
import torch

def life(start, stop):
    torch.manual_seed(3)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if start:
        model.load_state_dict(torch.load("state.pt"))
    for step in range(start, stop):
        model(torch.randn(2, 4)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.save(model.state_dict(), "state.pt")

if sys.argv[1:] == ["--twice"]:
    life(0, 2)
    life(2, 4)
else:
    life(0, 4)
"""


def test_a_program_may_stop_and_resume_by_itself(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, base = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("base")
    (folder / "train.py").write_text(INSIDE, encoding="utf-8")
    run = partial(execute, Sample((sys.executable, "train.py"), str(folder), os.path.realpath(base)))
    found = next(iter(tried(run, run(pinned("pinned-1")).record, Wanted(resume=("--twice",)), False)))
    assert found.holds is False, found.detail
    assert found.divergence is not None
    assert (found.divergence.step, found.divergence.event.name) == (2, "aten.randn")


STRICT = """
import torch
x = torch.rand(1, 1, 4, 4, requires_grad=True)
pooled, indices = torch.nn.functional.max_pool2d(x, 2, return_indices=True)
back = torch.nn.functional.max_unpool2d(pooled, indices, 2)
back.sum().backward()
torch.zeros(3).put_(torch.tensor([1]), torch.tensor([2.0]))
"""


def test_alerts_name_the_users_line(sample: Callable[..., Sample]) -> None:
    run: Callable[..., Run] = partial(execute, sample(STRICT))
    (found,) = tried(run, record(), Wanted(strict=True), residual=True)
    assert found.holds is False
    assert {(what.split("_")[0], place.split(":")[1]) for what, place, _ in found.alerts} == {
        ("max", "5"),
        ("put", "7"),
    }


LOADERS = """
import torch
from torch.utils.data import DataLoader, RandomSampler

class Mine(DataLoader):
    def __init__(self, data, **more):
        super().__init__(data, batch_size=4, **more)

torch.manual_seed(5)
data = torch.arange(8.0)
own = torch.Generator().manual_seed(1)
loaders = [
    DataLoader(data, batch_size=4),
    DataLoader(data, shuffle=True),
    DataLoader(data, shuffle=True, generator=own),
    Mine(data, shuffle=True),
    DataLoader(data, sampler=RandomSampler(data)),
]
for _ in range(2):
    for loader in loaders[:4]:
        for batch in loader:
            batch.sum()
"""


def test_an_order_belongs_to_the_loader_that_it_is_drawn_for(sample: Callable[..., Sample]) -> None:
    run: Callable[..., Run] = partial(execute, sample(LOADERS))
    base = run(pinned("pinned-1")).record
    (found,) = tried(run, base, Wanted(shift=True), residual=False)
    lines = {text.strip(): number for number, text in enumerate(LOADERS.splitlines(), 1)}
    orders = [(place, loader) for name, place, loader in found.moved if "randperm" in name]
    assert {int(place.split(":")[1]) for place, _ in orders} == {lines["for batch in loader:"]}
    outer = lines["Mine(data, shuffle=True),"]
    assert {int(loader.split(":")[1]) for _, loader in orders} == {lines["DataLoader(data, shuffle=True),"], outer}
    ((made, within),) = base.ledger.facts["made-within"].items()
    assert [int(place.split(":")[1]) for place in (made, within)] == [
        outer,
        lines["super().__init__(data, batch_size=4, **more)"],
    ]


REPEATS = """
import datetime
import torch
from torch.utils.data import DataLoader, DistributedSampler

print(datetime.datetime.now().microsecond, datetime.datetime.utcnow().year, datetime.date.today().day)
print(type(datetime.datetime.now(datetime.timezone.utc)).__name__, datetime.datetime(2020, 1, 2) < datetime.datetime.now())
data = list(range(8))
sampler = DistributedSampler(data, num_replicas=1, rank=0)
generator = torch.Generator()
for epoch in range(3):
    torch.manual_seed(5)
    noise = torch.randn(2)
    torch.randn(2, generator=generator)
    for batch in DataLoader(data, batch_size=4, sampler=sampler):
        pass
"""


def test_numbers_that_repeat_and_the_clock_of_datetime(sample: Callable[..., Sample]) -> None:
    what = sample(REPEATS)
    one, two = execute(what, pinned("a")), execute(what, pinned("b"))
    assert one.outcome.stdout == two.outcome.stdout
    assert "datetime True" in one.outcome.stdout
    assert ("TIME", "datetime.now", "train.py:6:<module>", 1) in one.record.ledger.asked
    places = {"seeds": reseeded, "orders": same_orders, "unseeded": never_seeded}
    found = {
        name: [(int(place.split(":")[1]), count) for place, count in find(one.record)] for name, find in places.items()
    }
    assert found == {"seeds": [(12, 3)], "orders": [(15, 3)], "unseeded": [(14, 3)]}
