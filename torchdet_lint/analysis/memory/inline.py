"""Calls of functions, methods and modules of the project: their bodies are run with the memory that they are given."""

from __future__ import annotations

from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.classes import ClassInfo
from torchdet_lint.analysis.memory.frame import Frame, escape, read
from torchdet_lint.analysis.memory.networks import run_raw
from torchdet_lint.analysis.memory.tables import HARMLESS_DECORATORS
from torchdet_lint.analysis.memory.targets import bind_field
from torchdet_lint.analysis.memory.values import NOTHING, Raw, State, Value, all_of, join, reach, union
from torchdet_lint.project.modules import Definition
from torchdet_lint.project.names import flat

Arguments: TypeAlias = "list[tuple[ir.Arg, Value]]"

DEPTH = 4
ALL_ATTRIBUTES = frozenset({"parameters", "named_parameters", "buffers", "named_buffers", "state_dict"})
QUIET_METHODS = frozenset(
    "train eval to cuda cpu half float double bfloat16 type apply children named_children modules named_modules zero_grad"
    " requires_grad_ add_module register_module register_forward_hook register_forward_pre_hook register_load_state_dict_pre_hook"
    " _register_load_state_dict_pre_hook _register_state_dict_hook extra_repr log log_dict save_hyperparameters"
    " share_memory get_submodule compile __class__".split()
)
"""Methods of `torch.nn.Module` (and Lightning) that leave the elements of parameters alone."""


def is_super(frame: Frame, func: ir.Attr) -> bool:
    """Whether this is `super().name`."""
    base = func.value
    return (
        isinstance(base, ir.Call)
        and isinstance(base.func, ir.Name)
        and base.func.id == "super"
        and bool(frame.self_name)
    )


def call_function(frame: Frame, state: State, expr: ir.Call, args: Arguments) -> Value:
    """A function or class of the project that a plain or dotted name means."""
    symbol = frame.names.symbol(expr.func)
    given = any(reach(value) for _, value in args)
    aware = _passes_self(frame, args)
    if not isinstance(symbol, Definition):
        return _give_away(frame, state, args)
    if not given and not aware and (symbol.path, symbol.name) not in frame.analysis.returning:
        return NOTHING
    project = frame.analysis.project
    for unit in reversed(symbol.units):
        for node in flat(project.body(symbol.path, unit)):
            if isinstance(node, ir.Function) and node.name == symbol.name:
                if aware:
                    break
                inner = Frame(
                    frame.analysis, symbol.path, unit, frame.analysis.names(symbol.path).inside(node), frame.root
                )
                return run(frame, inner, state, node, args)
    return _give_away(frame, state, args)


def call_method_of_self(frame: Frame, state: State, expr: ir.Call, func: ir.Attr, args: Arguments) -> Value | None:
    """`self.name(...)` or `super().name(...)`; None when it is a callable attribute of which nothing is known."""
    info, above = frame.info, is_super(frame, func)
    found = info.find(func.name, above) if info is not None else None
    if found is not None:
        home, node = found
        inner = Frame(
            frame.analysis, home.path, home.unit, home.names.inside(node), frame.root, info=home if above else info
        )
        static = any(isinstance(mark, ir.Name) and mark.id == "staticmethod" for mark in node.decorators)
        inner.self_name = node.params[0].name if node.params and not static else ""
        return run(frame, inner, state, node, args)
    callee = state.fields.get(func.name)
    if callee is not None and not above:
        if isinstance(callee.module, Raw):
            return run_raw(frame, state, expr, callee, spelled(func), args)
        return call_module(frame, state, expr, callee.module, args) if callee.module is not None else None
    return _inherited(frame, state, func.name, args)


def _inherited(frame: Frame, state: State, name: str, args: Arguments) -> Value | None:
    """A method of a base class out of sight."""
    if name in ("register_buffer", "register_parameter") and args and isinstance(args[0][0].value, ir.Const):
        attribute, value = str(args[0][0].value.value), args[1][1] if len(args) > 1 else NOTHING
        frame.analysis.parameters.update(ref.buffer for ref in reach(value) if ref.buffer.place is not None)
        bind_field(frame, state, attribute, value)
        return NOTHING
    if name in ALL_ATTRIBUTES:
        every = all_of([Value(refs=reach(value)) for value in state.fields.values() if reach(value)])
        named = Value(entries=((0, NOTHING), (1, every or NOTHING)))
        return Value(each=named if name.startswith("named_") else every)
    if name in QUIET_METHODS or (name.startswith("__") and name != "__setattr__"):
        return NOTHING
    known = frame.info is not None and not frame.info.strange_bases and frame.info.outside == ("torch.nn.Module",)
    if known and name != "load_state_dict":
        return None
    for value in state.fields.values():
        escape(frame, state, value)
    return _give_away(frame, state, args)


def call_module(frame: Frame, state: State, expr: ir.Call, module: object, args: Arguments) -> Value:
    """`model(...)`: a layer of torch reads what it is given; a class of the project is run."""
    if not any(reach(value) for _, value in args):
        return NOTHING
    phrase = f"is passed to `{spelled(expr.func)}(...)`"
    forward = module.find("forward") if isinstance(module, ClassInfo) else None
    if forward is None or not isinstance(module, ClassInfo):
        given = all_of([value for _, value in args if reach(value)]) or NOTHING
        return read(frame, state, given, expr.span, phrase)
    home, node = forward
    inner = Frame(frame.analysis, home.path, home.unit, home.names.inside(node), frame.root, info=module)
    inner.self_name = node.params[0].name if node.params else ""
    fields, state.fields = state.fields, instance_fields(frame, module)
    before = len(frame.analysis.created)
    result = run(frame, inner, state, node, args)
    state.fields = fields
    for use in frame.analysis.created[before:]:
        frame.analysis.resited[use] = (frame.at(expr.span), phrase)
    return result


def instance_fields(frame: Frame, info: ClassInfo) -> dict[str, Value]:
    """The attributes that hold networks after `__init__`; memory in them is a matter of that class."""
    inits = frame.analysis.inits
    if info.key not in inits:
        inits[info.key] = {}
        found = info.find("__init__")
        if found is not None:
            home, node = found
            inner = Frame(frame.analysis, home.path, home.unit, home.names.inside(node), object(), info=info)
            inner.self_name = node.params[0].name if node.params else ""
            state = State()
            run(frame, inner, state, node, [])
            inits[info.key] = {name: _networks(value) for name, value in state.fields.items()}
    return dict(inits[info.key])


def _networks(value: Value) -> Value:
    entries = tuple((key, _networks(item)) for key, item in value.entries) if value.entries is not None else None
    return Value(entries=entries, each=_networks(value.each) if value.each else None, module=value.module)


def run(frame: Frame, inner: Frame, state: State, node: ir.Function, args: Arguments) -> Value:
    """Runs the body of `node` in the frame `inner`, called from `frame`."""
    analysis = frame.analysis
    strange = any(_last(mark) not in HARMLESS_DECORATORS for mark in node.decorators)
    deep = frame.depth >= DEPTH or any(node is other for other in analysis.active)
    starred = any(arg.star in ("*", "**") and reach(value) for arg, value in args)
    if strange or deep or starred or node.is_generator or node.is_async:
        if inner.self_name and inner.self_name == (node.params[0].name if node.params else ""):
            for value in state.fields.values():
                escape(frame, state, value)
        return _give_away(frame, state, args)
    inner.depth, inner.meta = frame.depth + 1, frame.meta
    inner.enclosing, inner.conditional = frame.loops_now, frame.conditional
    return enter(inner, state, node, bound(node, args, bool(inner.self_name)))


def enter(inner: Frame, state: State, node: ir.Function, env: dict[str, Value]) -> Value:
    """Runs a body in a frame that is set up; `state` is what it leaves behind, without its names."""
    inner.parameters = frozenset(param.name for param in node.params) - {inner.self_name}
    outer = state.env
    start = State(env, state.fields, state.heap)
    inner.analysis.active.append(node)
    end = inner.analysis.execute(inner, start, node.body)
    inner.analysis.active.pop()
    last = join([*inner.exits, *([end] if end is not None else [])])
    if last is not None:
        state.fields, state.heap = last.fields, last.heap
    state.env = outer
    result = all_of(list(inner.results)) or NOTHING
    return union(result, NOTHING) if end is not None and inner.results else result


def bound(node: ir.Function, args: Arguments, method: bool) -> dict[str, Value]:
    """The names of the parameters with the values of the arguments."""
    env = {param.name: NOTHING for param in node.params}
    names = [param.name for param in node.params if param.kind in ("positional", "normal")][1 if method else 0 :]
    rest = next((param.name for param in node.params if param.kind == "*"), "")
    extra: list[Value] = []
    for arg, value in args:
        if arg.star == "=" and arg.name in env:
            env[arg.name] = value
        elif arg.star == "" and names:
            env[names.pop(0)] = value
        elif reach(value):
            extra.append(value)
    if rest and extra:
        env[rest] = Value(each=all_of(list(extra)))
    return env


def _last(mark: ir.Expr) -> str:
    mark = mark.func if isinstance(mark, ir.Call) else mark
    return ir.last_name(mark)


def spelled(expr: ir.Expr) -> str:
    """How a callable is written, without its arguments."""
    if isinstance(expr, ir.Attr):
        return f"{spelled(expr.value)}.{expr.name}"
    if isinstance(expr, ir.Name):
        return expr.id
    return f"{spelled(expr.func)}(...)" if isinstance(expr, ir.Call) else "…"


def _passes_self(frame: Frame, args: Arguments) -> bool:
    return bool(frame.self_name) and any(
        isinstance(arg.value, ir.Name) and arg.value.id == frame.self_name for arg, _ in args
    )


def _give_away(frame: Frame, state: State, args: Arguments) -> Value:
    for _, value in args:
        escape(frame, state, value)
    if _passes_self(frame, args):
        for value in state.fields.values():
            escape(frame, state, value)
    return NOTHING
