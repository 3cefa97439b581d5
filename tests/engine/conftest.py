from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from torchdet_lint.config import SettingsFor, inline
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, Progress, Result, Stdin, silent

Tree = Callable[[dict[str, str | bytes]], Path]


class Lint(Protocol):
    def __call__(
        self,
        *paths: str,
        config: tuple[str, ...] = (),
        stdin: Stdin | None = None,
        progress: Progress = silent,
        **options: Any,
    ) -> Result: ...


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Writes files below the working directory, which is a fresh folder."""
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def options(*paths: str, config: tuple[str, ...] = (), stdin: Stdin | None = None, **given: Any) -> Options:
    """The options of a run from the present working directory; `config` are KEY=VALUE settings."""
    cwd = str(Path.cwd())
    about = paths or ((stdin.filename,) if stdin else (".",))
    settings = SettingsFor(cwd, about, overrides=tuple(inline(each, cwd) for each in config))
    return Options(paths=() if stdin else about, settings=settings, stdin=stdin, **{"jobs": 1, "cwd": cwd, **given})


@pytest.fixture
def lint(tree: Tree) -> Lint:
    def lint(*paths: str, progress: Progress = silent, **given: Any) -> Result:
        return run(options(*paths, **given), progress)

    return lint


def brief(result: Result) -> list[str]:
    """The findings as `path:line code`."""
    return [f"{each.location.path}:{each.location.line} {each.code}" for each in result.findings]
