from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from torchdet_lint import engine
from torchdet_lint.config import SettingsFor, inline
from torchdet_lint.engine import fixing
from torchdet_lint.engine.fixing import Fixed
from torchdet_lint.engine.options import Options, Progress, Result, silent
from torchdet_lint.finding import Finding

Wanted = Callable[[Finding], bool]


def makeable(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.safety != "display"


class FixAll(Protocol):
    def __call__(
        self,
        files: Mapping[str, str | bytes],
        *config: str,
        wanted: Wanted = makeable,
        run: Callable[[Options, Progress], Result] = engine.run,
    ) -> Fixed: ...


@pytest.fixture
def fix_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FixAll:
    """`fix_all(files, "KEY=VALUE", …)`: a project of these files, with all its fixes made in memory."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def fix_all(
        files: Mapping[str, str | bytes],
        *config: str,
        wanted: Wanted = makeable,
        run: Callable[[Options, Progress], Result] = engine.run,
    ) -> Fixed:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return fixing.fix(options(tmp_path, *config), silent, wanted, run)

    return fix_all


def options(folder: Path, *config: str) -> Options:
    cwd = str(folder)
    settings = SettingsFor(cwd, (".",), overrides=tuple(inline(each, cwd) for each in config))
    return Options(paths=(".",), settings=settings, jobs=1, cwd=cwd)


def text_of(fixed: Fixed, name: str = "a.py") -> str:
    """What a file holds after the fixes."""
    changed = {each.display: each.after.decode() for each in fixed.files}
    return changed[name] if name in changed else Path(name).read_bytes().decode()
