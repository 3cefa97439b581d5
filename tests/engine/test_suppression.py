from __future__ import annotations

import pytest

from tests.engine.conftest import Lint, Tree, brief

LISTING = "import os\n\n\ndef shards(folder):\n    return list(os.listdir(folder)){}\n"


def suppressed(comment: str) -> str:
    return LISTING.format("  " + comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# tdl: ignore[TDL105] sizes are equal",
        "# tdl: ignore[tdl1]",
        "# tdl: ignore[Unordered-File-Listing]",
        "# tdl: ignore[ALL]",
        "# noqa: E501, TDL105",
    ],
)
def test_a_comment_hides_and_is_counted(tree: Tree, lint: Lint, comment: str) -> None:
    tree({"a.py": suppressed(comment)})
    result = lint("a.py")
    assert (brief(result), result.suppressed) == ([], 1)
    result = lint("a.py", suppressions=False)
    assert (brief(result), result.suppressed) == (["a.py:5 TDL105"], 0)


def test_where_comments_hide_nothing_their_reasons_are_known(tree: Tree, lint: Lint) -> None:
    tree({"a.py": suppressed("# tdl: ignore[TDL105] sizes are equal"), "b.py": LISTING.format("")})
    assert lint(".").excused is None
    result = lint(".", suppressions=False)
    first, second = result.findings
    assert result.excused == {first.fingerprint: "sizes are equal"}
    assert second.fingerprint not in result.excused


def test_statements_of_several_lines_and_ranges(tree: Tree, lint: Lint) -> None:
    tree({
        "a.py": (
            "import os\n"
            "# tdl: disable[TDL105]\n"
            "def f(folder):\n    return list(os.listdir(folder))\n"
            "# tdl: enable[TDL105]\n"
            "def g(folder):\n    return list(\n        os.listdir(folder)\n    )  # tdl: ignore[TDL105]\n"
            "def h(folder):\n    return list(os.listdir(folder))\n"
        )
    })  # fmt: skip
    result = lint("a.py")
    assert (brief(result), result.suppressed) == (["a.py:11 TDL105"], 2)


@pytest.mark.parametrize(
    ("text", "line", "columns", "message"),
    [
        ("x = 1  # tdl: ignore[TDL105] why", 1, (8, 33), "nothing here is suppressed by `TDL105`"),
        ("x = 1  # tdl: ignore[TDL105, TDL2]", 1, (8, 35), "nothing here is suppressed by `TDL105, TDL2`"),
        ("x = 1  # noqa: TDL105", 1, (8, 22), "nothing here is suppressed by `TDL105`"),
        ("x = 1  # tdl: ignroe[TDL105]", 1, (8, 29), "nothing here is suppressed by `tdl: ignroe[TDL105]`"),
        ("x = 1  # tdl: ignore", 1, (8, 21), "nothing here is suppressed by `tdl: ignore`"),
        ("x = 1  # tdl: ignore[ALL]", 1, (8, 26), "nothing here is suppressed by `ALL`"),
        (suppressed("# tdl: ignore[TDL105, TDL501]").rstrip(), 5, (60, 66), "nothing here is suppressed by `TDL501`"),
        ("x = 1\n" * 30 + "# tdl: file-ignore[TDL105]", 31, (1, 27), "nothing here is suppressed by `TDL105`"),
        (
            "x = 1  # tdl: ignore[unordered-file-lists]", 1, (22, 42),
            '`unordered-file-lists` is no rule, family or code (did you mean "unordered-file-listing"?)',
        ),
        ("# tdl: enable[TDL1O5]", 1, (15, 21), None),
    ],
)  # fmt: skip
def test_a_comment_without_effect_is_a_finding(
    tree: Tree, lint: Lint, text: str, line: int, columns: tuple[int, int], message: str | None
) -> None:
    tree({"a.py": text + "\n"})
    [found] = lint("a.py").findings
    at = found.location
    assert (found.code, at.line, at.column, at.end_column) == ("TDL900", line, *columns)
    assert message is None or found.message == message
    assert found.fingerprint
    assert found.help
    assert "TDL900" not in str(brief(lint("a.py", suppressions=False)))


@pytest.mark.parametrize(
    ("comment", "config"),
    [
        ("# tdl: ignore[TDL101]", 'select=["TDL105", "TDL900"]'),
        ("# tdl: ignore[TDL1]", 'select=["TDL105", "TDL900"]'),  # TDL101 might have been hidden
        ("# tdl: ignore[TDL209]", "jobs=1"),  # off by default
        ("# tdl: ignore[TDL101, TDL900]", "jobs=1"),
        ("# tdl: ignore[unused-suppression]", "jobs=1"),
        ("# tdl: ignore[TDL101]", 'per-file-ignores={"a.py"=["TDL900"]}'),
        ("# type: ignore[import]", "jobs=1"),
        ("# noqa: F401", "jobs=1"),
        ("# tdl: enable[TDL101]", "jobs=1"),
    ],
)
def test_comments_about_which_nothing_is_known(tree: Tree, lint: Lint, comment: str, config: str) -> None:
    tree({"a.py": f"x = 1  {comment}\n"})
    assert brief(lint("a.py", config=(config,))) == []


def test_hiding_what_is_below_the_threshold_is_a_use(tree: Tree, lint: Lint) -> None:
    tree({"a.py": suppressed("# tdl: ignore[TDL105]")})
    result = lint("a.py", config=('severity={TDL105="note"}', 'min-severity="warning"'))
    assert (brief(result), result.suppressed) == ([], 0)


def test_only_reported_files_and_readable_ones_are_judged(tree: Tree, lint: Lint) -> None:
    tree({"a.py": "x = 1\n", "b.py": "x = 1  # tdl: ignore[TDL101]\n", "c.py": "x = (  # tdl: ignore[TDL101]\n"})
    assert brief(lint("a.py")) == []
    assert brief(lint("c.py")) == ["c.py:1 TDL999"]
    assert brief(lint()) == ["b.py:1 TDL900", "c.py:1 TDL999"]
