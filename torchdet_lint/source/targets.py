"""Assignment targets in the mask of one statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

# `name =`, `name: annotation`, `name += value`: by far the most common; not `name == value`.
_SIMPLE = re.compile(r"([^\W\d]\w*)[ \t\f]*(?:=(?!=)|([-+*/%@&|^]=|//=|\*\*=|<<=|>>=|:(?!=)))")
_OPERATOR = re.compile(r"[-+*/%@&|^<>=!:]{0,3}=|[()\[\]{}:]|\blambda\b")
_COMPARISONS = frozenset(("==", "!=", "<=", ">=", ":="))
_PART = re.compile(r"[^\W\d]\w*|[^\s*]")
_KEYWORDS = frozenset(("lambda", "else", "try", "finally"))
_STARTS_AS_TUPLE = re.compile(r"[(\[]|[\w \t\f.*]+,")


def assigned(statement: str) -> list[str]:
    """The texts of the targets of an assignment (plain, chained, annotated or augmented); empty for anything else.

    Where the statement does not start as a tuple, only its first line is read: the rest stands in a bracket of the
    value.
    """
    if "\\\n" in statement:
        statement = statement.replace("\\\n", "  ")
    simple = _SIMPLE.match(statement)
    if simple and simple[1] in _KEYWORDS:
        return []
    line = statement if _STARTS_AS_TUPLE.match(statement) else statement.partition("\n")[0]
    if simple and (simple[2] or "=" not in line[simple.end() :]):
        return [simple[1]]
    return list(_targets(line)) if "=" in line or ":" in line else []


def _targets(line: str) -> Iterator[str]:
    depth = start = 0
    for found in _OPERATOR.finditer(line):
        token = found.group()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        elif depth == 0 and token == "lambda":
            return
        elif depth == 0 and token not in _COMPARISONS:
            target = line[start : found.start()].strip()
            if token == "=" or (start == 0 and (token != ":" or " " not in target)):
                yield target
            if token != "=":
                return
            start = found.end()


def names_in(target: str) -> list[str]:
    """The names that a target binds: those of its tuples and lists, not those of attributes and subscripts."""
    if target.isidentifier():
        return [target]
    names: list[str] = []
    depth, name, last = 0, "", ","
    for part in _PART.findall(target):
        if depth:
            depth += (part in "([{") - (part in ")]}")
        elif part == "{" or (part in "([" and (last.isidentifier() or last in ")]\"'")):
            depth, name = 1, ""
        elif part == ".":
            name = ""
        else:
            if name:
                names.append(name)
            name = part if part.isidentifier() and last != "." else ""
        last = part
    return [*names, name] if name else names
