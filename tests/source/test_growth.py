"""Time grows with the length of the text, whatever the text is."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable

import pytest

from torchdet_lint.source import SourceError, load

SHAPES: dict[str, Callable[[int], str]] = {
    "imports": lambda n: "import a.b as c\n" * n,
    "one line of imports": lambda n: "import a;" * n,
    "from without import": lambda n: "from \\\n" * n + "\nfrom\n" * n,
    "import names never closed": lambda n: "from a import (b,\n" * n,
    "calls on one line": lambda n: "f(x);" * n,
    "one long expression": lambda n: "x = " + "a + " * n + "b\n",
    "minus signs": lambda n: "x = " + "-" * n + "1\n",
    "long name": lambda n: "cuda" * n + ".x = 1\n",
    "open brackets": lambda n: "(\n" * n,
    "nested brackets": lambda n: "x = " + "[" * n + "]" * n + "\n",
    "nested subscripts": lambda n: "x" + "[a" * n + "]" * n + " = 1\n",
    "quotes": lambda n: "'" * (2 * n + 1),
    "double quotes": lambda n: '"x' * n,
    "escaped quotes": lambda n: "x = '" + "\\'" * n + "'\n",
    "unclosed escaped quotes": lambda n: "x = '" + "\\'" * n,
    "triple with escapes": lambda n: 'x = """' + '\\"""' * n,
    "backslashes": lambda n: "x = '" + "\\" * n + "\n",
    "continuations": lambda n: "x = 1 \\\n" * n + "\n",
    "comments": lambda n: "# tdl: ignore[TDL1] # noqa: TDL1\n" * n,
    "hash signs": lambda n: "#" * n + "\n",
    "nested f-strings": lambda n: "x = " + 'f"{' * n + '1}"' * n + "\n",
    "unclosed f-strings": lambda n: 'f"{x\n' * n,
    "f-strings": lambda n: "x = f'{a[\"b\"]} cuda'\n" * n,
    "named characters": lambda n: 'x = f"' + "\\N{" * n + '"\n',
    "format specifications": lambda n: 'x = f"' + "{a:" * n + "}" * n + '"\n',
    "decorators": lambda n: "@a\n" * n + "def f(): pass\n",
    "else": lambda n: "if x: y = 1\n" + "elif x: y = 2\n" * n,
    "body": lambda n: "if x:\n" + "  y = f(z=1)\n" * n,
    "cuda in strings": lambda n: "x = '" + "cuda " * n + "'\n",
    "form feeds": lambda n: "\f" * n + "x = 1\n",
    "blanks": lambda n: "x = 1\n" + " " * n + "\\" + " " * n,
    "carriage returns": lambda n: "x = 1\\\r\n" * n,
    "lambdas": lambda n: "if " + "lambda: " * n + "x: y\n",
    "tuple": lambda n: "a, " * n + "= x\n",
    "chained": lambda n: "a = " * n + "x\n",
    "match": lambda n: "match x:\n" + "  case A(b=c) | d: e = 1\n" * n,
    "coding": lambda n: "#" + "coding " * n,
}


def work(text: str, name: str) -> None:
    try:
        file = load(name, text.encode())
    except SourceError:
        return
    file.suppressions.match("TDL1", str.startswith, 1, 1)
    file.statement_lines(len(file.text) // 2)


def cost(make: Callable[[int], str], length: int, name: str) -> float:
    """Seconds a character for a text of about this length."""
    text = make(length * 100 // len(make(100)))
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(2):
            start = time.process_time()
            work(text, name)
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best / len(text)


def check_growth(make: Callable[[int], str], name: str) -> None:
    """Twelve times the text costs at most two and a half times as much a character; a square would, twelve times."""
    small, large = cost(make, 8_000, name), cost(make, 100_000, name)
    assert large < 2.5 * small + 1e-7, f"{small * 1e9:.0f} ns a character, then {large * 1e9:.0f}"


@pytest.mark.parametrize("shape", SHAPES)
def test_source(shape: str) -> None:
    check_growth(SHAPES[shape], "a.py")


MAGICS: dict[str, Callable[[int], str]] = {
    "magics": lambda n: "!ls 'a\n" * n,
    "magics in brackets": lambda n: "x = (\n" + "% b\n" * n,
    "unclosed strings": lambda n: "f'{\n" * n + "!",
    "joined": lambda n: "!a \\\n" * n,
    "cell magics": lambda n: "%%time\n" * n,
    "help": lambda n: "x?" * n,
    "equals": lambda n: "a=" * n + "!ls",
    "options": lambda n: "%time " + "-n 1 " * n,
}


@pytest.mark.parametrize("shape", MAGICS)
def test_cells(shape: str) -> None:
    check_growth(lambda n: json.dumps({"cells": [{"cell_type": "code", "source": MAGICS[shape](n)}]}), "a.ipynb")


@pytest.mark.parametrize(
    "cell", [{"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": ["x =\n", "1", ""]}]
)
def test_notebooks(cell: dict[str, object]) -> None:
    check_growth(lambda n: json.dumps({"cells": [cell] * (n // 4)}, indent=1), "a.ipynb")


def test_one_line_of_five_megabytes() -> None:
    text = "x = [" + "f('a b', 1), " * 400_000 + "]\n"
    start = time.process_time()
    (unit,) = load("a.py", text.encode()).units
    assert (unit.kind, unit.names) == ("assign", ("x",))
    assert time.process_time() - start < 6
