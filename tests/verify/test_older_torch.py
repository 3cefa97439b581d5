"""A torch that lacks what later versions brought is recorded all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verify.conftest import needs_torch
from torchdet_lint.verify.running import Run

pytestmark = needs_torch

OLDER = """
import sys
from importlib.machinery import PathFinder

LATER = (
    ("torch._C", "_current_autograd_node"),
    ("torch._C._autograd", "_get_sequence_nr"),
    ("torch._C", "_get_cudnn_sdp_enabled"),
    ("torch._C", "_get_flash_sdp_enabled"),
    ("torch._C", "_get_deterministic_algorithms_warn_only"),
    ("torch.utils", "deterministic"),
    ("torch", "compile"),
    ("torch", "set_float32_matmul_precision"),
)

class Older:
    def find_spec(self, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path) if name == "torch" else None
        if spec is not None:
            load = spec.loader.exec_module
            def exec_module(module):
                load(module)
                for owner, part in LATER:
                    delattr(sys.modules[owner], part)
            spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Older())
"""

PROGRAM = """
import torch

assert not hasattr(torch, "compile")
torch.manual_seed(1)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    net(torch.rand(4, 3)).sum().backward()
    optimizer.step()
"""


def test_what_an_older_torch_lacks_is_not_asked(
    ran: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "sitecustomize.py").write_text(OLDER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(beside))
    run = ran(PROGRAM)
    assert run.outcome.status == 0, run.outcome.stderr
    assert run.record.ledger.facts.get("hooks-failed") is None
    assert run.record.ledger.facts.get("failures") is None
    assert run.record.steps == 2
    names = {event.name for event in run.record.streams["rank0"].events if event.kind == "OP"}
    assert {"aten.addmm", "aten.rand"} <= names
