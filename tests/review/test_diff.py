from __future__ import annotations

import contextlib
import difflib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchdet_lint.review.diff import parse, whole
from torchdet_lint.review.errors import ReviewError

RENAME = f"""\
diff --git a/old name.py b/new.py
similarity index 80%
rename from old name.py
rename to new.py
index 1..2 100644
--- a/old name.py
+++ b/new.py
@@ -1,4 +1,5 @@ class A:
 a
-b
+B
+C
{" "}
 d
\\ No newline at end of file
diff --git a/moved.py b/there.py
similarity index 100%
rename from moved.py
rename to there.py
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/data.bin b/data.bin
index 1..2 100644
Binary files a/data.bin and b/data.bin differ
diff --git a/fresh.py b/fresh.py
new file mode 100644
--- /dev/null
+++ b/fresh.py
@@ -0,0 +1,2 @@
+1
+2
"""


def test_lines_and_names() -> None:
    change = parse(RENAME)
    assert set(change.files) == {"new.py", "there.py", "fresh.py"}
    assert change.renames == {"old name.py": "new.py", "moved.py": "there.py"}
    file = change.files["new.py"]
    assert dict(file.hunks[0].lines) == {1: 1, 2: None, 3: None, 4: 3, 5: 4}
    assert file.hunks[0].removed == {2}
    assert [file.added(line) for line in (1, 2, 3, 4, 99)] == [False, True, True, False, False]
    assert (file.old_line(4), file.old_line(2)) == (3, None)
    assert file.shown(1, 5)
    assert not file.shown(5, 6)
    assert change.files["there.py"].hunks == ()
    assert change.files["fresh.py"].old_path is None


def test_a_range_over_two_hunks_is_not_shown_together() -> None:
    change = parse("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n-c\n+d\n")
    assert change.files["x.py"].shown(1, 1)
    assert not change.files["x.py"].shown(1, 2)


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("--- a/x.py\n+++ b/x.py\n", "x.py"),
        ("--- x.py\t2026-01-01 00:00:00\n+++ x.py\t2026-01-02 00:00:00\n", "x.py"),
        ("--- i/x.py\n+++ w/x.py\n", "x.py"),
        ('--- "a/caf\\303\\251 \\"x\\".py"\n+++ "b/caf\\303\\251 \\"x\\".py"\n', 'café "x".py'),
        ("--- a/a b.py\t\n+++ b/a b.py\t\n", "a b.py"),
        ("Only text before.\nIndex: x.py\n--- a/x.py\r\n+++ b/x.py\r\n", "x.py"),
    ],
)
def test_names_as_tools_write_them(header: str, path: str) -> None:
    change = parse(header + "@@ -1 +1 @@\n-a\n+b\n")
    assert list(change.files) == [path]
    assert change.renames == {}


def test_two_files_without_a_line_of_git_between_them() -> None:
    change = parse("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n--- a/y.py\n+++ b/y.py\n@@ -1 +1,2 @@\n a\n+b\n")
    assert {path: dict(file.hunks[0].lines) for path, file in change.files.items()} == {
        "x.py": {1: None},
        "y.py": {1: 1, 2: None},
    }


def test_lines_of_code_that_look_like_headers() -> None:
    change = parse(
        "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n--- a/y.py\n+++ b/z.py\n @@ -1 +1 @@\n diff --git a/q b/q\n"
    )
    assert list(change.files) == ["x.py"]
    assert dict(change.files["x.py"].hunks[0].lines) == {1: None, 2: 2, 3: 3}


def test_nothing_changed() -> None:
    assert parse("").files == {}
    assert parse("\n").files == {}


def test_whole_files() -> None:
    assert [whole("a.py", 2).added(line) for line in (1, 2, 3)] == [True, True, False]
    assert whole("a.py", 0).hunks == ()


LINES = st.lists(st.sampled_from(["", "a", "b", "--- c", "+++ d", "@@ -1 +1 @@", "\\ e"]), max_size=12)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LINES, LINES)
def test_every_line_is_told_as_it_is(old: list[str], new: list[str]) -> None:
    """Against difflib: shown unchanged lines are equal on both sides, added and removed ones make up the rest."""
    text = "".join(
        difflib.unified_diff([f"{each}\n" for each in old], [f"{each}\n" for each in new], "a/x.py", "b/x.py")
    )
    for file in parse(text).files.values():
        pairs = {line: before for hunk in file.hunks for line, before in hunk.lines.items()}
        assert all(before is None or old[before - 1] == new[line - 1] for line, before in pairs.items())
        removed = {line for hunk in file.hunks for line in hunk.removed}
        kept = [each for number, each in enumerate(old, 1) if number not in removed]
        assert kept == [each for number, each in enumerate(new, 1) if not file.added(number)]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="-+@ ab\n\\,1/", max_size=80))
def test_damage_is_told_and_nothing_else_happens(text: str) -> None:
    with contextlib.suppress(ReviewError):
        parse(text)
