from __future__ import annotations

import pytest

from tests.engine.conftest import Lint, Tree
from torchdet_lint.engine.fingerprint import Scopes
from torchdet_lint.source import load

BASE = """import os


class Data:
    def files(self, folder):
        return list(os.listdir(folder))

    def more(self, folder):
        return list(os.listdir(folder)), list(os.listdir(folder))
"""


def prints(lint: Lint, *paths: str) -> list[str]:
    return [each.fingerprint for each in lint(*paths).findings if each.code == "TDL105"]


def test_equal_findings_are_told_apart(tree: Tree, lint: Lint) -> None:
    tree({"a.py": BASE})
    found = prints(lint)
    assert len(set(found)) == len(found) == 3
    assert all(len(each) == 32 for each in found)


@pytest.mark.parametrize(
    "text",
    [
        '"""New."""\n\nimport sys\n\n' + BASE,
        BASE + "\n\ndef last():\n    pass\n",
        BASE.replace("os.listdir(folder)", "os.listdir(\n            folder\n        )").replace("(\n ", "( "),
        BASE.replace("    def more", "    # a remark\n    def more"),
        BASE.replace("\n", "\r\n"),
    ],
)
def test_edits_elsewhere_change_nothing(tree: Tree, lint: Lint, text: str) -> None:
    tree({"a.py": BASE})
    before = prints(lint)
    tree({"a.py": text})
    if "( " in text:
        assert len(prints(lint)) == len(before)
    else:
        assert prints(lint) == before


def test_what_it_is_about_does(tree: Tree, lint: Lint) -> None:
    tree({"a.py": BASE})
    first = prints(lint)[0]
    for old, new in (
        ("class Data", "class Other"),
        ("files(", "names("),
        ("os.listdir(folder))\n\n", 'os.listdir("."))\n\n'),
    ):
        tree({"a.py": BASE.replace(old, new)})
        assert first not in prints(lint)
    tree({"a.py": "", "b.py": BASE})
    assert first not in prints(lint)


def test_neither_the_working_directory_nor_the_passed_paths_matter(
    tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({"pyproject.toml": "", "sub/a.py": BASE, "b.py": BASE})
    found = prints(lint, "sub/a.py")
    assert prints(lint)[3:] == found
    monkeypatch.chdir(root / "sub")
    assert prints(lint, "a.py") == found


def test_a_suppression_changes_no_other_name(tree: Tree, lint: Lint) -> None:
    text = "import os\na = list(os.listdir('.'))\na = list(os.listdir('.'))\n"
    tree({"a.py": text})
    found = prints(lint)
    tree({"a.py": text.replace("'.'))\n", "'.'))  # tdl: ignore[TDL105]\n", 1)})
    assert prints(lint) == found[1:]


def test_scopes() -> None:
    text = (
        "x = 1\nclass A:\n    y = 2\n    async def f(self):\n        if x:\n            return g(\n1,\n"
        "            )\n\tz = 3\ndef h(): pass\nw = 4\n"
    )
    scopes = Scopes(load("a.py", text.encode()))
    around = {name: scopes.around(text.index(name)) for name in ("x =", "y =", "def f", "return", "1,", "def h", "w =")}
    assert around == {
        "x =": "", "y =": "A", "def f": "A", "return": "A.f", "1,": "A.f", "def h": "", "w =": "",
    }  # fmt: skip
