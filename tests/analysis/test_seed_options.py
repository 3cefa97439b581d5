"""Seeds that are made up where no option gives one: entropy by default, or only where somebody asks for it."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes, findings

PARSED = """\
p = argparse.ArgumentParser()
p.add_argument('--seed', type=int{default})
args = p.parse_args()
{body}
torch.save(torch.rand(2), 'f')
"""
NONE_TESTS = [
    "if args.seed is None:\n    args.seed = random.randint(1, 9)\ntorch.manual_seed(args.seed)",
    "seed = args.seed\nif seed is None:\n    seed = random.randint(1, 9)\ntorch.manual_seed(seed)",
    "seed = args.seed if args.seed is not None else random.randint(1, 9)\ntorch.manual_seed(seed)",
    "c = {}\nif args.seed is not None:\n    c['seed'] = args.seed\nelse:\n    c['seed'] = int(time.time())\ntorch.manual_seed(c['seed'])",
]


@pytest.mark.parametrize("body", NONE_TESTS)
@pytest.mark.parametrize(("default", "expected"), [("", "TDL005"), (", default=None", "TDL005"), (", default=3", "")])
def test_made_up_where_none_is_given(body: str, default: str, expected: str) -> None:
    assert codes(PARSED.format(default=default, body=body), "TDL0") == expected


def test_a_default_that_stands_for_none_is_none() -> None:
    body = "if args.seed == -1:\n    args.seed = random.randint(1, 9)\ntorch.manual_seed(args.seed)"
    assert codes(PARSED.format(default=", default=-1", body=body), "TDL0") == "TDL005"


LOOP = """\
import numpy as np, torch
def loop(folder='.', seed=0):
    np.random.seed(seed * 2 % (1 << 31))
    torch.manual_seed(np.random.randint(1 << 31))
    torch.save(torch.nn.Linear(2, 2), folder)
"""
TRAIN = """\
import click, torch
from loop import loop
{kind}
@click.command()
@click.option('--folder')
@click.option('--seed', type=int{default})
def main(**options):
    opts = Attributes(options)
    c = Attributes()
    c.folder = opts.folder
    if opts.seed is not None:
        c.seed = opts.seed
    else:
        c.seed = int(torch.randint(1 << 31, size=[]))
    loop(**c)
if __name__ == '__main__':
    main()
"""
KINDS = {
    "by special methods": "class Attributes(dict):\n    def __getattr__(self, name):\n        try:\n            return self[name]\n"
    "        except KeyError:\n            raise AttributeError(name)\n    def __setattr__(self, name, value):\n        self[name] = value\n",
    "by methods of dict": "class Attributes(dict):\n    __getattr__ = dict.get\n    __setattr__ = dict.__setitem__\n",
    "by its own dictionary": "class Attributes(dict):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n"
    "        self.__dict__ = self\n",
    "of a library": "from easydict import EasyDict as Attributes",
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize(("default", "expected"), [("", "TDL005"), (", default=3", "")])
def test_options_in_a_dictionary_with_attributes(kind: str, default: str, expected: str) -> None:
    """The draw is told at the seeder that gets it, and not as a draw before seeding."""
    found = findings({"loop.py": LOOP, "train.py": TRAIN.format(kind=kind, default=default)})
    assert " ".join(f"{f.code} {f.location.path}" for f in found) == (expected and f"{expected} loop.py")


FILLED = """\
p = argparse.ArgumentParser()
p.add_argument('--seed', type=int)
args = p.parse_args()
def draw(seed=None, other=None):
    {inside}
    return np.random.RandomState(seed).rand()
{outside}
torch.save((draw(), draw(args.seed)), 'f')
"""


@pytest.mark.parametrize(
    ("inside", "outside", "expected"),
    [
        ("if seed is None:\n        seed = 0", "", ""),
        ("if seed is None: seed = 0\n    else: seed = seed + 1", "", ""),
        ("seed = 0 if seed is None else seed", "", ""),
        ("pass", "if args.seed is None: args.seed = 0", "tdl004"),
        ("pass", "if args.seed is None: args.seed = 0\ndraw = functools.partial(draw, args.seed)", ""),
        ("if seed is None: print(1)", "", "tdl004"),
        ("if seed is None: seed = other", "", "tdl004"),
        ("if seed is None: other = 0", "", "tdl004"),
    ],
)
def test_a_name_that_is_filled_in_where_it_is_none(inside: str, outside: str, expected: str) -> None:
    assert codes(FILLED.format(inside=inside, outside=outside), "TDL004 TDL005") == expected


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        ("a.seed or 7", "TDL011"),
        ("a.seed or 0", ""),
        ("a.seed if a.seed else 7", "TDL011"),
        ("a.seed if a.seed else None", "TDL011"),
        ("a.seed if a.seed else 0", ""),
        ("int(a.seed) if a.seed else 0", ""),
        ("0 if not a.seed else a.seed", ""),
        ("7 if not a.seed else a.seed", "TDL011"),
    ],
)
def test_a_seed_of_zero_that_stays_zero_is_not_lost(seed: str, expected: str) -> None:
    body = f"""
        p = argparse.ArgumentParser()
        p.add_argument("--seed", type=int, default=3)
        a = p.parse_args()
        print(np.random.default_rng({seed}))
    """
    assert codes(body, "TDL011") == expected


INSTALLED = """
    import types
    def main(env):
        def wrong_reset(self, seed=None):
            return env.observation_space.sample()
        {use}
        check(env)
    main(make())
"""


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("env.reset = wrong_reset", ""),
        ("env.reset = types.MethodType(wrong_reset, env)", ""),
        ("setattr(env, 'reset', wrong_reset)", ""),
        ("torch.save(wrong_reset(seed=3), 'f')", "TDL011"),
        ("reset = wrong_reset", "TDL011"),
    ],
)
def test_functions_that_take_the_place_of_a_method(use: str, expected: str) -> None:
    assert codes(INSTALLED.format(use=use), "TDL011") == expected
