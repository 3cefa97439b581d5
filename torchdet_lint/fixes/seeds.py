"""The seed that a program has at a place: a parameter, an option, a constant of the module; else 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.analysis.triggers import SEED_WORD
from torchdet_lint.analysis.values import NONE, Known, Value, alternatives
from torchdet_lint.checks.facts import Facts, nested
from torchdet_lint.checks.seed_names import is_seed_name
from torchdet_lint.checks.seed_reads import AttributeReads
from torchdet_lint.fixes.code import Code, Placed

PARSES = frozenset(("parse_args", "parse_known_args", "parse_args_into_dataclasses", "parse"))
FALLBACK = "0"

SEEDERS = {"python": "random.seed", "numpy": "numpy.random.seed", "torch": "torch.manual_seed"}
PLAIN_SEEDERS = (*SEEDERS.values(), "torch.random.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all")
"""What takes a seed for a global generator and nothing else."""


class Seed(NamedTuple):
    """An expression for a seed, and the offset from which on it holds. `optional`: it may be None."""

    text: str
    since: int = 0
    optional: bool = False

    @property
    def argument(self) -> str:
        """The expression with something to fall back on."""
        return f"{self.text} or {FALLBACK}" if self.optional else self.text


CONSTANT = Seed(FALLBACK)


def seed_at(facts: Facts, code: Code, at: int) -> Seed:
    """The seed to use at an offset."""
    return next(seeds_before(facts, code, at), CONSTANT)


def seeds_before(facts: Facts, code: Code, at: int) -> Iterator[Seed]:
    """The seeds that hold at an offset, the nearest first."""
    for function, base in code.functions(at):
        bound = [each for each in _earlier(code, at) if each.base == base and each.start > base + function.span[0]]
        yield from _seeded(facts, code, bound)
        yield from (each for each in _parameters(function, base) if not _is_called(code, at, each.text))
        names = {param.name for param in function.params}
        yield from _variables(facts, code, bound)
        yield from _options(facts, code, _namespaces(facts, bound), bound)
        yield from _options(facts, code, dict.fromkeys(sorted(names), 0), bound, checked=_attributes(function))
        if names & {"self"}:
            yield from _own(code, at)
    top = [each for each in _earlier(code, at) if isinstance(each.statement, ir.Assign) and _is_top(code, each)]
    if code.function(at) is not None:
        top = [each for each in code.top if isinstance(each.statement, ir.Assign)]
    else:
        yield from _seeded(facts, code, _earlier(code, at))
    yield from _variables(facts, code, top)
    yield from _options(facts, code, _namespaces(facts, top), top)


def _is_top(code: Code, placed: Placed) -> bool:
    return code.function(placed.start) is None


def _earlier(code: Code, at: int) -> list[Placed]:
    """The statements that certainly ran before the one at an offset: those above it in the blocks around it."""
    return [each for around in code.around(at) for each in around.block[: around.index] if each.start < at]


def _seeded(facts: Facts, code: Code, bound: list[Placed]) -> Iterator[Seed]:
    """What a global generator was seeded with above."""
    names = facts.names(code.path)
    for placed in reversed(bound):
        call = placed.statement.value if isinstance(placed.statement, ir.Do) else None
        if isinstance(call, ir.Call) and len(call.args) == 1 and names.dotted(call.func) in PLAIN_SEEDERS:
            value = call.args[0].value
            if is_pure(value) and not (isinstance(value, ir.Const) and type(value.value) is not int):
                yield Seed(code.written(placed.base, value.span), code.line_end(placed.end))


def is_pure(value: ir.Expr) -> bool:
    """Whether an expression may be evaluated twice."""
    calls = [node for node in nested(value) if isinstance(node, ir.Call)]
    return all(isinstance(call.func, ir.Name) and call.func.id in ("int", "abs", "len", "max", "min") for call in calls)


def _parameters(function: ir.Function, base: int) -> Iterator[Seed]:
    for param in function.params:
        if param.kind in ("normal", "keyword", "positional") and is_seed_name(param.name):
            if isinstance(param.default, ir.Const) and not isinstance(param.default.value, int | None):
                continue
            default = param.default
            none = isinstance(default, ir.Const) and default.value is None
            if isinstance(default, ir.Const) and isinstance(default.value, bool):
                continue
            yield Seed(param.name, base + function.span[1], none)


def _is_called(code: Code, at: int, name: str) -> bool:
    """Whether what has the name gives seeds, rather than being one."""
    unit = code.unit_at(at)
    body = code.project.body(code.path, unit.index) if unit is not None else ()
    called = (node.func for node in nested(body) if isinstance(node, ir.Call))
    return any(name in (getattr(func, "id", ""), getattr(func, "name", "")) for func in called)


def _variables(facts: Facts, code: Code, bound: list[Placed]) -> Iterator[Seed]:
    """Variables that are named like seeds and hold a plain value."""
    for placed in reversed(bound):
        statement = placed.statement
        if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if isinstance(target, ir.Name) and is_seed_name(target.id.lower()) and _is_plain(statement.value):
            yield Seed(target.id, code.line_end(placed.end))


def _is_plain(value: ir.Expr | None) -> bool:
    """Whether an expression gives a whole number that hangs on nothing random, as far as one can see."""
    if isinstance(value, ir.Const):
        return type(value.value) is int and value.value >= 0
    if isinstance(value, ir.Binary):
        return all(_is_plain(part) or isinstance(part, ir.Name | ir.Attr) for part in (value.left, value.right))
    if isinstance(value, ir.Call) and isinstance(value.func, ir.Name) and value.func.id == "int":
        return all(isinstance(arg.value, ir.Name | ir.Attr) for arg in value.args)
    return False


def _namespaces(facts: Facts, bound: list[Placed]) -> dict[str, int]:
    """The variables that hold parsed options, with the offset from which on they do."""
    found: dict[str, int] = {}
    for placed in bound:
        statement = placed.statement
        if not isinstance(statement, ir.Assign) or len(statement.targets) != 1 or statement.value is None:
            continue
        target, value = statement.targets[0], statement.value
        if isinstance(target, ir.Sequence) and target.items:
            target = target.items[0]
        if isinstance(target, ir.Name) and isinstance(value, ir.Call) and _parses(facts, placed, value):
            found[target.id] = placed.end
    return found


def parses_options(facts: Facts, placed: Placed) -> bool:
    """Whether a statement assigns parsed options."""
    value = placed.statement.value if isinstance(placed.statement, ir.Assign) else None
    return isinstance(value, ir.Call) and _parses(facts, placed, value)


def _parses(facts: Facts, placed: Placed, call: ir.Call, depth: int = 3) -> bool:
    """Whether a call gives parsed options: a parser's method, or a function of the file that returns what one gives."""
    if isinstance(call.func, ir.Attr):
        return call.func.name in PARSES
    if not isinstance(call.func, ir.Name) or depth == 0:
        return False
    name = call.func.id
    if "arg" not in name and "opt" not in name and "pars" not in name and "config" not in name:
        return False
    return any(
        isinstance(node, ir.Function)
        and node.name == name
        and any(isinstance(n, ir.Attr) and n.name in PARSES for n in nested(node.body))
        for module in facts.project.modules.values()
        for unit in module.source.units
        if unit.kind == "def" and name in unit.names
        for node in facts.project.body(module.path, unit.index)
    )


def _attributes(function: ir.Function) -> frozenset[tuple[str, str]]:
    """The attributes of plain names that a function reads."""
    return frozenset(
        (node.value.id, node.name)
        for node in nested(function.body)
        if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name)
    )


def _options(
    facts: Facts,
    code: Code,
    namespaces: dict[str, int],
    bound: list[Placed],
    checked: frozenset[tuple[str, str]] | None = None,
) -> Iterator[Seed]:
    """Seed options of the command line. With `checked` a name only counts where other options are read from it."""
    if not namespaces:
        return
    reach = _reach(facts, code.path)
    options = {event.api: event for event in facts.events("option") if event.site.path in reach}
    for name, event in sorted(options.items(), key=lambda item: _rank(facts, item[0])):
        # "init" is a verb in names of functions only.
        if not SEED_WORD.search(name) or not is_seed_name(name.removeprefix("init_")):
            continue
        default, text = event.value, "{}"
        kind = event.made.get("type") if event.made is not None else None
        if not _is_number(kind, default):
            continue
        if kind is None and not (isinstance(default, Known) and type(default.value) is int):
            text = "int({})"
        for namespace, since in namespaces.items():
            if checked is None or any(own == namespace and other in options for own, other in checked):
                none = default == NONE or NONE in alternatives(default)
                yield Seed(text.format(f"{namespace}.{name}"), since, none)


def _rank(facts: Facts, name: str) -> tuple[bool, bool, str]:
    """Which seed option to take first: one that nothing reads was meant to be used, then the one that is simply the seed."""
    dead = SEED_WORD.search(name) is not None and not AttributeReads(facts.project).reads_option(name)
    return (not dead, name != "seed", name)


def _is_number(kind: Value | None, default: Value) -> bool:
    """Whether an option of this type and default is a seed that generators take."""
    if kind is not None and "int" not in repr(kind):
        return False
    if isinstance(default, Known):
        if default == NONE:
            return kind is not None
        return type(default.value) is int and default.value >= 0
    return kind is not None


def _reach(facts: Facts, path: str) -> frozenset[str]:
    """The files of the programs that a file is a part of."""
    closures = [facts.imported_by(program.program.path) for program in facts.programs]
    return facts.imported_by(path).union(*(closure for closure in closures if path in closure))


def _own(code: Code, at: int) -> Iterator[Seed]:
    """An attribute of `self` that holds a seed, set by the constructor from a parameter."""
    for around in reversed(code.around(at)):
        if not isinstance(around.here.statement, ir.Class):
            continue
        for method in around.here.statement.body:
            if isinstance(method, ir.Function) and method.name == "__init__":
                yield from _stored(code, method, around.here.base, at)
        return


def _stored(code: Code, init: ir.Function, base: int, at: int) -> Iterator[Seed]:
    params = {param.name: param for param in init.params}
    for statement in init.body:
        if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Name):
            continue
        target, param = statement.targets[0], params.get(statement.value.id)
        stored = isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == "self"
        if stored and param is not None and isinstance(target, ir.Attr) and is_seed_name(target.name):
            if base + init.span[0] <= at < base + statement.span[1]:
                continue
            none = isinstance(param.default, ir.Const) and param.default.value is None
            if not _is_called(code, at, target.name):
                yield Seed(f"self.{target.name}", 0, none)
