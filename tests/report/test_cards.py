from __future__ import annotations

import json

from torchdet_lint.card import FamilyCard, LoaderCard, ModeCard, ProgramCard
from torchdet_lint.finding import Location, Related
from torchdet_lint.report.cards import cards, cards_json
from torchdet_lint.report.style import PLAIN, Style


def at(path: str, line: int, label: str) -> Related:
    return Related(Location(path, line, 5, line, 9), label)


CARD = ProgramCard(
    path="train.py",
    kind="guarded script",
    traits=("trains", "uses CUDA"),
    families=(
        FamilyCard(
            "torch",
            "seeded",
            "args.seed, default 0",
            (at("train.py", 31, "torch.manual_seed(args.seed)"),),
            tuple(at("model.py", line, "nn.Linear(...) initialises its weights") for line in (7, 8, 9, 10)),
        ),
        FamilyCard("numpy", "unseeded", draws=(at("data/augment.py", 12, "np.random.permutation(n)"),)),
        FamilyCard("gym", "unused"),
    ),
    loaders=(LoaderCard(Location("train.py", 52, 5, 52, 9), "DataLoader(...)", ("shuffles", "no generator")),),
    modes=(
        ModeCard("deterministic algorithms", "not set", "bad"),
        ModeCard("cuDNN benchmark", "on", "bad", Location("t.py", 1, 1, 1, 2)),
    ),
    missing=("call np.random.seed(args.seed) before train.py:40",),
)


def test_a_card() -> None:
    assert "".join(cards([CARD], PLAIN)) == (
        "train.py\n"
        "  guarded script, trains, uses CUDA\n"
        "  random numbers\n"
        "    ok torch  seeded: args.seed, default 0\n"
        "       seeded  train.py:31:5  torch.manual_seed(args.seed)\n"
        "       drawn   model.py:7:5  nn.Linear(...) initialises its weights\n"
        "               model.py:8:5  nn.Linear(...) initialises its weights\n"
        "               model.py:9:5  nn.Linear(...) initialises its weights\n"
        "               and 1 more\n"
        "    !! numpy  never seeded\n"
        "       drawn   data/augment.py:12:5  np.random.permutation(n)\n"
        "    -- gym    not drawn from\n"
        "  loaders\n"
        "    train.py:52:5  DataLoader(...): shuffles, no generator\n"
        "  modes\n"
        "    !! deterministic algorithms  not set\n"
        "    !! cuDNN benchmark           on       t.py:1:1\n"
        "  to make it repeatable, together with what `check` finds\n"
        "    1. call np.random.seed(args.seed) before train.py:40\n"
    )


def test_cards_keep_to_80_columns_with_long_names() -> None:
    path = "src/a/rather/deep/path/to/the/module/of/the/data.py"
    card = ProgramCard(
        path="nb.ipynb",
        kind="notebook",
        families=(FamilyCard("torch", "late", "torch.manual_seed(0) " * 6, (at(path, 1000, "a b " * 30),)),),
        loaders=(LoaderCard(Location(path, 1, 1, 1, 2), "DataLoader(...)", ("no worker_init_fn",) * 9),),
        modes=(
            ModeCard("SDPA backends", "on", "open", Location(path, 1, 1, 1, 2)),
            ModeCard("other", "on " * 8, "bad"),
        ),
        missing=("one two three " * 20,),
    )
    lines = "".join(cards([card, CARD], PLAIN)).splitlines()
    assert max(map(len, lines)) <= 80
    assert "" in lines


def test_long_places_stay_beside_what_they_hold_while_80_columns_do() -> None:
    near, far = "examples/image_classifier/train.py", "examples/image_classifier/much/further/down.py"
    draws = (
        at(near, 15, "torch.manual_seed(...)"),
        at(far, 3, "nn.GRU(...)"),
        at(far, 4, "nn.Embedding(...) draws"),
    )
    card = ProgramCard("a.py", "script", families=(FamilyCard("torch", "late", draws=draws),))
    assert "".join(cards([card], PLAIN)).splitlines()[4:] == [
        "       drawn   examples/image_classifier/train.py:15:5  torch.manual_seed(...)",
        "               examples/image_classifier/much/further/down.py:3:5  nn.GRU(...)",
        "               examples/image_classifier/much/further/down.py:4:5",
        "                 nn.Embedding(...) draws",
    ]


def test_a_program_that_draws_nothing_says_so() -> None:
    assert "-- none drawn" in "".join(cards([ProgramCard("a.py", "script")], PLAIN))


def test_no_programs_no_text() -> None:
    assert "".join(cards([], Style(colour=True))) == ""


def test_cards_as_json() -> None:
    found = json.loads(cards_json([CARD], ["cannot read x"], "1.2.3"))
    assert (found["schema"], found["version"], found["problems"]) == (1, "1.2.3", ["cannot read x"])
    program = found["programs"][0]
    assert program["families"][0]["draws"][0]["label"] == "nn.Linear(...) initialises its weights"
    assert program["families"][0]["draws"][0]["line"] == 7
    assert program["loaders"][0]["place"]["path"] == "train.py"
    assert program["modes"][0] == {
        "name": "deterministic algorithms",
        "value": "not set",
        "state": "bad",
        "place": None,
    }
    assert set(program) == set(ProgramCard.__slots__)
