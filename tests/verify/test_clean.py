"""No alarm on programs in which nothing is wrong: the folder `clean` holds ten of them."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.verify.conftest import needs_torch
from torchdet_lint.verify import network
from torchdet_lint.verify.compare import compare
from torchdet_lint.verify.factors import ENVIRONMENT, FACTORS, PINS, Setting, natural, released
from torchdet_lint.verify.frozen import reseeded, same_orders
from torchdet_lint.verify.record import Record
from torchdet_lint.verify.repeats import repeated
from torchdet_lint.verify.running import Sample, execute

pytestmark = [needs_torch, pytest.mark.timeout(600)]  # each runs a program of some seconds twice

PROGRAMS = Path(__file__).parent / "clean"


ONE_THREAD = {name: ENVIRONMENT[name] for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
PLAIN = replace(natural("plain"), pins={"threads": PINS["threads"]}, env=ONE_THREAD)
"""Nothing is held but the number of threads, which changes sums everywhere."""

ANOTHER = released(tuple(factor for factor in FACTORS if not factor.told), 0)
"""Everything else has another value than a plain run gives it, all at once: a clean program shows nothing of that."""


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"runs a program that imports {module}")


def check(base: Path, *command: str, steps: int) -> Record:
    """A plain run agrees with one in which everything is another, and no seeds, orders or draws of workers in it repeat."""
    sample = Sample(
        (sys.executable, *command), str(PROGRAMS), os.path.realpath(base), steps=1000, ops=1_000_000, seconds=200
    )

    def run(setting: Setting) -> Record:
        done = execute(sample, setting)
        assert done.outcome.status == 0, done.outcome.stderr
        assert done.record.steps >= steps
        return done.record

    first = run(PLAIN)
    assert compare(first, run(ANOTHER)).first is None
    asked = {draw.generator for draw in first.ledger.draws if draw.place and not draw.seeded}
    assert not asked & {"torch", "numpy"}
    assert not [*same_orders(first), *reseeded(first), *repeated(first.streams)]
    return first


def test_nets_of_many_kinds(tmp_path: Path) -> None:
    """A convolutional net, a transformer, a GAN, a policy, a recurrent net, a diffusion model, in one process."""
    found = check(tmp_path, "zoo.py", steps=24)
    assert {name.partition("~")[0] for name in found.streams} >= {"rank0", "rank0/worker1"}


@pytest.mark.skipif(sys.platform != "linux" or not network.loopback_works(), reason="no loopback of its own here")
def test_ranks_under_torchrun(tmp_path: Path) -> None:
    found = check(tmp_path, "-m", "torch.distributed.run", "--nproc-per-node", "2", "ddp.py", steps=4)
    assert {"rank0", "rank1"} <= found.streams.keys()


@needs("accelerate")
def test_accelerate_launch(tmp_path: Path) -> None:
    check(tmp_path, "-m", "accelerate.commands.launch", "--cpu", "accelerate_loop.py", steps=6)


@needs("lightning")
def test_trainer_of_lightning(tmp_path: Path) -> None:
    check(tmp_path, "lightning_trainer.py", steps=8)


@needs("transformers")
@needs("accelerate")
def test_trainer_of_transformers(tmp_path: Path) -> None:
    check(tmp_path, "hf_trainer.py", steps=4)
