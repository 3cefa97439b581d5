"""TDL105, 106: `sorted(...)` around a listing or a set."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.ordering import OrderUse
from torchdet_lint.checks.facts import nested
from torchdet_lint.checks.ordering import uses_of
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.code import Code
from torchdet_lint.fixes.target import Target, fix

LISTS = frozenset(("os.listdir", "glob.glob"))
"""Listings that are lists; the others are iterators, which are used up once and have `next`."""

CONSUMERS = frozenset(
    ("list", "tuple", "enumerate", "zip", "map", "filter", "sum", "extend", "join", "dict", "tqdm", "reversed")
)
"""Callables to which a list and an iterator are the same."""

TITLE = "sort it"


def sort(target: Target) -> Fix | None:
    """TDL105, 106"""
    use = _use(target)
    if use is None or use.elements == "object" and use.kind == "set":
        return None
    if use.kind == "listing":
        return _sorted_listing(target, use)
    return _sorted_set(target, use)


def _use(target: Target) -> OrderUse | None:
    """What the check found at the place."""
    code, facts = target.code, target.facts
    unit = code.unit_at(target.start)
    if unit is None:
        return None
    wanted = (target.start - unit.start, target.end - unit.start)
    kind = "listing" if target.finding.code == "TDL105" else "set"
    uses = uses_of(facts, code.path, unit.index)
    return next((use for use in uses if use.span == wanted and use.kind == kind), None)


def _sorted_listing(target: Target, use: OrderUse) -> Fix | None:
    code, start, end = target.code, target.start, target.end
    last = use.api.rpartition(".")[2]
    if last == "walk":
        return _sorted_walk(target)
    key = ", key=lambda entry: entry.name" if last == "scandir" else ""
    if use.source is not None:  # `with os.scandir(path) as entries`
        start, end = _operand(code, target.start, target.end)
    around = _around(code, start, end)
    if isinstance(around, ir.Call) and _callee(around) == "next":
        return fix(TITLE, "unsafe", [_wrapped(code, start, end, f"iter(sorted({{}}{key}))")])
    as_list = _as_list(code, around, start, end)
    if as_list is not None and not key:
        return fix(TITLE, "safe", [as_list])
    if use.api not in LISTS and _stays_iterator(code, around, start):
        return None
    consumed = use.api in LISTS or isinstance(around, ir.For | ir.Comprehension) or _callee(around) in CONSUMERS
    return fix(TITLE, "safe" if consumed else "unsafe", [_wrapped(code, start, end, f"sorted({{}}{key})")])


def _sorted_set(target: Target, use: OrderUse) -> Fix | None:
    code = target.code
    safety = "safe" if use.elements == "str" else "unsafe"
    if target.call is not None and _callee(target.call[0]) == "list" and len(target.call[0].args) == 1:
        call, base = target.call
        return fix(TITLE, safety, [code.edit(base + call.func.span[0], base + call.func.span[1], "sorted")])
    start, end = _operand(code, target.start, target.end)
    if use.fix_span is not None:
        unit = code.source.units[use.unit]
        start, end = unit.start + use.fix_span[0], unit.start + use.fix_span[1]
    as_list = _as_list(code, _around(code, start, end), start, end)
    return fix(TITLE, safety, [as_list or _wrapped(code, start, end, "sorted({})")])


def _wrapped(code: Code, start: int, end: int, around: str) -> Edit | None:
    """The expression inside of a call. A bare generator expression of another call brings its brackets along."""
    text = code.text[start:end]
    if "\n" in code.mask[start:end] and code.mask[start] not in "([{" and not _bracketed(code, start, end):
        return None
    before, after = around.split("{}")
    return code.edit(start, end, f"{before}{text}{after}")


def _bracketed(code: Code, start: int, end: int) -> bool:
    """Whether every line end in a span stands inside of brackets that open in it."""
    depth = 0
    for char in code.mask[start:end]:
        depth += (char in "([{") - (char in ")]}")
        if char == "\n" and depth <= 0:
            return False
    return True


def _as_list(code: Code, around: object, start: int, end: int) -> Edit | None:
    """`list(...)` around the span becomes `sorted(...)`."""
    if not isinstance(around, ir.Call) or _callee(around) != "list" or len(around.args) != 1:
        return None
    unit = code.unit_at(start)
    if unit is None or not isinstance(around.func, ir.Name):
        return None
    begin = unit.start + around.func.span[0]
    return code.edit(begin, begin + len("list"), "sorted")


def _around(code: Code, start: int, end: int) -> object:
    """The smallest call, loop, comprehension or assignment that the span is directly in."""
    unit = code.unit_at(start)
    if unit is None:
        return None
    wanted = (start - unit.start, end - unit.start)
    for node in nested(code.project.body(code.path, unit.index)):
        if isinstance(node, ir.Call) and any(arg.value.span == wanted for arg in node.args):
            return node
        if isinstance(node, ir.For) and node.iter.span == wanted:
            return node
        if isinstance(node, ir.Comprehension) and any(loop.iter.span == wanted for loop in node.loops):
            return node
        if isinstance(node, ir.Assign) and node.value is not None and node.value.span == wanted:
            return node
    return None


def _callee(node: object) -> str:
    if not isinstance(node, ir.Call):
        return ""
    return ir.last_name(node.func)


def _operand(code: Code, start: int, end: int) -> tuple[int, int]:
    """What is walked through by the call, loop or comprehension with this span."""
    for node, base in code.nodes(start, end):
        value: ir.Expr | None = None
        if isinstance(node, ir.Call) and node.args and _callee(node) not in ("set", "frozenset"):
            value = node.args[0].value
        elif isinstance(node, ir.For):
            value = node.iter
        elif isinstance(node, ir.Comprehension) and node.kind != "set":
            value = node.loops[0].iter
        if value is not None:
            return base + value.span[0], base + value.span[1]
    return start, end


def _stays_iterator(code: Code, around: object, start: int) -> bool:
    """Whether the iterator gets a name on which `next` is called, so that a list would not do."""
    if not isinstance(around, ir.Assign):
        return False
    names = {target.id for target in around.targets if isinstance(target, ir.Name)}
    unit = code.unit_at(start)
    body = code.project.body(code.path, unit.index) if unit is not None else ()
    return any(
        _callee(node) == "next" and node.args and getattr(node.args[0].value, "id", "") in names
        for node in nested(body)
        if isinstance(node, ir.Call)
    )


def _sorted_walk(target: Target) -> Fix | None:
    """`for root, dirs, files in os.walk(path):` sorts both lists at the head of the loop; the walk follows `dirs`."""
    code = target.code
    for level in reversed(code.around(target.start)):
        loop = level.here.statement
        if not isinstance(loop, ir.For) or not isinstance(loop.target, ir.Sequence) or len(loop.target.items) != 3:
            continue
        names = [item.id if isinstance(item, ir.Name) else "" for item in loop.target.items[1:]]
        if not all(names) or "_" in names[0] and len(names[0]) < 3 or not loop.body:
            return None
        if level.here.base + loop.iter.span[0] != target.start:
            return None
        lines = [f"{name}.sort()" for name in names if name.strip("_")]
        first = level.here.base + loop.body[0].span[0]
        return fix("sort folders and files on the way", "unsafe", [code.lines_before(first, lines)])
    return None
