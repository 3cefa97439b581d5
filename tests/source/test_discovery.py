"""The search for files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from torchdet_lint.source import Discovery, discover

Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Makes files (with their contents, where given) in an empty working directory."""

    def make(*empty: str, **_: None) -> Path:
        for name in empty:
            path, _sep, content = name.partition("=")
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        return tmp_path

    monkeypatch.chdir(tmp_path)
    return make


def shown(found: Discovery) -> list[str]:
    assert not found.problems
    assert all(os.path.isfile(file.path) for file in found.files)
    return [file.display for file in found.files]


def test_extensions_order_and_default_excludes(tree: Tree) -> None:
    root = tree(
        "b.py", "a/z.pyi", "a/y.ipynb", "a/x.txt", "a.py", "venv/v.py", ".git/g.py", "a/node_modules/n.py", ".h/i.py"
    )
    assert shown(discover(["."], root=root)) == [".h/i.py", "a.py", "a/y.ipynb", "a/z.pyi", "b.py"]
    assert shown(discover([str(root), "a", "b.py"], root=root)) == [".h/i.py", "a.py", "a/y.ipynb", "a/z.pyi", "b.py"]


def test_named_files_are_taken(tree: Tree) -> None:
    root = tree("venv/v.py", "script", "a/__pycache__/x.py", ".gitignore=script\n")
    named = ["venv/v.py", "script", "a/__pycache__/x.py"]
    assert shown(discover(named, root=root)) == ["a/__pycache__/x.py", "script", "venv/v.py"]
    assert shown(discover(named, root=root, force_exclude=True)) == []
    assert shown(discover(named, root=root, force_exclude=True, exclude=(), respect_gitignore=False)) == sorted(named)


def test_patterns(tree: Tree) -> None:
    root = tree("a/x_pb2.py", "a/x.py", "gen/x.py", "a/gen/x.py", "a/b/c/x.py")
    assert shown(discover(["."], root=root, extend_exclude=["*_pb2.py", "a/b/", "./gen/x.py"])) == [
        "a/gen/x.py",
        "a/x.py",
    ]
    assert shown(discover(["."], root=root, extend_exclude=["gen", str(root / "a" / "b")])) == ["a/x.py", "a/x_pb2.py"]
    assert shown(discover(["."], root=root / "a", extend_exclude=["b/*/x.py", "g?n"])) == ["a/x.py", "a/x_pb2.py"]


def test_ignore_files(tree: Tree) -> None:
    root = tree(
        ".gitignore=*.gen.py\n/only_top.py\nignored/\n",
        "a.gen.py",
        "only_top.py",
        "sub/only_top.py",
        "ignored/x.py",
        "sub/ignored/x.py",
        "sub/keep.gen.py",
        "sub/x.gen.py",
        "sub/.gitignore=!keep.gen.py\n\\\nlocal.py\n",
        "sub/local.py",
        "local.py",
    )
    assert shown(discover(["."], root=root)) == ["local.py", "sub/keep.gen.py", "sub/only_top.py"]
    assert len(shown(discover(["."], root=root, respect_gitignore=False))) == 9


def test_ignore_files_above_and_of_the_repository(tree: Tree) -> None:
    root = tree(
        ".git/HEAD",
        ".git/info/exclude=mine.py\n",
        ".gitignore=top.py\n",
        "p/.gitignore=mid.py\n",
        "p/q/r/x.py",
        "p/q/r/top.py",
        "p/q/r/mid.py",
        "p/q/r/mine.py",
        "p/q/other/.git/HEAD",
        "p/q/other/top.py",
    )
    assert shown(discover(["p/q/r"], root=root)) == ["p/q/r/x.py"]
    assert shown(discover(["."], root=root)) == ["p/q/other/top.py", "p/q/r/x.py"]
    assert shown(discover(["p/q/r/top.py"], root=root, force_exclude=True)) == []


def test_missing_and_unreadable_are_problems(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("a/x.py", "b/y.py")
    listing = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) == "a":
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover([".", "missing", "nul\0l"], root=root)
    assert [file.display for file in found.files] == ["b/y.py"]
    assert found.problems == (
        "a: cannot read the folder: Permission denied",
        "missing: no such file or folder",
        "nul\0l: no such file or folder",
    )


def test_paths_outside_of_the_working_directory(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("in/x", "out/y.py")
    monkeypatch.chdir(root / "in")
    assert shown(discover(["../out"], root=root)) == ["../out/y.py"]
    assert shown(discover([str(root / "out")], root=root)) == [(root / "out" / "y.py").as_posix()]


@pytest.mark.skipif(sys.platform == "win32", reason="links and bytes of POSIX")
def test_links_and_odd_names(tree: Tree) -> None:
    root = tree("real/x.py")
    (root / "real" / "loop").symlink_to(root)
    (root / "a_link").symlink_to(root / "real")
    (root / "broken.py").symlink_to(root / "nowhere")
    (root / "knot").symlink_to("knot")
    (root / "folder.py").mkdir()
    os.mkfifo(root / "pipe.py")
    with open(os.fsencode(root) + b"/\xff.py", "w"):
        pass
    assert shown(discover(["."], root=root)) == ["\\xff.py", "real/x.py"]
    assert shown(discover(["a_link"], root=root)) == ["a_link/loop/\\xff.py", "a_link/x.py"]
    assert discover(["pipe.py"], root=root).problems == ("pipe.py: neither a file nor a folder",)


def test_many_files_are_found_fast(tree: Tree) -> None:
    root = tree()
    for folder in range(50):
        (root / str(folder)).mkdir()
        for file in range(100):
            (root / str(folder) / f"{file}.py").touch()
    durations = []
    for _ in range(3):
        start = time.process_time()
        assert len(discover(["."], root=root).files) == 5000
        durations.append(time.process_time() - start)
    assert min(durations) < 0.15  # 0.03 s on a quiet machine


def test_pathspec_is_loaded_only_for_ignore_files(tree: Tree) -> None:
    root = tree("x.py", ".gitignore=# nothing\n")
    code = (
        "import sys; from torchdet_lint.source import discover; discover(['.'], root='.')"
        "; sys.exit('pathspec' in sys.modules)"
    )
    search = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    assert os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-c", code], search) == 0
    assert root.is_dir()


def test_an_ignored_folder_that_is_named(tree: Tree) -> None:
    root = tree(
        ".git/HEAD", ".gitignore=made/\n", "made/a.py", "made/sub/b.py", "made/.gitignore=c.py\n", "made/c.py", "d.py"
    )
    assert shown(discover(["."], root=root)) == ["d.py"]
    assert shown(discover(["made"], root=root)) == ["made/a.py", "made/sub/b.py"]
    assert shown(discover(["made/sub"], root=root)) == ["made/sub/b.py"]
