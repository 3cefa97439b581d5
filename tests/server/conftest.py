from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.server.editor import Play, Scenario


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Runs a scenario with an editor that has opened a folder with these files."""
    from tests.server.editor import Editor

    def run(files: dict[str, str], scenario: Scenario) -> None:
        (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")

        async def whole() -> None:
            editor = Editor(tmp_path)
            try:
                await scenario(editor)
                assert await editor.finish() == 0
                assert not [each for each in (*editor.log, *editor.messages) if "internal error" in each]
            finally:
                await editor.kill()

        asyncio.run(whole())

    return run
