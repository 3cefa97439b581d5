from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engine.conftest import Tree, options
from torchdet_lint.engine.options import Files, Stdin
from torchdet_lint.engine.scope import Scope, display_of, project_root, reported_files, scope

FILES: dict[str, str | bytes] = {
    "pyproject.toml": "",
    "train.py": "",
    "pkg/__init__.py": "",
    "pkg/net.py": "",
    "tests/test_net.py": "",
    ".venv/lib/torch.py": "",
    "data/notes.txt": "",
}


def keys(found: Scope) -> list[str]:
    return [entry.key for entry in found.entries]


def reported(found: Scope) -> list[str]:
    return [entry.display for entry in found.entries if entry.reported]


ALL = ["pkg/__init__.py", "pkg/net.py", "tests/test_net.py", "train.py"]


@pytest.mark.parametrize(
    ("where", "paths", "displays"),
    [
        (".", ("train.py",), ["train.py"]),
        (".", ("pkg", "train.py"), ["pkg/__init__.py", "pkg/net.py", "train.py"]),
        ("pkg", (".",), ["__init__.py", "net.py"]),
        ("pkg", ("net.py", "../train.py"), ["net.py", "../train.py"]),
        ("data", ("../tests",), ["../tests/test_net.py"]),
    ],
)
def test_a_project_is_seen_whole_whatever_is_passed(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, where: str, paths: tuple[str, ...], displays: list[str]
) -> None:
    root = tree(FILES)
    monkeypatch.chdir(root / where)
    found = scope(options(*paths))
    assert (found.root, keys(found), reported(found)) == (str(root), ALL, displays)
    assert reported_files(options(*paths)) == Files(tuple(sorted(displays)))


def test_paths_elsewhere_are_shown_as_they_were_written(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({f"work/{name}": text for name, text in FILES.items()} | {"here/x.py": ""})
    monkeypatch.chdir(root / "here")
    found = scope(options(f"{root}/work/pkg"))
    assert keys(found) == ALL
    assert reported(found) == [f"{root}/work/pkg/__init__.py", f"{root}/work/pkg/net.py"]
    assert found.entries[-1].display == "../work/train.py"


def test_a_script_in_an_unmarked_folder_sees_what_it_can_import(tree: Tree) -> None:
    tree({"a.py": "", "b.py": "", "lib/__init__.py": "", "lib/sub/c.py": "", "downloads/much.py": "", "n.ipynb": "{}"})
    assert keys(scope(options("a.py"))) == ["a.py", "b.py", "lib/__init__.py", "lib/sub/c.py"]
    assert keys(scope(options("."))) == [
        *("a.py", "b.py", "downloads/much.py", "lib/__init__.py", "lib/sub/c.py", "n.ipynb")
    ]


def test_the_home_folder_is_no_project(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tree({"home/.git/config": "", "home/a/x.py": "", "home/b/pyproject.toml": "", "home/b/c/y.py": ""}) / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    assert project_root(str(home), [str(home / "a/x.py")]) == (str(home / "a"), False)
    assert project_root(str(home), [str(home / "b/c/y.py")]) == (str(home / "b"), True)
    assert project_root("/", ["/"]) == ("/", False)


def test_exclusions(tree: Tree) -> None:
    tree({**FILES, "gen/a_pb2.py": "", "gen/a.py": "", "old/deep/x.py": "", "pkg/old/y.py": ""})
    config = ('extend-exclude=["gen/*_pb2.py", "old", "./tests"]',)
    rest = ["gen/a.py", "pkg/__init__.py", "pkg/net.py", "train.py"]
    assert reported(scope(options(config=config))) == rest
    # What is named is looked into, unless exclusions are to hold there too.
    assert reported(scope(options("old", "gen/a_pb2.py", config=config))) == ["gen/a_pb2.py", "old/deep/x.py"]
    forced = (*config, "force-exclude=true")
    assert reported(scope(options("old", "gen/a_pb2.py", "tests", "train.py", config=forced))) == ["train.py"]
    assert reported(scope(options("gen", config=('exclude=["a.py"]',)))) == ["gen/a_pb2.py"]


def test_standard_input_replaces_the_file_of_its_name(tree: Tree) -> None:
    tree(FILES)
    found = scope(options(stdin=Stdin("pkg/net.py", b"x = 1")))
    assert keys(found) == ALL
    assert [(entry.key, entry.data) for entry in found.entries if entry.reported] == [("pkg/net.py", b"x = 1")]
    assert "pkg/new.py" in keys(scope(options(stdin=Stdin("pkg/new.py", b""))))
    excluded = options(stdin=Stdin("pkg/net.py", b""), config=("force-exclude=true", 'exclude=["pkg"]'))
    assert reported_files(excluded).files == ()


def test_a_path_that_is_gone_is_a_problem(tree: Tree) -> None:
    tree(FILES)
    assert scope(options("nope.py", "train.py")).problems == ("nope.py: no such file or folder",)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions that hold")
def test_a_folder_that_cannot_be_read_is_a_problem(tree: Tree) -> None:
    folder = tree(FILES) / "pkg"
    folder.chmod(0)
    try:
        assert scope(options(".")).problems == ("pkg: cannot read the folder: Permission denied",)
    finally:
        folder.chmod(0o755)


def test_displays() -> None:
    assert display_of("/a/b/c.py", "/a") == "b/c.py"
    assert display_of("/a/b/c.py", "/a/d") == "../b/c.py"
    assert display_of("/a/b/c.py", "/a/d", {"/a/b": "/x/../a/b"}) == "/a/b/c.py"
    assert display_of("/a/b\udcff.py", "/a") == "b\\udcff.py" or os.name == "posix"


def test_two_links_to_one_folder(tree: Tree) -> None:
    root = tree(FILES)
    (root / "link").symlink_to(root / "pkg", target_is_directory=True)
    found = scope(options("link"))
    assert reported(found) == ["link/__init__.py", "link/net.py"]
    assert Path(found.root) == root
