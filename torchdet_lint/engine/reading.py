"""One file: read, taken apart, checked for syntax, and lowered where a rule is sure to ask; and all of that as bytes."""

from __future__ import annotations

import marshal
import re
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from torchdet_lint import disk, ir
from torchdet_lint.analysis.triggers import needed
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.engine.kept import Blobs, key_of
from torchdet_lint.engine.scope import Entry
from torchdet_lint.lowering import LoweringError, lower
from torchdet_lint.source import Cell, ImportRecord, NotebookMap, SourceError, SourceFile, Unit, decode, load


class Fault(NamedTuple):
    """Why a file, or a part of it, could not be read: the message variant of TDL999, the reason, and where.

    `line` and `column` are those of the analysed text where `in_text`, else those of the raw file.
    """

    variant: str
    reason: str
    line: int = 1
    column: int = 1
    in_text: bool = False


class Reading(NamedTuple):
    """What came out of a file. `source` is None where there is no text; `bodies` holds the encoded IR of the units that
    were lowered ahead, by their index, deflated: it waits in memory until its part of the project is judged, as do texts
    that were read ahead.
    """

    source: SourceFile | None
    bodies: Mapping[int, bytes]
    fault: Fault | None


def read(entry: Entry) -> Reading:
    """The file taken apart. A file that is reported is also checked for syntax, so that no part of it is passed over in
    silence because no rule happened to look at it.
    """
    try:
        source = load(entry.path, fetch(entry), entry.key)
    except OSError as error:
        return Reading(None, {}, Fault("read", error.strerror or str(error)))
    except SourceError as error:
        notebook = entry.path.endswith(".ipynb")
        return Reading(None, {}, Fault("notebook" if notebook else "encoding", error.message, error.line, error.column))
    return Reading(source, {}, syntax_fault(source.text) if entry.reported else None)


def fetch(entry: Entry) -> bytes:
    """The bytes of a file. Raises OSError."""
    return entry.data if entry.data is not None else disk.read(entry.path)


def read_ahead(entry: Entry, apis: Apis) -> Reading:
    """The same, with the units lowered that rules are likely to want. Not those of a file that is not reported: most of the
    project cannot reach the few that are.

    A unit that cannot be lowered is passed over: that is told when somebody asks for it, so that the outcome is the same
    with and without looking ahead.
    """
    reading = read(entry)
    source = reading.source
    if source is None or reading.fault is not None or not entry.reported:
        return reading
    bodies = {}
    for unit in source.units:
        body = _lowered(source, unit) if needed(source, unit, apis) else None
        if body is not None:
            bodies[unit.index] = body
    return reading._replace(bodies=bodies)


def packed(reading: Reading) -> Reading:
    """The same with its text deflated."""
    return reading if reading.source is None else reading._replace(source=reading.source.packed())


def _lowered(source: SourceFile, unit: Unit) -> bytes | None:
    try:
        return dump_body(lower(source.unit_text(unit)))
    except LoweringError:
        return None


def dump_body(body: ir.Body) -> bytes:
    """IR as bytes, deflated: it waits in memory and in the cache."""
    return zlib.compress(marshal.dumps(ir.encode(body)), 1)


def undump_body(data: bytes) -> ir.Body:
    """The inverse of `dump_body`."""
    body: ir.Body = ir.decode(marshal.loads(zlib.decompress(data)))  # noqa: S302 (from a process or a cache of our own)
    return body


def syntax_fault(text: str) -> Fault | None:
    """What is wrong with the syntax of a text, if anything is.

    Python's own parser looks first, since it is many times faster (its symbol table costs half of what its tree does).
    What it refuses may only be newer than the Python that runs this, so libcst has the last word.
    """
    import symtable
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes
            symtable.symtable(text, "<file>", "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        try:
            lower(text)
        except LoweringError as error:
            return Fault("syntax", _reason(error), error.line, error.column, in_text=True)
    return None


_LINE = re.compile(r"\bline (\d+)")
"""How CPython tells of a second place: "expected an indented block after 'if' statement on line 3"."""


def unit_fault(unit: Unit, error: LoweringError) -> Fault:
    """The fault of a unit, placed in the text of its file: a unit starts in column 1, so only lines shift."""
    reason = _LINE.sub(lambda found: f"line {int(found[1]) + unit.line - 1}", _reason(error))
    return Fault("syntax", reason, unit.line + error.line - 1, error.column, in_text=True)


def dump(reading: Reading) -> bytes:
    """A reading as bytes; pickle would take several times as long."""
    source = reading.source
    plain: Any = None if source is None else (source.path, source.body, source.digest, _taken_apart(source))
    whole: Any = (plain, dict(reading.bodies), None if reading.fault is None else tuple(reading.fault))
    return marshal.dumps(whole)


def undump(data: bytes) -> Reading:
    """The inverse of `dump`."""
    plain, bodies, fault = marshal.loads(data)  # noqa: S302 (from a process of our own)
    source = None if plain is None else _put_together(*plain)
    return Reading(source, bodies, None if fault is None else Fault(*fault))


def remembered(entry: Entry, data: bytes, shelf: Blobs) -> Reading | None:
    """What an earlier run has made of the same bytes."""
    digest = disk.content_digest(data)
    found = shelf.get(_key(entry, digest))
    if found is None:
        return None
    text, plain, looked, fault = marshal.loads(found)  # noqa: S302 (from a cache of our own)
    if text is None:
        try:
            text = decode(data, entry.key)
        except SourceError:
            return None
    reading = Reading(_put_together(entry.key, text, digest, plain), {}, None if fault is None else Fault(*fault))
    if not entry.reported:
        return reading._replace(fault=None)
    if not looked:
        reading = reading._replace(fault=syntax_fault(text))
        shelf.put(*to_remember(entry, reading))
    return reading


def to_remember(entry: Entry, reading: Reading) -> tuple[bytes, bytes]:
    """The key and the blob under which `remembered` finds a reading that has a source."""
    source = reading.source
    assert source is not None
    # The text of a plain file is in its bytes; to take it out of a notebook is work.
    text = None if source.notebook is None else source.text
    fault = None if reading.fault is None else tuple(reading.fault)
    whole: Any = (text, _taken_apart(source), entry.reported, fault)
    return _key(entry, source.digest), marshal.dumps(whole)


def _key(entry: Entry, digest: str) -> bytes:
    """What a reading depends on: the bytes, and how they are read."""
    return key_of(digest, "notebook" if entry.path.endswith(".ipynb") else "")


def _taken_apart(source: SourceFile) -> Any:
    cells = None if source.notebook is None else tuple(tuple(cell) for cell in source.notebook.cells)
    units = tuple([tuple(unit) for unit in source.units])
    return (units, tuple([tuple(record) for record in source.imports]), source.comments, cells)


def _put_together(path: str, body: str | bytes, digest: str, plain: Any) -> SourceFile:
    units, imports, comments, cells = plain
    notebook = None if cells is None else NotebookMap(tuple(Cell(*cell) for cell in cells))
    records = tuple([ImportRecord(*record) for record in imports])
    return SourceFile(path, body, tuple([Unit(*unit) for unit in units]), records, comments, notebook, digest)


def _reason(error: LoweringError) -> str:
    return error.message.removeprefix("syntax error: ")
