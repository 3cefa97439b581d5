"""torch in the box: its own writer is refused too, loader workers and ranks work."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.verify.probing import needs_torch
from torchdet_lint.verify import landlock, network
from torchdet_lint.verify.box import run_boxed

pytestmark = [needs_torch, pytest.mark.skipif(landlock.abi() == 0, reason="this system has no Landlock")]

WRITES = """
import torch
from torch.utils.data import DataLoader

if __name__ == "__main__":
    print(sum(int(batch.sum()) for batch in DataLoader(list(range(8)), num_workers=2)))
    torch.save({"step": 1}, "mine.pt")
    torch.save({"step": 1}, CHECKPOINT)
"""

RANKS = """
import os
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(total)
os.write(1, f"rank {dist.get_rank()} {total.item()}\\n".encode())  # in one piece
dist.destroy_process_group()
"""


def test_torch_cannot_overwrite_a_checkpoint(tmp_path: Path) -> None:
    checkpoint = tmp_path / "theirs.pt"
    checkpoint.write_text("precious")
    place = tmp_path / "place"
    place.mkdir()
    (place / "train.py").write_text(WRITES.replace("CHECKPOINT", repr(str(checkpoint))))
    outcome = run_boxed([sys.executable, "train.py"], cwd=str(place), env=dict(os.environ), seconds=100)
    assert (outcome.status, outcome.stdout) == (1, "28\n")
    assert "it was refused to write outside of its copy" in outcome.notes
    assert checkpoint.read_text() == "precious"
    assert (place / "mine.pt").exists()


@pytest.mark.skipif(sys.platform != "linux" or not network.loopback_works(), reason="no loopback of its own here")
def test_ranks_meet_without_a_network(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RANKS)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    outcome = run_boxed(command, cwd=str(tmp_path), env=env, seconds=100)
    assert outcome.status == 0, outcome.stderr
    assert sorted(outcome.stdout.splitlines()) == ["rank 0 3.0", "rank 1 3.0"]
