"""Networks that are built only to see how large they are, before the real one is seeded and built."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

PROGRAM = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
    def forward(self, x): return self.a(x)
class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.randn(3) * float(np.sqrt(2)))
keep = []
def look():
    net = {made}
    {body}
found = look()
torch.manual_seed(0)
net = Net()
torch.save((net, found), 'f')
"""
SIZES = [
    "return sum(p.numel() for p in net.parameters())",
    "net.eval()\n    print(net)\n    total = 0\n    for p in net.parameters():\n        total += np.prod(list(p.data.size()))\n    return total",
    "net = net.to('cpu')\n    for name, p in net.named_parameters():\n        print(name, p.shape)\n    return 1",
    "print(f'{net}')\n    return {n: p.shape for n, p in net.named_parameters()}",
    "n = sum(p.nelement() for p in net.parameters() if p.requires_grad)\n    del net\n    return n",
]
NUMBERS = [
    "n = sum(p.numel() for p in net.parameters())\n    return net",
    "return sum(p.sum() for p in net.parameters())",
    "n = sum(p.numel() for p in net.parameters())\n    return n, net(torch.ones(2))",
    "n = sum(p.numel() for p in net.parameters())\n    keep.append(net)\n    return n",
    "n = sum(p.numel() for p in net.parameters())\n    torch.save(net.state_dict(), 'g')\n    return n",
    "return [p for p in net.parameters()]",
    "n = sum(p.numel() for p in net.parameters())\n    other = net\n    return other, n",
    "for p in net.parameters():\n        print(p)",
]


@pytest.mark.parametrize("made", ["Net()", "nn.Linear(2, 2)", "nn.Sequential(Net(), Net())", "Noisy()"])
@pytest.mark.parametrize("body", SIZES)
def test_sizes_alone_are_no_use_of_what_was_drawn(made: str, body: str) -> None:
    assert codes(PROGRAM.format(made=made, body=body), "TDL0") == ""


@pytest.mark.parametrize("made", ["Net()", "nn.Linear(2, 2)"])
@pytest.mark.parametrize("body", NUMBERS)
def test_whatever_else_is_done_with_it_is(made: str, body: str) -> None:
    assert codes(PROGRAM.format(made=made, body=body), "TDL0") == "TDL006"
