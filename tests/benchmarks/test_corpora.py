from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from benchmarks import corpora, floor
from benchmarks.corpora import Package, Unavailable


def wheel(home: Path, name: str, files: dict[str, str]) -> None:
    (home / "wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(home / "wheels" / f"{name}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def test_only_the_python_files_of_the_wanted_folders_are_unpacked(tmp_path: Path) -> None:
    wheel(tmp_path, "one-1.0", {"recipes/train.py": "a = 1\nb = 2\n", "one/lib.py": "c = 3\n", "recipes/x.yaml": "x"})
    corpus = corpora.prepare("scripts", [Package("one", "1.0", ("recipes",))], tmp_path)
    assert [path.relative_to(corpus.folder).as_posix() for path in corpus.folder.rglob("*.py")] == [
        "one-1.0/recipes/train.py"
    ]
    assert (corpus.files, corpus.lines, corpus.size, corpus.made_of) == (1, 2, 12, "one 1.0")
    assert corpus.parts == (corpus.folder / "one-1.0",)


def test_a_corpus_of_another_list_leaves_nothing_behind(tmp_path: Path) -> None:
    for name in ("one-1.0", "two-2.0"):
        wheel(tmp_path, name, {f"{name[:3]}/a.py": "pass\n"})
    both = corpora.prepare("libraries", [Package("one", "1.0"), Package("two", "2.0")], tmp_path)
    assert both.files == 2
    assert corpora.prepare("libraries", [Package("two", "2.0")], tmp_path).files == 1


def test_a_half_made_package_is_made_again(tmp_path: Path) -> None:
    wheel(tmp_path, "one-1.0", {"one/a.py": "pass\n", "one/b.py": "pass\n"})
    half = tmp_path / "corpora" / "libraries" / "one-1.0" / "one"
    half.mkdir(parents=True)
    (half / "a.py").write_text("pass\n")
    assert corpora.prepare("libraries", [Package("one", "1.0")], tmp_path).files == 2


def test_an_empty_folder_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no Python file in"):
        corpora.described("scripts", tmp_path)


def test_hidden_folders_do_not_count(tmp_path: Path) -> None:
    for name in ("a.py", ".git/b.py", "c/d.py", "c/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [Path(path).name for path in corpora.python_files(tmp_path)] == ["a.py", "d.py"]


def test_the_floor_is_that_of_files_of_which_something_is_lowered(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "plain.py").write_text("def f(x):\n    return x + 1\n")
    (tmp_path / "torch_there.py").write_text(
        "import torch\n\n\ndef f():\n    torch.manual_seed(0)\n    return torch.rand(3)\n"
    )
    assert [Path(path).name for path in floor.lowered(str(tmp_path))] == ["torch_there.py"]
