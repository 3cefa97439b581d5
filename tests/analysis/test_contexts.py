"""Contexts that the project itself makes: managers that open others, stacks, context managers and objects as decorators."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

HEAD = """\
from contextlib import AsyncExitStack, ContextDecorator, ExitStack, contextmanager, nullcontext
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
"""
ATTEND = "F.scaled_dot_product_attention(x, x, x)"
MANAGERS = {
    "generator": """\
@contextmanager
def inside():
    with {context}:
        yield
""",
    "behind a try": """\
@contextmanager
def inside():
    before = torch.is_grad_enabled()
    with nullcontext():
        try:
            with {context}:
                yield 3
        finally:
            print(before)
""",
    "through another": """\
@contextmanager
def inner():
    with {context}:
        yield
@contextmanager
def inside():
    with inner():
        yield
""",
    "by hand": """\
class inside:
    def __enter__(self):
        self.context = {context}
        self.context.__enter__()
        return self
    def __exit__(self, *error):
        self.context.__exit__(*error)
""",
    "its own stack": """\
class inside:
    def __init__(self):
        self.stack = ExitStack()
    def __enter__(self):
        self.stack.enter_context({context})
        return self
    def __exit__(self, *error):
        self.stack.close()
""",
}
QUIET = ["torch.no_grad()", "sdpa_kernel(SDPBackend.MATH)"]


@pytest.mark.parametrize("context", QUIET)
@pytest.mark.parametrize("manager", MANAGERS)
def test_what_a_manager_opens_holds_in_the_body(manager: str, context: str) -> None:
    made = HEAD + MANAGERS[manager].format(context=context)
    assert codes(f"{made}\nx = torch.ones(1, 2, 3, 4)\nwith inside() as value:\n    y = {ATTEND}\n") == ""


@pytest.mark.parametrize("manager", MANAGERS)
def test_it_holds_in_the_body_only(manager: str) -> None:
    made = HEAD + MANAGERS[manager].format(context="torch.no_grad()")
    assert codes(f"{made}\nx = torch.ones(1, 2, 3, 4)\nwith inside():\n    pass\ny = {ATTEND}\n") == "TDL301"


@pytest.mark.parametrize("stack", ["ExitStack", "AsyncExitStack"])
@pytest.mark.parametrize(("context", "found"), [("torch.no_grad()", ""), ("nullcontext()", "TDL301")])
def test_stacks_hold_what_they_enter(stack: str, context: str, found: str) -> None:
    body = (
        f"x = torch.ones(1, 2, 3, 4)\nwith {stack}() as stack:\n    stack.enter_context({context})\n    y = {ATTEND}\n"
    )
    assert codes(HEAD + body) == found


def test_a_stack_that_is_closed_holds_nothing() -> None:
    body = "with ExitStack() as stack:\n    stack.enter_context(torch.no_grad())\n"
    assert codes(f"{HEAD}x = torch.ones(1, 2, 3, 4)\n{body}y = {ATTEND}\n") == "TDL301"


FORKED = """\
@contextmanager
def fixed(seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
"""
SEEDED = """\
class fixed(ContextDecorator):
    def __init__(self, seed):
        self.seed = seed
    def __enter__(self):
        torch.manual_seed(self.seed)
    def __exit__(self, *error):
        return False
"""


@pytest.mark.parametrize("made", [FORKED, SEEDED])
@pytest.mark.parametrize(
    "use",
    [
        "with fixed(3):\n    layer = nn.Linear(1, 1)\n",
        "with ExitStack() as stack:\n    stack.enter_context(fixed(3))\n    layer = nn.Linear(1, 1)\n",
        "@fixed(3)\ndef build():\n    return nn.Linear(1, 1)\nbuild()\n",
        "class Experiment:\n    @fixed(3)\n    def build(self):\n        return nn.Linear(1, 1)\nExperiment().build()\n",
        "with fixed(3), nullcontext():\n    layer = nn.Linear(1, 1)\n",
    ],
)
def test_a_seed_set_on_entering_holds_in_the_body(made: str, use: str) -> None:
    assert codes(HEAD + made + use) == ""


def test_a_forked_seed_is_gone_behind_it() -> None:
    assert codes(HEAD + FORKED + "with fixed(3):\n    a = nn.Linear(1, 1)\nb = nn.Linear(1, 1)\n") == "TDL001"


@pytest.mark.parametrize("leave", ["return nn.Linear(1, 1)", "a = nn.Linear(1, 1)"])
def test_a_forked_seed_is_gone_however_it_is_left(leave: str) -> None:
    inside = f"def build():\n    with torch.random.fork_rng():\n        torch.manual_seed(3)\n        {leave}\n"
    assert codes(f"{inside}build()\n", "TDL00") == ""
    assert codes(f"{inside}build()\nb = nn.Linear(1, 1)\n", "TDL00") == "TDL001"


def test_a_forked_seed_is_gone_in_the_next_turn() -> None:
    loop = "for i in range(3):\n    with torch.random.fork_rng():\n        torch.manual_seed(i)\n        continue\n"
    assert codes(f"{loop}c = nn.Linear(1, 1)\n", "TDL00") == "TDL001"


def test_a_manager_that_only_may_be_used_seeds_only_perhaps() -> None:
    use = "context = fixed(3) if len(sys.argv) > 1 else nullcontext()\nwith context:\n    a = nn.Linear(1, 1)\n"
    assert codes(HEAD + SEEDED + use) != "TDL001"


WRAPPERS = {
    "object": """\
class Seeded:
    def __init__(self, seed):
        self.seed = seed
    def __call__(self, fn):
        @functools.wraps(fn)
        def run(*args, **kwargs):
            {seed}
            return fn(*args, **kwargs)
        return run
@Seeded(3)
""",
    "class": """\
class Seeded:
    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
    def __call__(self, *args, **kwargs):
        {seed}
        return self.fn(*args, **kwargs)
@Seeded
""",
    "partial": """\
def seeded(fn, seed):
    @functools.wraps(fn)
    def run(*args, **kwargs):
        {seed}
        return fn(*args, **kwargs)
    return run
@functools.partial(seeded, seed=4)
""",
}


@pytest.mark.parametrize(("seed", "found"), [("torch.manual_seed(3)", ""), ("random.seed(3)", "TDL001")])
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_decorators_that_are_objects_run(wrapper: str, seed: str, found: str) -> None:
    program = WRAPPERS[wrapper].format(seed=seed) + "def build():\n    return nn.Linear(1, 1)\nbuild()\n"
    assert codes(program, "TDL00") == found


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ("self", ""),
        ("self, *args, **kwargs", ""),
        ("self, fn", ""),
        ("self, image", "TDL012"),
        ("self, a, b=2", "TDL012"),
    ],
)
def test_a_call_that_is_handed_no_data_may_seed(params: str, found: str) -> None:
    made = f"class Own:\n    def __call__({params}):\n        torch.manual_seed(0)\n        return torch.rand(3)\n"
    assert codes(made) == found
