"""Calling what is outside of the project: the API tables say what it does, `special` has what tables cannot say."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis import classes, commands, methods, special
from torchdet_lint.analysis.conditions import argument, as_loader, drawn, redirected_now, result_class
from torchdet_lint.analysis.effects import record, unrepeatable_data
from torchdet_lint.analysis.flash import note_flash
from torchdet_lint.analysis.iteration import known_items, run_sources
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.pixels import PIXELS, is_pixels, output_of
from torchdet_lint.analysis.trace import Enter, Event, Summary
from torchdet_lint.analysis.training import LAUNCHER, launch
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Bound,
    Box,
    ClassValue,
    Flow,
    FunctionValue,
    Instance,
    Items,
    Made,
    Mark,
    Partial,
    Tainted,
    Value,
    alternatives,
    computed,
    known,
)
from torchdet_lint.catalog.apis import Api, Callee

Args = tuple[Value, ...]
Named = tuple[tuple[str, Value], ...]

GLOBAL_FAMILIES = ("python", "numpy")
"""Families whose draws are plain numbers that programs use as seeds, so that their results are worth following."""


def call(
    m: Machine, f: Frame, path: str, args: Args, named: Named, span: ir.Span, expr: ir.Call | None = None
) -> Value:
    """Calls `path`, a dotted name of something outside."""
    name = m.apis.canonical(path)
    if name in m.watched:
        f.trace.append(Event("watched", f.site(span), name, made=Made(name, args, named, f.identity(span))))
    handler = special.HANDLERS.get(name)
    if handler is not None:
        value = handler(m, f, Made(name, args, named, f.identity(span)), span)
        if value is not None:
            return value
    made = Made(name, args, named, f.identity(span))
    row = m.api(name)
    if row is not None:
        made = as_loader(made, row) if row.role == "loader" else made
        record(m, f, made, row, span)
    else:
        unrepeatable_data(m, f, made)
    if name in m.operations.by_callee:
        f.trace.append(Event("use", f.site(span), name, made=made, note="operation"))
    if name in special.WATCHED:
        f.trace.append(Event("use", f.site(span), name, made=made, note="call"))
    elif row is None and "rng_state" in name:
        f.trace.append(Event("rng-state", f.site(span), name, made=made))
    elif row is None and "seed" in name.rpartition(".")[2].lower():
        f.trace.append(Event("unknown-seeder", f.site(span), name, made=made))
    note_flash(m, f, made, span)
    if name == LAUNCHER:
        launch(m, f, made, span)
    else:
        hand_on(m, f, made, row, span)
    return result_of(m, f, made, row, span)


HANDS_THROUGH = (
    "lightning.fabric.Fabric.setup",
    "lightning.fabric.Fabric.setup_dataloaders",
    "lightning.fabric.Fabric.setup_module",
)
"""Methods that return what they are given, wrapped."""


def _hands_through(made: Made, row: Api) -> bool:
    """Whether a call returns its arguments, wrapped in a way that changes nothing here."""
    if row.role == "calls":
        return row.callee is None and made.cls != "functools.wraps"
    return row.role == "wraps-loader" or made.cls in HANDS_THROUGH


def result_of(m: Machine, f: Frame, made: Made, row: Api | None, span: ir.Span) -> Value:
    """What a call outside returns."""
    inputs = (*made.args, *(value for _, value in made.named))
    if row is None:
        found = computed(*inputs)
        return found if isinstance(found, Tainted) and not made.cls.startswith("torch.") else made
    if made.args and _hands_through(made, row):
        return made.args[0] if len(made.args) == 1 else Items(made.args)
    if row.role in ("entropy", "clock") and not made.cls.endswith(".SystemRandom"):  # its methods draw, not itself
        return Tainted(frozenset((Mark("entropy", f"{made.cls}()", f.site(span)),)))
    if is_pixels(made):
        return PIXELS
    cls = result_class(made, row)
    if row.role == "draw" and not cls and set(GLOBAL_FAMILIES) & set(families := drawn(row.draws, made)):
        return Tainted(frozenset(Mark("draw", family, f.site(span)) for family in families))
    if cls == "self":  # a class method, called on the class itself
        cls = made.cls.rpartition(".")[0]
    return replace(made, cls=cls) if cls and cls != made.cls else made


def call_method(
    m: Machine,
    f: Frame,
    receiver: Value,
    name: str,
    args: Args,
    named: Named,
    span: ir.Span,
    expr: ir.Call | None = None,
) -> Value:
    """Calls `receiver.name(…)` where the method is not project code."""
    return methods.call(m, f, receiver, name, args, named, span, expr)


def call_made(m: Machine, f: Frame, made: Made, args: Args, named: Named, span: ir.Span) -> Value:
    """Calls an object from outside: a layer, a transform, something that wraps project code."""
    row = m.api(made.cls)
    commands.run_commands(m, f, made, span)
    kept, f.trace = f.trace, []
    private = row is not None and redirected_now(made, row, named)
    if row is not None:
        families = [family for family in drawn(row.calls, made) if family not in m.taken_over]
        if families and not private and row.role != "compose" and not _switched_off(made):
            note = "training" if row.training else ""
            f.trace.append(Event("draw", f.site(span), made.cls, tuple(families), made=made, note=note))
        if row.role in ("layer", "recurrent", "attention"):
            f.trace.append(Event("matmul", f.site(span), made.cls))
            f.trace.append(
                Event(
                    "use",
                    f.site(span),
                    f"{made.cls}.__call__",
                    made=Made(made.cls, args, named, made.identity),
                    note="call",
                )
            )
    own = m.api(f"{made.cls}.__call__")
    if own is not None:
        record(m, f, Made(own.name, args, named, made.identity), own, span)
    taken_over = m.taken_over
    if row is not None and row.role == "compose" and private:
        m.taken_over |= set(row.calls)
    inner = _call_parts(m, f, made, args, span)
    m.taken_over = taken_over
    trace, f.trace = tuple(f.trace), kept
    if trace:
        f.trace.append(Enter(f.site(span), "forward", Summary(made.cls, f.path, trace, UNKNOWN), made.identity))
    callbacks(m, f, args, named, span)
    gives = output_of(made, args, inner)
    known_kind = row is not None and row.role in ("layer", "recurrent", "attention", "transform")
    return gives if known_kind or is_pixels(gives) else computed(*args)


def _switched_off(made: Made) -> bool:
    """`Dropout(0.0)` draws nothing that matters."""
    return made.cls.startswith("torch.nn.") and "ropout" in made.cls and made.get("p", 0) in (known(0.0), known(0))


def _call_parts(m: Machine, f: Frame, made: Made, args: Args, span: ir.Span) -> list[Value]:
    """Calling something that was made out of callables calls these: `Sequential`, `Compose`, `DataParallel`, `torch.compile`.
    What they give.
    """
    found: list[Value] = []
    for value in (*made.args, *(value for key, value in made.named if key not in ("collate_fn", "worker_init_fn"))):
        for option in alternatives(value):
            found += _call_part(m, f, option, args, span)
    return found


def _call_part(m: Machine, f: Frame, part: Value, args: Args, span: ir.Span) -> list[Value]:
    from torchdet_lint.analysis.calls import call_value

    if isinstance(part, Instance | FunctionValue | Made | Bound | Partial):
        taken_over = m.taken_over
        if not isinstance(part, Made):  # its summary is kept, and counts elsewhere too
            m.taken_over = frozenset()
        own = not (isinstance(part, Bound) and isinstance(part.function, str))
        found = [call_value(m, f, part, args or (UNKNOWN,), (), span)] if own else []
        m.taken_over = taken_over
        return found
    if not isinstance(part, Box | Items):
        return []
    inside = known_items(m, part) or m_elements(m, part)
    return [v for inner in inside for option in alternatives(inner) for v in _call_part(m, f, option, args, span)]


def m_elements(m: Machine, value: Value) -> tuple[Value, ...]:
    return m.heap.elements(value.identity) if isinstance(value, Box) else ()


OPEN_CALLERS = (".CLI", ".Fire", ".auto_cli", "typer.run", "tyro.cli", "defopt.run", "plac.call", "clize.run")
"""Callers that let the user choose the arguments, so that defaults are options."""


def hand_on(m: Machine, f: Frame, made: Made, row: Api | None, span: ir.Span, lead: Value = UNKNOWN) -> None:
    """Calls what the callee calls: the arguments that the table marks, else every function among them.

    `lead` stands for what a method hands over of its own.
    """
    callee = row.callee if row is not None else None
    if callee is not None and row is not None:
        fresh = row.role == "spawn" and (made.cls.endswith("multiprocessing.spawn") or _starts_anew(m, made))
        for target in _targets(m, argument(made, callee.target)):
            call_back(
                m, f, target, _target_args(m, made, callee, lead), span, kind="spawn" if fresh else "callback",
                named=_target_named(m, made, callee), open_call=made.cls.endswith(OPEN_CALLERS),
            )  # fmt: skip
        return
    if row is not None and row.role == "env":
        for value in made.args[:1]:
            for target in _targets(m, value):
                call_back(m, f, target, (), span)
        return
    if row is not None and (
        row.params or row.role in ("loader", "layer", "transform", "compose", "option", "dataset", "spawn", "trainer")
    ):
        return
    if not made.cls.startswith(INERT):
        callbacks(m, f, made.args, made.named, span)


def _starts_anew(m: Machine, made: Made) -> bool:
    """Whether a process inherits nothing, because the program chose that way to start processes."""
    return m.spawns and made.cls.startswith(
        ("multiprocessing.", "torch.multiprocessing.", "concurrent.futures.Process")
    )


def _targets(m: Machine, value: Value | None) -> tuple[Value, ...]:
    """The callables behind an argument: itself, or those in a list or dictionary of them."""
    found: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, Box) and option.kind in ("dict", "namespace"):
            for entry in m.heap.cell(option.identity).entries.values():
                found += _targets(m, entry)
        elif isinstance(option, Box | Items):
            for entry in known_items(m, option) or m_elements(m, option):
                found += _targets(m, entry)
        else:
            found.append(option)
    return tuple(found)


def _target_args(m: Machine, made: Made, callee: Callee, lead: Value) -> Args:
    handed: list[Value] = [lead] * callee.lead
    handed += [_element(m, argument(made, spec)) for spec in callee.each]
    if callee.args:
        held = argument(made, callee.args)
        handed += (known_items(m, held) or ()) if held is not None else ()
    if callee.rest:
        position = callee.target.partition("@")[2]
        handed += made.args[int(position) + 1 :] if position else made.args
    return tuple(handed)


def _element(m: Machine, value: Value | None) -> Value:
    from torchdet_lint.analysis.iteration import element

    return element(m, value) if value is not None else UNKNOWN


def _target_named(m: Machine, made: Made, callee: Callee) -> Named:
    from torchdet_lint.analysis.calls import spread

    found: dict[str, Value] = {}
    if callee.kwargs and (held := argument(made, callee.kwargs)) is not None:
        spread(m, held, found)
    if callee.rest:
        target = callee.target.partition("@")[0]
        found.update({key: value for key, value in made.named if key != target})
    return tuple(found.items())


INERT = (
    "inspect.",
    "typing.",
    "functools.wraps",
    "functools.update_wrapper",
    "builtins.",
    "dataclasses.",
    "logging.",
    "atexit.",
    "signal.",
)
"""Callees that look at functions, or keep them for later, without calling them."""


def callbacks(m: Machine, f: Frame, args: Args, named: Named, span: ir.Span) -> None:
    """A function that is handed to code out of sight may be called by it; while a module is imported it is registered."""
    if f.outer is None and not f.qualname and f.env.get("__name__") not in (None, known("__main__")):
        return
    for value in (*args, *(value for _, value in named)):
        for option in alternatives(value):
            if isinstance(option, Flow):
                run_sources(m, f, option, span)
            elif isinstance(option, FunctionValue | Partial) or (
                isinstance(option, Bound) and not isinstance(option.function, str)
            ):
                call_back(m, f, option, (), span)


def submitted(m: Machine, f: Frame, args: Args, span: ir.Span) -> None:
    """`executor.submit(job)`: an object that is its own function."""
    for value in args[:1]:
        for option in alternatives(value):
            if isinstance(option, Instance) and (found := classes.find_member(m, option.cls, "__call__")) is not None:
                call_back(m, f, Bound(option, found[0]) if isinstance(found[0], FunctionValue) else UNKNOWN, (), span)


def call_back(
    m: Machine,
    f: Frame,
    target: Value,
    args: Args,
    span: ir.Span,
    *,
    kind: str = "callback",
    named: Named = (),
    open_call: bool = False,
) -> Value:
    """Calls a project function for somebody else; parameters that nobody names are unknown."""
    from torchdet_lint.analysis import calls

    if isinstance(target, Bound) and isinstance(target.function, FunctionValue):
        return call_back(m, f, target.function, (target.receiver, *args), span, kind=kind, named=named)
    if isinstance(target, Partial):
        return call_back(m, f, target.function, (*target.args, *args), span, kind=kind, named=(*target.named, *named))
    if isinstance(target, Instance | Made | ClassValue):
        return calls.call_value(m, f, target, args, named, span)
    if not isinstance(target, FunctionValue):
        return UNKNOWN
    summary = calls.summarise(m, target, _padded(m, target, args, named), named, open_call=open_call)
    if summary is None:
        return UNKNOWN
    if summary.trace:
        f.trace.append(Enter(f.site(span), kind, summary))
    return summary.result


def _padded(m: Machine, target: FunctionValue, args: Args, named: Named) -> Args:
    """No more arguments than the function takes."""
    code = m.function_code(target)
    if code is None:
        return args
    room = sum(1 for param in code.params if param.kind in ("positional", "normal"))
    return args if any(param.kind == "*" for param in code.params) else args[:room]


def construct_base(
    m: Machine,
    f: Frame,
    instance: Instance,
    outside: tuple[str, ...],
    args: Args,
    named: Named,
    span: ir.Span,
    *,
    through: bool = False,
) -> None:
    """The constructor of an outside base class runs for a project object: its effects, and what it was given.

    A subclass that only hands its arguments `through` is judged where it is built.
    """
    for name in outside:
        row = m.api(name)
        if row is None and name.startswith(
            ("torch.nn.Module", "torch.utils.data.", "builtins.", "abc.", "typing.", "?")
        ):
            continue
        if row is not None and row.role in ("sampler", "loader") and classes.assigns(m, instance.cls, "generator"):
            named = (*((key, value) for key, value in named if key != "generator"), ("generator", UNKNOWN))
        made = Made(name, args, named, instance.identity)
        m.heap.write(instance.identity, "<made>", made)
        site = instance.identity[0] if through else f.site(span)
        if row is not None and site.span != OPEN_SPAN:
            record(m, f, made, row, span, site)
            if made.cls == LAUNCHER:
                launch(m, f, made, span)
        return


OPEN_SPAN = (0, 0)
"""The span of objects that nobody is known to build (see `library`)."""

__all__ = [
    "Tainted",
    "argument",
    "call",
    "call_back",
    "call_made",
    "call_method",
    "callbacks",
    "classes",
    "construct_base",
]
