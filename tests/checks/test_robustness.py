"""Everything over code that nobody wrote for us: no exception, and nothing loud that is not so."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

from torchdet_lint.config import SettingsFor, inline
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, Result

LIBRARY = Path(sysconfig.get_path("stdlib"))
LIBRARY_FILES = """
    argparse ast base64 bdb bisect calendar cmd code codecs configparser contextlib copy csv dataclasses difflib dis
    enum fileinput fnmatch fractions functools glob gzip heapq locale mailbox mimetypes optparse os pathlib pickle platform
    pprint profile queue random reprlib secrets shutil socket statistics string tempfile textwrap timeit tokenize uuid
    warnings weakref zipapp
    test/test_random test/test_glob test/test_generators test/test_heapq test/test_with
""".split()

ENTROPY = {
    "random": {"TDL004", "TDL005"},
    "secrets": {"TDL008"},
    "uuid": {"TDL008"},
    "tempfile": {"TDL004", "TDL008"},
    "test/test_random": {"TDL004"},
}
"""Modules whose business is to be random."""


def check(folder: Path, *config: str) -> Result:
    settings = SettingsFor(str(folder), (".",), overrides=tuple(inline(each, str(folder)) for each in config))
    return run(Options(paths=(".",), settings=settings, jobs=1, cwd=str(folder)))


def errors(result: Result) -> set[tuple[str, str]]:
    return {(found.location.path, found.code) for found in result.findings if found.severity == "error"}


def test_the_standard_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torchdet-lint.toml").touch()
    (tmp_path / "test").mkdir()
    files = [name for name in LIBRARY_FILES if (LIBRARY / f"{name}.py").is_file()]
    assert len(files) >= 40
    for name in files:
        shutil.copy(LIBRARY / f"{name}.py", tmp_path / f"{name}.py")
    result = check(tmp_path, "tests-are-programs=true")
    assert result.problems == ()
    assert len(result.files) == len(files)
    allowed = {(f"{name}.py", code) for name, codes in ENTROPY.items() for code in codes}
    assert errors(result) - allowed == set()


@pytest.mark.parametrize("name", ["libcst.codemod", "pathspec", "click", "numpy.random"])
def test_installed_packages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{name} is not installed")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / name.rpartition(".")[2]
    shutil.copytree(spec.submodule_search_locations[0], folder, ignore=_others)
    (tmp_path / "torchdet-lint.toml").touch()
    result = check(tmp_path, "tests-are-programs=true")
    assert result.problems == ()
    assert len(result.files) > 5
    assert (
        {code for _, code in errors(result)} <= {"TDL004", "TDL005"} if name.startswith("numpy") else not errors(result)
    )


def _others(folder: str, names: list[str]) -> list[str]:
    return [
        name for name in names if not (name.endswith(".py") or (Path(folder) / name).is_dir()) or name == "__pycache__"
    ]


def test_the_recursion_limit_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = sys.getrecursionlimit()
    nested = "x" + ".a()" * 60
    (tmp_path / "deep.py").write_text(f"import torch\n{nested}\ny = {'(' * 60}torch.rand(2){')' * 60}\n")
    assert check(tmp_path).problems == ()
    assert sys.getrecursionlimit() == before
