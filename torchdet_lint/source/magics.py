"""IPython lines in a notebook cell: found at the start of logical lines only, and replaced without moving anything.

Every replacement keeps the length and the line ends, so offsets, lines and columns are those of the cell as written.
"""

from __future__ import annotations

import re

from torchdet_lint.source.strings import formatted_end, opening, plain_end

# Cell magics that run the body of the cell, as Python, in the notebook's own process.
_PYTHON_CELL = frozenset(("time", "timeit", "capture", "prun", "memit", "snakeviz", "wandb"))
# Line magics that run the rest of the line.
_PYTHON_LINE = re.compile(r"%(?:time|timeit|prun|memit)[ \t]+(?:-\w+(?:[ \t]*\d+)?[ \t]+)*(?=[^\s\-%!?])")
_COMPOUND = re.compile(r"(?:if|for|while|with|try|def|class|async|match|@)\b|@")

_CELL_MAGIC = re.compile(r"[ \t\f\r\n]*%%([A-Za-z_][\w.]*)[^\r\n]*")
_SUSPECT = re.compile(r"[%!?]|^[ \t]*[,;/]", re.MULTILINE)
_ESCAPED = re.compile(r"([ \t]*)[%!?,;/]")
_HELP = re.compile(r"([ \t]*)[%\w*][^'\"#\r\n]*\?[ \t]*(?=[\r\n]|\Z)")
_ASSIGNED = re.compile(r"([ \t]*[^\W\d][\w.,:=* \t\[\]]*=[ \t]*)[%!]")
# A cell of one line that starts with the name of a magic needs no `%` (IPython's automagic), unless it reads like Python.
_AUTOMAGIC = re.compile(
    r"\s*(?:pip|conda|mamba|uv|cd|ls|mkdir|rmdir|rm|mv|cp|cat|load_ext|reload_ext|autoreload|matplotlib|env)"
    r"[ \t]+(?![=.,:(\[+*/%<>&|^!@-](?:[ \t=]|$)|(?:in|is|and|or|if|not|for)\b)[^\s(=\[][^\r\n]*\s*"
)
_LINE = re.compile(r"[^\r\n]*")
_LINE_END = re.compile(r"\r\n?|\n")
_SIGNIFICANT = re.compile(r"#[^\r\n]*|['\"()\[\]{}]|\\(?:\r\n?|\n)|\r\n?|\n")
_CODE = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)
_VISIBLE = re.compile(r"[^\r\n]")


def without_magics(cell: str) -> str:
    """The cell's Python code: magics, shell lines and help requests are blanked, or become `0` where they are indented.

    `x = !ls` and `x = %magic` become `x = _` (a name that stands for nothing known). `%time f()` keeps `f()`.
    """
    pieces: list[str] = []
    copied = 0
    while magic := _CELL_MAGIC.match(cell, copied):
        if magic[1] not in _PYTHON_CELL:
            return _blank(cell)
        pieces.append(_blank(magic[0]))
        copied = magic.end()
    if _AUTOMAGIC.fullmatch(cell, copied):
        return "".join(pieces) + _blank(cell[copied:])
    at = copied
    while at < len(cell) and _SUSPECT.search(cell, at):
        found = _replacement(cell, at)
        if found:
            pieces.append(cell[copied:at])
            if found.lstrip(" \t").startswith("0") and not any(map(_CODE.search, pieces)):
                found = _blank(found)  # IPython takes no notice of what a cell's first line is indented by
            pieces.append(found)
            copied = at = at + len(found)
        at = _next_logical_line(cell, at)
    return "".join(pieces) + cell[copied:]


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)


def _replacement(cell: str, at: int) -> str | None:
    """What replaces the line at this offset, which starts a logical line; None for a line of plain Python."""
    escaped = _ESCAPED.match(cell, at) or _HELP.match(cell, at)
    assigned = None if escaped else _ASSIGNED.match(cell, at)
    found = escaped or assigned
    if not found:
        return None
    start = found.end(1)
    line = cell[start : _continued_line_end(cell, start)]
    timed = _PYTHON_LINE.match(line)
    if timed and _is_statement(line, timed.end()):
        mark = "_;" if escaped else "  "
        return found[1] + mark + " " * (timed.end() - 2) + line[timed.end() :]
    mark = "_" if assigned else "0" if found[1] else " "
    return found[1] + mark + _blank(line[1:])


def _continued_line_end(cell: str, at: int) -> int:
    """The end of the line, and of those that backslashes join to it: IPython knows no brackets and strings here."""
    while True:
        line = _LINE.match(cell, at)
        end = line.end() if line else len(cell)
        after = _LINE_END.match(cell, end)
        if end == at or cell[end - 1] != "\\" or not after:
            return end
        at = after.end()


def _is_statement(line: str, at: int) -> bool:
    """Whether what the magic runs is one line of simple statements, which can stand where the magic stood."""
    simple = not _COMPOUND.match(line, at) and not _LINE_END.search(line)
    return simple and _next_logical_line(line + "\n ", at) == len(line) + 1


def _next_logical_line(cell: str, at: int) -> int:
    """The offset of the logical line after the one at `at`; the end of the cell where a string is not closed."""
    depth = 0
    while found := _SIGNIFICANT.search(cell, at):
        token, at = found.group(), found.end()
        if token in "'\"":
            formatted, raw = opening(cell, found.start())
            at = formatted_end(cell, found.start(), raw, []) if formatted else plain_end(cell, found.start())
            if at < 0:
                return len(cell)
        elif token in "([{":
            depth += 1
        elif token in ")]}":
            depth = max(depth - 1, 0)
        elif token[0] in "\r\n" and depth == 0:
            return at
    return len(cell)
