"""`[match]` tables: rules that need no code, because they speak about every call of some function."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from torchdet_lint.catalog.tables import Table

TESTS = ("missing", "given", "true", "false", "none", "equals")

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


class Condition(NamedTuple):
    """A condition on one argument of the call.

    `argument` is the keyword, `position` the index at which it may be given without it (None: by keyword only). `test`
    is "missing", "given", or what the argument's value must be known to be: "true", "false", "none", or "equals" with
    `value` (a string, number or boolean). A value that is not known fulfils none of the latter.
    """

    argument: str
    position: int | None
    test: str
    value: str | int | float | bool | None


class Match(NamedTuple):
    """Calls of one of `callees` (canonical dotted names, such as "torch.load") for which all conditions hold."""

    callees: tuple[str, ...]
    when: tuple[Condition, ...]


def read_match(table: Table) -> Match:
    """The `Match` of a `[match]` table; raises `CatalogError`."""
    callees = table.texts("callees")
    if not callees:
        raise table.error("callees", "must name at least one function")
    for callee in callees:
        if not _DOTTED.fullmatch(callee):
            raise table.error("callees", f'has "{callee}", which is not a dotted name such as "torch.load"')
    when = tuple(_read_condition(condition) for condition in table.tables("when"))
    table.finish()
    return Match(callees, when)


def _read_condition(table: Table) -> Condition:
    argument = table.line("argument")
    if not argument.isidentifier():
        raise table.error("argument", f'is "{argument}", but must be the name of a parameter')
    position = table.number("position") if "position" in table else None
    if position is not None and position < 0:
        raise table.error("position", "must count from 0")
    test = table.choice("is", TESTS)
    value: Any = table.anything("value")
    if test == "equals" and not isinstance(value, (str, int, float, bool)):
        raise table.error("value", 'must be a string, a number, true or false where `is` is "equals"')
    if test != "equals" and value is not None:
        raise table.error("value", 'has no meaning unless `is` is "equals"')
    table.finish()
    return Condition(argument, position, test, value)
