"""Import statements, read from the mask without a parse."""

from __future__ import annotations

import re
from typing import NamedTuple


class ImportRecord(NamedTuple):
    """One imported module.

    `import a.b as c` is ("a.b", 0, (), "c"), and `from ..a import b as c` is ("a", 2, (("b", "c"),), "").

    `level` counts the leading dots. `names` are pairs of a name and what it is bound to (("*", "*") for all). `bound`
    is what a plain import binds: the module's first part, or the name after `as`. `start` is the offset of the
    statement.
    """

    module: str
    level: int
    names: tuple[tuple[str, str], ...]
    bound: str
    start: int

    @property
    def binds(self) -> tuple[str, ...]:
        return (self.bound,) if self.bound else tuple(bound for _, bound in self.names)


_WORD = re.compile(r"import\b")
# A statement starts a line that continues no other, or stands after a semicolon or a colon. Every part of the pattern
# stops at what could start the next match, so that the search is linear.
_STATEMENT = re.compile(
    r"[\n;:](?<!\\\n)[ \t\f]*()(?:"
    r"import\b([^\n;\\]*(?:\\\n[^\n;\\]*)*)"
    r"|from\b(?:[ \t\f]+(\.*\w[\w.]*)[ \t\f]+import\b|([\w. \t\f]*?(?:\\\n[\w. \t\f]*?)*?)\bimport\b)"
    r"(?:[ \t\f]|\\\n)*"
    r"(?:\(([^()]*)|([^\n;\\]*(?:\\\n[^\n;\\]*)*))"
    r")"
)


def find_imports(mask: str) -> tuple[ImportRecord, ...]:
    """The import statements of a mask, at any depth, in order."""
    records: list[ImportRecord] = []
    mask = "\n" + mask
    done = 0
    # To look for the word first, and for the statement around it then, is far faster than to try every line.
    while word := _WORD.search(mask, done):
        line = mask.rfind("\n", done, word.start())
        while line > done and mask[line - 1] == "\\":
            line = mask.rfind("\n", done, line)
        found = _STATEMENT.search(mask, max(line, done))
        if not found:
            break
        records += _records(found)
        done = found.end()
    return tuple(records)


def _records(statement: re.Match[str]) -> list[ImportRecord]:
    _, modules, plain, spaced, inside, names = statement.groups()
    at = statement.start(1) - 1  # a newline was added
    if modules is not None:
        return [ImportRecord(name, 0, (), bound or name.partition(".")[0], at) for name, bound in _aliases(modules)]
    dotted = plain or "".join(spaced.replace("\\\n", " ").split())
    module = dotted.lstrip(".")
    pairs = tuple([(name, bound or name) for name, bound in _aliases(inside or names or "")])
    return [ImportRecord(module, len(dotted) - len(module), pairs, "", at)]


def _aliases(listed: str) -> list[tuple[str, str]]:
    """(name, name after `as` or "") of a list of imported names."""
    if "\\" in listed:
        listed = listed.replace("\\\n", " ")
    aliases = []
    for part in listed.split(","):
        words = part.split()
        if len(words) == 1:
            aliases.append((words[0], ""))
        elif len(words) == 3 and words[1] == "as":
            aliases.append((words[0], words[2]))
    return aliases
