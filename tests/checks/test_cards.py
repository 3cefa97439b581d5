"""Cards: what a program does about its randomness."""

from __future__ import annotations

import pytest

from tests.analysis.programs import Files, facts
from torchdet_lint.card import ProgramCard
from torchdet_lint.checks.cards import program_cards

TRAIN = """\
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--workers", type=int, default=4)
args = parser.parse_args()
torch.backends.cudnn.benchmark = True
torch.manual_seed(args.seed)
model = nn.Linear(2, 2).cuda()
for batch in DataLoader(torch.load("x"), shuffle=True, num_workers=args.workers):
    model(batch).sum().backward()
np.save("f", np.random.rand(2))
random.seed(3)
"""


def card(files: Files) -> ProgramCard:
    [found] = program_cards(facts(files))
    return found


def test_a_training_script() -> None:
    found = card(TRAIN)
    assert (found.path, found.kind, found.name) == ("train.py", "script", "")
    assert found.traits == ("trains", "names an accelerator (.cuda())")
    assert [(each.family, each.state, each.text) for each in found.families] == [
        ("torch", "seeded", "--seed, default 0"),
        ("NumPy", "unseeded", ""),
        ("Python", "unused", ""),
    ]
    torch, numpy, python = found.families
    assert [each.label for each in torch.seeders] == ["torch.manual_seed(...)"]
    assert next(each.label for each in torch.draws) == "nn.Linear(...)"
    assert (numpy.seeders, len(numpy.draws)) == ((), 1)
    assert (len(python.seeders), python.draws) == (1, ())
    [loader] = found.loaders
    assert loader.facts == ("shuffles", "workers: --workers (default 4)", "no generator")
    assert [(each.name, each.value, each.state) for each in found.modes] == [
        ("deterministic algorithms", "not set", "bad"),
        ("cudnn.benchmark", "on", "bad"),
    ]
    assert found.missing == (
        "seed NumPy before its first draw: np.random.seed(seed)",
        "call torch.use_deterministic_algorithms(True) before the model is built",
        'set os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8" before torch is imported',
        "set cudnn.benchmark to False (line 12 of train.py turns it on)",
    )


def test_a_repeatable_script_misses_nothing() -> None:
    found = card(
        'os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"\ntorch.use_deterministic_algorithms(True)\ntorch.manual_seed(3)\n'
        "model = nn.Linear(2, 2).cuda()\nmodel(torch.ones(2, 2).cuda()).sum().backward()\n"
    )
    assert found.missing == ()
    assert [(each.family, each.state, each.text) for each in found.families] == [("torch", "seeded", "3")]
    assert [(each.name, each.value, each.state) for each in found.modes] == [
        ("deterministic algorithms", "on", "good"),
        ("CUBLAS_WORKSPACE_CONFIG", ":4096:8", "good"),
    ]
    assert all(each.place is not None for each in found.modes)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("torch.manual_seed(0)\ntorch.save(torch.rand(2), 'f')\n", "seeded"),
        ("torch.save(torch.rand(2), 'f')\n", "unseeded"),
        ("torch.save(torch.rand(2), 'f')\ntorch.manual_seed(0)\n", "late"),
        ("torch.manual_seed(int(time.time()))\ntorch.save(torch.rand(2), 'f')\n", "entropy"),
        ("torch.manual_seed(0)\nfor i in range(3): print(i)\n", "unused"),
        (
            "p = argparse.ArgumentParser()\np.add_argument('--seed', type=int)\na = p.parse_args()\n"
            "if a.seed is not None:\n    torch.manual_seed(a.seed)\ntorch.save(torch.rand(2), 'f')\n",
            "optional",
        ),
    ],
)
def test_states_of_a_family(text: str, state: str) -> None:
    [family] = card(text).families
    assert (family.family, family.state) == ("torch", state)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[1]", ("keeps the order", "no workers", "no generator")),
        ("[1], shuffle=True, num_workers=2", ("shuffles", "workers: 2", "no generator")),
        ("[1], shuffle=bool(sys.argv)", ("may shuffle", "no workers", "no generator")),
        ("[1], sampler=torch.utils.data.SequentialSampler([1])", ("has a sampler", "no workers", "no generator")),
        ("[1], generator=torch.Generator().manual_seed(0)", ("keeps the order", "no workers", "own generator")),
        (
            "[1], num_workers=2, worker_init_fn=print",
            ("keeps the order", "workers: 2", "no generator", "worker_init_fn"),
        ),
    ],
)
def test_loaders(arguments: str, said: tuple[str, ...]) -> None:
    [loader] = card(f"torch.manual_seed(0)\nfor x in DataLoader({arguments}): print(x)\n").loaders
    assert loader.facts == said


def test_kinds_of_programs() -> None:
    found = program_cards(
        facts(
            {
                "a.py": "import torch\ntorch.rand(2)\n",
                "b.py": "import torch\nif __name__ == '__main__':\n    torch.rand(2)\n",
                "pkg/__init__.py": "",
                "pkg/__main__.py": "import torch\ntorch.rand(2)\n",
            }
        )
    )
    assert [(each.path, each.kind) for each in found] == [
        ("a.py", "script"),
        ("b.py", "guarded script"),
        ("pkg/__main__.py", "script"),
    ]


def test_a_program_without_randomness() -> None:
    found = card("for i in range(3): print(i)\n")
    assert (found.traits, found.families, found.loaders, found.missing) == (("does not train",), (), (), ())


def test_places_are_listed_once_and_only_a_few() -> None:
    [family] = card(
        "torch.manual_seed(0)\nx = [torch.rand(2), torch.rand(2)]\n" + "x += [torch.rand(2)]\n" * 6
    ).families
    lines = [each.location.line for each in family.draws]
    assert len(lines) == len(set(lines)) == 3


def test_the_order_is_that_in_which_the_program_comes_by_its_places() -> None:
    found = card(
        {
            "train.py": """
            import random
            import torch
            from helper import seed


            def main():
                torch.backends.cudnn.benchmark = False
                model = torch.nn.Linear(2, 2)
                seed(3)
                random.shuffle(list(range(3)))
                loader = torch.utils.data.DataLoader([1], shuffle=True)
                for batch in loader:
                    model(batch).sum().backward()


            if __name__ == "__main__":
                main()
            """,
            "helper.py": """
            import random
            import torch


            def seed(number):
                random.seed(number)
                torch.manual_seed(number)
            """,
        }
    )
    assert [(place.path, place.line) for place in found.order[:5]] == [
        ("train.py", 8), ("train.py", 9), ("helper.py", 7), ("helper.py", 8), ("train.py", 11),
    ]  # fmt: skip
    assert len(set(found.order)) == len(found.order)


@pytest.mark.parametrize(
    ("before", "value", "state"),
    [
        ("", "any", "bad"),
        ("torch.backends.cuda.enable_flash_sdp(False)\n", "any", "bad"),
        (
            "torch.backends.cuda.enable_flash_sdp(False)\ntorch.backends.cuda.enable_mem_efficient_sdp(False)\n",
            "restricted, or without gradients",
            "good",
        ),
        ("torch.use_deterministic_algorithms(True)\n", "deterministic in strict mode", "good"),
    ],
)
def test_which_backends_attention_may_use(before: str, value: str, state: str) -> None:
    found = card(
        f"{before}torch.manual_seed(3)\nx = torch.ones(1, 2, 2).cuda().requires_grad_()\n"
        "torch.nn.functional.scaled_dot_product_attention(x, x, x).sum().backward()\n"
    )
    assert [(each.value, each.state) for each in found.modes if each.name == "SDPA backends"] == [(value, state)]


def test_a_program_that_is_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [each for each in card(TRAIN).traits if "too large" in each]
    monkeypatch.setattr("torchdet_lint.analysis.machine.MAX_STEPS", 20)
    assert card(TRAIN).traits[-1] == "too large to be followed to its end"


def test_attention_where_every_path_has_ended() -> None:
    found = card(
        "x = torch.ones(1, 2, 2)\n"
        "def attend(x):\n    raise NotImplementedError\n"
        "attend(x)\n"
        "torch.nn.functional.scaled_dot_product_attention(x, x, x)\n"
    )
    assert not [each for each in found.modes if each.name == "SDPA backends"]
