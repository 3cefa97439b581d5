"""Calling things: binding arguments, entering project functions, and telling apart what can be called."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis import classes, commands, lengths, spelling
from torchdet_lint.analysis.annotations import annotated, received
from torchdet_lint.analysis.keeping import left_open
from torchdet_lint.analysis.machine import MAX_CONTEXTS, MAX_RECURSION, Frame, Machine
from torchdet_lint.analysis.naming import is_address, is_made
from torchdet_lint.analysis.trace import Branch, Enter, Event, Summary, Trace, Within
from torchdet_lint.analysis.turns import in_turn, is_one
from torchdet_lint.analysis.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Bound,
    Box,
    ClassValue,
    Either,
    Flow,
    FunctionValue,
    Identity,
    Instance,
    Items,
    Known,
    Made,
    Option,
    Partial,
    Pending,
    Super,
    Tainted,
    Truth,
    Value,
    alternatives,
    bounded,
    computed,
    join,
    known,
)
from torchdet_lint.project.modules import External, ModuleRef

Args = tuple[Value, ...]
Named = tuple[tuple[str, Value], ...]


def evaluate_call(m: Machine, f: Frame, expr: ir.Call) -> Value:
    from torchdet_lint.analysis.expressions import evaluate

    # Long chains of method calls lean to the left; `evaluate` of the callee recurses once a link, which lowering has capped.
    if isinstance(expr.func, ir.Name) and expr.func.id == "super" and f.receiver is not None:
        return _super(m, f, expr)
    naming, f.naming = f.naming, False
    callee = evaluate(m, f, expr.func)
    path = m.apis.canonical(callee.path) if isinstance(callee, External) else ""
    logs = path.startswith("logging.") or (isinstance(callee, Bound) and callee.function in LOG_METHODS)
    spells = path in CONVERSIONS or (isinstance(callee, Bound) and callee.function in ("join", "format"))
    f.naming = path in SHAPES or path in PAUSES or logs or (naming and spells)
    f.logging = logs or path == "builtins.print"
    args, named = arguments(m, f, expr)
    f.naming, f.logging = naming, False
    if (found := _as_written(m, f, path, expr, args)) is not None:
        return found
    return call_value(m, f, callee, args, named, expr.span, expr)


def _as_written(m: Machine, f: Frame, path: str, expr: ir.Call, args: Args) -> Value | None:
    """What a builtin gives where that hangs on how its argument is written, and not only on what that may be."""
    from torchdet_lint.analysis.importing import IMPORTERS, import_any
    from torchdet_lint.analysis.special import any_definition

    if path == "builtins.len" and len(expr.args) == 1:
        count = lengths.length(m, f, expr.args[0].value)
        return None if count is None else known(count)
    if path == "builtins.getattr" and len(args) == 2 and isinstance(args[0], ModuleRef):
        spelt = spelling.pattern(_written(f, expr.args[1].value)) if args[1] == UNKNOWN else None
        return None if spelt is None else any_definition(m, args[0], spelt)
    if path in IMPORTERS and args and args[0] == UNKNOWN and (path != "builtins.__import__" or len(expr.args) > 1):
        spelt = spelling.pattern(_written(f, expr.args[0].value))
        return None if spelt is None else import_any(m, f, spelt, expr.span)
    return None


def _written(f: Frame, expr: ir.Expr) -> ir.Expr:
    return spelling.written(expr, f.function.body) if isinstance(f.function, ir.Function) else expr


CONVERSIONS = frozenset(f"builtins.{name}" for name in ("str", "int", "float", "hex", "format", "round", "abs", "min", "max")) | {
    "os.path.join", "pathlib.Path",
}  # fmt: skip
SHAPES = frozenset(
    f"{room}.{name}" for room in ("numpy", "torch") for name in ("ones_like", "zeros_like", "empty_like")
) | {"builtins.len", "builtins.type", "numpy.shape", "numpy.ndim", "numpy.size"}
"""Read the shape or the type of what they are given, and none of its numbers."""

PAUSES = frozenset(("time.sleep", "asyncio.sleep"))
"""Wait for as long as they are told, which reaches no result."""

LOG_METHODS = frozenset(("info", "debug", "warning", "error", "critical", "exception"))


def _super(m: Machine, f: Frame, expr: ir.Call) -> Value:
    """`super()`, or `super(Class, self)`."""
    from torchdet_lint.analysis.expressions import evaluate

    named = evaluate(m, f, expr.args[0].value) if expr.args else f.owner
    return Super(f.receiver, named) if isinstance(named, ClassValue) and f.receiver is not None else UNKNOWN


def arguments(m: Machine, f: Frame, expr: ir.Call) -> tuple[Args, Named]:
    """The values of the arguments; `**mapping` is spelt out where its entries are known, else it is named "**"."""
    from torchdet_lint.analysis.expressions import evaluate
    from torchdet_lint.analysis.iteration import element, known_items

    args: list[Value] = []
    named: dict[str, Value] = {}
    for arg in expr.args:
        naming, f.naming = f.naming, f.naming or is_made(expr, arg.value) or is_address(expr, arg)
        value = bounded(evaluate(m, f, arg.value))
        f.naming = naming
        lengths.fixed(m, arg.value, value)
        if arg.star == "":
            args.append(value)
        elif arg.star == "=":
            named[arg.name] = value
        elif arg.star == "*":
            items = known_items(m, value)
            if items is None:
                named["*"] = element(m, value)
            else:
                args += items
        else:
            spread(m, value, named)
    return tuple(args), tuple(named.items())


def spread(m: Machine, value: Value, named: dict[str, Value]) -> None:
    """Adds the entries of a mapping to keyword arguments."""
    for option in alternatives(value):
        if isinstance(option, Box) and option.kind in ("dict", "namespace"):
            cell = m.heap.cell(option.identity)
            for key, entry in cell.entries.items():
                named[key] = entry if key not in named else join(named[key], entry)
            if cell.open:
                named["**"] = UNKNOWN
        elif option != NONE:
            named["**"] = UNKNOWN


def call_value(
    m: Machine, f: Frame, callee: Value, args: Args, named: Named, span: ir.Span, expr: ir.Call | None = None
) -> Value:
    """Calls a value. What it does goes into the frame's trace."""
    from torchdet_lint.analysis import outside

    if isinstance(callee, FunctionValue):
        result = enter(m, f, callee, args, named, span)
        commands.run_commands(m, f, callee, span)
        return result
    if isinstance(callee, Bound):
        if isinstance(callee.function, FunctionValue):
            receiver = callee.receiver.identity if isinstance(callee.receiver, Instance) else None
            kind = "forward" if callee.function.qualname.endswith(".forward") else "call"
            return enter(m, f, callee.function, (callee.receiver, *args), named, span, kind=kind, receiver=receiver)
        return outside.call_method(m, f, callee.receiver, callee.function, args, named, span, expr)
    if isinstance(callee, ClassValue):
        return classes.instantiate(m, f, callee, args, named, span)
    if isinstance(callee, External):
        return outside.call(m, f, callee.path, args, named, span, expr)
    if isinstance(callee, Instance):
        return call_instance(m, f, callee, args, named, span)
    if isinstance(callee, Made):
        return outside.call_made(m, f, callee, args, named, span)
    if isinstance(callee, Partial):
        merged = {**dict(callee.named), **dict(named)}
        return call_value(m, f, callee.function, (*callee.args, *args), tuple(merged.items()), span, expr)
    if isinstance(callee, Option):
        return call_value(m, f, callee.default, args, named, span, expr)
    if isinstance(callee, Either):
        return _call_either(m, f, callee, args, named, span, expr)
    outside.callbacks(m, f, args, named, span)
    if expr is not None and "seed" in callee_name(expr).lower():
        f.trace.append(Event("unknown-seeder", f.site(span), callee_name(expr)))
    return computed(*args, *(value for _, value in named)) if isinstance(callee, Tainted) else UNKNOWN


def callee_name(expr: ir.Call) -> str:
    return expr.func.name if isinstance(expr.func, ir.Attr) else expr.func.id if isinstance(expr.func, ir.Name) else ""


def _call_either(
    m: Machine, f: Frame, callee: Either, args: Args, named: Named, span: ir.Span, expr: ir.Call | None
) -> Value:
    """Any one of several callees; each is a branch of its own."""
    results = []
    callees = [option for option in alternatives(callee) if not isinstance(option, Known)]
    taking = [option for option in callees if takes(m, option, args, named)] or callees
    choices = 0 if in_turn(m, f, expr) and not is_one(taking) else len(taking)
    for option in taking:
        kept, f.trace = f.trace, []
        m.heap.depth += 1
        results.append(call_value(m, f, option, args, named, span))
        m.heap.depth -= 1
        trace, f.trace = tuple(f.trace), kept
        # Only one of the objects was made: whatever it is, it is the one that is loaded, or evaluated from now on.
        f.trace += [node for node in trace if isinstance(node, Event) and node.kind in ("load", "eval", "train")]
        if trace:
            f.trace.append(Branch(f.site(span), Truth.OPEN, "", trace, (), choices))
    return join(*results) if results else UNKNOWN


def takes(m: Machine, callee: Value, args: Args, named: Named) -> bool:
    """Whether a callee of the project can be called like this; True for whatever else it is."""
    function, own = callee, 0 if isinstance(callee, FunctionValue) else 1
    if isinstance(callee, ClassValue | Instance):
        cls = callee if isinstance(callee, ClassValue) else callee.cls
        names = ("__init__",) if isinstance(callee, ClassValue) else ("__call__", "forward")
        members = (classes.find_member(m, cls, name) for name in names)
        function = next((found[0] for found in members if found is not None), UNKNOWN)
    elif isinstance(callee, Bound) and isinstance(callee.function, FunctionValue):
        function = callee.function
    code = m.function_code(function) if isinstance(function, FunctionValue) else None
    return code is None or _fits(code.params[own:], len(args), [name for name, _ in named])


def _fits(params: tuple[ir.Param, ...], count: int, names: list[str]) -> bool:
    """Whether so many positional arguments and these keywords fill the parameters; unknown further ones (`*x`) may fill any."""
    kinds = {param.kind for param in params}
    places = [param for param in params if param.kind in ("positional", "normal")]
    if count > len(places) and "*" not in kinds:
        return False
    taken = {param.name for param in params if param.kind in ("normal", "keyword")}
    if "**" not in kinds and any(name not in taken and name not in ("*", "**") for name in names):
        return False
    rest = (*places[count:], *(param for param in params if param.kind == "keyword"))
    return "*" in names or "**" in names or all(param.default is not None or param.name in names for param in rest)


def call_instance(m: Machine, f: Frame, callee: Instance, args: Args, named: Named, span: ir.Span) -> Value:
    """Calls an object of a project class: `__call__`, or `forward` through `nn.Module`."""
    from torchdet_lint.analysis import outside

    for name in ("__call__", "forward"):
        found = classes.find_member(m, callee.cls, name)
        if found is not None and isinstance(found[0], FunctionValue):
            kind = "forward" if name == "forward" else "call"
            return enter(m, f, found[0], (callee, *args), named, span, kind=kind, receiver=callee.identity)
    made = m.heap.read(callee.identity, "<made>")
    if isinstance(made, Made):
        kept, f.trace = f.trace, []
        result = outside.call_made(m, f, made, args, named, span)
        trace, f.trace = tuple(f.trace), kept
        if trace:
            f.trace.append(Enter(f.site(span), "forward", Summary(made.cls, f.path, trace, result), callee.identity))
        return result
    outside.callbacks(m, f, args, named, span)
    return UNKNOWN


def enter(
    m: Machine,
    f: Frame,
    function: FunctionValue,
    args: Args,
    named: Named,
    span: ir.Span,
    *,
    kind: str = "call",
    receiver: Identity | None = None,
) -> Value:
    """Calls a project function: looks its summary up, or makes it, and records the call."""
    summary = summarise(m, function, args, named)
    if summary is None:
        return UNKNOWN
    if summary.lazy and isinstance(summary.result, Flow):
        return Flow(summary.result.element, (Pending(summary),))
    if summary.trace:
        f.trace.append(Enter(f.site(span), kind, summary, receiver))
    return summary.result


def summarise(
    m: Machine, function: FunctionValue, args: Args, named: Named, *, open_call: bool = False
) -> Summary | None:
    """The summary of a function for these arguments; None where evaluation has to stop (recursion, depth, budget)."""
    key: object = (
        function,
        tuple(m.fingerprint(value) for value in args),
        tuple((name, m.fingerprint(value)) for name, value in sorted(named, key=lambda item: item[0])),
        open_call,
    )
    found = m.summaries.get(key)
    if found is not None:
        return found
    if key in m.active or m.call_depth >= m.max_depth or m.is_spent:
        return None
    count = m.contexts.get(function, 0)
    if count >= MAX_CONTEXTS or m.running.get(function, 0) >= MAX_RECURSION:
        wide = tuple(widen(value) for value in args)
        key = (function, "wide", tuple(m.fingerprint(value) for value in wide))
        args, named = wide, tuple((name, widen(value)) for name, value in named)
        if (found := m.summaries.get(key)) is not None:
            return found
        if key in m.active or count >= 4 * MAX_CONTEXTS or m.running.get(function, 0) > MAX_RECURSION:
            return None
    m.contexts[function] = count + 1
    m.active.add(key)
    m.call_depth += 1
    m.running[function] = m.running.get(function, 0) + 1
    try:
        summary = _evaluate(m, function, args, named, open_call=open_call)
    finally:
        m.running[function] -= 1
        m.call_depth -= 1
        m.active.discard(key)
    m.summaries[key] = summary
    return summary


def widen(value: Value) -> Value:
    """The value without what tells contexts apart for no good reason: numbers, strings, results."""
    if isinstance(value, Known) and (value.value is None or value.kind == "bool"):
        return value
    if isinstance(value, Known | Items | Flow | Made | Either | Box | Option):
        return UNKNOWN
    return value


def _evaluate(m: Machine, function: FunctionValue, args: Args, named: Named, *, open_call: bool) -> Summary:
    code = m.function_code(function)
    if code is None:
        return Summary(function.qualname, function.path, (), UNKNOWN)
    from torchdet_lint.analysis.expressions import evaluate
    from torchdet_lint.analysis.statements import run

    frame = Frame(
        function.path, function.unit, function.qualname, m.closure_frame(function.closure, function.path), m.number()
    )
    frame.function = code
    if function.owner and args:
        frame.receiver = args[0]
        frame.owner = _owner(m, function, args[0])
    bind(m, frame, function, code, args, named, open_call=open_call)
    if isinstance(code, ir.Lambda):
        value = evaluate(m, frame, code.body)
        return Summary(function.qualname, function.path, tuple(frame.trace), value)
    frame.yields = [] if code.is_generator else None
    depth = m.heap.depth
    run(m, frame, code.body)
    m.heap.depth = depth
    result = join(*frame.returns) if frame.ended or not frame.returns else join(*frame.returns, NONE)
    if not frame.returns:
        result = NONE
    if frame.yields is not None:
        result = Flow(join(*frame.yields) if frame.yields else UNKNOWN)
    trace = tuple(frame.trace)
    for decorator in code.decorators:
        trace = _decorated(m, frame, decorator, trace)
    return Summary(function.qualname, function.path, trace, result, code.is_generator, left_open(frame, trace))


def _owner(m: Machine, function: FunctionValue, receiver: Value) -> ClassValue | None:
    """The class that the method is defined in."""
    cls = receiver.cls if isinstance(receiver, Instance) else receiver if isinstance(receiver, ClassValue) else None
    if cls is None:
        return None
    for found in classes.ancestry(m, cls)[0]:
        if found.value.qualname == function.owner and found.value.path == function.path:
            return found.value
    return None


def _decorated(m: Machine, frame: Frame, decorator: ir.Expr, trace: Trace) -> Trace:
    """A function's trace inside the contexts that its decorators open (`@torch.no_grad()`, a context manager of the project)."""
    from torchdet_lint.analysis.contexts import enter_context
    from torchdet_lint.analysis.expressions import evaluate

    outer = frame.outer if frame.outer is not None else frame
    kept, outer.trace = outer.trace, []
    value = evaluate(m, outer, decorator)
    outer.trace = kept
    if isinstance(value, Instance) and classes.find_member(m, value.cls, "__call__") is not None:
        return trace  # it is called with the function, and gives what stands in its place
    kept, frame.trace = frame.trace, []
    _, kinds = enter_context(m, frame, value, decorator.span)
    trace, frame.trace = (*frame.trace, *trace), kept
    for kind, made in kinds:
        trace = (Within(frame.site(decorator.span), kind, made, trace),)
    return trace


def bind(
    m: Machine,
    frame: Frame,
    function: FunctionValue,
    code: ir.Function | ir.Lambda,
    args: Args,
    named: Named,
    *,
    open_call: bool,
) -> None:
    """Gives every parameter its value. In an open call (nobody is known to call it) defaults are options."""
    from torchdet_lint.analysis.options import command_option

    given = dict(named)
    spread_unknown = "*" in given or "**" in given or open_call
    rest = list(args)
    for param in code.params:
        if param.kind in ("positional", "normal") and rest:
            given_value = _or_default(m, frame, function, param, rest.pop(0))
            frame.env[param.name] = received(m, frame, param, given_value)
        elif param.kind == "*":
            frame.env[param.name] = Items(tuple(rest)) if "*" not in given and not open_call else UNKNOWN
            rest = []
        elif param.kind == "**":
            frame.env[param.name] = _rest_named(m, frame, param, code, given)
        elif param.name in given:
            named_value = _or_default(m, frame, function, param, given[param.name])
            frame.env[param.name] = received(m, frame, param, named_value)
        else:
            frame.env[param.name] = _default(m, frame, function, param, open_call=spread_unknown)
    command_option(m, frame, code, given, bool(args))


def _or_default(m: Machine, frame: Frame, function: FunctionValue, param: ir.Param, value: Value) -> Value:
    """What a parameter is: its default where the argument is only given on some paths."""
    options = alternatives(value)
    if MISSING not in options:
        return value
    rest = [option for option in options if option is not MISSING]
    return join(*rest, *alternatives(_default(m, frame, function, param, open_call=False)))


def _rest_named(
    m: Machine, frame: Frame, param: ir.Param, code: ir.Function | ir.Lambda, given: dict[str, Value]
) -> Value:
    taken = {p.name for p in code.params if p.kind not in ("*", "**", "positional")}
    box = Box("dict", frame.identity(param.span))
    cell = m.heap.cell(box.identity)
    cell.depth = m.heap.depth
    for name, value in given.items():
        if name in ("*", "**"):
            cell.open = cell.open or name == "**"
        elif name not in taken:
            cell.entries[name] = value
    return box


def _default(m: Machine, frame: Frame, function: FunctionValue, param: ir.Param, *, open_call: bool) -> Value:
    from torchdet_lint.analysis.expressions import evaluate
    from torchdet_lint.analysis.options import typer_default

    if param.default is None:
        return annotated(m, frame, param)
    if isinstance(param.default, ir.Const):
        value: Value = known(param.default.value)
    else:
        outer = m.closure_frame(function.closure, function.path)
        before = outer.trace, outer.unit
        outer.trace, outer.unit = [], function.unit  # a module has gone on to other statements since
        value = evaluate(m, outer, param.default)
        outer.trace, outer.unit = before
        if isinstance(value, Made) and value.cls in ("typer.Option", "typer.Argument"):
            return typer_default(value, param)
    return Option(value, parameter_label(param.name)) if open_call else value


def parameter_label(name: str) -> str:
    """What an option is called that is a parameter's default, where a caller may give something else."""
    return f"the parameter `{name}`"
