from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from torchdet_lint.config import SettingsFor, inline
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, Result

Check = Callable[..., Result]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """`check(files, "KEY=VALUE", …)`: what the engine says of a project of these files, in a fresh folder."""
    monkeypatch.chdir(tmp_path)

    def check(files: Mapping[str, str], *config: str, jobs: int = 1) -> Result:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        cwd = str(tmp_path)
        settings = SettingsFor(cwd, (".",), overrides=tuple(inline(each, cwd) for each in config))
        return run(Options(paths=(".",), settings=settings, jobs=jobs, cwd=cwd))

    return check
