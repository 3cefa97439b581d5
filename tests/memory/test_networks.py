"""Networks whose parameters `to_empty` and `skip_init` leave unwritten."""

from __future__ import annotations

import pytest

EMPTIED = """
def build(x, load, weights):
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(3, 3))
    model.to_empty(device="cpu")
    {then}
    model.eval()
    {last}
"""


def emptied(then: str = "pass", last: str = "return model(x)") -> str:
    return EMPTIED.format(then=then, last=last)


READ = {
    "run": {},
    "run as forward": {"last": "return model.forward(x)"},
    "loaded in part": {"then": "model.load_state_dict(weights, strict=False)"},
    "loaded in part, by position": {"then": "model.load_state_dict(weights, False)"},
    "moved": {"then": "model = model.cuda().half()"},
}


@pytest.mark.parametrize("parts", READ.values(), ids=READ.keys())
def test_read(ask, parts):
    ((line, use),) = ask(emptied(**parts))
    assert (line, use.api) == ('model.to_empty(device="cpu")', "torch.nn.Module.to_empty")
    assert use.certainty == ("likely" if "load" in parts.get("then", "") else "certain")


SILENT = {
    "loaded": {"then": "model.load_state_dict(weights)"},
    "loaded strictly": {"then": "model.load_state_dict(weights, strict=True)"},
    "what is missing is looked at": {"then": "missing = model.load_state_dict(weights, strict=False).missing_keys"},
    "reset": {"then": "model.reset_parameters()"},
    "reset, then loaded in part": {"then": "model.apply(load)\n    model.load_state_dict(weights, strict=False)"},
    "a layer reset": {"then": "model[0].reset_parameters()"},
    "a layer by name": {"then": "nn.init.zeros_(model.head.weight)"},
    "given to a function": {"then": "load(model)"},
    "parameters taken": {"then": "for p in model.parameters():\n        load(p)"},
    "every layer reset": {"then": "for layer in model:\n        layer.reset_parameters()"},
    "returned": {"last": "return model"},
}


@pytest.mark.parametrize("parts", SILENT.values(), ids=SILENT.keys())
def test_silent(ask, parts):
    assert ask(emptied(**parts)) == []


def test_a_caller_runs_it(ask):
    assert ask(emptied(last="return model") + "\n\nmodel = build(1, 2, 3)\nprint(model(torch.ones(3)).sum())\n")


LAYER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.utils.skip_init(nn.Linear, 3, 4)
        {then}

    def forward(self, x):
        return self.layer(x)
"""


def test_skip_init(ask):
    ((_, use),) = ask(LAYER.format(then="pass"))
    assert (use.api, use.certainty, use.parameter, use.attribute) == (
        "torch.nn.utils.skip_init",
        "likely",
        True,
        "layer",
    )
    assert ask(LAYER.format(then="nn.init.orthogonal_(self.layer.weight)")) == []
    assert ask(LAYER.format(then="self.layer.reset_parameters()")) == []
    assert ask(LAYER.format(then="pass") + "\n\nmodel = Net()\nmodel.load_state_dict(torch.load('x'))\n") == []


INSIDE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x)


def main(fabric, x, load, weights):
    with fabric.init_module({how}):
        model = Net()
    {then}
    return model(x)
"""


def inside_of(then: str = "pass", how: str = "empty_init=True") -> str:
    return INSIDE.format(then=then, how=how)


@pytest.mark.parametrize(
    "then",
    [
        "pass",
        "model.load_state_dict(weights, strict=False)",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
        "model = torch.compile(model)",
        "model = model.cuda()",
    ],
)
def test_built_without_initialisation(ask, then):
    ((line, use),) = ask(inside_of(then))
    assert (line, use.api) == ("with fabric.init_module(empty_init=True):", "init_module")


@pytest.mark.parametrize(
    ("then", "how"),
    [
        ("model.load_state_dict(weights)", "empty_init=True"),
        ("load(model)", "empty_init=True"),
        ("model = fabric.setup(model)", "empty_init=True"),
        ("model.apply(load)", "empty_init=True"),
        ("for p in model.parameters():\n        nn.init.normal_(p)", "empty_init=True"),
        ("pass", "empty_init=False"),
        ("pass", "empty_init=weights"),
        ("pass", ""),
    ],
)
def test_built_and_filled(ask, then, how):
    assert ask(inside_of(then, how)) == []
