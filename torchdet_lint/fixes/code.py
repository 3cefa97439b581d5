"""One file as edits see it: its text, which of it is code, and the statements and functions around a place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Edit
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import blocks
from torchdet_lint.source import ImportRecord, SourceFile, Unit
from torchdet_lint.source.lexer import lex

Spanned: TypeAlias = tuple[int, int]

_NEWLINE = re.compile(r"\r\n?|\n")
_BEFORE_IMPORT = re.compile(r"[ \t\f;]*")
_INDENT = re.compile(r"[ \t\f]*")
_CELL_MARKS = ("# %%", "#%%", "# In[", "# fmt:", "# type:")
"""Comments that speak about all that follows, rather than about the next statement."""

WIDEST, NARROWEST = 120, 88


class Placed(NamedTuple):
    """A statement with the offset in the text that its spans are relative to."""

    statement: ir.Stmt
    base: int

    @property
    def start(self) -> int:
        return self.base + self.statement.span[0]

    @property
    def end(self) -> int:
        """The end of the statement, of a compound one of its header."""
        return self.base + self.statement.span[1]


class Around(NamedTuple):
    """A statement on the way from the top level to a place: the block that holds it, and the offset of its unit."""

    block: tuple[Placed, ...]
    index: int  # type: ignore[assignment]  # a place, where `tuple` has a method

    @property
    def here(self) -> Placed:
        return self.block[self.index]


class Code:
    """The code of one file. `mask` has the length of the text, with strings and comments blanked."""

    def __init__(self, project: Project, source: SourceFile, mask: str) -> None:
        self.project = project
        self.source = source
        self.path = source.path
        self.text = source.text
        self.mask = mask
        self._around: dict[int, tuple[Around, ...]] = {}
        self._calls: dict[Spanned, tuple[ir.Call, int] | None] = {}
        self._spans: dict[int, dict[ir.Span, list[object]]] = {}

    @classmethod
    def of(cls, project: Project, path: str) -> Code | None:
        """The code of a file of the project; None where it is not certain what is code in it."""
        module = project.modules.get(path)
        lexed = lex(module.source.text) if module is not None else None
        certain = module is not None and all(unit.kind != "file" for unit in module.source.units)
        return cls(project, module.source, lexed.mask) if module is not None and lexed is not None and certain else None

    # Edits

    def edit(self, start: int, end: int, text: str) -> Edit:
        return Edit(self.source.location(start, end), start, end, text)

    def insertion(self, at: int, lines: Iterable[str], indent: str) -> Edit:
        """Whole lines before the line that starts at an offset."""
        return self.edit(at, at, "".join(f"{indent}{line}{self.newline}" if line else self.newline for line in lines))

    def lines_before(self, start: int, lines: Iterable[str], *, lift: bool = True) -> Edit | None:
        """Lines before the statement at an offset, and before the comments that belong to it; None where the statement
        does not start its line.
        """
        begin = self.line_start(start)
        if self.mask[begin:start].strip() or self.text[begin:start].strip():
            return None
        indent = self.indent(start)
        return self.insertion(self._above(begin, indent) if lift else begin, lines, indent)

    def lines_after(self, placed: Placed, lines: Iterable[str]) -> Edit | None:
        """Lines after a simple statement; None where other code stands on its lines."""
        begin = self.line_start(placed.start)
        end = self.line_end(placed.end)
        if self.text[begin : placed.start].strip() or self.mask[placed.end : end].strip():
            return None
        indent = self.indent(placed.start)
        return self.edit(end, end, "".join(f"{self.newline}{indent}{line}" for line in lines))

    def cut(self, placed: Placed) -> Edit | None:
        """The lines of a simple statement go; None where other code stands on them."""
        begin, end = self.line_start(placed.start), self.line_end(placed.end)
        if self.text[begin : placed.start].strip() or self.mask[placed.end : end].strip():
            return None
        after = end + len(self.newline) if self.text[end:].startswith(self.newline) else end
        return self.edit(begin, after, "")

    def head_of(self, start: int) -> int:
        """The start of the lines of a statement, with the comments that belong to it."""
        return self._above(self.line_start(start), self.indent(start))

    def _above(self, line: int, indent: str) -> int:
        """The start of the comment lines that stand right above a line, at the same depth; the line itself where they are
        the head of the file.
        """
        first = line
        while line > 0:
            before = self.line_start(line - 1)
            shown = self.text[before:line].strip()
            if not shown.startswith("#") or self.indent(before) != indent or shown.startswith(_CELL_MARKS):
                return line
            if before == 0:
                return first
            line = before
        return line

    # Lines

    @cached_property
    def newline(self) -> str:
        found = _NEWLINE.search(self.text)
        return found[0] if found else "\n"

    @cached_property
    def width(self) -> int:
        """How long a line may become: as long as the longest there is, within reason."""
        longest = max((len(line) for line in self.text.splitlines()), default=0)
        return max(NARROWEST, min(WIDEST, longest))

    def line_start(self, offset: int) -> int:
        return self.source.line_start(offset)

    def line_end(self, offset: int) -> int:
        """The offset of the line end of the line that holds the offset."""
        starts = self.source.line_starts
        following = bisect_right(starts, offset)
        if following == len(starts):
            return len(self.text)
        end = starts[following] - (2 if self.text.endswith("\r\n", 0, starts[following]) else 1)
        return max(end, offset)

    def blank_lines_before(self, line: int) -> int:
        """How many blank lines stand right above the line that starts at an offset."""
        at = line
        while at > 0 and self.text[at - 1].isspace():
            at -= 1
        return len(_NEWLINE.findall(self.text, at, line)) - 1 if at else 0

    def begins(self, line: int) -> bool:
        """Whether the line that starts at an offset is the first of its file or notebook cell."""
        notebook = self.source.notebook
        return line == 0 or (notebook is not None and notebook.place(self.position(line)[0])[1] == 1)

    def position(self, offset: int) -> Spanned:
        from torchdet_lint.source.lines import position

        return position(self.source.line_starts, offset)

    def indent(self, offset: int) -> str:
        found = _INDENT.match(self.text, self.line_start(offset))
        return found[0] if found else ""

    def slice(self, placed: Placed) -> str:
        return self.text[placed.start : placed.end]

    def written(self, base: int, span: ir.Span) -> str:
        return self.text[base + span[0] : base + span[1]]

    # Statements

    def unit_at(self, offset: int) -> Unit | None:
        units = self.source.units
        index = bisect_right(units, offset, key=lambda unit: unit.start)
        near = units[max(index - 2, 0) : index]  # where one ends as the next begins, it is the first
        return next((unit for unit in near if offset <= unit.end), None)

    @cached_property
    def imports(self) -> tuple[tuple[int, bool, ImportRecord], ...]:
        """The imports with the offset of their first word, and whether they are statements of the top level."""
        units = [unit for unit in self.source.units if unit.kind in ("import", "from")]
        found = []
        for record in self.source.imports:
            blank = _BEFORE_IMPORT.match(self.text, record.start)
            start = blank.end() if blank else record.start
            last = bisect_right(units, start, key=lambda unit: unit.start) - 1
            found.append((start, last >= 0 and start < max(units[last].end, units[last].start + 1), record))
        return tuple(found)

    @cached_property
    def top(self) -> tuple[Placed, ...]:
        """The top-level statements in order. Imports, functions and classes are only outlined: to lower them all would cost
        more than all edits together.
        """
        return tuple(placed for unit in self.source.units for placed in self._outlined(unit))

    def _outlined(self, unit: Unit) -> tuple[Placed, ...]:
        span = (0, unit.end - unit.start)
        name = unit.names[0] if unit.names else ""
        if unit.kind in ("import", "from"):
            return (Placed(ir.Import((), span), unit.start),)
        if unit.kind == "def":
            return (Placed(ir.Function(name, (), (), (), False, False, None, span, span), unit.start),)
        if unit.kind == "class":
            return (Placed(ir.Class(name, (), (), (), span, span), unit.start),)
        return self._whole(unit)

    def _whole(self, unit: Unit) -> tuple[Placed, ...]:
        return tuple(Placed(statement, unit.start) for statement in self.project.body(self.path, unit.index))

    def around(self, offset: int) -> tuple[Around, ...]:
        """The statements around an offset, the outermost first."""
        if offset not in self._around:
            self._around[offset] = self._statements_around(offset)
        return self._around[offset]

    def _statements_around(self, offset: int) -> tuple[Around, ...]:
        found: list[Around] = []
        block: tuple[Placed, ...] | None = self.top
        while block:
            index = max((at for at, each in enumerate(block) if each.start <= offset), default=-1)
            if index < 0:
                break
            if block is self.top and isinstance(block[index].statement, ir.Function | ir.Class):
                block = self._with_body(block, index)
            found.append(Around(block, index))
            block = self._inner(block[index], offset)
        return tuple(found)

    def _with_body(self, block: tuple[Placed, ...], index: int) -> tuple[Placed, ...]:
        """The block with one of its outlined statements as it is."""
        unit = self.unit_at(block[index].base)
        return block if unit is None else (*block[:index], *self._whole(unit), *block[index + 1 :])

    def _inner(self, placed: Placed, offset: int) -> tuple[Placed, ...] | None:
        """The block inside of a statement that an offset stands in."""
        if offset < placed.end:
            return None
        best = None
        for block in inner_blocks(placed.statement):
            if block and placed.base + block[0].span[0] <= offset:
                best = tuple(Placed(each, placed.base) for each in block)
        return best

    def function(self, offset: int) -> tuple[ir.Function, int] | None:
        """The innermost function around an offset, with the offset that its spans are relative to."""
        return next(iter(self.functions(offset)), None)

    def functions(self, offset: int) -> Iterator[tuple[ir.Function, int]]:
        """The functions around an offset, the innermost first."""
        for each in reversed(self.around(offset)):
            if isinstance(each.here.statement, ir.Function) and offset >= each.here.end:
                yield each.here.statement, each.here.base

    def nodes(self, offset: int, end: int) -> Iterator[tuple[object, int]]:
        """The IR nodes with exactly this span, with their base, the outermost first."""
        unit = self.unit_at(offset)
        if unit is None:
            return
        for node in self._by_span(unit).get((offset - unit.start, end - unit.start), ()):
            yield node, unit.start

    def _by_span(self, unit: Unit) -> dict[ir.Span, list[object]]:
        """The IR nodes of a unit by their span, the outermost first; a fix asks a few times, and a unit may have many fixes."""
        if unit.index not in self._spans:
            found = self._spans[unit.index] = {}
            for node in nested(self.project.body(self.path, unit.index)):
                if (span := getattr(node, "span", None)) is not None:
                    found.setdefault(span, []).append(node)
        return self._spans[unit.index]

    def call(self, offset: int, end: int) -> tuple[ir.Call, int] | None:
        """The call with exactly this span, and its base."""
        key = (offset, end)
        if key not in self._calls:
            nodes = ((node, base) for node, base in self.nodes(offset, end) if isinstance(node, ir.Call))
            self._calls[key] = next(nodes, None)
        return self._calls[key]


def inner_blocks(statement: ir.Stmt) -> tuple[ir.Body, ...]:
    """All blocks of a statement in the order of the text, those of functions and classes too."""
    return (statement.body,) if isinstance(statement, ir.Function | ir.Class) else blocks(statement)
