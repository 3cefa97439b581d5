from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchdet_lint.config import Anchored, any_matches


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("build", "/p/build", True),
        ("build", "/p/a/build/x.py", True),
        ("build", "/p/builder.py", False),
        ("build", "/other/build/x.py", False),
        ("build/", "/p/a/build/x.py", True),
        ("*.pb.py", "/p/a/b.pb.py", True),
        ("*.pb.py", "/p/a/b.py", False),
        ("src/*.py", "/p/src/a.py", True),
        ("src/*.py", "/p/src/b/a.py", False),
        ("src/*.py", "/p/x/src/a.py", False),
        ("./src", "/p/src/a.py", True),
        ("/src", "/p/src/a.py", True),
        ("/src", "/p/x/src/a.py", False),
        ("src/gen", "/p/src/gen/deep/a.py", True),
        ("tests/**", "/p/tests/a/b.py", True),
        ("**/test_*.py", "/p/a/b/test_x.py", True),
        ("**/test_*.py", "/p/test_x.py", True),
        ("a/**/b.py", "/p/a/b.py", True),
        ("a/**/b.py", "/p/a/x/y/b.py", True),
        ("file?.py", "/p/file1.py", True),
        ("file?.py", "/p/file12.py", False),
        ("file[12].py", "/p/file2.py", True),
        ("file[!12].py", "/p/file2.py", False),
        ("file[!12].py", "/p/file3.py", True),
        ("file[.py", "/p/file[.py", True),
        ("a.b", "/p/axb", False),
        ("a+(b)|c", "/p/a+(b)|c", True),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    assert Anchored("/p", glob).matches(path) is expected


def test_folders_above_the_base_do_not_count() -> None:
    assert not Anchored("/home/build/p", "build").matches("/home/build/p/a.py")


def test_a_walk_that_starts_inside_an_excluded_folder_sees_its_files() -> None:
    glob = (Anchored("/p", "build"),)
    assert any_matches(glob, "/p/build/a.py")
    assert not any_matches(glob, "/p/build/a.py", within="/p/build")
    assert any_matches(glob, "/p/build/build/a.py", within="/p/build")


@pytest.mark.parametrize(
    "glob", ["[", "[]", "[!]", "[a", "**", "*", "?", "\\", "[\\]", "[[]", "(", "[a--b]", "[a&&b]", "[-a]", "[a-]"]
)
def test_odd_globs_never_raise(glob: str) -> None:
    Anchored("/p", glob).matches("/p/a")


@pytest.mark.parametrize(
    ("glob", "name", "expected"),
    [("[z-a]", "m", False), ("[!z-a]", "m", True), ("[a-c-]", "-", True), ("[]]", "]", True)],
)
def test_odd_sets(glob: str, name: str, expected: bool) -> None:
    assert Anchored("/p", glob).matches(f"/p/{name}") is expected


@given(st.text("[]!^-abz/*?\\&~|.", max_size=12), st.text("abz/-]", max_size=6))
def test_any_text_is_a_glob(glob: str, path: str) -> None:
    Anchored("/p", glob).matches(f"/p/{path}")
