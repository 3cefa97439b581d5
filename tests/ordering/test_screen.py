"""Which statements are looked at: those that make an order, and those that an order can reach through a name."""

from __future__ import annotations

import pytest

from tests.ordering.project import LISTS, lowered, uses_in
from torchdet_lint import ir
from torchdet_lint.analysis.ordering import makes_order, order_uses
from torchdet_lint.analysis.ordering.carriers import Carriers
from torchdet_lint.analysis.ordering.scopes import Ordering
from torchdet_lint.analysis.ordering.screen import NOTHING_OUTSIDE
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.source import SourceFile, Unit, load

MAKES = {
    "listing": "x = os.listdir(d)",
    "listing on a path": "def f(p):\n    return [q for q in p.rglob('*')]",
    "set call": "x = list(set(y))",
    "frozenset call": "x = frozenset(y)",
    "set as a function": "x = map(set, y)",
    "set as an annotation": "def f(x: set[str]):\n    return list(x)",
    "set as an annotation at the end of a line": "class A:\n    x: frozenset\n\n    def f(self):\n        return list(self.x)",
    "set of typing": "def f(x: Set):\n    return list(x)",
    "difference of keys": "x = [k for k in a.keys() - b.keys()]",
    "set display": "x = {'a', 'b'}",
    "set display of one": "x = {y}",
    "set display, spread out": "x = {\n    'a',\n    'b',\n}",
    "set display in a loop": "for x in {'a', 'b'}:\n    use(x)",
    "set display in a comprehension": "x = [a for a in {b, c}]",
    "set display given away": "x = join({'a', b})",
    "set comprehension": "def f(x):\n    return {a.b for a in x}",
    "set display after a text": "x = use('it', \"it's\", {y, z})",
}

MAKES_NONE = {
    "dictionary": "x = {'a': 1, b: 2}",
    "dictionary, spread out": "x = {\n    'a': 1,\n}",
    "empty dictionary": "x = {}",
    "merged dictionary": "x = {**a, 'b': 1}",
    "dictionary by attributes": "x = {a.b: 1}",
    "membership": "if x in {'a', 'b'}:\n    use(x)",
    "formatted text": "x = f'loss={loss}, {y}'",
    "formatted text with quotes": 'x = f"{a} \'n\' =" + f"\\"={b}"',
    "comment": "x = 1  # ={a}",
    "set of something else": "x.set(y)",
    "keyword": "use(set=3)",
    "docstring": '"""a={b} and set(x) and os.listdir(x)"""',
    "other names": "x = listdirs(offset(y))",
}


def units(text: str) -> tuple[SourceFile, list[Unit]]:
    source = load("train.py", text.encode())
    return source, [unit for unit in source.units if unit.kind not in ("import", "from")]


@pytest.mark.parametrize("case", MAKES)
def test_makes_an_order(case: str) -> None:
    source, found = units(MAKES[case])
    assert [makes_order(source, unit) for unit in found] == [True]


@pytest.mark.parametrize("case", MAKES_NONE)
def test_makes_no_order(case: str) -> None:
    source, found = units(MAKES_NONE[case])
    assert [makes_order(source, unit) for unit in found] == [False]


def project(files: dict[str, str], lowers: list[str] | None = None) -> Project:
    def lower(source: SourceFile, unit: Unit) -> ir.Body:
        if lowers is not None:
            lowers.append(source.unit_text(unit))
        return lowered(source, unit)

    return Project([load(path, text.encode()) for path, text in files.items()], lower)


def same(dotted: str) -> str:
    return dotted


NAMES = {
    "vocab.py": (
        "import os\nWORDS = {'a', 'b'}\nKEPT = sorted({'a', 'b'})\nIDS = {1, 2}\n"
        "def tokens(x):\n    return set(x)\n"
        "def files(d):\n    return os.listdir(d)\n"
        "def size(x):\n    return len(set(x))\n"
        "class Bag:\n    def __init__(self, x):\n        self.seen = set(x)\n"
        "class Counter:\n    def count(self, x):\n        return len(set(x))\n"
    ),
    "train.py": "from vocab import tokens as cut\ndef among(x):\n    return cut(x)\ndef none(x):\n    return sorted(cut(x))\n",
}


def test_names_behind_which_there_is_an_order() -> None:
    carriers = Carriers(project(NAMES))
    Ordering(carriers, same, LISTS.get, NOTHING_OUTSIDE)
    assert {each.name for each in carriers.givers} == {"WORDS", "tokens", "files", "among", "Bag"}


USERS = {
    "by import": "from vocab import tokens\ndef main(x):\n    return list(tokens(x))[0]\n",
    "by another name": "from vocab import tokens as cut\ndef main(x):\n    return list(cut(x))[0]\n",
    "by module": "import vocab\ndef main(x):\n    return list(vocab.tokens(x))[0]\n",
    "imported inside": "def main(x):\n    from vocab import tokens\n    return list(tokens(x))[0]\n",
    "global": "from vocab import WORDS\ndef main(x):\n    return list(WORDS)[0]\n",
    "through two functions": (
        "from vocab import tokens\ndef a(x):\n    return tokens(x)\ndef b(x):\n    return a(x)\ndef c(x):\n    return list(b(x))[0]\n"
    ),
    "attribute of a base class": "from vocab import Bag\nclass C(Bag):\n    def f(self):\n        return list(self.seen)[0]\n",
    "at the top level": "from vocab import tokens\nx = list(tokens('ab'))\ny = x[0]\n",
    "star import": "from vocab import *\ndef main(x):\n    return list(tokens(x))[0]\n",
}


@pytest.mark.parametrize("case", USERS)
def test_statements_that_only_name_a_set(case: str) -> None:
    found = uses_in({"train.py": USERS[case], "vocab.py": NAMES["vocab.py"]})
    assert [(path, use.kind) for path, _, use in found if path == "train.py"] == [("train.py", "set")]


def test_what_cannot_have_an_order_is_not_lowered() -> None:
    lowers: list[str] = []
    files = {
        "net.py": "def build(n):\n" + "    n = n + 1\n" * 80 + "    return n\nclass Net:\n    x = {'a': 1}\n",
        "train.py": "import os\ndef main(d):\n    return os.listdir(d)[0]\ndef other(d):\n    return main(d)\n",
    }
    one = project(files, lowers)
    found = []
    for path, module in one.modules.items():
        for unit in module.source.units:
            found += list(order_uses(one, path, unit.index, Names(one, path, same), LISTS.get))
    assert [use.consumer for use in found] == ["is indexed with [0]"]
    assert [text.partition("(")[0] for text in lowers] == ["def main"]


def test_a_short_function_may_say_that_it_gives_numbers() -> None:
    files = {
        "size.py": "def size(x):\n    return len(x)\ndef name(x):\n    return x.lower()\n",
        "train.py": (
            "from size import size, name\ndef a(d):\n    return list({size(w) for w in d})[0]\n"
            "def b(d):\n    return list({name(w) for w in d})[0]\n"
        ),
    }
    assert [(span, use.elements) for _, span, use in uses_in(files)] == [("list({name(w) for w in d})", "str")]
