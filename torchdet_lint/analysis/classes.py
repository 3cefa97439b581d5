"""Project classes: bases, members, and making an object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Enter, Event
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Bound,
    ClassValue,
    FunctionValue,
    Instance,
    Option,
    Value,
    alternatives,
    join,
)
from torchdet_lint.project.modules import External
from torchdet_lint.project.names import flat

Named = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class ClassInfo:
    """What a class statement defines: its bases as values, its members by name, its dataclass fields in order."""

    value: ClassValue
    bases: tuple[Value, ...]
    members: dict[str, Value]
    code: dict[str, ir.Function]
    fields: tuple[tuple[str, ir.Expr | None], ...] = ()
    is_dataclass: bool = False
    frame: Frame | None = field(default=None, compare=False, repr=False)


def define(m: Machine, f: Frame, s: ir.Class) -> ClassValue:
    """Evaluates a class statement: its bases, its body, its methods' defaults."""
    qualname = f"{f.qualname}.{s.name}" if f.qualname else s.name
    value = ClassValue(f.path, f.unit, qualname, (0, 0) if f.outer is None else s.span, m.keep(f))
    from torchdet_lint.analysis.expressions import evaluate
    from torchdet_lint.analysis.statements import run

    bases = tuple(evaluate(m, f, arg.value) for arg in s.bases if arg.star == "")
    inner = Frame(f.path, f.unit, qualname, f, f.context)
    inner.defines = value
    inner.trace = f.trace
    run(m, inner, s.body)
    code = {statement.name: statement for statement in s.body if isinstance(statement, ir.Function)}
    fields = tuple(
        (statement.targets[0].id, statement.value)
        for statement in s.body
        if isinstance(statement, ir.Assign)
        and statement.annotation is not None
        and isinstance(statement.targets[0], ir.Name)
    )
    decorators = [d.func if isinstance(d, ir.Call) else d for d in s.decorators]
    is_dataclass = any(
        _last(d) in ("dataclass", "dataclasses", "define", "frozen", "attrs", "s", "configclass") for d in decorators
    )
    nested = any(
        isinstance(b, External)
        and b.path.rsplit(".", 1)[-1] in ("BaseModel", "NamedTuple", "BaseSettings", "Struct", "BaseConfig")
        for b in bases
    )
    m.code[f.path, f.unit, value.span] = s
    m.define_class(value, ClassInfo(value, bases, inner.env, code, fields, is_dataclass or nested, inner))
    return value


def _last(expr: ir.Expr) -> str:
    return expr.name if isinstance(expr, ir.Attr) else expr.id if isinstance(expr, ir.Name) else ""


def info(m: Machine, cls: ClassValue) -> ClassInfo | None:
    """What is known of a class, evaluating its statement when that has not run."""
    found = m.class_info(cls)
    if found is None:
        m.run_unit(cls.path, cls.unit)
        found = m.class_info(cls)
    return found if isinstance(found, ClassInfo) else None


Ancestry: TypeAlias = tuple[tuple[ClassInfo, ...], tuple[str, ...]]


def ancestry(m: Machine, cls: ClassValue) -> Ancestry:
    """The project classes that it is made of, nearest first, and the canonical names of its outside bases."""
    remembered = m.ancestries.get(cls)
    if remembered is not None and remembered[0] == m.defined[0]:
        found: Ancestry = remembered[1]
        return found
    found = _ancestry(m, cls)
    m.ancestries[cls] = m.defined[0], found
    return found


def _ancestry(m: Machine, cls: ClassValue) -> Ancestry:
    known: list[ClassInfo] = []
    outside: list[str] = []
    todo: list[Value] = [cls]
    while todo and len(known) < 64:
        value = todo.pop(0)
        if isinstance(value, ClassValue):
            found = info(m, value)
            if found is not None and found not in known:
                known.append(found)
                todo = [*found.bases, *todo]
        elif isinstance(value, External):
            outside.append(m.apis.canonical(value.path))
        elif value != UNKNOWN and len(alternatives(value)) > 1:
            todo = [*alternatives(value), *todo]
        else:
            outside.append("?")
    return tuple(known), tuple(outside)


def find_member(
    m: Machine, cls: ClassValue, name: str, *, after: ClassValue | None = None
) -> tuple[Value, ClassInfo] | None:
    """The class attribute or method of that name; with `after`, only in what follows that class (for `super()`)."""
    known, _ = ancestry(m, cls)
    if after is not None:
        places = [index for index, found in enumerate(known) if found.value == after]
        known = known[places[0] + 1 :] if places else known[1:]
    for found in known:
        written = m.heap.read(m.class_identity(found.value), name)
        if name in found.members:
            return found.members[name] if written is None else join(found.members[name], written), found
        if written is not None:
            return written, found
    return None


def assigns(m: Machine, cls: ClassValue, name: str) -> bool:
    """Whether a method of the class, or of a project class that it is made of, binds `self.name` itself."""
    return any(
        isinstance(target, ir.Attr)
        and target.name == name
        and isinstance(target.value, ir.Name)
        and target.value.id == "self"
        for part in ancestry(m, cls)[0]
        for function in part.code.values()
        for statement in flat(function.body)
        if isinstance(statement, ir.Assign)
        for target in statement.targets
    )


def is_module(m: Machine, cls: ClassValue) -> bool:
    """Whether objects of the class are called through `forward`."""
    return find_member(m, cls, "forward") is not None


DICTS = frozenset(("builtins.dict", "collections.OrderedDict", "collections.UserDict", "easydict.EasyDict"))
READS_ITEMS = ("__getattr__", "__getattribute__")
DICT_MEMBERS = frozenset(
    "__getattr__ __getattribute__ __setattr__ __delattr__ __init__ __new__ __repr__ __str__ __missing__ __copy__ __deepcopy__"
    " __dir__ __getstate__ __setstate__ __reduce__ __doc__ __slots__ copy todict to_dict toDict".split()
)
"""What a class may define that is a dictionary with its entries as attributes, and nothing more."""


def is_attribute_dict(m: Machine, cls: ClassValue) -> bool:
    """Whether objects of a class are dictionaries whose entries are attributes too (`class EasyDict(dict)`)."""
    known, outside = ancestry(m, cls)
    if not outside or not DICTS.issuperset(outside):
        return False
    if not all(DICT_MEMBERS.issuperset(part.members) for part in known):
        return False
    return any(find_member(m, cls, name) is not None for name in READS_ITEMS) or assigns(m, cls, "__dict__")


def instantiate(m: Machine, f: Frame, cls: ClassValue, args: tuple[Value, ...], named: Named, span: ir.Span) -> Value:
    """Makes an object: what its constructor does becomes part of the trace."""
    from torchdet_lint.analysis import attributes, calls
    from torchdet_lint.analysis.outside import construct_base

    if is_attribute_dict(m, cls):
        return attributes.new_dict(m, f, "namespace", args, named, span)
    instance = Instance(cls, f.identity(span))
    known, outside = ancestry(m, cls)
    found, before = find_member(m, cls, "__init__"), len(f.trace)
    if found is not None and isinstance(found[0], FunctionValue):
        calls.enter(m, f, found[0], (instance, *args), named, span, kind="construct", receiver=instance.identity)
    elif any(part.is_dataclass for part in known):
        _fill_fields(m, f, instance, known, args, named, span)
    else:
        construct_base(m, f, instance, outside, args, named, span)
    if (post := find_member(m, cls, "__post_init__")) and isinstance(post[0], FunctionValue):
        calls.enter(m, f, post[0], (instance,), (), span, kind="construct", receiver=instance.identity)
    if len(f.trace) == before and is_module(m, cls):  # nothing else says that it is made here
        f.trace.append(Event("made", f.site(span), cls.qualname, value=instance))
    return instance


def all_fields(known: tuple[ClassInfo, ...]) -> dict[str, tuple[ir.Expr | None, ClassInfo]]:
    """Dataclass fields by name, in order, those of bases first."""
    fields: dict[str, tuple[ir.Expr | None, ClassInfo]] = {}
    for part in reversed(known):
        for name, default in part.fields:
            fields[name] = (default, part)
    return fields


def _fill_fields(
    m: Machine,
    f: Frame,
    instance: Instance,
    known: tuple[ClassInfo, ...],
    args: tuple[Value, ...],
    named: Named,
    span: ir.Span,
) -> None:
    given = dict(named)
    m.heap.cell(instance.identity).depth = m.heap.depth
    for index, (name, (default, part)) in enumerate(all_fields(known).items()):
        if index < len(args):
            value = args[index]
        elif name in given:
            value = given[name]
        elif "**" in given:
            value = UNKNOWN
        else:
            value = field_default(m, f, default, part, span, index)
        m.heap.write(instance.identity, name, value, replace=True)


def field_default(m: Machine, f: Frame, default: ir.Expr | None, part: ClassInfo, span: ir.Span, index: int) -> Value:
    """The default of the field at `index`: its expression, what `field(default=…)` says, or what `default_factory` makes."""
    from torchdet_lint.analysis.calls import call_value
    from torchdet_lint.analysis.expressions import evaluate

    frame = part.frame
    if default is None or frame is None:
        return UNKNOWN
    if isinstance(default, ir.Call) and _last(default.func) in ("field", "Field", "ib", "Factory"):
        for arg in default.args:
            if arg.name == "default" or (arg.star == "" and _last(default.func) == "Field"):
                return evaluate(m, frame, arg.value)
            if arg.name in ("default_factory", "factory"):
                factory = evaluate(m, frame, arg.value)
                # Two fields that hold objects of the project hold two objects, although they are made at one place.
                own = (span[0], span[1] + index) if isinstance(factory, ClassValue) else span
                return call_value(m, f, factory, (), (), own)
        return UNKNOWN
    kept, frame.trace = frame.trace, []
    value = evaluate(m, frame, default)
    frame.trace = kept
    return value


def options_object(m: Machine, f: Frame, cls: ClassValue, span: ir.Span, source: str) -> Value:
    """An object of a configuration class whose fields the user may set at the start (HfArgumentParser, tyro, hydra)."""
    instance = Instance(cls, f.identity(span))
    known, _ = ancestry(m, cls)
    for index, (name, (default, part)) in enumerate(all_fields(known).items()):
        value = field_default(m, f, default, part, span, index) if default is not None else UNKNOWN
        m.heap.write(instance.identity, name, _as_options(m, value, f"{source}{name}"), replace=True)
    return instance


def _as_options(m: Machine, value: Value, label: str) -> Value:
    """A field's value as an option; of a configuration inside of a configuration, each of its fields."""
    if isinstance(value, Instance):
        for name, entry in tuple(m.heap.cell(value.identity).entries.items()):
            m.heap.write(value.identity, name, _as_options(m, entry, f"{label}.{name}"), replace=True)
        return value
    return value if value == UNKNOWN or isinstance(value, Option) else Option(value, label)


def bind_method(
    m: Machine, f: Frame, receiver: Value, cls: ClassValue, found: tuple[Value, ClassInfo], span: ir.Span
) -> Value:
    """A member as it looks through an object: methods are bound, properties are called."""
    from torchdet_lint.analysis import calls

    value, owner = found
    if not isinstance(value, FunctionValue):
        return value
    code = owner.code.get(value.qualname.rsplit(".", 1)[-1])
    kinds = {_last(d.func if isinstance(d, ir.Call) else d) for d in code.decorators} if code is not None else set()
    if "staticmethod" in kinds:
        return value
    if "classmethod" in kinds:
        return Bound(cls, value)
    if kinds & {"property", "cached_property"}:
        if isinstance(receiver, ClassValue):
            return UNKNOWN
        return calls.enter(m, f, value, (receiver,), (), span, kind="call")
    if isinstance(receiver, ClassValue):
        return value  # `Base.method(self, x)` is handed its object
    return Bound(receiver, value)


__all__ = [
    "ClassInfo", "Enter", "Event", "all_fields", "ancestry", "bind_method", "define", "find_member", "info", "instantiate",
    "is_module", "join", "options_object",
]  # fmt: skip
