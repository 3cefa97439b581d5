"""TDL108: the sampler is told the epoch."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Fix
from torchdet_lint.fixes.code import Code, Placed
from torchdet_lint.fixes.target import Target, fix
from torchdet_lint.project.names import flat

TITLE = "tell the sampler the epoch"
COUNTERS = ("epoch", "epochs", "current_epoch", "cur_epoch", "epoch_idx", "epoch_num", "num_epoch", "num_epochs_done")
"""Names of what counts the epochs."""


def tell_epoch(target: Target) -> Fix | None:
    """TDL108: `sampler.set_epoch(epoch)` at the head of the loop over epochs."""
    code = target.code
    around = code.around(target.start)
    if not around:
        return None
    placed = around[-1].here
    name = assigned(placed)
    path = _path(code, placed, target)
    if not name or not path:
        return _tell_in_class(target)
    holders = {name, *_holders(code, target.start, name)}
    for loop in _later_loops(code, target.start):
        statement = loop.statement
        if not isinstance(statement, ir.For) or not isinstance(statement.target, ir.Name) or not statement.body:
            continue
        if not _counts(statement) or not _mentions(statement, holders):
            continue
        first = loop.base + statement.body[0].span[0]
        line = f"{path}.set_epoch({_epoch(code, loop, statement)})"
        condition = _condition(target, name)
        lines = [line] if condition is None else [f"if {condition}:", f"{_step(code, first)}{line}"]
        return fix(TITLE, "unsafe", [code.lines_before(first, lines)])
    return _tell_in_class(target)


def _tell_in_class(target: Target) -> Fix | None:
    """The same where a class keeps the sampler or its loader, and a method goes through it once an epoch."""
    code = target.code
    cls = next(
        (level.here for level in reversed(code.around(target.start)) if isinstance(level.here.statement, ir.Class)),
        None,
    )
    if cls is None or not isinstance(cls.statement, ir.Class):
        return None
    kept, sampler = _kept(target)
    methods = [Placed(each, cls.base) for each in cls.statement.body if isinstance(each, ir.Function)]
    passes = [(method, loop) for method in methods for loop in _inside(method) if _goes_through(loop, kept)]
    if not passes:
        return None
    sampler = sampler or _sampler_of(passes[0][1])
    for loop, epoch in _epoch_loops(methods, {_name(method) for method, _ in passes}, kept):
        start = _body_start(loop)
        if sampler:
            return fix(TITLE, "unsafe", [code.lines_before(start, [f"{sampler}.set_epoch({epoch})"])])
    for method, loop in passes:
        epoch = _counter(method, cls)
        if sampler and epoch:
            return fix(TITLE, "unsafe", [code.lines_before(loop.start, [f"{sampler}.set_epoch({epoch})"])])
    return None


def _kept(target: Target) -> tuple[set[str], str]:
    """The attributes of `self` that hold what gets the sampler, and how the sampler itself is reached."""
    code = target.code
    placed = code.around(target.start)[-1].here
    name = assigned(placed)
    holders = {name, *_holders(code, target.start, name)} - {""}
    own = _path(code, placed, target)
    kept = {own.removeprefix("self.").partition("[")[0].partition(".")[0]} if own.startswith("self.") else set()
    for each in _statements(code, target.start):
        statement = each.statement
        if isinstance(statement, ir.Assign) and statement.value is not None:
            attribute = _own_attribute(statement.targets[0])
            if attribute and (_mentions(statement.value, holders) or _reads(statement.value) & kept):
                kept.add(attribute)
    return kept, own if own.startswith("self.") else ""


def _path(code: Code, placed: Placed, target: Target) -> str:
    """How what is made at the finding is reached after its statement: `self.sampler`, `samplers["train"]`."""
    statement = placed.statement
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1 or statement.value is None:
        return ""
    text = code.written(placed.base, statement.targets[0].span)
    value = statement.value
    parts = (value.then, value.other) if isinstance(value, ir.Choice) else (value,)
    if any(placed.base + part.span[0] == target.start for part in parts):
        return text
    for arg in value.args if isinstance(value, ir.Call) else ():
        if arg.name == "sampler" and placed.base + arg.value.span[0] == target.start:
            return f"{text}.sampler"
    if isinstance(value, ir.Mapping):
        for key, item in value.items:
            if isinstance(key, ir.Const) and placed.base + item.span[0] == target.start:
                return f"{text}[{code.written(placed.base, key.span)}]"
    return ""


def _own_attribute(expr: ir.Expr) -> str:
    """The attribute of `self` that an expression names, or an item of it."""
    inner = expr.value if isinstance(expr, ir.Item) else expr
    own = isinstance(inner, ir.Attr) and isinstance(inner.value, ir.Name) and inner.value.id == "self"
    return inner.name if own and isinstance(inner, ir.Attr) else ""


def _reads(node: object) -> set[str]:
    """The attributes of `self` that occur in a node."""
    return {_own_attribute(each) for each in nested(node) if isinstance(each, ir.Attr)} - {""}


def _goes_through(loop: Placed, kept: set[str]) -> bool:
    return isinstance(loop.statement, ir.For) and bool(_reads(loop.statement.iter) & kept)


def _sampler_of(loop: Placed) -> str:
    """The sampler of the loader that a loop goes through."""
    names = _reads(loop.statement.iter) if isinstance(loop.statement, ir.For) else set()
    return f"self.{next(iter(names))}.sampler" if len(names) == 1 else ""


def _epoch_loops(methods: list[Placed], passing: set[str], kept: set[str]) -> Iterator[tuple[Placed, str]]:
    """The loops that count epochs: they go through the loader, or call a method that does."""
    for method in methods:
        for loop in _inside(method):
            statement = loop.statement
            counts = isinstance(statement, ir.For) and isinstance(statement.target, ir.Name) and _counts(statement)
            if not counts or not isinstance(statement, ir.For) or not isinstance(statement.target, ir.Name):
                continue
            if statement.body and _reads(statement.body) & (passing | kept):
                yield loop, statement.target.id


def _name(method: Placed) -> str:
    return method.statement.name if isinstance(method.statement, ir.Function) else ""


def _body_start(loop: Placed) -> int:
    body = loop.statement.body if isinstance(loop.statement, ir.For) else ()
    return loop.base + body[0].span[0]


def _counter(method: Placed, cls: Placed) -> str:
    """What counts the epochs where a method goes through the loader: a parameter, or an attribute that is counted up."""
    function = method.statement
    if isinstance(function, ir.Function):
        for param in function.params:
            if param.name in COUNTERS:
                return param.name
    for node in nested(cls.statement):
        if isinstance(node, ir.Augment) and node.op == "+" and _own_attribute(node.target) in COUNTERS:
            return f"self.{_own_attribute(node.target)}"
    return ""


def _inside(method: Placed) -> list[Placed]:
    body = method.statement.body if isinstance(method.statement, ir.Function) else ()
    return [Placed(each, method.base) for each in flat(body)]


def _step(code: Code, at: int) -> str:
    return "\t" if "\t" in code.indent(at) else "    "


def _epoch(code: Code, loop: Placed, statement: ir.For) -> str:
    return statement.target.id if isinstance(statement.target, ir.Name) else "0"


def assigned(placed: Placed) -> str:
    statement = placed.statement
    if isinstance(statement, ir.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ir.Name):
        return statement.targets[0].id
    return ""


def _holders(code: Code, at: int, name: str) -> set[str]:
    """The variables that are made with the sampler: loaders."""
    return {
        assigned(placed)
        for placed in _statements(code, at)
        if assigned(placed) and isinstance(placed.statement, ir.Assign) and _mentions(placed.statement.value, {name})
    } | _through_arguments(code, at, name)


def _through_arguments(code: Code, at: int, name: str) -> set[str]:
    """Loaders that get the sampler in a dictionary of arguments: `kwargs = {"sampler": sampler}`."""
    given = {
        assigned(placed)
        for placed in _statements(code, at)
        if isinstance(placed.statement, ir.Assign) and isinstance(placed.statement.value, ir.Mapping | ir.Call)
        and _mentions(placed.statement.value, {name})
    }  # fmt: skip
    return {
        assigned(placed)
        for placed in _statements(code, at)
        if isinstance(placed.statement, ir.Assign) and _mentions(placed.statement.value, given - {""})
    } - {""}


def _statements(code: Code, at: int) -> list[Placed]:
    """The statements of the function around an offset, or of the top level, at any depth."""
    function = code.function(at)
    block = code.top if function is None else tuple(Placed(each, function[1]) for each in function[0].body)
    return [inner for placed in block for inner in _flat(placed)]


def _flat(placed: Placed) -> list[Placed]:
    return [Placed(each, placed.base) for each in flat((placed.statement,))]


def _later_loops(code: Code, at: int) -> list[Placed]:
    """The outermost loops below an offset, in the same function."""
    return [each for each in _statements(code, at) if isinstance(each.statement, ir.For) and each.start > at]


def _counts(statement: ir.For) -> bool:
    """Whether a loop counts: over `range(...)`, or a wrapper of it."""
    return any(isinstance(node, ir.Name) and node.id in ("range", "trange") for node in nested(statement.iter))


def _mentions(node: object, names: set[str]) -> bool:
    return any(isinstance(each, ir.Name) and each.id in names for each in nested(node))


def _condition(target: Target, name: str) -> str | None:
    """Under which condition the variable holds a sampler, where it does not always."""
    code = target.code
    around = code.around(target.start)
    statement = around[-1].here.statement
    if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Choice):
        return code.written(around[-1].here.base, statement.value.test.span)
    others = [p for p in _statements(code, target.start) if assigned(p) == name and p.start != around[-1].here.start]
    if not others:
        return None
    for level in reversed(around[:-1]):
        holder = level.here.statement
        if isinstance(holder, ir.If) and any(p.start > level.here.start for p in others):
            inside = level.here.base + holder.body[-1].span[1] if holder.body else 0
            if target.start < inside:
                return code.written(level.here.base, holder.test.span)
        if isinstance(holder, ir.Function):
            break
    return f"isinstance({name}, {_class(target)})"


def _class(target: Target) -> str:
    return target.code.written(target.call[1], target.call[0].func.span) if target.call is not None else "object"
