"""Suppression comments: where they stand, what they name, which statements they hide."""

from __future__ import annotations

import json

import pytest

from torchdet_lint.source import SourceFile, Suppression, load


def covers(selector: str, code: str) -> bool:
    return code.startswith(selector.upper()) or (selector, code) == ("some-name", "TDL101")


def hidden_by(text: str, at: str, code: str = "TDL101") -> str | None:
    """The kind of the comment that hides a finding of the code at the first place of the marker, if one does."""
    found = find(load("a.py", text.encode()), at, code)
    return found.kind if found else None


def find(file: SourceFile, at: str, code: str = "TDL101") -> Suppression | None:
    first, last = file.statement_lines(file.text.index(at))
    return file.suppressions.match(code, covers, first, last)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HERE = 1  # tdl: ignore[TDL101] why", "ignore"),
        ("HERE = 1  # tdl: ignore[TDL102]", None),
        ("HERE = 1  #tdl:ignore[tdl1]", "ignore"),
        ("HERE = 1  # TDL : Ignore [ TDL2 , some-name ]", "ignore"),
        ("HERE = 1  # type: ignore  # tdl: ignore[TDL101]", "ignore"),
        ("HERE = 1  # tdl: ignore[TDL102] a # tdl: ignore[TDL101] b", "ignore"),
        ("HERE = 1  # tdl: ignore", None),
        ("HERE = 1  # tdl: ignore[]", None),
        ("HERE = 1  # tdl: ignroe[TDL101]", None),
        ("HERE = '# tdl: ignore[TDL101]'", None),
        ("HERE = '''\n# tdl: ignore[TDL101]\n'''", None),
        ("f(  # tdl: ignore[TDL101]\n  HERE,\n)", "ignore"),
        ("f(\n  HERE,\n)  # tdl: ignore[TDL101]", "ignore"),
        ("f(\n  HERE,  # tdl: ignore[TDL101]\n)", None),
        ("f(\n  # tdl: ignore[TDL101]\n  HERE,\n)", None),
        ("f(\n  # tdl: ignore[TDL101]\n  x,\n)\nHERE = 1", None),
        ("HERE = 1 + \\\n  2  # tdl: ignore[TDL101]", "ignore"),
        ("HERE = '''\n\n'''  # tdl: ignore[TDL101]", "ignore"),
        ("# tdl: ignore[TDL101]\nHERE = 1", "ignore"),
        ("  # tdl: ignore[TDL101]\n# other\nHERE = 1", "ignore"),
        ("# tdl: ignore[TDL101]\n\nHERE = 1", None),
        ("# tdl: ignore[TDL101]\nx = 1\nHERE = 1", None),
        ("x = 1  # tdl: ignore[TDL101]\nHERE = 1", None),
        ("HERE = 1\n# tdl: ignore[TDL101]", None),
        ("if HERE:  # tdl: ignore[TDL101]\n  x = 1", "ignore"),
        ("if x:  # tdl: ignore[TDL101]\n  HERE = 1", None),
        ("if x:\n  HERE = 1  # tdl: ignore[TDL101]", "ignore"),
        ("def f(\n  a=HERE,\n):  # tdl: ignore[TDL101]\n  pass", "ignore"),
        ("# tdl: ignore[TDL101]\n@a\n@b(\n1)\ndef HERE(): pass", "ignore"),
        ("# tdl: ignore[TDL101]\n@a\ndef f():\n  HERE", None),
        ("@a\n# tdl: ignore[TDL101]\ndef HERE(): pass", "ignore"),
        ("HERE = 1  # noqa: TDL101", "noqa"),
        ("HERE = 1  # NOQA:E501,TDL102, tdl101 because it is", "noqa"),
        ("HERE = 1  # noqa: E501 TDL101", "noqa"),
        ("HERE = 1  # noqa: TDL1", "noqa"),
        ("HERE = 1  # noqa", None),
        ("HERE = 1  # noqa: E501", None),
        ("HERE = 1  # noqa: because of TDL101", None),
        ("# noqa: TDL101\nHERE = 1", None),
        ("f(\n  HERE\n)  # noqa: TDL101", "noqa"),
        ("# tdl: file-ignore[TDL1] why\nx = 1\nHERE = 1", "file-ignore"),
        ("x = 1\n" * 19 + "# tdl: file-ignore[TDL1]\nHERE = 1", "file-ignore"),
        ("x = 1\n" * 20 + "# tdl: file-ignore[TDL1]\nHERE = 1", None),
        ("'doc'\n" + "import x\n" * 30 + "# tdl: file-ignore[TDL1]\nHERE = 1", "file-ignore"),
        ("# tdl: disable[TDL101]\nx = 1\nHERE = 1", "disable"),
        ("HERE = 1\n# tdl: disable[TDL101]\n", None),
        ("HERE = 1  # tdl: disable[TDL101]\n", "disable"),
        ("# tdl: disable[TDL101]\n# tdl: enable[TDL101]\nHERE = 1", None),
        ("# tdl: disable[TDL101]\n# tdl: enable[TDL1]\nHERE = 1", None),
        ("# tdl: disable[TDL101]\n# tdl: enable[TDL102]\nHERE = 1", "disable"),
        ("# tdl: disable[TDL101]\nHERE = 1  # tdl: enable[TDL101]", "disable"),
        ("# tdl: disable[TDL101, TDL2]\n# tdl: enable[TDL2]\nHERE = 1", "disable"),
        ("# tdl: disable[TDL101]\nf(\n# tdl: enable[TDL101]\nHERE)", "disable"),
        ("# tdl: file-ignore[TDL101]\n# tdl: disable[TDL101]\nHERE = 1  # tdl: ignore[TDL101]", "ignore"),
        ("x = (\n# tdl: ignore[TDL101]\nHERE", None),
        ("x = '\n# tdl: ignore[TDL101]\nHERE", "ignore"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_what_is_hidden(text: str, expected: str | None, line_end: str) -> None:
    assert hidden_by(text.replace("\n", line_end), "HERE") == expected


def test_what_a_comment_says() -> None:
    text = "x = 1  # type: int # tdl: ignore[TDL101,  some-name] it is\tsorted # noqa: E1, TDL9 yes"
    own, noqa = load("a.py", text.encode()).suppressions.all
    assert (own.kind, own.selectors, own.reason, own.line) == ("ignore", ("TDL101", "some-name"), "it is\tsorted", 1)
    assert text[own.start : own.end] == "# tdl: ignore[TDL101,  some-name] it is\tsorted"
    assert [text[a:b] for a, b in own.selector_spans] == ["TDL101", "some-name"]
    assert (noqa.kind, noqa.selectors, noqa.reason) == ("noqa", ("TDL9",), "yes")
    assert text[noqa.start : noqa.end] == "# noqa: E1, TDL9 yes"


@pytest.mark.parametrize(
    ("comment", "kinds"),
    [
        ("# tdl: todo list", []),
        ("# noqa", []),
        ("# tdl: ignore all of it", ["ignore"]),
        ("# tdl: skip[TDL1]", ["unknown"]),
        ("# tdl: ignore[TDL1", ["ignore"]),
    ],
)
def test_comments_that_hide_nothing_are_kept_where_they_mean_to(comment: str, kinds: list[str]) -> None:
    suppressions = load("a.py", f"{comment}\nx = 1\n".encode()).suppressions
    assert [each.kind for each in suppressions.all] == kinds
    assert bool(suppressions) == bool(kinds)


def test_use_can_be_tracked() -> None:
    file = load("a.py", b"# tdl: file-ignore[TDL2]\nA = 1  # tdl: ignore[TDL101]\nB = 2  # tdl: ignore[TDL101]\n")
    used = {find(file, "A"), find(file, "A", "TDL201")}
    assert [each.line for each in file.suppressions.all if each not in used] == [3]


def test_notebook() -> None:
    cells = [
        {"cell_type": "code", "source": ["# tdl: disable[TDL2]\n", "!ls  # tdl: ignore[TDL101]\n", "A = 1"]},
        {"cell_type": "code", "source": "%cd x\nB = 1  # tdl: ignore[TDL101]"},
    ]
    file = load("a.ipynb", json.dumps({"cells": cells}).encode())
    assert find(file, "A") is None
    kinds = [(each.kind, each.line) for each in (find(file, "B"), find(file, "B", "TDL203")) if each]
    assert kinds == [("ignore", 5), ("disable", 1)]
