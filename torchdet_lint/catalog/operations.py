"""The table of torch operations that differ from run to run: `rules/_operations.toml` as frozen values.

What a row means stands at the head of that file; the versions are those of torch's own list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from torchdet_lint.catalog.compiled import compiled
from torchdet_lint.catalog.errors import VersionError
from torchdet_lint.catalog.rules import read_text, rules_folder
from torchdet_lint.catalog.tables import Table, parse_toml
from torchdet_lint.catalog.versions import Interval

FILE = "_operations.toml"
TESTS = ("equals", "not", "given", "size", "tensor", "repeats", "rounds", "float", "spatial", "unflattened")
PASSES = ("forward", "backward")

_CONDITION = re.compile(
    r"(?P<word>float|spatial|unflattened)"
    r"|(?P<kind>!|tensor:|repeats:|rounds:|)(?P<name>[a-z_]+)@(?P<at>\d)(?:=(?P<value>\w+)|(?P<size>>1)|)"
)


class Condition(NamedTuple):
    """One condition on a call; `test` is one of `TESTS`, the argument is `name`, or the one at `position`.

    "equals", "not": the argument has the value `value`, or not; "given"; "size": a size other than 1; "tensor": it is known to be
    a tensor; "repeats": it can hold an index twice; "rounds": it is not
    known to hold whole numbers, whose sum does not hang on the order; "float", "spatial": what the operation works on;
    "unflattened": its pixels are not known to be made rows of a matrix.
    """

    test: str
    name: str = ""
    position: int | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """An entry of torch's list. `raises`, `replaced`, `around` are version conditions, "" for never; `copies`: it writes without
    adding up.
    """

    listed: str
    where: str
    backward: bool
    raises: str
    replaced: str
    around: str
    copies: bool
    why: str
    instead: str
    calls: tuple[tuple[str, tuple[Condition, ...]], ...]
    said: str
    source: str

    def strict(self, torch: Interval) -> str:
        """What strict mode does with it in the newest torch of an interval: "raises", "replaced" (it takes a deterministic way,
        listed or not), or "" where the table does not reach.
        """
        if any(spec and torch.newest_satisfies(spec) for spec in (self.replaced, self.around)):
            return "replaced"
        return "raises" if self.raises and torch.newest_satisfies(self.raises) else ""


@dataclass(frozen=True, slots=True)
class Operations:
    """The table. `by_callee` maps callees to their rows with the conditions, in the order of the file.

    `methods` are the names of tensors' methods among them; `ambiguous` those that other objects have too.
    """

    rows: tuple[Operation, ...]
    by_callee: Mapping[str, tuple[tuple[Operation, tuple[Condition, ...]], ...]]
    methods: frozenset[str]
    ambiguous: frozenset[str]


@cache
def load_operations() -> Operations:
    """The table that torchdet-lint brings; raises `CatalogError` when it is missing or damaged."""
    path = rules_folder() / FILE
    return read_operations(
        Table(compiled("operations", lambda: parse_toml(read_text(path), str(path)).data), str(path))
    )


def read_operations(table: Table) -> Operations:
    """The table of a parsed file; raises `CatalogError` with one line that names the row and the key."""
    source = table.table("defaults").line("source")
    ambiguous = frozenset(table.table("methods").text("ambiguous").split())
    rows = tuple(_operation(row, source) for row in table.tables("operation"))
    table.finish()
    by_callee: dict[str, tuple[tuple[Operation, tuple[Condition, ...]], ...]] = {}
    for row in rows:
        for callee, conditions in row.calls:
            by_callee[callee] = (*by_callee.get(callee, ()), (row, conditions))
    methods = frozenset(
        callee.removeprefix("torch.Tensor.") for callee in by_callee if callee.startswith("torch.Tensor.")
    )
    return Operations(rows, by_callee, methods, ambiguous)


def _operation(row: Table, source: str) -> Operation:
    said = row.text("said", "")
    found = Operation(
        listed=row.line("listed"),
        where=row.text("where", ""),
        backward=row.choice("pass", PASSES) == "backward",
        raises=_versions(row, "raises"),
        replaced=_versions(row, "replaced"),
        around=_versions(row, "around"),
        copies=row.flag("copies", False),
        why=row.text("why", "") if said else row.line("why"),
        instead=row.text("instead", "") if said else row.line("instead"),
        calls=tuple(_call(row, call) for call in row.texts("calls", ())),
        said=said,
        source=row.line("source", source),
    )
    if bool(found.calls) == bool(said):
        raise row.error("calls", "must be given, or `said` must say why not")
    if not (found.raises or found.replaced):
        raise row.error("raises", "or `replaced` must be given")
    row.finish()
    return found


def _versions(row: Table, key: str) -> str:
    text = row.text(key, "")
    try:
        Interval().newest_satisfies(text)
    except VersionError as error:
        raise row.error(key, f"holds {error}") from error
    return text


def _call(row: Table, text: str) -> tuple[str, tuple[Condition, ...]]:
    callee, *conditions = text.split()
    return callee, tuple(_condition(row, condition) for condition in conditions)


def _condition(row: Table, text: str) -> Condition:
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise row.error("calls", f'holds "{text}", which is no condition')
    if found["word"]:
        return Condition(found["word"])
    name, position, value = found["name"], int(found["at"]), found["value"] or ""
    kind = found["kind"].rstrip(":")
    test = {"!": "not", "": "equals" if value else "size" if found["size"] else "given"}.get(kind, kind)
    return Condition(test, name, position, value)
