"""What IPython adds to Python goes, and nothing moves."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchdet_lint.source.magics import without_magics


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("x = 1 % 2\n", "x = 1 % 2\n"),
        ("%matplotlib inline\nx\n", "\nx\n"),
        ("!pip install it's\nx", "\nx"),
        ("if a:\n    !ls\n", "if a:\n    0\n"),
        ("for a in b:\n\t%cd c\n\tx\n", "for a in b:\n\t0\n\tx\n"),
        ("  !a \\\n --b\n !ls\nx", "\n\n\nx"),  # a first line that is indented stands in no block
        ("# why\n\n %cd a\nif x:\n  !ls\n", "# why\n\n\nif x:\n  0\n"),
        ("x = !ls 'a\n", "x = _\n"),
        ("a, b = %sx ls\n", "a, b = _\n"),
        ("x = %time f()\n", "x =       f()\n"),
        ("%time f()", "_;    f()"),
        ("  %timeit -n 10 -r 3 y = f()\n", "  _;" + 17 * " " + "y = f()\n"),
        ("%time for i in x: f()\n", "\n"),
        ("%time f(\n", "\n"),
        ("%%time\nf()\n", "\nf()\n"),
        ("\n%%capture out\n%%time\nf()\n%cd x\n", "\n\n\nf()\n\n"),
        ("%%bash\necho 'it\n", "\n\n"),
        ("%%writefile a.py\nimport torch", "\n"),
        ("x\n%%time\ny", "x\n\ny"),
        ("?torch\ntorch?\ntorch.nn??\n%cd?\nx", "\n\n\n\nx"),
        ("!a \\\n  b\nx", "\n\nx"),
        (",f a\n;f a\n/f a\nx", "\n\n\nx"),
        ("s = '''\n%cd\n!ls\n'''\n%cd", "s = '''\n%cd\n!ls\n'''\n"),
        ("x = (a\n  % b)\n!ls", "x = (a\n  % b)\n"),
        ("x = a \\\n  % b\n", "x = a \\\n  % b\n"),
        ("'what?'\n# why?\nx # ! ?", "'what?'\n# why?\nx # ! ?"),
        ("!ls\r\nx\r%cd\ry", "\r\nx\r\ry"),
        ("f'{x!r}'\n!ls", "f'{x!r}'\n"),
        ("x != y\n", "x != y\n"),
        ("pip install -q torch", ""),
        ("\ncd data\n", "\n\n"),
        ("ls *.py", ""),
        ("%%time\nconda install torch\n", "\n\n"),
        ("pip install torch\nimport torch\n", "pip install torch\nimport torch\n"),  # IPython takes single lines only
        ("ls = 3", "ls = 3"),
        ("env (x)", "env (x)"),
        ("cp - x", "cp - x"),
        ("rm is None", "rm is None"),
        ("cat", "cat"),
        ("x = 'a\n!ls", "x = 'a\n!ls"),
    ],
)
def test_cells(cell: str, code: str) -> None:
    got = without_magics(cell)
    assert len(got) == len(cell)
    assert re.sub(r" +(?=[\r\n]|\Z)", "", got) == code


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["%cd x", "!ls \"'", "x?", "y = !ls (", "%time f(1)", "if x:\n  %cd\n  !ls\n  z"])))
def test_what_is_left_is_python(lines: list[str]) -> None:
    cell = "\n".join(lines)
    code = without_magics(cell)
    ast.parse(code)
    assert [len(line) for line in code.split("\n")] == [len(line) for line in cell.split("\n")]
