"""What code says about values: tensors or not, integers or not, gradients or not."""

from __future__ import annotations

import textwrap

import pytest

from torchdet_lint import ir
from torchdet_lint.analysis.tensors import Inference, Trait
from torchdet_lint.analysis.tensors.scopes import place_of
from torchdet_lint.ir import nested
from torchdet_lint.lowering import lower
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.source import load

HEAD = "import numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"


def ask(text: str) -> Trait:
    """What is known of the argument of `probe(...)` in a file."""
    source = load("a.py", (HEAD + textwrap.dedent(text)).encode())
    project = Project([source], lambda source, unit: lower(source.unit_text(unit)))
    for unit in source.units:
        body = project.body("a.py", unit.index)
        for node in nested(body):
            if isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "probe":
                place = place_of(body, node.span)
                assert place is not None
                names = Names(project, "a.py", lambda dotted: dotted)
                return Inference(project, "a.py", unit.index, names, place).of(node.args[0].value)
    raise AssertionError("no probe")


def inside(body: str, params: str = "x") -> Trait:
    return ask(f"def f({params}):\n" + textwrap.indent(textwrap.dedent(body), "    "))


@pytest.mark.parametrize(
    "body",
    [
        "probe(torch.zeros(3))", "y = x.unsqueeze(0)\nprobe(y)", "x.device\nprobe(x)", "F.relu(x)\nprobe(x)",
        "probe(x.float() * 2)", "values, order = torch.sort(x)\nprobe(order)", "y = torch.ones(2) if x else torch.zeros(2)\nprobe(y)",
    ],
)  # fmt: skip
def test_tensors(body: str) -> None:
    assert inside(body).kind == "tensor"


@pytest.mark.parametrize(
    "body",
    [
        "probe(np.zeros(3))", "probe([x])", "probe(x.tolist())", "probe(len(x))", "probe(x.shape)", "y = {}\nprobe(y)",
        "y = np.arange(3)\nprobe(y.cumsum())",
    ],
)  # fmt: skip
def test_other_things(body: str) -> None:
    assert inside(body).kind == "other"


@pytest.mark.parametrize("body", ["probe(x)", "probe(x.y)", "probe(make(x))", "x = find(x)\nprobe(x)"])
def test_what_nothing_is_known_of(body: str) -> None:
    assert inside(body).kind == ""


@pytest.mark.parametrize(
    ("body", "dtype"),
    [
        ("probe(x.long())", "int"), ("probe(x > 0)", "int"), ("probe(~x)", "int"), ("probe(torch.arange(4))", "int"),
        ("probe(x.to(torch.int64))", "int"), ("probe(torch.zeros(2, dtype=torch.long))", "int"), ("probe(x.argmax(1))", "int"),
        ("probe(x.softmax(-1))", "float"), ("probe(torch.linspace(0, 1, 5).view(5, 1))", "float"),
        ("probe(x.long() / 2)", "float"), ("probe(x.long().float())", "float"), ("probe(torch.tensor([1, 2]))", "int"),
        ("probe(torch.tensor([1.0, 2]))", "float"), ("y = x.long()\ny = y + 1\nprobe(y)", "int"), ("probe(x)", ""),
        ("y = x.float()\nif x:\n    y = x.long()\nprobe(y)", "float"), ("probe(torch.bincount(x))", "int"),
    ],
)  # fmt: skip
def test_dtypes(body: str, dtype: str) -> None:
    assert inside(body).dtype == dtype


@pytest.mark.parametrize(
    ("body", "grad"),
    [
        ("probe(x.detach())", "no"), ("probe(torch.ones(3).unsqueeze(1))", "no"), ("probe(x.data * 2)", "no"),
        ("probe(torch.ones(3, requires_grad=True))", ""), ("probe(model(x))", "yes"), ("probe(F.relu(model(x)).mean(1))", "yes"),
        ("probe(torch.zeros_like(model(x)))", "no"), ("probe(state_dict['pos'].reshape(1, -1))", "no"), ("probe(x)", ""),
        ("for images, labels in loader:\n    loss = model(images)\n    loss.backward()\n    probe(images.cuda() / 255)", "no"),
        ("for feature in features:\n    probe(feature)", ""),
    ],
)  # fmt: skip
def test_gradients(body: str, grad: str) -> None:
    assert inside(body).grad == grad


@pytest.mark.parametrize(
    ("body", "device"),
    [
        ("probe(torch.zeros(3))", "cpu"), ("probe(torch.zeros(3, device=x))", ""), ("probe(x.cpu())", "cpu"),
        ("probe(x.to('cpu').float())", "cpu"), ("probe(torch.zeros(3).cuda())", ""), ("probe(torch.zeros(3).to(x))", ""),
        ("probe(torch.zeros(3) + x)", ""), ("probe(torch.zeros(3) * 2)", "cpu"),
    ],
)  # fmt: skip
def test_devices(body: str, device: str) -> None:
    assert inside(body).device == device


def test_attributes_and_layers_of_a_class() -> None:
    text = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.table = torch.zeros(3)

            def forward(self, x):
                probe({})
    """
    assert ask(text.format("self.layer(x)")) == Trait("tensor", "float", "yes")
    assert ask(text.format("self.table")).kind == "tensor"
    assert ask(text.format("x")) == Trait("tensor", grad="yes", given=True)
    assert ask(text.format("self.other")).kind == ""


def test_names_of_the_module() -> None:
    assert ask("x = np.zeros(3)\nx = torch.zeros(3)\nprobe(x)\n").kind == "tensor"
    assert ask("x = torch.zeros(3)\ndef f():\n    probe(x)\n").kind == "tensor"


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [("torch.Tensor", "tensor"), ("Optional[Tensor]", "tensor"), ("np.ndarray", "other"), ("int", "other")],
)
def test_annotations(annotation: str, kind: str) -> None:
    assert inside("probe(x)", f"x: {annotation}").kind == kind


def test_indices_of_an_order_hold_nothing_twice() -> None:
    assert inside("values, order = x.sort(-1)\nprobe(order[:, :3].unsqueeze(0))").unique
    assert not inside("probe(torch.randint(0, 3, (5,)))").unique
