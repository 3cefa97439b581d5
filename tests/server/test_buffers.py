"""Texts and places of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchdet_lint.source.lines import line_starts

types = pytest.importorskip("lsprotocol.types", reason='the server needs pygls: pip install "torchdet-lint[lsp]"')
positions = pytest.importorskip("torchdet_lint.server.positions")
buffers = pytest.importorskip("torchdet_lint.server.buffers")

if TYPE_CHECKING:
    from torchdet_lint.server.buffers import Buffers

ENCODINGS = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab é\u2028\x0c🎲\n"), max_size=20).map(lambda text: text.replace("é\n", "\r\n"))


def bounds(text: str) -> list[int]:
    """The offsets that a position can name: none is inside of a `\\r\\n`."""
    return [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n" or at == 0]


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_positions_and_offsets_are_one(text: str, encoding: str) -> None:
    for at in bounds(text):
        position = positions.position_at(text, at, encoding)
        assert positions.offset_at(text, position, encoding) == at
        start = line_starts(text)[position.line]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        assert (
            position.character
            == len(text[start:at].encode({"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, "utf-8"))) // size
        )


@given(TEXTS, st.integers(0, 9), st.integers(0, 40), st.sampled_from(ENCODINGS))
def test_every_position_is_somewhere(text: str, line: int, character: int, encoding: str) -> None:
    at = positions.offset_at(text, types.Position(line, character), encoding)
    starts = line_starts(text)
    assert 0 <= at <= len(text)
    if line < len(starts):
        assert starts[line] <= at <= (starts[line + 1] if line + 1 < len(starts) else len(text))


@given(TEXTS, st.data(), st.sampled_from(ENCODINGS))
def test_changes_are_what_they_replace(text: str, data: st.DataObject, encoding: str) -> None:
    held: Buffers = buffers.Buffers()
    held.encoding = encoding
    held.opened(types.TextDocumentItem("file:///a.py", "python", 1, text))
    changes, expected = [], text
    for _ in range(data.draw(st.integers(1, 3))):
        start, end = sorted(data.draw(st.tuples(*[st.sampled_from(bounds(expected))] * 2)))
        new = data.draw(TEXTS)
        at = types.Range(*(positions.position_at(expected, each, encoding) for each in (start, end)))
        changes.append(types.TextDocumentContentChangePartial(at, new))
        expected = expected[:start] + new + expected[end:]
    held.changed("file:///a.py", 2, changes)
    (text_now,) = held.documents()["/a.py"].texts
    assert (text_now.text, text_now.version) == (expected, 2)


def test_what_counts_as_open() -> None:
    held: Buffers = buffers.Buffers()
    for uri, language in (
        ("file:///b.txt", "plaintext"),
        ("file:///c", "python"),
        ("file:///d%20e.pyi", "x"),
        ("untitled:1", "python"),
        ("file:///%00.py", "python"),
        ("file://", "python"),
        ("git:/e.py?%7B%7D", "python"),
        ("vscode-vfs://github/f.py", "python"),
    ):
        held.opened(types.TextDocumentItem(uri, language, 1, ""))
    assert sorted(held.documents()) == ["/c", "/d e.pyi"]
    held.closed("file:///c")
    held.changed("file:///c", 2, [types.TextDocumentContentChangeWholeDocument("x")])
    assert sorted(held.documents()) == ["/d e.pyi"]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("x = 'é'\n", "x = 'é'\n".encode()),
        ("# coding: latin-1\nx = 'é'\n", "# coding: latin-1\nx = 'é'\n".encode("latin-1")),
        ("# coding: latin-1\nx = '🎲'\n", "# coding: latin-1\nx = '🎲'\n".encode()),
        ("# coding: nonsense\nx = 'é'\n", "# coding: nonsense\nx = 'é'\n".encode()),
        ("x = '\ud800'\n", "x = '\N{REPLACEMENT CHARACTER}'\n".encode()),
    ],
)
def test_bytes_are_those_that_the_editor_would_save(text: str, data: bytes) -> None:
    held: Buffers = buffers.Buffers()
    held.opened(types.TextDocumentItem("file:///a.py", "python", 1, text))
    assert held.bytes_of(held.documents()["/a.py"]) == data
