"""Memory in attributes of `self`: parameters, buffers, plain attributes; who may initialise them."""

from __future__ import annotations

import textwrap

import pytest

NET = """
class Net(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        self.background = nn.Parameter(torch.empty(1, dim))
{init}

    def forward(self, x):
        return self.linear(x) @ torch.cat([x, self.background])
{more}
"""


def net(init: str = "", more: str = "", after: str = "") -> str:
    init = textwrap.indent(textwrap.dedent(init), " " * 8)
    return NET.format(init=init, more="\n" + textwrap.indent(textwrap.dedent(more), " " * 4)) + textwrap.dedent(after)


def test_a_parameter_that_nothing_initialises(ask):
    ((line, use),) = ask(net())
    assert line == "self.background = nn.Parameter(torch.empty(1, dim))"
    assert (use.certainty, use.parameter, use.attribute, use.read) == ("likely", True, "background", "is read by `cat`")


UNINITIALISED = {
    "other attributes are": {"init": "nn.init.normal_(self.linear.weight)"},
    "reset of another": {"init": "self.reset()", "more": "def reset(self):\n    nn.init.zeros_(self.linear.weight)"},
    "apply to other layers": {
        "init": "self.apply(self._init)",
        "more": "def _init(self, m):\n    if isinstance(m, nn.Linear):\n        nn.init.normal_(m.weight)",
    },
    "apply a function for other layers": {
        "after": "def init(m):\n    if isinstance(m, nn.Linear):\n        m.weight.data.zero_()\n\nNet(3).apply(init)"
    },
    "loaded on resume only": {"after": "model = Net(3)\nif args.resume:\n    model.load_state_dict(torch.load('x'))"},
    "the state of the optimizer": {"after": "optimizer.load_state_dict(torch.load('x'))"},
    "gradients zeroed": {"after": "for p in model.parameters():\n    p.requires_grad = False"},
}


@pytest.mark.parametrize("parts", UNINITIALISED.values(), ids=UNINITIALISED.keys())
def test_a_parameter_is_reported(ask, parts):
    assert [line for line, _ in ask(net(**parts))] == ["self.background = nn.Parameter(torch.empty(1, dim))"]


INITIALISED = {
    "next line": {"init": "nn.init.normal_(self.background)"},
    "data": {"init": "self.background.data.uniform_(-1, 1)"},
    "data assigned": {"init": "self.background.data = torch.zeros(1, dim)"},
    "data items assigned": {"init": "with torch.no_grad():\n    self.background[:] = 0"},
    "own function": {
        "init": "reset(self.background)",
        "after": "def reset(t):\n    with torch.no_grad():\n        t.uniform_(0, 1)",
    },
    "function out of sight": {"init": "from lib import trunc\ntrunc(self.background, std=0.02)"},
    "reset_parameters": {
        "init": "self.reset_parameters()",
        "more": "def reset_parameters(self):\n    nn.init.kaiming_uniform_(self.background, a=2)",
    },
    "reset_parameters called from outside": {
        "more": "def reset_parameters(self):\n    nn.init.kaiming_uniform_(self.background)"
    },
    "in two steps": {
        "init": "self._reset()",
        "more": "def _reset(self):\n    self._fill(self.background)\ndef _fill(self, t):\n    t.data.fill_(0)",
    },
    "loop over parameters": {"init": "for p in self.parameters():\n    nn.init.normal_(p)"},
    "loop over named parameters": {
        "init": "for name, p in self.named_parameters():\n    if 'weight' not in name:\n        nn.init.normal_(p)"
    },
    "loop over parameters outside": {
        "after": "model = Net(3)\nfor p in model.parameters():\n    if p.dim() > 1:\n        nn.init.xavier_uniform_(p)"
    },
    "self given away": {"init": "init_weights(self)", "after": "from lib import init_weights"},
    "apply to this class": {
        "init": "self.apply(init)",
        "after": "def init(m):\n    if isinstance(m, Net):\n        nn.init.normal_(m.background)",
    },
    "apply with parameters": {
        "init": "self.apply(init)",
        "after": "def init(m):\n    for p in m.parameters(recurse=False):\n        p.data.zero_()",
    },
    "apply out of sight": {"init": "self.apply(init)", "after": "from lib import init"},
    "by name outside": {
        "after": "def build():\n    model = Net(3)\n    nn.init.normal_(model.background)\n    return model"
    },
    "by name deep outside": {"after": "def build(model):\n    model.net[0].background.data.zero_()"},
    "by alias outside": {"after": "def build(model):\n    b = model.background\n    fill(b)"},
    "by getattr": {"after": "def build(model):\n    nn.init.normal_(getattr(model, 'background'))"},
    "replaced outside": {"after": "def build(model):\n    model.background = nn.Parameter(torch.zeros(3))"},
    "setattr": {"init": "for k in kwargs:\n    setattr(self, k, kwargs[k])"},
    "tied": {"init": "self.background = self.linear.weight"},
    "loaded": {"after": "model = Net(3)\nmodel.load_state_dict(torch.load('x'))"},
    "subclass": {
        "after": "class Other(Net):\n    def __init__(self):\n        super().__init__(3)\n        self.background.data.zero_()"
    },
    "subclass method": {
        "after": "class Other(Net):\n    def init_weights(self):\n        nn.init.zeros_(self.background)"
    },
    "written in forward before use": {"more": "def step(self):\n    self.background.data.copy_(self.linear.bias)"},
}


@pytest.mark.parametrize("parts", INITIALISED.values(), ids=INITIALISED.keys())
def test_an_initialised_parameter_is_silent(ask, parts):
    assert ask(net(**parts)) == []


def test_a_base_initialises(ask):
    text = """
    class Base(nn.Module):
        def reset_parameters(self):
            nn.init.zeros_(self.weight)

    class Net(Base):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(3))
            self.reset_parameters()

        def forward(self, x):
            return x * self.weight
    """
    assert ask(text) == []
    without = text.replace("            self.reset_parameters()\n", "").replace("def reset_parameters", "def other")
    assert ask(without.replace("nn.init.zeros_(self.weight)", "pass"))


def test_an_unread_parameter_is_silent(ask):
    assert ask(net().replace("torch.cat([x, self.background])", "x[: self.background.shape[0]]")) == []


def test_bases_out_of_sight_may_initialise(ask):
    assert ask(net().replace("nn.Module", "lib.PreTrained").replace("class", "import lib\nclass")) == []
    assert ask(net().replace("nn.Module", "nn.Linear").replace("super().__init__()", "super().__init__(1, 2)")) != []
    reset = net(init="self.reset_parameters()").replace("nn.Module", "nn.Linear")
    assert ask(reset) == []


def buffer(call: str, forward: str = "return x + self.steps", more: str = "") -> str:
    more = textwrap.indent(textwrap.dedent(more), " " * 4)
    return f"class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {call}\n\n    def forward(self, x):\n        {forward}\n\n{more}\n"


def test_buffers(ask):
    ((_, use),) = ask(buffer('self.register_buffer("steps", torch.empty(3))'))
    assert (use.certainty, use.parameter, use.attribute) == ("likely", True, "steps")
    assert ask(buffer('self.register_buffer("steps", torch.empty(0))')) == []
    assert ask(buffer('self.register_buffer("steps", torch.empty(3).fill_(0))')) == []
    assert (
        ask(buffer('self.register_buffer("steps", torch.empty(3))', more="def reset(self):\n    self.steps.zero_()"))
        == []
    )
    ((_, use),) = ask(buffer('self.register_parameter("steps", nn.Parameter(torch.Tensor(3, 4)))'))
    assert (use.api, use.parameter) == ("torch.Tensor", True)


def test_lists_of_parameters(ask):
    made = "self.steps = nn.ParameterList([nn.Parameter(torch.empty(3)) for _ in range(4)])"
    read = "return x + self.steps[0]"
    ((_, use),) = ask(buffer(made, read))
    assert (use.parameter, use.attribute) == (True, "steps")
    assert ask(buffer(made + "\n        for p in self.steps:\n            nn.init.zeros_(p)", read)) == []


PLAIN = """
class Worker:
    def __init__(self, n: int):
        self.buf = torch.empty(n, 3)

{more}
"""


def worker(more: str, after: str = "") -> str:
    return PLAIN.format(more=textwrap.indent(textwrap.dedent(more), " " * 4)) + textwrap.dedent(after)


def test_plain_attributes(ask):
    read = "def mean(self):\n    return self.buf.mean()\n"
    ((_, use),) = ask(worker(read))
    assert (use.certainty, use.parameter, use.attribute) == ("likely", False, "buf")
    assert ask(worker("def width(self):\n    return self.buf.shape[1]\n")) == []
    assert ask(worker("def get(self):\n    return self.buf\n" + read)) == []
    assert ask(worker("def fill(self, x):\n    self.buf.copy_(x)\n" + read)) == []
    assert ask(worker("def fill(self, x):\n    self.buf[:] = x\n" + read)) == []
    assert ask(worker("def fill(self, i, x):\n    self.buf[i] = x\n" + read)) == []
    assert ask(worker("def fill(self):\n    self.buf = torch.zeros(3)\n" + read)) == []
    assert ask(worker("def fill(self, stream):\n    stream.recv(self.buf)\n" + read)) == []
    assert ask(worker("def fill(self):\n    for i in range(len(self.buf)):\n        self.buf[i] = i\n" + read)) == []
    assert ask(worker(read, "def use(worker):\n    worker.buf.zero_()")) == []
    assert ask(worker(read, "def use(worker):\n    worker.buf[0] = 1")) == []
    assert ask(worker(read, "def use(worker):\n    return worker.buf.sum()")) != []


def test_a_method_that_reads_before_it_writes(ask):
    assert ask(worker("def step(self, x):\n    y = self.buf + x\n    self.buf.copy_(y)\n    return y\n"))
    guarded = (
        "def step(self, x, first):\n    if not first:\n        x = self.buf + x\n    self.buf.copy_(x)\n    return x\n"
    )
    assert ask(worker(guarded)) == []
    assert ask(worker("def step(self, x):\n    self.buf.copy_(x)\n    return self.buf * 2\n")) == []
    assert ask(worker("def step(self, x):\n    self.buf += x\n"))


def test_attributes_of_other_methods(ask):
    text = """
    class Worker:
        def setup(self):
            self.buf = torch.empty(3)

        def mean(self):
            return self.buf.mean()
    """
    assert ask(text)
    assert ask(text.replace("torch.empty(3)", "torch.empty(3)\n            self.buf.zero_()")) == []
    called = text + "\n        def start(self):\n            self.setup()\n            self.buf.fill_(1)\n"
    assert ask(called) == []


CACHE = """
def allocate(n_layers, n_slots, dim):
    return [torch.empty(2, n_slots, dim) for _ in range(n_layers)]


class Decoder:
    def __init__(self, n_layers=2, n_slots=8, dim=4):
        self.cache = allocate(n_layers, n_slots, dim)
        self.n_slots = n_slots

    def prefill(self, prompt):
        for layer in self.cache:
            {write}

    def attend(self, query):
        for keys, values in self.cache:
            query = torch.softmax(keys @ query, dim=0) @ values
        return query
"""


def test_a_cache_of_which_the_first_slots_are_written(ask):
    ((line, use),) = ask(
        CACHE.format(write="for slot, token in enumerate(prompt):\n                layer[0, slot] = token")
    )
    assert line.startswith("return [torch.empty(")
    assert (use.certainty, use.attribute, use.read) == ("likely", "cache", "is an operand of `@`")
    assert ask(CACHE.format(write="for slot in range(self.n_slots):\n                layer[:, slot] = prompt")) == []
    assert ask(CACHE.format(write="layer.copy_(prompt)")) == []
    assert ask(CACHE.format(write="layer[:, : len(prompt)] = prompt")) == []


def test_a_loop_over_an_argument_fills_what_the_same_method_reads(ask):
    fill = "def step(self, xs):\n    for i, x in enumerate(xs):\n        self.buf[i] = x\n    return self.buf.mean()\n"
    assert ask(worker(fill)) == []


def test_own_methods_are_followed(ask):
    text = """
    class Worker:
        def make(self):
            return torch.empty(3)

        def fill(self, t):
            t.zero_()

        def good(self, x):
            t = self.make()
            self.fill(t)
            return t + x

        def bad(self, x):
            return self.make() + x
    """
    ((line, use),) = ask(text)
    assert (line, use.read) == ("return torch.empty(3)", "is an operand of `+`")
    assert ask(text.replace("return self.make() + x", "pass")) == []


def test_functions_inside_methods(ask):
    text = """
    class Worker:
        def run(self, n: int):
            def batches():
                yield torch.LongTensor(n, 3) % 5
            return batches
    """
    assert ask(text)


GROWING = """
class Cache:
    def start(self, like):
        self.like = like
        self.keys = {made}

    def update(self, x):
        self.start(x[:, :0])
        {update}
        return self.keys
"""


@pytest.mark.parametrize(
    ("made", "update", "count"),
    [
        ("torch.empty_like(self.like)", "self.keys = torch.cat([self.keys, x], dim=-2)", 0),
        ("torch.empty_like(self.like)", "self.keys = torch.cat([x, x, self.keys + 1])", 1),
        ("torch.empty_like(self.like)", "self.keys = torch.stack([self.keys, x])", 1),
        ("torch.empty(3, 4)", "self.keys = torch.cat([self.keys, x], dim=-2)", 1),
    ],
)
def test_what_grows_from_the_first_on_started_empty(ask, made, update, count):
    assert len(ask(GROWING.format(made=made, update=update))) == count
