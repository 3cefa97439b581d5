"""What pages are made of in tests."""

from __future__ import annotations

from torchdet_lint.card import FamilyCard, LoaderCard, ModeCard, ProgramCard
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.finding import Location, Related

RULES = {rule.code: rule for rule in load_rules().rules}

EVIL = "<script>window.hacked = 1</script>&\"'\u202e.py"
BAD_TEXT = (
    "</title></style></script><script>window.hacked = 1</script><img src=x onerror='hacked = 1'> & \"quoted\" `code`"
)


def excerpt_of(at: Location) -> tuple[str, ...]:
    """Source for any place."""
    return tuple(f"    line = {number}  # of {at.path}" for number in range(at.line, at.end_line + 1))


def at(line: int, path: str = "train.py") -> Location:
    return Location(path, line, 5, line, 20)


CARD = ProgramCard(
    path="train.py",
    kind="guarded script",
    traits=("trains", "names an accelerator"),
    families=(
        FamilyCard(
            "torch", "late", "", (Related(at(9), "seed_all(...)"),), (Related(at(3, "net.py"), "nn.Linear(...)"),)
        ),
        FamilyCard(
            "NumPy",
            "seeded",
            "--seed, default 0",
            (Related(at(9), "seed_all(...)"),),
            (Related(at(12), "shuffle(...)"),),
        ),
        FamilyCard("Python", "unseeded", "", (), (Related(at(11), "random.random()"),)),
    ),
    loaders=(LoaderCard(at(10), "DataLoader(...)", ("shuffles", "no generator")),),
    modes=(ModeCard("deterministic algorithms", "not set", "bad"), ModeCard("cudnn.benchmark", "off", "good", at(8))),
    missing=("move `torch.manual_seed(seed)` before the first draw from torch",),
    order=(at(8), at(3, "net.py"), at(9), at(10), at(11), at(12)),
)
