"""No alarm on programs in which nothing is wrong: the folder `clean` holds ten of them."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from tests.verify.conftest import needs_torch
from torchdet_lint.verify import network
from torchdet_lint.verify.compare import compare
from torchdet_lint.verify.factors import BY_NAME, Setting, natural, pinned, released
from torchdet_lint.verify.record import Record
from torchdet_lint.verify.running import Sample, execute

pytestmark = [needs_torch, pytest.mark.timeout(600)]  # each runs a program of some seconds two or four times

PROGRAMS = Path(__file__).parent / "clean"
TRACELESS = tuple(BY_NAME[name] for name in ("hash", "address", "memory", "completion", "cwd"))
"""What leaves no trace where a program asks for it; of everything else these programs ask for nothing."""


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"runs a program that imports {module}")


def check(base: Path, *command: str, steps: int, held: bool = False) -> Record:
    """Two plain runs agree and, if that is asked too, a held run with one in which everything that leaves no trace is another."""
    sample = Sample(
        (sys.executable, *command), str(PROGRAMS), os.path.realpath(base), steps=1000, ops=1_000_000, seconds=200
    )

    def run(setting: Setting) -> Record:
        done = execute(sample, setting)
        assert done.outcome.status == 0, done.outcome.stderr
        assert done.record.steps >= steps
        return done.record

    first = run(natural("natural-1"))
    assert compare(first, run(natural("natural-2"))).first is None
    if held:
        assert compare(run(pinned("pinned")), run(released(TRACELESS, 0))).first is None
    asked = {draw.generator for draw in first.ledger.draws if draw.place and not draw.seeded}
    assert not asked & {"torch", "numpy"}
    return first


def test_nets_of_many_kinds(tmp_path: Path) -> None:
    """A convolutional net, a transformer, a GAN, a policy, a recurrent net, a diffusion model, in one process."""
    found = check(tmp_path, "zoo.py", steps=24, held=True)
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
    check(tmp_path, "lightning_trainer.py", steps=8, held=True)


@needs("transformers")
@needs("accelerate")
def test_trainer_of_transformers(tmp_path: Path) -> None:
    check(tmp_path, "hf_trainer.py", steps=4)
