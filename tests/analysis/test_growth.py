"""Programs whose values could grow without end."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analysis.programs import codes, facts
from torchdet_lint.analysis.trace import events, touched
from torchdet_lint.config import SettingsFor
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, silent

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


HEAD = "import torch\nfrom torch.utils.data import DataLoader\n"
LONG: dict[str, Callable[[int], str]] = {
    "draws in one expression": lambda n: f"x = [{'torch.rand(1), ' * n}]\n",
    "loaders in one expression": lambda n: f"x = [{'DataLoader(d, shuffle=True), ' * n}]\n",
    "one long f-string": lambda n: f"x = f'{'{torch.rand(1)}' * n}'\n",
    "joined f-strings": lambda n: f"x = {chr(32).join(['f{q}{{a}}{q}'.format(q=chr(34))] * n)}\n",
    "sets on one line": lambda n: f"x = {'y in {a}, ' * n}1\n",
    "draws on one line": lambda n: "torch.rand(1); " * n + "\n",
    "imports": lambda n: "".join(f"from m{i} import a{i}\n" for i in range(n)) + "torch.rand(1)\n",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("shape", LONG.values(), ids=LONG.keys())
def test_time_grows_with_the_length(
    shape: Callable[[int], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generated code has lines and statements of any length; twice as many findings may take three times as long, not four."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    def seconds(n: int) -> float:
        (tmp_path / "a.py").write_text(HEAD + shape(n))
        options = Options(paths=(".",), settings=SettingsFor(str(tmp_path), (".",)), jobs=1)
        gc.collect()
        gc.disable()  # as the command line does; what other tests have left must not count
        try:
            start = time.process_time()
            assert not run(options, silent).problems
            return time.process_time() - start
        finally:
            gc.enable()

    seconds(10)  # what is loaded once
    # A busy machine makes one of a pair slow; a square would do so to the longer one of every pair.
    assert any(seconds(3000) < 3 * max(seconds(1500), 0.1) for _ in range(4))


ZOO = """
{classes}
KINDS = [{names}]
nets = [kind() for kind in KINDS]
for epoch in range(3):
    for net in nets:
        net.train()
        torch.save(net(torch.ones(1)), "f")
        net.eval()
        torch.save(net(torch.ones(1)), "f")
"""
NET = """
class Net{number}(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(1, 1), nn.Dropout()) for _ in range(9)])
        {layers}
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


def test_a_zoo_of_networks_is_set_to_a_mode_by_one_event_each() -> None:
    layers = "\n        ".join(f"self.layer{index} = nn.Linear(1, 1)" for index in range(40))
    zoo = "".join(NET.format(number=number, layers=layers) for number in range(8))
    names = ", ".join(f"Net{number}" for number in range(8))
    found = facts(ZOO.format(classes=zoo, names=names))
    modes = [event for event in events(found.programs[0].trace) if event.kind in ("train", "eval")]
    assert len(modes) <= 4 * 8
    assert all(len(touched(event)) > 40 for event in modes)
    assert not any(visit.state.evals for visits in found.visits.values() for visit in visits)
    assert sum(map(len, found.visits.values())) < 4 * len(found.visits)
