"""Layers that are written by hand, copied, or subclassed: what of their draws matters."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

FUSED = """
    def fuse(conv, bn, old):
        new = {made}
        {write}
        return new
    model = torch.load("m")
    model.layer = fuse(model.conv, model.bn, model.layer)
    model.eval()
    torch.save(model(torch.ones(3)), "f")
"""
CONV = "nn.Conv2d(3, 3, 1, bias=True).requires_grad_(False).to(conv.weight.device)"


@pytest.mark.parametrize(
    ("made", "write", "expected"),
    [
        (CONV, "new.weight.copy_(conv.weight * bn.weight.view(new.weight.shape))\n        new.bias.copy_(bn.bias)", ""),
        (CONV, "new.weight.data.copy_(old.weight); new.bias.data.copy_(old.bias)", ""),
        (CONV, "new.weight.data = old.weight; new.bias.data = old.bias", ""),
        (CONV, "new.weight = nn.Parameter(old.weight)\n        new.bias = nn.Parameter(old.bias)", ""),
        (CONV, "new.weight.copy_(old.weight)", "TDL001"),
        (
            CONV,
            "new.weight.copy_(old.weight)\n        if old.bias is not None:\n            new.bias.copy_(old.bias)",
            "TDL001",
        ),
        ("nn.Linear(3, 3, bias=False)", "new.weight.copy_(old.weight)", ""),
        ("nn.Linear(3, 3, bias=old.bias)", "new.weight.copy_(old.weight)", "TDL001"),
        ("nn.Embedding(3, 3)", "new.weight.data.copy_(old.weight)", ""),
        ("nn.Embedding(3, 3)", "new.weight[1:].copy_(old.weight)", "TDL001"),
        ("nn.Embedding(3, 3)", "old.weight.copy_(new.weight)", "TDL001"),
        ("nn.LSTM(3, 3)", "new.weight.copy_(old.weight); new.bias.copy_(old.bias)", "TDL001"),
    ],
)
def test_a_layer_whose_parameters_are_all_written_drew_nothing(made: str, write: str, expected: str) -> None:
    assert codes(FUSED.format(made=made, write=write), "TDL001") == expected


COPIES = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
        def forward(self, x):
            return self.layer(x)
    def block():
        return nn.Linear(2, 2)
    def make():
        return {made}
    {body}
    torch.save((one(torch.ones(2)), two(torch.ones(2))), "f")
"""
KINDS = ("Net()", "nn.Linear(2, 2)", "nn.Sequential(block(), block())")
LOAD = "torch.load('a')"


@pytest.mark.parametrize("made", KINDS)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("one, two = make(), make()\n    two.load_state_dict(one.state_dict())", "TDL001"),
        ("one = make()\n    two = make()\n    one.load_state_dict(torch.load('a'))", "TDL001"),
        ("one, two = [make() for _ in range(2)]\n    two.load_state_dict(one.state_dict())", "TDL001"),
        (
            "one = make()\n    two = make()\n    for a, b in zip(two.parameters(), one.parameters()):\n        a.data.copy_(b)",
            "TDL001",
        ),
        (f"one = make()\n    two = make()\n    one.load_state_dict({LOAD})\n    two.load_state_dict({LOAD})", ""),
        (f"one = make()\n    one.load_state_dict({LOAD})\n    two = make()\n    two.load_state_dict({LOAD})", ""),
        (
            f"both = [make() for _ in range(2)]\n    for net in both:\n        net.load_state_dict({LOAD})\n    one, two = both",
            "",
        ),
        (
            f"def read():\n        net = make()\n        net.load_state_dict({LOAD})\n        return net\n    one, two = read(), read()",
            "",
        ),
        (
            "one = make()\n    two = make()\n    if sys.argv[1]:\n        teacher = make()\n"
            "        teacher.load_state_dict(torch.load('t'))\n    two.load_state_dict(one.state_dict())",
            "TDL001",
        ),
        (
            f"one = two = make()\n    if sys.argv[1]:\n        one = make()\n        one.load_state_dict({LOAD})",
            "TDL001",
        ),
        (f"one = two = nn.Sequential(make(), make())\n    one.load_state_dict({LOAD})", ""),
    ],
)
def test_a_copy_that_is_loaded_says_nothing_of_the_original(made: str, body: str, expected: str) -> None:
    assert codes(COPIES.format(made=made, body=body), "TDL0") == expected


SUBCLASS = """
    class Drop(nn.Dropout):
        def forward(self, x):
            return {sup}.forward(x * 2)
    class Layers(nn.Sequential):
        def __init__(self):
            super().__init__(nn.ReLU(), nn.Dropout(0.3))
        def forward(self, x):
            return {sup}.forward(x)
    class Plain(nn.ReLU):
        def forward(self, x):
            return {sup}.forward(x)
    net = {made}
    {mode}
    torch.save(net(torch.ones(2)), "f")
"""


@pytest.mark.parametrize("sup", ["super()", "super(type(self), self)"])
@pytest.mark.parametrize(
    ("made", "mode", "expected"),
    [
        ("Drop(0.5)", "", "TDL001"), ("Drop(0.5)", "net.eval()", ""), ("Layers()", "", "TDL001"),
        ("Layers()", "net.eval()", ""), ("Plain()", "", ""),
    ],
)  # fmt: skip
def test_a_layer_that_a_forward_hands_on_to_draws(sup: str, made: str, mode: str, expected: str) -> None:
    assert codes(SUBCLASS.format(sup=sup, made=made, mode=mode), "TDL0") == expected


@pytest.mark.parametrize(
    ("weights", "expected"), [("need_weights=False", "tdl302"), ("need_weights=True", ""), ("attn_mask=m", "")]
)
def test_attention_that_a_subclass_asks_for_no_weights(weights: str, expected: str) -> None:
    program = f"""
        torch.manual_seed(0)
        class Attention(nn.MultiheadAttention):
            def forward(self, x, m=None):
                return super().forward(x, x, x, {weights})[0]
        torch.save(Attention(8, 2)(torch.ones(1, 2, 8)), "f")
    """
    assert codes(program, "TDL3") == expected


@pytest.mark.parametrize(
    "base", ["Wrapper", "ActionWrapper", "ObservationWrapper", "RewardWrapper", "core.ActionWrapper"]
)
@pytest.mark.parametrize("library", ["gym", "gymnasium"])
def test_every_wrapper_of_an_environment_draws(base: str, library: str) -> None:
    program = f"""
        import {library}
        class Scaled({library}.{base}):
            def action(self, action):
                return action * 2
        env = Scaled({library}.make("Pendulum-v0"))
        torch.save({{reset}}, "f")
    """
    assert codes(program.format(reset="env.reset()"), "TDL0") == "TDL010"
    assert codes(program.format(reset="env.reset(seed=1)"), "TDL0") == ""


def test_colossalai_seeds_all_three() -> None:
    program = "from colossalai.utils import set_seed\nset_seed(3)\n" + DRAWN
    assert codes(program, "TDL00") == ""
    assert codes(DRAWN, "TDL00") == "TDL001 TDL002 TDL003"


DRAWN = "torch.save(torch.rand(2) + np.random.rand() + random.random(), 'f')\n"


def test_attention_of_a_class_that_nobody_makes() -> None:
    library = """
        from torch import nn
        class Attention(nn.MultiheadAttention):
            def forward(self, x, m):
                return super().forward(x, x, x, need_weights=False, attn_mask=m)[0]
    """
    assert codes({"library.py": library}, "TDL3") == "tdl302"
    assert codes({"library.py": library.replace("need_weights=False, ", "")}, "TDL3") == ""


@pytest.mark.parametrize(
    ("before", "between", "expected"),
    [("", "", "TDL001"), ("torch.manual_seed(0)", "", ""), ("", "torch.manual_seed(0)", "")],
)
def test_skorch_makes_its_networks_when_it_fits(before: str, between: str, expected: str) -> None:
    program = f"""
        from skorch import NeuralNetClassifier
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
        {before}
        net = NeuralNetClassifier(Net)
        {between}
        net.fit(x, y)
    """
    assert codes(program) == expected


SKIPPED = """
    from accelerate import init_empty_weights
    from transformers import AutoModelForCausalLM
    from transformers.modeling_utils import no_init_weights
    from transformers.utils.generic import ContextManagers
    def load():
        def skip(*args, **kwargs):
            pass
        {lines}
    torch.save(load(), "f")
"""
USUAL = [f"torch.nn.init.{name} = skip" for name in ("kaiming_uniform_", "uniform_", "normal_")]
BUILT = "AutoModelForCausalLM.from_config('x')"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([*USUAL, "return nn.Linear(2, 2)"], ""),
        ([*USUAL, "return nn.Embedding(2, 2)"], ""),
        ([*USUAL, f"return {BUILT}"], ""),
        ([*USUAL, "return torch.nn.init.normal_(torch.ones(2))"], ""),
        ([*USUAL, "return torch.nn.init.xavier_normal_(torch.ones(2))"], "TDL001"),
        ([*USUAL, "return torch.rand(2)"], "TDL001"),
        (["return nn.Linear(2, 2)"], "TDL001"),
        ([USUAL[2], "return nn.Linear(2, 2)"], "TDL001"),
        (["kept = torch.nn.init.normal_", *USUAL, "torch.nn.init.normal_ = kept", "return nn.Linear(2, 2)"], "TDL001"),
        (["with ContextManagers([no_init_weights()]):", f"    return {BUILT}"], ""),
        (
            [
                "held = [no_init_weights()]",
                "if len(sys.argv) > 1:",
                "    held.append(init_empty_weights())",
                "with ContextManagers(held):",
                f"    return {BUILT}",
            ],
            "",
        ),
        (["with ContextManagers([]):", f"    return {BUILT}"], "TDL001"),
    ],
)
def test_first_weights_that_nobody_draws(lines: list[str], expected: str) -> None:
    assert codes(SKIPPED.format(lines="\n        ".join(lines)), "TDL001") == expected
