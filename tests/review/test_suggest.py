from __future__ import annotations

import pytest

from torchdet_lint.finding import Edit, Finding, Fix, Location
from torchdet_lint.review.comments import planned
from torchdet_lint.review.compare import Noted
from torchdet_lint.review.diff import Change, parse, whole
from torchdet_lint.review.suggest import Replacement, block, replacement

LINES = (
    "import os",
    "def f(p):",
    "    for x in os.listdir(p):",
    "        use(x)",
    "    return DataLoader(",
    "        p,",
    "    )",
)


def excerpt(at: Location) -> tuple[str, ...]:
    return LINES[at.line - 1 : at.end_line] if at.path == "a.py" else ()


def edit(line: int, column: int, end_line: int, end_column: int, text: str, path: str = "a.py") -> Edit:
    return Edit(
        Location(path, line, column, end_line, end_column), line * 1000 + column, end_line * 1000 + end_column, text
    )


def finding(
    *edits: Edit, safety: str = "safe", imports: tuple[Edit, ...] = (), line: int = 3, end_line: int | None = None
) -> Finding:
    at = Location("a.py", line, 14, end_line or line, 27)
    fix = Fix("sort the names", safety, edits, imports) if edits else None
    return Finding("TDL302", "unsorted-listing", "warning", "high", "machine", "order", at, fingerprint="ab", fix=fix)


SORTED = (edit(3, 14, 3, 14, "sorted("), edit(3, 27, 3, 27, ")"))


@pytest.mark.parametrize(
    ("edits", "lines", "expected"),
    [
        (SORTED, (3, 3), Replacement(3, 3, "    for x in sorted(os.listdir(p)):\n")),
        ((edit(3, 1, 3, 1, "    seed()\n"),), (3, 3), Replacement(3, 3, "    seed()\n    for x in os.listdir(p):\n")),
        (
            (edit(6, 11, 6, 11, "\n        generator=g,"),),
            (5, 7),
            Replacement(6, 6, "        p,\n        generator=g,\n"),
        ),
        ((edit(5, 12, 7, 6, "None"),), (5, 7), Replacement(5, 7, "    return None\n")),
        ((edit(3, 1, 4, 1, ""),), (3, 3), Replacement(3, 3, "")),
        ((edit(7, 1, 8, 1, ""),), (5, 7), Replacement(7, 7, "")),
    ],
)
def test_edits_become_whole_lines(edits: tuple[Edit, ...], lines: tuple[int, int], expected: Replacement) -> None:
    assert replacement(finding(*edits, line=lines[0], end_line=lines[1]), excerpt) == expected


@pytest.mark.parametrize(
    "each",
    [
        pytest.param(finding(), id="no fix"),
        pytest.param(finding(*SORTED, safety="display"), id="only to be looked at"),
        pytest.param(finding(*SORTED, imports=(edit(1, 1, 1, 1, "import x\n"),)), id="an import elsewhere"),
        pytest.param(finding(edit(3, 1, 3, 1, "x", path="b.py")), id="another file"),
        pytest.param(finding(edit(1, 1, 1, 1, "x = 1\n")), id="other lines"),
        pytest.param(finding(edit(3, 5, 4, 1, "")), id="the end of a line is gone"),
    ],
)
def test_what_is_no_suggestion(each: Finding) -> None:
    assert replacement(each, excerpt) is None


def test_the_fence_is_longer_than_any_in_the_code() -> None:
    assert block(Replacement(1, 1, 'x = "````"\n')) == '`````suggestion\nx = "````"\n`````'
    assert block(Replacement(1, 1, "")) == "```suggestion\n```"
    assert block(Replacement(1, 3, "a\n"), "suggestion:-2+0") == "```suggestion:-2+0\na\n```"


def test_a_comment_stands_on_the_lines_that_its_suggestion_replaces() -> None:
    change = Change({"a.py": whole("a.py", 7)})
    each = finding(edit(6, 11, 6, 11, "\n        generator=g,"), line=5, end_line=7)
    (comment,) = planned([Noted(each, new=True)], change, excerpt).comments
    assert (comment.first, comment.last) == (6, 6)
    assert "```suggestion\n        p,\n        generator=g,\n```" in comment.body()
    assert "```suggestion:-0+0\n" in comment.body(gitlab=True)
    assert comment.body().endswith("<!-- torchdet-lint finding=ab -->")
    assert "Fix (safe): sort the names" in comment.body()


def test_no_suggestion_where_the_diff_does_not_show_its_lines() -> None:
    change = parse("--- a/a.py\n+++ b/a.py\n@@ -5 +5 @@\n-x\n+    return DataLoader(\n")
    each = finding(edit(5, 12, 7, 6, "None"), line=5, end_line=7)
    (comment,) = planned([Noted(each, new=True)], change, excerpt).comments
    assert (comment.first, comment.last, comment.fix) == (5, 5, None)
