"""States of generators that are read, and set again: the seed in between is gone, for that family and from there on."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

LOOP = """\
import contextlib
{helpers}
def train(net):
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    for epoch in range(3):
        net(torch.randn(4, 2)).sum().backward()
{turn}
if __name__ == '__main__':
    train(nn.Linear(2, 1))
"""


def said(turn: str, helpers: str = "") -> str:
    """What is said of a loop that does this in each turn."""
    indented = "\n".join(" " * 8 + line for line in turn.splitlines())
    return codes(LOOP.format(turn=indented, helpers=helpers), "TDL012")


MANAGER = """\
@contextlib.contextmanager
def temp_seed(seed):
    state = {read}()
    {seeder}(seed)
    try:
        yield
    finally:
        {write}({back})
"""
CLASS = """\
class temp_seed:
    def __init__(self, seed):
        self.seed = seed
    def __enter__(self):
        self.state = {read}()
        {seeder}(self.seed)
        return self
    def __exit__(self, *exc):
        state = self.state
        {write}({back})
"""
FUNCTION = """\
def evaluate(seed=3):
    state = {read}()
    {seeder}(seed)
    value = {draw}
    {write}({back})
    return value
"""
FINALLY = """\
def evaluate(seed=3):
    state = {read}()
    try:
        {seeder}(seed)
        return {draw}
    finally:
        {write}({back})
"""
DECORATOR = """\
def keeps(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        state = {read}()
        out = fn(*args, **kwargs)
        {write}({back})
        return out
    return inner
@keeps
def evaluate(seed=3):
    {seeder}(seed)
    return {draw}
"""
BUNDLE = """\
def capture():
    return {{'other': 1, 'state': {read}()}}
def restore(kept):
    state = kept['state']
    {write}({back})
def evaluate(seed=3):
    kept = capture()
    {seeder}(seed)
    value = {draw}
    restore(kept)
    return value
"""
WAYS = {
    "with": (MANAGER, "with temp_seed(7):\n    x = {draw}"),
    "with an object": (CLASS, "with temp_seed(7):\n    x = {draw}"),
    "inside of a function": (FUNCTION, "evaluate()"),
    "finally": (FINALLY, "evaluate()"),
    "decorator": (DECORATOR, "evaluate()"),
    "helpers": (BUNDLE, "evaluate()"),
    "around": ("", "state = {read}()\n{seeder}(7)\nx = {draw}\n{write}({back})"),
    "around a call": (
        "def sample(seed=3):\n    {seeder}(seed)\n    return {draw}\n",
        "state = {read}()\nx = sample()\n{write}({back})",
    ),
}
FAMILIES = {
    "torch": ("torch.get_rng_state", "torch.set_rng_state", "torch.manual_seed", "torch.rand(2)"),
    "torch.random": ("torch.random.get_rng_state", "torch.random.set_rng_state", "torch.manual_seed", "torch.rand(2)"),
    "numpy": ("np.random.get_state", "np.random.set_state", "np.random.seed", "np.random.rand()"),
    "python": ("random.getstate", "random.setstate", "random.seed", "random.random()"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_state_that_comes_back(way: str, family: str) -> None:
    read, write, seeder, draw = FAMILIES[family]
    helpers, turn = WAYS[way]
    texts = {"read": read, "write": write, "seeder": seeder, "draw": draw}
    assert said(turn.format(**texts, back="state"), helpers.format(**texts, back="state")) == ""
    other = f"{read}() and load()"  # what comes back then is not known to be the state of before
    assert said(turn.format(**texts, back=other), helpers.format(**texts, back=other)) == "TDL012"


@pytest.mark.parametrize(
    "turn",
    [
        "state = np.random.get_state()\ntorch.manual_seed(7)\nnp.random.set_state(state)",
        "state = torch.get_rng_state()\ntorch.set_rng_state(state)\ntorch.manual_seed(7)",
        "torch.manual_seed(7)\nstate = torch.get_rng_state()\nx = torch.rand(2)\ntorch.set_rng_state(state)",
        "state = torch.cuda.get_rng_state()\ntorch.manual_seed(7)\ntorch.cuda.set_rng_state(state)",
        "with temp_seed(7):\n    np.random.rand()\nnp.random.seed(3)",
        "with temp_seed(7):\n    torch.manual_seed(3)",
    ],
    ids=["other family", "before", "after", "other device", "behind the block", "other family in the block"],
)
def test_a_seed_that_stays(turn: str) -> None:
    helpers = MANAGER.format(
        read="np.random.get_state", seeder="np.random.seed", write="np.random.set_state", back="state"
    )
    assert said(turn, helpers) == "TDL012"


@pytest.mark.parametrize("copied", [".clone()", ".cpu()", ".detach().clone()", ".to('cpu')"])
def test_a_copy_of_a_state_is_that_state(copied: str) -> None:
    turn = "state = torch.get_rng_state(){0}\ntorch.manual_seed(7)\nx = torch.rand(2)\ntorch.set_rng_state(state{0})"
    assert said(turn.format(copied)) == ""
    assert said(turn.format(copied).replace("set_rng_state(state", "set_rng_state(load()")) == "TDL012"


SEEDED_IN_BETWEEN = """\
state = np.random.get_state()
np.random.seed(0)
x = np.random.rand()
{back}
torch.save(torch.tensor(np.random.rand()), 'f')
"""


def test_who_was_not_seeded_before_is_not_seeded_after() -> None:
    assert codes(SEEDED_IN_BETWEEN.format(back="np.random.set_state(state)"), "TDL002") == "TDL002"
    assert codes(SEEDED_IN_BETWEEN.format(back=""), "TDL002") == ""
    assert codes("np.random.seed(1)\n" + SEEDED_IN_BETWEEN.format(back="np.random.set_state(state)"), "TDL002") == ""


def test_a_block_is_seeded_by_its_manager() -> None:
    manager = MANAGER.format(
        read="np.random.get_state", seeder="np.random.seed", write="np.random.set_state", back="state"
    )
    inside = f"import contextlib\n{manager}\nwith temp_seed(3):\n    x = np.random.rand()\n    torch.save(torch.tensor(x), 'f')\n"
    assert codes(inside, "TDL002") == ""


def test_what_leaving_a_block_does_happens_behind_it() -> None:
    text = """\
    class Late:
        def __enter__(self):
            return self
        def __exit__(self, *exc):
            torch.manual_seed(0)
    with Late():
        x = torch.rand(2)
    torch.save(x, 'f')
    """
    assert codes(text, "TDL00") == "TDL006"
