"""Programs whose values could grow without end."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

WALK = """\
def walk(folder, levels):
    if isinstance(folder, os.PathLike):
        folder = os.fspath(folder)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if levels > 0:
            yield from walk(path, levels=levels - 1)
        else:
            yield path
if __name__ == "__main__":
    for folder in sys.path:
        print(list(walk(folder, sys.getrecursionlimit())))
"""
CHAIN = """\
import itertools
def double(items, times):
    for _ in range(times):
        items = itertools.chain(items, items)
    return items
if __name__ == "__main__":
    print(list(double([1, 2], 30)), list(double(open("f"), 30)))
"""
WRAP = """\
def wrap(model, times):
    if times:
        return nn.Sequential(wrap(model, times - 1), wrap(model, times - 1))
    return model
if __name__ == "__main__":
    torch.manual_seed(0)
    torch.save(wrap(nn.Linear(2, 2), int(sys.argv[1])), "f")
"""
MANY = (
    "x = input()\n"
    + "".join(f"if x == '{i}':\n    y = (x, {i})\nelse:\n    x = (y, x)\n" for i in range(40))
    + "print(y)\n"
)
CALLS = (
    "".join(f"def f{i}(x):\n    return (f{i + 1}(x), f{i + 1}((x, {i})))\n" for i in range(14))
    + "def f14(x):\n    return x\nprint(f0(1))\n"
)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", [WALK, CHAIN, WRAP, MANY, CALLS], ids=["walk", "chain", "wrap", "branches", "calls"])
def test_it_ends(text: str) -> None:
    assert codes(text) == ""
