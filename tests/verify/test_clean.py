"""No alarm on programs in which nothing is wrong: the folder `clean` holds ten of them."""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.verify.conftest import needs_torch
from torchdet_lint.verify import network
from torchdet_lint.verify.experiment import perform
from torchdet_lint.verify.report import text
from torchdet_lint.verify.running import Sample, execute
from torchdet_lint.verify.verdict import Judgement, judge

pytestmark = needs_torch

PROGRAMS = Path(__file__).parent / "clean"
TRACELESS = frozenset({"hash", "address", "memory", "completion", "cwd"})
"""What is released together, in three runs: other factors leave a trace where a program asks for them, and these ask for none."""


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"runs a program that imports {module}")


def judged(base: Path, *command: str, factors: frozenset[str] = TRACELESS) -> Judgement:
    sample = Sample(
        (sys.executable, *command), str(PROGRAMS), os.path.realpath(base), steps=1000, ops=1_000_000, seconds=200
    )
    return judge((), perform(partial(execute, sample), factors, frozenset(), lambda *_: None))


def check(judgement: Judgement, steps: int) -> None:
    said = "".join(text(judgement))
    assert judgement.clean, said
    assert not judgement.experiment.residual, said
    assert judgement.experiment.record.steps >= steps, said
    assert {run.outcome.status for run in judgement.experiment.runs} == {0}


def test_nets_of_many_kinds(tmp_path: Path) -> None:
    """A convolutional net, a transformer, a GAN, a policy, a recurrent net, a diffusion model, in one process."""
    judgement = judged(tmp_path, "zoo.py")
    check(judgement, steps=24)
    assert {name.partition("~")[0] for name in judgement.experiment.record.streams} >= {"rank0", "rank0/worker1"}


@pytest.mark.skipif(sys.platform != "linux" or not network.loopback_works(), reason="no loopback of its own here")
def test_ranks_under_torchrun(tmp_path: Path) -> None:
    judgement = judged(tmp_path, "-m", "torch.distributed.run", "--nproc-per-node", "2", "ddp.py")
    check(judgement, steps=4)
    assert {"rank0", "rank1"} <= judgement.experiment.record.streams.keys()


@needs("accelerate")
def test_accelerate_launch(tmp_path: Path) -> None:
    check(judged(tmp_path, "-m", "accelerate.commands.launch", "--cpu", "accelerate_loop.py"), steps=6)


@needs("lightning")
def test_trainer_of_lightning(tmp_path: Path) -> None:
    check(judged(tmp_path, "lightning_trainer.py"), steps=8)


@needs("transformers")
@needs("accelerate")
def test_trainer_of_transformers(tmp_path: Path) -> None:
    check(judged(tmp_path, "hf_trainer.py"), steps=4)
