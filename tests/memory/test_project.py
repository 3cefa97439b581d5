"""Allocations that are followed through functions, files and the top level of a module."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.memory import memory_uses
from torchdet_lint.lowering import lower
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.source import load

ALLOCATE = "def allocate(n):\n    return torch.empty(n)\n\n\n"


def test_a_caller_reads(ask):
    ((line, use),) = ask(ALLOCATE + "def use(x):\n    return allocate(3) + x\n")
    assert (line, use.certainty) == ("return torch.empty(n)", "certain")
    assert ask(ALLOCATE + "def use(x):\n    t = allocate(3)\n    t.zero_()\n    return t + x\n") == []
    assert ask(ALLOCATE) == []


def test_a_caller_in_another_file(ask):
    files = {"lib.py": ALLOCATE, "train.py": "from lib import allocate\n\ndef use(x):\n    return allocate(3) + x\n"}
    ((_, use),) = ask(files)
    assert (use.path, use.read_path) == ("lib.py", "train.py")
    assert ask({**files, "train.py": "from lib import allocate as make\nprint((make(3) * 2).sum())\n"})
    assert (
        ask(
            {
                **files,
                "train.py": "def allocate(n):\n    return torch.zeros(n)\n\ndef use(x):\n    return allocate(3) + x\n",
            }
        )
        == []
    )


def test_through_two_functions(ask):
    middle = "def pair(n):\n    return allocate(n), allocate(n)\n\n\n"
    assert ask(ALLOCATE + middle + "def use(x):\n    a, b = pair(3)\n    a.zero_()\n    return a + b\n")
    assert (
        ask(ALLOCATE + middle + "def use(x):\n    a, b = pair(3)\n    a.zero_()\n    b.zero_()\n    return a + b\n")
        == []
    )


def test_a_function_of_the_project_writes_or_reads_its_argument(ask):
    fill = "def fill(t, v=0):\n    t[...] = v\n\n\n"
    body = "def use(x):\n    t = torch.empty(3)\n    fill(t)\n    return t + x\n"
    assert ask(fill + body) == []
    ((_, use),) = ask("def total(t):\n    return t.sum()\n\n\ndef use(x):\n    return total(torch.empty(3))\n")
    assert use.read == "is read by `sum`"
    assert ask("def width(t):\n    return t.shape[0]\n\n\ndef use(x):\n    return width(torch.empty(3))\n") == []
    keyword = "def use(x):\n    t = torch.empty(3)\n    fill(v=1, t=t)\n    return t + x\n"
    assert ask(fill + keyword) == []
    assert ask("@torch.jit.script\ndef fill(t):\n    pass\n\n\n" + body) == []
    assert ask("def fill(t):\n    return fill(t)\n\n\n" + body) == []


MODEL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x, out=None):
        return {result}


def use(x):
    model = Net().to(x.device)
    t = torch.empty(2, 3)
    y = model(t)
    return y
"""


def test_networks_of_the_project(ask):
    ((_, use),) = ask(MODEL.format(result="self.layers(x)"))
    assert (use.read, use.certainty) == ("is passed to `model(...)`", "certain")
    assert ask(MODEL.format(result="x.fill_(1)")) == []
    assert ask(MODEL.format(result="self.layers(x.zero_())")) == []
    assert [use.certainty for _, use in ask(MODEL.format(result="self.layers(x)").replace("    return y\n", ""))] == [
        "warm-up"
    ]


def test_a_network_at_the_top_level(ask):
    text = "model = nn.Linear(3, 3)\n\n\ndef use(x):\n    return model(torch.empty(3)) + x\n"
    assert ask(text)


def test_top_level(ask):
    assert ask("t = torch.empty(3)\ny = t + 1\nprint(y.sum())\n")
    assert ask("t = torch.empty(3)\nt.zero_()\ny = t + 1\nprint(y.sum())\n") == []
    assert ask("x = np.empty((4, 5), 'int64')\nx[:] = np.arange(5)\ny = np.sin(x / 2)\nprint(y)\n") == []
    assert ask("if __name__ == '__main__':\n    t = torch.empty(3)\n    print((t + 1).sum())\n")


def test_globals_that_functions_see_are_silent(ask):
    used = "t = torch.empty(3)\n\n\ndef fill():\n    t.zero_()\n\n\nfill()\nprint((t + 1).sum())\n"
    assert ask(used) == []
    shadowed = "t = torch.empty(3)\n\n\ndef fill(t):\n    t.zero_()\n\n\nprint((t + 1).sum())\n"
    assert ask(shadowed)
    assert ask({"a.py": "t = torch.empty(3)\nprint((t + 1).sum())\n", "b.py": "from a import t\n\nt.zero_()\n"}) == []


def test_nested_functions_see_ints_of_the_function_around(ask):
    text = """
    def train():
        batch = 5

        def batches():
            for _ in range(5):
                yield torch.LongTensor(batch) % 7

        return batches
    """
    assert ask(text)
    assert ask(text.replace("batch = 5", "batch = [5]")) == []


def test_aliases(ask):
    assert ask("from torch import empty as raw\n\n\ndef f(x):\n    return raw(3) + x\n")
    assert ask("import torch as th\n\n\ndef f(x):\n    return th.empty(3) + x\n")
    assert ask("def empty(n):\n    return n\n\n\ndef f(x):\n    return empty(3) + x\n") == []


def test_very_deep_expressions_are_silent():
    source = load("train.py", b"import torch\n\n\ndef f(x):\n    t = torch.empty(3)\n    return x + t\n")

    def deep(source, unit):
        (function,) = lower(source.unit_text(unit))
        *before, last = function.body
        value = last.value
        for _ in range(3000):
            value = ir.Unary("-", value, value.span)
        return (function._replace(body=(*before, last._replace(value=value))),)

    project = Project([source], deep)
    assert list(memory_uses(project, "train.py", 1, Names(project, "train.py", str))) == []


def test_units_without_an_allocator_are_not_lowered():
    source = load("train.py", b"import torch\n\n\ndef f(x):\n    return x + 1\n")
    project = Project([source], lambda source, unit: lower(source.unit_text(unit)))
    for unit in source.units:
        assert list(memory_uses(project, "train.py", unit.index, Names(project, "train.py", str))) == []
    assert project.lowered == 0


def test_spans_point_at_the_call_and_the_read():
    source = load("train.py", b"import torch\n\n\ndef f(x):\n    t = torch.empty(3)\n    return x + t\n")
    project = Project([source], lambda source, unit: lower(source.unit_text(unit)))
    (use,) = memory_uses(project, "train.py", 1, Names(project, "train.py", str))
    text = source.unit_text(source.units[1])
    assert text[slice(*use.span)] == "torch.empty(3)"
    assert text[slice(*use.read_span)] == "x + t"


def test_a_unit_that_takes_too_long_is_silent(monkeypatch, ask):
    text = "def f(x):\n    t = torch.empty(3)\n    return x + t\n"
    assert ask(text)
    from torchdet_lint.analysis.memory.frame import Analysis

    real = Analysis.__init__

    def short(self, *args, **kwargs):
        real(self, *args, steps=1, **kwargs)

    monkeypatch.setattr(Analysis, "__init__", short)
    assert ask(text) == []
