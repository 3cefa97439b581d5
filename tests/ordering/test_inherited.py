"""What bases do is taken from their own runs where a class adds no order: the answers are those of running all of it again."""

from __future__ import annotations

import pytest

from tests.ordering.project import uses
from torchdet_lint.analysis.ordering import classes

HIERARCHIES: dict[str, tuple[str, list[str] | None]] = {
    "an attribute that the base walks through": (
        "class Base:\n    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n"
        "class One(Base):\n    def __init__(self, x):\n        self.names = set(x)\n",
        None,
    ),
    "a set in the class body": (
        "class Base:\n    names = ()\n    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n"
        "class One(Base):\n    names = {'a', 'b'}\n",
        None,
    ),
    "a set in the base's body that is overridden": (
        "class Base:\n    names = {'a', 'b'}\nclass One(Base):\n    names = ['a', 'b']\n"
        "    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n",
        [],
    ),
    "a set in the base's body that a class uses": (
        "class Base:\n    names = {'a', 'b'}\nclass One(Base):\n"
        "    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n",
        ["enumerate(self.names)"],
    ),
    "a set that the base's method puts in the place of what the body says": (
        "class Base:\n    names = None\n    def setup(self, x):\n        self.names = set(x)\n"
        "class One(Base):\n    names = ['a']\n"
        "    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n",
        ["enumerate(self.names)"],
    ),
    "a method that is overridden by one that lists": (
        "class Base:\n    def files(self, d):\n        return []\n"
        "    def ids(self, d):\n        return {name: i for i, name in enumerate(self.files(d))}\n"
        "class One(Base):\n    def files(self, d):\n        return os.listdir(d)\n",
        ["os.listdir(d)"],
    ),
    "a method of the base that lists": (
        "class Base:\n    def files(self, d):\n        return os.listdir(d)\n"
        "class One(Base):\n    def ids(self, d):\n        return {name: i for i, name in enumerate(self.files(d))}\n",
        ["os.listdir(d)"],
    ),
    "two bases, one sets and one reads": (
        "class Setting:\n    def setup(self, x):\n        self.names = set(x)\n"
        "class Reading:\n    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n"
        "class One(Setting, Reading):\n    def more(self):\n        return 1\n",
        [],
    ),
    "the base of a base": (
        "class First:\n    def setup(self, x):\n        self.names = set(x)\n"
        "class Second(First):\n    pass\n"
        "class One(Second):\n    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n",
        ["enumerate(self.names)"],
    ),
    "an argument that the base keeps": (
        "class Base:\n    def keep(self, names):\n        self.names = list(names)\n"
        "class One(Base):\n    def ids(self):\n        return {name: i for i, name in enumerate(self.names)}\n"
        "def main(x):\n    one = One()\n    one.keep(set(x))\n    return one.ids()\n",
        [],
    ),
    "a class that its own base makes": (
        "class Base:\n    def other(self, x):\n        return One().ids(set(x))\n"
        "class One(Base):\n    def ids(self, names):\n        return {name: i for i, name in enumerate(names)}\n",
        None,
    ),
}


@pytest.mark.parametrize("what", HIERARCHIES)
def test_the_same_answers(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = HIERARCHIES[what]
    quick = uses(text)
    monkeypatch.setattr(classes, "_run_below", lambda *_: False)
    assert quick == uses(text)


@pytest.mark.parametrize("what", [what for what, (_, spans) in HIERARCHIES.items() if spans is not None])
def test_what_is_said(what: str) -> None:
    text, spans = HIERARCHIES[what]
    assert [span for span, _ in uses(text)] == spans
