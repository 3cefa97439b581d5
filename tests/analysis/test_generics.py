"""Generic classes: a subscript of a class is that class, as a base, an annotation and where it is called."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

BASE = """\
from typing import Generic, TypeVar
T = TypeVar("T")
class Base(Generic[T]):
    def run(self):
        return random.random()
class Middle(Base[T]): pass
"""
CASES = [
    ("a base", "TDL003", BASE + "class Low(Base[int]): pass\ntorch.save(Low().run(), 'f')"),
    ("a base of a base", "TDL003", BASE + "class Low(Middle[int]): pass\ntorch.save(Low().run(), 'f')"),
    ("called", "TDL003", BASE + "torch.save(Middle[int]().run(), 'f')"),
    (
        "a data set of torch's",
        "TDL003",
        "class Data(Dataset[float]):\n    def __getitem__(self, i): return random.random()\n"
        "for x in DataLoader[float](Data()): torch.save(x, 'f')",
    ),
    (
        "a loader of torch's",
        "TDL001 TDL101",
        "class Loader(DataLoader[int]): pass\nfor x in Loader([1], shuffle=True): torch.save(x, 'f')",
    ),
    (
        "a class that says itself what its subscript is",
        "",
        "class Draw:\n    def __init__(self): self.x = random.random()\n    def __class_getitem__(cls, key): return 3\ntorch.save(Draw[1], 'f')",
    ),
    ("the environment is no class", "", "torch.save(os.environ['X'], 'f')"),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text + "\n") == expected
