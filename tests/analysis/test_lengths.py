"""How many items a list has: tests of it decide which branch runs only where no later turn of a loop can change that."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

NET = """\
x = torch.ones(2)
xs = [x]
class Net(nn.Module):
    def forward(self, styles, cut=1):
        styles = [s * 2 for s in styles]
        if cut < 1:
            kept = []
            for s in styles:
                kept.append(s * cut)
            styles = kept
        if len(styles) < 2:
            return styles[0]
        return styles[random.randint(0, 1)]
torch.save(Net()({given}), 'f')
"""


@pytest.mark.parametrize("given", ["[x]", "[x], cut=0.5", "[x], cut=float(sys.argv[1])", "(x,)"])
def test_one_item_that_is_mapped_and_collected(given: str) -> None:
    assert codes(NET.format(given=given), "TDL003") == ""


@pytest.mark.parametrize("given", ["[x, x]", "[x, x], cut=0.5", "xs", "[*sys.argv]", "[x for _ in sys.argv]"])
def test_more_items_or_nobody_knows(given: str) -> None:
    assert codes(NET.format(given=given), "TDL003") == "TDL003"


CASES = [
    ("few arguments", "", "def f(*xs):\n    if len(xs) > 1: draw()\nf(1)"),
    ("more arguments", "TDL003", "def f(*xs):\n    if len(xs) > 1: draw()\nf(1, 2)"),
    (
        "a list that grows",
        "TDL003",
        "def f(xs):\n    while True:\n        if len(xs) > 3: draw()\n        xs.append(1)\nf([1])",
    ),
    (
        "a list that grows under another name",
        "TDL003",
        "def f(xs):\n    ys = xs\n    while True:\n        if len(xs) > 3: draw()\n        ys += [1]\nf([1])",
    ),
    (
        "a tuple that is bound anew in each turn",
        "TDL003",
        "def f(xs):\n    t = ()\n    for x in xs:\n        if len(t) > 3: draw()\n        t = t + (x,)\nf([1, 2, 3, 4, 5])",
    ),
    ("a list that others hold too", "TDL003", "xs = []\ndef f(xs):\n    if len(xs) > 3: draw()\nf(xs)"),
    (
        "a list that a turn may leave as it is",
        "TDL003",
        "def f(xs):\n    out = []\n    for x in xs:\n        if x: out.append(x)\n    if len(out) < 1: draw()\nf([1])",
    ),
    (
        "a list of which some are left out",
        "TDL003",
        "def f(xs):\n    xs = [x for x in xs if x]\n    if len(xs) < 1: draw()\nf([1])",
    ),
    ("a list that is cut", "TDL003", "def f(xs):\n    del xs[0]\n    if len(xs) < 1: draw()\nf([1])"),
    ("a list of which a part is replaced", "TDL003", "def f(xs):\n    xs[:] = []\n    if len(xs) < 1: draw()\nf([1])"),
]


@pytest.mark.parametrize(("name", "expected", "program"), CASES, ids=[name for name, _, _ in CASES])
def test_lengths(name: str, expected: str, program: str) -> None:
    draw = "def draw():\n    torch.save(random.random(), 'f')\n"
    assert codes(f"{draw}{program}\n", "TDL003") == expected
