from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.server.editor import Play, Scenario

LACKING = find_spec("pygls") is None
collect_ignore = ["test_buffers.py", "test_server.py"] if LACKING else []
if LACKING:
    print('tests/server: not collected, since they need pygls: pip install "torchdet-lint[lsp]"')


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Runs a scenario with an editor that has opened a folder with these files."""

    def run(files: dict[str, str], scenario: Scenario) -> None:
        (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")

        from tests.server.editor import Editor

        async def whole() -> None:
            editor = Editor(tmp_path)
            try:
                await scenario(editor)
                assert await editor.finish() == 0
                assert not [each for each in (*editor.log, *editor.messages) if "internal error" in each]
            finally:
                if editor._server is not None and editor._server.returncode is None:
                    editor._server.kill()
                    await editor._server.wait()

        asyncio.run(whole())

    yield run


