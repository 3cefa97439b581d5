"""The scanner: a text into its top-level statements, without a parse and in time linear in its length."""

from __future__ import annotations

import re
from sys import intern
from typing import NamedTuple

from torchdet_lint.source.bindings import describe
from torchdet_lint.source.imports import ImportRecord, find_imports
from torchdet_lint.source.lexer import ANY_COMMENT, Lexed, lex
from torchdet_lint.source.lines import count_line_ends


class Unit(NamedTuple):
    """One top-level logical statement, with its decorators, body and else branches.

    kind: "import" "from" "def" "class" "if" "for" "while" "with" "try" "match" "assign" "expr", or "file" for a whole
    file that the scanner is not certain of (its `names` are then empty: nothing is known). Statements joined by
    semicolons are one unit, of the kind of the first. `names` are those that it binds where that is plain to see; a
    star import binds "*".

    `start` and `end` are code point offsets in the text of the file, end exclusive; `line` is that of `start`, from
    1. Comments and blank lines before a unit, and those after the last code of it, belong to no unit: editing them
    leaves its text as it was.

    `words` are at least the identifiers and attribute names outside comments and plain strings, those between the
    braces of f-strings, the parts of string literals that are one dotted identifier, and each word of
    `lexer.EVIDENCE` that a string literal contains, each once. Keywords and pieces of numbers may be among them. They are
    no set: those of a large project would take more memory than its text, and `known.isdisjoint(unit.words)` makes none.
    """

    index: int  # type: ignore[assignment]  # a place, where `tuple` has a method
    kind: str
    names: tuple[str, ...]
    start: int
    end: int
    line: int
    words: tuple[str, ...]


_BLANKS = " \t\n\f\r"
_COLUMN_0 = re.compile(r"\n[^ \t\n\f#)\]}]")
_COLUMN_0_FEED = re.compile(r"\n(?:[ \t\f]*\f)?[^ \t\n\f#)\]}]")  # a form feed sets the column to 0 again
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_CLAUSE = re.compile(r"(?:else|elif|except|finally)\b")
_WORD = re.compile(r"\w+")
_WORDS_ONLY = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
"""As a table for `str.translate`, a string is faster than a dictionary: a missing key costs an exception."""


class Scan(NamedTuple):
    """The units of a text in order, its import statements at any depth, and the spans of its comments."""

    units: tuple[Unit, ...]
    imports: tuple[ImportRecord, ...]
    comments: tuple[tuple[int, int], ...]


def scan(text: str) -> Scan:
    """What can be known of a text without parsing it."""
    lexed = lex(text)
    if lexed is None:
        return Scan((_whole(text),), (), tuple(found.span() for found in ANY_COMMENT.finditer(text)))
    imports = find_imports(lexed.mask)
    heads = _heads(lexed.mask)
    units = (_whole(text),) if heads is None else _units(text, lexed, heads, imports)
    return Scan(units, imports, lexed.comments)


def _whole(text: str) -> Unit:
    return Unit(0, "file", (), 0, len(text), 1, tuple(_words(text)))


def _words(code: str) -> set[str]:
    if code.isascii():
        return set(map(intern, code.translate(_WORDS_ONLY).split()))
    from unicodedata import normalize

    # Python compares identifiers in normal form KC: `ﬁt` is `fit`.
    return {intern(normalize("NFKC", word)) for word in _WORD.findall(code)}


def _heads(mask: str) -> list[tuple[int, int]] | None:
    """(start, offset of the statement after its decorators) of every unit; None where that is not certain."""
    pattern = _COLUMN_0_FEED if "\f" in mask else _COLUMN_0
    heads: list[tuple[int, int]] = []
    round_, square, curly = 0, 0, 0
    counted, decorated = 0, False
    for found in pattern.finditer("\n" + mask):
        line, at = found.start() - 1, found.end() - 2  # the added newline shifts by one
        code = mask[counted:at]
        counted = at
        round_ += code.count("(") - code.count(")")
        square += code.count("[") - code.count("]")
        curly += code.count("{") - code.count("}")
        if round_ or square or curly:
            if round_ < 0 or square < 0 or curly < 0:
                return None
        elif (line > 0 and mask[line - 1] == "\\") or (mask[at] in "ef" and _CLAUSE.match(mask, at)):
            continue
        elif mask[at] == "\\":
            return None  # what the next line starts, in whatever column, starts here
        elif decorated:
            heads[-1] = (heads[-1][0], at)
            decorated = mask[at] == "@"
        else:
            heads.append((at, at))
            decorated = mask[at] == "@"
    rest = mask[counted:]
    paired = all(rest.count(a) + n == rest.count(b) for n, (a, b) in zip((round_, square, curly), _PAIRS, strict=True))
    before_first = mask[: heads[0][0]] if heads else mask
    return heads if paired and not before_first.strip(_BLANKS) else None


def _units(
    text: str, lexed: Lexed, heads: list[tuple[int, int]], imports: tuple[ImportRecord, ...]
) -> tuple[Unit, ...]:
    mask, hidden = lexed.mask, lexed.hidden
    clean = mask.translate(_WORDS_ONLY) if mask.isascii() else None
    units: list[Unit] = []
    line, counted, next_hidden, next_import = 1, 0, 0, 0
    for (start, head), (limit, _) in zip(heads, [*heads[1:], (len(mask), 0)], strict=False):
        end = _end(mask, start, limit)
        line += count_line_ends(text, counted, start)
        counted = start
        # Interned, for the same few thousand words stand in every file of a project.
        words = set(map(intern, clean[start:end].split())) if clean is not None else _words(mask[start:end])
        while next_hidden < len(hidden) and hidden[next_hidden][0] < limit:
            words.update(hidden[next_hidden][1])
            next_hidden += 1
        bound: list[str] = []
        while next_import < len(imports) and imports[next_import].start < limit:
            bound += imports[next_import].binds
            next_import += 1
        kind, names = describe(mask[head:end], tuple(bound))
        units.append(Unit(len(units), kind, names, start, end, line, tuple(words)))
    return tuple(units)


def _end(mask: str, start: int, limit: int) -> int:
    """Where the unit's last code ends; a line that a backslash joins belongs to the unit even if it is empty."""
    end = start + len(mask[start:limit].rstrip(_BLANKS))
    if mask[end - 1] != "\\":
        return end
    joined = mask.find("\n", end, limit) + 1 or limit
    return mask.find("\n", joined, limit) + 1 or limit
