"""Programs that no one writes, and files that an editor or a merge has damaged: no trouble, and no endless work."""

from __future__ import annotations

import ast
import random
import time
from pathlib import Path

import pytest

import torchdet_lint
from tests.engine.conftest import Lint, Tree, options
from torchdet_lint.engine import programs

HEAD = "import asyncio, os, random, torch\nimport torch.multiprocessing as mp\n"
TAIL = "net = torch.nn.Linear(2, 3)\nnet(torch.ones(2)).sum().backward()\n"

HOSTILE = {
    "folding": "n = 10**10**10\nn = 'a' * 10**10\nn = [0] * 10**10\nn = 1 << 10**10\nn = f'{1:>9999999999}'\n"
    "n = str(10**5000)\nn = 'a'.zfill(10**10)\nn = 1 / 0\nn = int(1e999)\nn = chr(10**10)\nn = {[]: 1}\n"
    f"n = {'9' * 5000}\ntorch.manual_seed(n)\n",
    "doubling": "x = 'a'\nfor i in range(99): x = x + x\ny = [1]\nfor i in range(99): y = y + y\n",
    "growing-arguments": "def f(s): return f(s + 'a')\ndef g(n): return g(n + 1)\ndef h(k): return h(lambda: k)\n"
    "def p(e): return q({e: [e]}, lambda: p)\ndef q(e, k): return p(k) or q(k(), [e, k])\nf(''), g(0), h(1), p(1)\n",
    "growing-modules": "def f(m): return g(torch.nn.Sequential(m))\ndef g(m): return f(torch.nn.Sequential(m, m))\nf(torch.nn.ReLU())\n",
    "grammar": "class P:\n    def __init__(self, e=None): self.e = e\n    def __or__(self, o): return P([self, o])\n"
    "    def parse(self): return [each.parse() for each in self.e] if self.e else random.random()\n"
    "t = P()\n" + "".join(f"t = t | P(t) | t{i}\nt{i + 1} = t | t\n" for i in range(20)) + "t.parse()\n",
    "generators": "def g():\n    yield g()\n    yield from g()\nclass G:\n    def __iter__(self):\n        yield from self\n"
    "for a in g():\n    for b in a: random.random()\nfor a in G(): a\n",
    "bases": "class A(A): pass\nclass C(D): pass\nclass D(C):\n    def f(self): return super().f()\nC().f()\n"
    "class B: pass\nclass B(B):\n    def __init__(self): super().__init__()\nB()\n",
    "deep-bases": "class A0:\n    def f(self): return random.random()\n"
    + "".join(f"class A{i}(A{i - 1}):\n    def f(self): return super().f()\n" for i in range(1, 300))
    + "A299().f()\n",
    "decorators": "import unknown\n@unknown.x\n@unknown.y(1)\ndef f(): return random.random()\n@(lambda g: f)\ndef g(): return g()\n"
    "def d(f): return d\n@d\n@d\ndef h(): pass\nf(), g(), h()()()\n",
    "metaclasses": "class M(type):\n    def __call__(cls, *a): return M('x', (cls,), {})\n    def __getattr__(cls, n): return getattr(cls, n)\n"
    "class A(metaclass=M): pass\nA()()(), A.foo.bar()\n",
    "dunders": "class A:\n    def __getattr__(self, n): return getattr(self, n + '_')\n    def __call__(self, *a): return self(self, *a)\n"
    "    def __getitem__(self, k): return self[k][k]\n    def __iter__(self): return iter(self)\n    def __add__(self, o): return o + self\n"
    "    def __bool__(self): return not self\na = A()\na.b.c(1)[2] + a\nfor x in a: x\n",
    "lambdas": "fs = []\nfor i in range(9): fs.append(lambda x, f=fs: [g(x) for g in f])\nfor f in fs: f(f)\n",
    "text-as-code": "exec('import x'); eval('f()'); globals()['z'] = 3; locals().update(a=1); z(); setattr(torch, 'x', print); torch.x()\n",
    "own-processes": "def w(rank): mp.spawn(w, nprocs=3); random.random()\nmp.spawn(w, nprocs=2)\n",
    "own-modules": "class M(torch.nn.Module):\n    def __init__(self, d=3):\n        super().__init__()\n        self.m = M(d - 1)\n"
    "    def forward(self, x): return self(x) + self.m(self.forward(x))\nM()(1).backward()\n",
    "async": "async def f():\n    async for x in f(): yield x\nasync def main(): await asyncio.gather(main(), *[main()])\nasyncio.run(main())\n",
    "branches": "x = os.environ['x']\nif x == '': y = 0\n"
    + "".join(f"elif x == '{i}': y = {i}; torch.manual_seed(y)\n" for i in range(120)),
    "nested-functions": "".join(f"{'    ' * i}def f{i}(a, *b, c=1, **d):\n" for i in range(50))
    + f"{'    ' * 50}return random.random()\nf0(1)\n",
    "nested-tries": "".join(f"{'    ' * i}try:\n" for i in range(18))
    + f"{'    ' * 18}x = random.random()\n"
    + "".join(f"{'    ' * i}except E{i}: x = f(x)\n{'    ' * i}finally: y = x\n" for i in reversed(range(18))),
    "many-calls": "".join(f"def f{i}(x): return f{i + 1}(x) + f{i + 1}(x + 1)\n" for i in range(40))
    + "def f40(x): return random.random()\nf0(1)\n",
    "patterns": "match random.random():\n"
    + "".join(f"    case [{i}, *r] if (n := f(r)): y = n\n" for i in range(200))
    + "    case {'a': A(b=[C(), *_])} | None: pass\n",
    "rebinding": "def f():\n    global f, torch\n    f = torch = f\n    f()\nf()\ndel torch\n*a, [*b] = c = d\nprint(*a, **c)\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs(tree: Tree, lint: Lint, name: str) -> None:
    tree({"pyproject.toml": "", "main.py": HEAD + HOSTILE[name] + TAIL})
    start = time.process_time()
    result = lint()
    assert not result.problems
    assert not [each for each in result.findings if each.code == "TDL999"]
    assert not programs(options("main.py")).problems
    assert time.process_time() - start < 10


def _damaged(text: str, chance: random.Random) -> bytes:
    """A text with lines deleted, doubled or swapped, cut off, with bytes changed, or with its statements shuffled."""
    lines, how = text.splitlines(keepends=True), chance.randrange(6)
    if how == 0:
        return text[: chance.randrange(len(text))].encode()
    if how == 1:
        data = bytearray(text.encode())
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(data)
    if how == 2:
        module = ast.parse(text)
        for node in ast.walk(module):
            if isinstance(getattr(node, "body", None), list):
                chance.shuffle(node.body)  # type: ignore[attr-defined]
        return ast.unparse(module).encode()
    for _ in range(4):
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        if how == 3:
            lines[at] = ""
        elif how == 4:
            lines.insert(at, lines[other])
        else:
            lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines).encode()


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(tree: Tree, lint: Lint, seed: int) -> None:
    """A package (our own, since it is at hand) in which every file has been damaged somewhere."""
    chance, folder = random.Random(seed), Path(torchdet_lint.__file__).parent
    sources = sorted(folder.glob("analysis/*.py")) + sorted(folder.glob("engine/*.py"))
    chosen = [path for path in chance.sample(sources, 16) if path.stat().st_size > 200]
    tree(
        {"pyproject.toml": "", "torchdet_lint/__init__.py": ""}
        | {
            f"torchdet_lint/{path.relative_to(folder)}": _damaged(path.read_text("utf-8"), chance)
            + b"\nimport torch\ntorch.rand(1)\n"
            for path in chosen
        }
    )
    whole = lint(config=('select = ["ALL"]',))
    assert not whole.problems
    assert len(whole.files) == len(chosen) + 1
    path = f"torchdet_lint/{chosen[0].relative_to(folder)}"
    alone = lint(path, config=('select = ["ALL"]',))
    assert list(alone.findings) == [each for each in whole.findings if each.location.path == path]
