"""Networks that only one of several ways makes, and sets to evaluation there."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

NETS = """\
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(x)
class B(A):
    pass
def first():
    return nn.DataParallel(A().eval().to("cpu"))
def second():
    return B().eval()
kind = sys.argv[1]
"""

EVALUATED = {
    "either": "if kind == 'a':\n    net = A().eval()\nelse:\n    net = B().eval()",
    "either helper": "if kind == 'a':\n    net = first()\nelse:\n    net = second()",
    "a helper that is chosen": "load = first if kind == 'a' else second\nnet = load()",
    "one after the other": (
        "net = None\nif kind == 'a':\n    net = A()\n    net.eval()\nelif kind == 'b':\n    net = B()\n    net.eval()"
    ),
    "early returns": (
        "def load():\n    if kind == 'a':\n        return A().eval()\n    if kind == 'b':\n        return B().eval()\n"
        "    raise ValueError(kind)\nnet = load()"
    ),
    "the last return": (
        "def load():\n    if kind == 'a':\n        return A().eval()\n    net = B()\n    net.eval()\n    return net\nnet = load()"
    ),
    "a registry": "net = {'a': first, 'b': second}[kind]()",
}

TRAINING = {
    "made before": "net = A()\nif kind == 'a':\n    net.eval()",
    "one of two": "if kind == 'a':\n    net = A().eval()\nelse:\n    net = B()",
    "made before, and returned": (
        "def load():\n    net = A()\n    if kind == 'a':\n        net.eval()\n        return net\n    return net\nnet = load()"
    ),
    "trained again": "if kind == 'a':\n    net = A().eval()\nelse:\n    net = B().eval()\nnet.train()",
}


@pytest.mark.parametrize("made", EVALUATED.values(), ids=EVALUATED)
def test_what_is_evaluated_on_the_way_that_makes_it(made: str) -> None:
    assert codes(f"{NETS}{made}\ntorch.save(net(torch.ones(2)), 'f')\n", "TDL0") == ""


@pytest.mark.parametrize("made", TRAINING.values(), ids=TRAINING)
def test_what_is_not_evaluated_on_each_way(made: str) -> None:
    assert codes(f"{NETS}{made}\ntorch.save(net(torch.ones(2)), 'f')\n", "TDL0") == "TDL001"


def test_a_copy_that_one_way_makes_and_evaluates_says_nothing_of_the_original() -> None:
    program = f"""{NETS}
def build():
    return A()
net = build()
if kind == 'a':
    copied = build()
    copied.eval()
torch.save(net(torch.ones(2)), 'f')
"""
    assert codes(program, "TDL0") == "TDL001"


TRAINED = """
    from torch.nn import functional as F
    torch.manual_seed(3)
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 3)
        def forward(self, x):
            return F.interpolate(self.conv(x), scale_factor=2, mode="bicubic")
    net = Net().cuda()
    {before}
    x = torch.ones(1, 3, 8, 8).cuda()
    {step}
"""


@pytest.mark.parametrize(
    ("before", "step", "expected"),
    [
        ("net.train()", "net(x).sum().backward()", "TDL402"),
        ("net.eval()", "net(x).sum().backward()", "TDL402"),  # its statistics stay as they are
        ("net.eval()", "torch.save(net(x), 'f')", ""),
        (
            "other = nn.Linear(2, 2)",
            "other(x[0, 0, :, :2]).sum().backward()\n    net.eval()\n    with torch.no_grad():\n        net(x)",
            "",
        ),
    ],
)
def test_a_network_that_is_trained_in_evaluation_mode(before: str, step: str, expected: str) -> None:
    assert codes(TRAINED.format(before=before, step=step), "TDL4") == expected
