"""What things are called in a file, and import statements for those that have no name yet."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from torchdet_lint.finding import Edit
from torchdet_lint.fixes.code import Code
from torchdet_lint.project.names import local_bindings
from torchdet_lint.source import ImportRecord, Unit

_ALIASES = {"numpy": "np"}
"""Names that everybody imports a module under."""

_FROM = "torch.nn.attention."
"""A module whose members are imported one by one: `import torch` alone need not load it."""

_DOCSTRING = re.compile(r"[rRuU]?(?:\"\"\"|'''|\"|')")


class Named(NamedTuple):
    """How a dotted name is spelled at a place, and the insertion of the import that it takes, if it takes one."""

    text: str
    imports: tuple[Edit, ...] = ()


def named(code: Code, dotted: str, at: int) -> Named | None:
    """A spelling of a module, or of a member of one, that holds at an offset. None where the name that it would be imported
    under means something else there.
    """
    hidden = _hidden(code, at)
    for text, bound in _spellings(code, dotted, at):
        if bound not in hidden:
            return Named(text)
    if dotted.startswith(_FROM):
        module, _, member = dotted.rpartition(".")
        return _imported(code, f"from {module} import {member}", member, member, hidden, at)
    module, _, member = dotted.partition(".")
    alias = _ALIASES.get(module, module)
    statement = f"import {module} as {alias}" if alias != module else f"import {module}"
    return _imported(code, statement, alias, f"{alias}.{member}" if member else alias, hidden, at)


def _imported(code: Code, statement: str, bound: str, text: str, hidden: frozenset[str], at: int) -> Named | None:
    if bound in hidden or any(bound in unit.names for unit in code.source.units):
        return None
    edit = import_edit(code, statement)
    return Named(text, (edit,)) if edit is not None and edit.start <= at else None


def _spellings(code: Code, dotted: str, at: int) -> Iterator[tuple[str, str]]:
    """(spelling, the name it starts with) by the imports that hold at an offset, the most direct first."""
    found = []
    for record in _records(code, at):
        if record.level:
            continue
        if record.bound:
            whole = record.module if record.bound != record.module.partition(".")[0] else record.bound
            pairs = [(whole, record.bound)]
        else:
            pairs = [(f"{record.module}.{name}", bound) for name, bound in record.names]
        for whole, bound in pairs:
            if dotted == whole:
                found.append((0, bound, bound))
            elif dotted.startswith(whole + ".") and (not dotted.startswith(_FROM) or whole + "." == _FROM):
                rest = dotted[len(whole) + 1 :]
                found.append((1 + rest.count("."), f"{bound}.{rest}", bound))
    for _, text, bound in sorted(found):
        yield text, bound


def _records(code: Code, at: int) -> Iterator[ImportRecord]:
    """The imports that certainly hold at an offset: those at the top level, and before it in its function."""
    function = code.function(at)
    begin = function[0].span[0] + function[1] if function is not None else None
    for start, top, record in code.imports:
        if (
            top
            and (function is not None or start < at)
            or begin is not None
            and begin < start < at
            and len(code.indent(start)) <= len(code.indent(at))
        ):
            yield record


def _hidden(code: Code, at: int) -> frozenset[str]:
    """Names that the functions around an offset bind to something else."""
    found: set[str] = set()
    for function, _ in code.functions(at):
        found |= {name for name, local in local_bindings(function).items() if local.other or local.values}
    return frozenset(found)


def is_free(code: Code, name: str, at: int) -> bool:
    """Whether a name means nothing yet at an offset, and is nowhere a name of the file's top level."""
    if any(name in unit.names for unit in code.source.units):
        return False
    if code.function(at) is None:
        return not any(name in unit.words for unit in code.source.units)
    return all(name not in local_bindings(each) for each, _ in code.functions(at))


# Where imports go


def import_edit(code: Code, statement: str) -> Edit | None:
    """The insertion of an import statement beside the imports that there are, or at the head of the file."""
    units = _leading_imports(code)
    if not units:
        return _first_import(code, statement)
    module = _module(statement)
    own = _group(code, module)
    group = [unit for unit in units if _group(code, _unit_module(code, unit)) == own and not _future(code, unit)]
    if group:
        before = [unit for unit in group if _order(code, unit) < _key(statement)]
        if before:
            return _after(code, before[-1], statement)
        return code.insertion(code.line_start(group[0].start), (statement,), "")
    lower = [unit for unit in units if _group(code, _unit_module(code, unit)) < own or _future(code, unit)]
    if lower:
        edit = _after(code, lower[-1], statement)
        return None if edit is None else edit._replace(text=code.newline + edit.text)
    return code.insertion(code.line_start(units[0].start), (statement, ""), "")


def _after(code: Code, unit: Unit, statement: str) -> Edit | None:
    end = code.line_end(unit.end)
    if code.mask[unit.end : end].strip():
        return None
    return code.edit(end, end, code.newline + statement)


def _leading_imports(code: Code) -> list[Unit]:
    """The imports at the head of the file: up to the first statement that is more than set-up between imports."""
    found: list[Unit] = []
    gap = 0
    for unit in code.source.units:
        if unit.kind in ("import", "from"):
            if not found or gap <= 3:
                found.append(unit)
            gap = 0
        elif unit.kind in ("def", "class", "for", "while", "with"):
            break
        elif found:
            gap += 1
    return found


def _first_import(code: Code, statement: str) -> Edit | None:
    """At the head of a file without imports: after its docstring and comments."""
    units = code.source.units
    if not units:
        return None
    first = units[0]
    if first.kind == "expr" and _DOCSTRING.match(code.text, first.start):
        if len(units) == 1:
            return None
        first = units[1]
        edit = code.lines_before(first.start, (statement, ""))
    else:
        edit = code.lines_before(first.start, (statement, ""), lift=False)
    blank = units[0].kind != "def"
    return edit if blank or edit is None else edit._replace(text=edit.text + code.newline)


def _future(code: Code, unit: Unit) -> bool:
    return _unit_module(code, unit) == "__future__"


def _unit_module(code: Code, unit: Unit) -> str:
    return _module(code.text[unit.start : unit.end])


def _module(statement: str) -> str:
    """The module that an import statement names, with the dots of a relative one."""
    words = statement.replace("(", " ").split()
    return words[1].rstrip(",;") if len(words) > 1 else ""


def _group(code: Code, module: str) -> int:
    """The standard library, third parties, the project itself: the order of import blocks."""
    if module.startswith("."):
        return 2
    if module.partition(".")[0] in sys.stdlib_module_names:
        return 0
    return 1 if code.project.layout.find(code.path, module, 0) is None else 2


def _key(statement: str) -> tuple[int, str]:
    return (0 if statement.startswith("import") else 1, _module(statement).lower())


def _order(code: Code, unit: Unit) -> tuple[int, str]:
    return (0 if unit.kind == "import" else 1, _unit_module(code, unit).lower())
