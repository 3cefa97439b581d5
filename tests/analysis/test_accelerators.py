"""Evidence of an accelerator: trainers that pick one, and those that are told not to."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

FABRIC = """\
import lightning as L
p = argparse.ArgumentParser()
p.add_argument('--accelerator', default='cpu')
args = p.parse_args()
fabric = L.Fabric({given})
fabric.seed_everything(1)
net = nn.Linear(2, 1)
fabric.backward(net(torch.ones(2)).sum())
"""


@pytest.mark.parametrize(
    "given", ["", "devices=1", "accelerator='gpu'", "'cuda'", "accelerator='auto'", "accelerator=f()"]
)
def test_a_fabric_that_may_pick_one(given: str) -> None:
    assert codes(FABRIC.format(given=given), "TDL203") == "TDL203"


@pytest.mark.parametrize("given", ["accelerator='cpu'", "'cpu'", "accelerator='mps'", "accelerator=args.accelerator"])
def test_a_fabric_on_the_cpu(given: str) -> None:
    assert codes(FABRIC.format(given=given), "TDL203") == ""
