"""What kind of statement a piece of the mask is, and which names it binds, without a parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint.source.imports import find_imports
from torchdet_lint.source.lines import logical_lines
from torchdet_lint.source.targets import assigned, names_in

_KEYWORD = re.compile(r"(?:async[ \t\f]+)?([^\W\d]\w*)")
_KINDS = frozenset(("import", "from", "def", "class", "if", "for", "while", "with", "try"))
_COMPOUND = frozenset(("if", "for", "while", "with", "try", "match", "elif", "else", "except", "finally", "case"))

_DEFINED = re.compile(r"(?:async(?:[ \t\f]|\\\n)+)?(?:def|class)(?:[ \t\f]|\\\n)+([^\W\d]\w*)")
_CASES = re.compile(r":[ \t\f]*\n[ \t\f\n]*case\b")
_SOFT_NAME = re.compile(r"(?:match|case)[ \t\f]*[=:.,]")  # a variable that has the name of a soft keyword
_TYPE_ALIAS = re.compile(r"type[ \t\f]+([^\W\d]\w*)[ \t\f]*[\[=]")
_AFTER_AS = re.compile(r"\bas[ \t\f]+(?:([^\W\d]\w*)|[(\[]([^()\[\]]*))")
_LOOP = re.compile(r"\bfor\b([^:]*?)\bin\b")
_CAPTURED = re.compile(r"(?<![\w.\"'])(?!(?:None|True|False|as|if|_)\b)([^\W\d]\w*)\b(?![ \t\f]*[.(=])")
_WALRUS = re.compile(r"\b([^\W\d]\w*)[ \t\f\n]*:=")
_HEADER = re.compile(r"[()\[\]{}:]|\blambda\b")


def describe(piece: str, imported: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The kind of a top-level statement, and the names that it binds.

    `piece` is its mask without decorators, `imported` what all import statements inside of it bind. The names stand
    in order. Those of a compound statement may be too many, never too few; bodies of functions and classes are not
    entered.
    """
    found = _KEYWORD.match(piece)
    word = found[1] if found else ""
    if word in ("def", "class"):
        defined = _DEFINED.match(piece)
        return word, (defined[1],) if defined else ()
    if word in ("import", "from") and ";" not in piece:
        return word, imported
    if word in _KINDS:
        kind = word
    elif word == "match" and _CASES.search(piece) and not _SOFT_NAME.match(piece):
        kind = "match"
    else:
        kind = "assign" if assigned(piece) or (word == "type" and _TYPE_ALIAS.match(piece)) else "expr"
    if kind in _COMPOUND or ";" in piece:
        names = [name for line in _own_lines(piece) for name in _of_line(line)]
    else:
        names = _of_simple(piece)
    return kind, tuple(dict.fromkeys(names)) if len(names) > 1 else tuple(names)


def _own_lines(piece: str) -> Iterator[str]:
    """The logical lines of a statement that are not in the body of a function or class inside of it."""
    hidden_below = -1
    for start, end in logical_lines(piece):
        line = piece[start:end]
        code = line.lstrip(" \t\f")
        indent = len(line[: len(line) - len(code)].rpartition("\f")[2].expandtabs())
        if hidden_below < 0 or indent <= hidden_below:
            hidden_below = indent if _DEFINED.match(code) else -1
            yield code


def _of_line(line: str) -> Iterator[str]:
    """The names bound in a logical line: a definition, a header with or without a body, or simple statements."""
    defined = _DEFINED.match(line)
    if defined:
        yield defined[1]
        return
    found = _KEYWORD.match(line)
    word = found[1] if found else ""
    if word in _COMPOUND and not _SOFT_NAME.match(line):
        body = _header_end(line)
        yield from _of_header(word, line[:body])
        line = line[body:]
    for statement in line.split(";"):
        yield from _of_simple(statement.strip(" \t\f\n"))


def _header_end(line: str) -> int:
    """The offset after the colon that ends the header of a compound statement."""
    depth = lambdas = 0
    for found in _HEADER.finditer(line):
        token = found.group()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        elif depth == 0 and token == "lambda":
            lambdas += 1
        elif depth == 0 and lambdas:
            lambdas -= 1
        elif depth == 0:
            return found.end()
    return len(line)


def _of_header(word: str, header: str) -> Iterator[str]:
    if word == "for":
        loop = _LOOP.search(header)
        yield from names_in(loop[1]) if loop else ()
    elif word in ("with", "except"):
        for name, several in _AFTER_AS.findall(header):
            yield from (name,) if name else names_in(several)
    elif word == "case":
        yield from _CAPTURED.findall(header, len(word))
    yield from _WALRUS.findall(header)


def _of_simple(statement: str) -> list[str]:
    """The names bound by one simple statement, imports included."""
    if statement.startswith(("import", "from")):
        names = [name for record in find_imports(statement) for name in record.binds]
        if names:
            return names
    if "=" not in statement and ":" not in statement:
        return []
    alias = _TYPE_ALIAS.match(statement)
    names = [alias[1]] if alias else [name for target in assigned(statement) for name in names_in(target)]
    return names + _WALRUS.findall(statement) if ":=" in statement else names
