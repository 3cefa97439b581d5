"""A loaded file: offsets to places, lines, statements."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchdet_lint.disk import content_digest
from torchdet_lint.finding import Location
from torchdet_lint.source import ImportRecord, SourceError, load
from torchdet_lint.source.lines import count_line_ends, line_starts


def test_load_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\n\ty = 2\r\n")
    file = load(str(path), display="d/a.py")
    assert file.path == "d/a.py"
    assert file.text == "x = 1\r\n\ty = 2\r\n"
    assert file == load(str(path), path.read_bytes(), "d/a.py")
    assert hash(file) == hash(load(str(path), display="d/a.py"))
    assert load("a.py", b"").units == ()


@pytest.mark.parametrize(
    "text", ["", "x = 1\r\n# tdl: ignore[TDL001]\ny = '\u00e9\U0001f600'\n", "def f():\n  pass" * 999]
)
def test_a_text_waits_deflated(text: str) -> None:
    file = load("a.py", text.encode())
    packed = file.packed()
    assert (packed.text, packed, packed.packed()) == (text, file, packed)
    assert packed.unpacked().body == text
    assert [packed.unit_text(unit) for unit in packed.units] == [file.unit_text(unit) for unit in file.units]
    assert packed.suppressions.all == file.suppressions.all
    assert len(packed.body) < 100 + len(text) / 4


def test_only_comments_that_may_suppress_are_kept() -> None:
    text = "x = 1  # one\n# noqa: TDL001\ny = '# tdl: ignore[TDL1]'  # a # TDL: ignore[TDL2]\n# tdl or noqa\n"
    file = load("a.py", text.encode())
    assert [text[start:end] for start, end in file.comments] == ["# noqa: TDL001", "# a # TDL: ignore[TDL2]"]


@pytest.mark.parametrize("name", ["missing.py", "folder", "nul\0l.py"])
def test_what_cannot_be_opened_is_a_source_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match="cannot be read"):
        load(str(tmp_path / name), display=name)


def test_digest_is_of_the_bytes() -> None:
    assert content_digest(b"a") == load("a.py", b"a").digest != load("a.py", b"a ").digest
    assert len(content_digest(b"")) == 32


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_places(line_end: str) -> None:
    lines = ["'\x0b \x85 \u2028'", "\x0cé = [", "\t😀,", "]", "def f():", "\treturn é"]
    file = load("a.py", line_end.join(lines).encode())
    assert [unit.line for unit in file.units] == [1, 2, 5]
    whole = file.units[1]
    assert file.locate(whole, (0, whole.end - whole.start)) == Location("a.py", 2, 2, 4, 2)
    at = file.text.index("😀")
    assert file.location(at, at + 1) == Location("a.py", 3, 2, 3, 3)
    assert [file.line_text(line) for line in range(8)] == ["", *lines, ""]
    assert file.statement_lines(at) == (2, 4)
    assert file.statement_lines(file.text.index("return")) == (6, 6)
    assert file.statement_lines(len(file.text)) == (6, 6)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="a\n\r\x0b\x0c\x85\u2028é", max_size=30))
def test_lines_are_those_of_universal_newlines(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    starts = line_starts(text)
    assert len(starts) == plain.count("\n") + 1
    assert count_line_ends(text, 0, len(text)) == plain.count("\n")
    ends = [*starts[1:], len(text)]
    assert [text[a:b].rstrip("\r\n") for a, b in zip(starts, ends, strict=True)] == plain.split("\n")


def test_statement_lines_of_uncertain_text_are_single_lines() -> None:
    file = load("a.py", b"x = '\ny = (\n1)\n")
    assert file.statement_lines(file.text.index("1")) == (3, 3)


def test_imports_at_any_depth() -> None:
    text = """import a.b as c, d.e  # import no
from .. import (f as g,  # from no import no
    h,)
def i():
    "import no"
    if x: from . j . k import *
    '''
import no
'''
    try: import l; import m
    except E: from n \\
        import o, \\
            p
    raise q \\
        from r
    yield from s
from importlib import import_module
"""
    file = load("a.py", text.encode())
    assert [record[:4] for record in file.imports] == [
        ("a.b", 0, (), "c"),
        ("d.e", 0, (), "d"),
        ("", 2, (("f", "g"), ("h", "h")), ""),
        ("j.k", 1, (("*", "*"),), ""),
        ("l", 0, (), "l"),
        ("m", 0, (), "m"),
        ("n", 0, (("o", "o"), ("p", "p")), ""),
        ("importlib", 0, (("import_module", "import_module"),), ""),
    ]
    assert all(text.startswith(("import", "from"), record.start) for record in file.imports)
    assert ImportRecord("a", 0, (("b", "c"),), "", 0).binds == ("c",)
