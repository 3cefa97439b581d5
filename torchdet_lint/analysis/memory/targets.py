"""What assigning to a name, an attribute, an item or a tuple of them does to the memory on both sides."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.memory.coverage import key_of
from torchdet_lint.analysis.memory.frame import Frame, commit, escape, read, uses_in, write
from torchdet_lint.analysis.memory.tables import METADATA
from torchdet_lint.analysis.memory.values import NOTHING, State, Value, all_of, elements, reach, union
from torchdet_lint.project.names import target_names


def assign(frame: Frame, state: State, target: ir.Expr, value: Value) -> None:
    """`target = value`"""
    if isinstance(target, ir.Name):
        if reach(value) and frame.shared(target.id):
            escape(frame, state, value)
        state.env[target.id] = value
    elif isinstance(target, ir.Sequence):
        _unpack(frame, state, target, value)
    elif isinstance(target, ir.Starred):
        assign(frame, state, target.value, Value(each=elements(value)))
    elif isinstance(target, ir.Attr):
        _assign_attribute(frame, state, target, value)
    elif isinstance(target, ir.Item):
        _assign_item(frame, state, target, value)


def forget(state: State, target: ir.Expr) -> None:
    """The names in `target` are bound to something of no interest."""
    for name in target_names(target):
        state.env[name] = NOTHING


def _unpack(frame: Frame, state: State, target: ir.Sequence, value: Value) -> None:
    known = dict(value.entries) if value.entries is not None else {}
    starred = any(isinstance(item, ir.Starred) for item in target.items)
    exact = not starred and len(known) == len(target.items) and not value.refs and value.each is None
    for index, item in enumerate(target.items):
        if exact and index in known:
            assign(frame, state, item, known[index])
        elif value.refs and not starred and value.entries is None:
            assign(frame, state, item, value.part((("Const", index),)))
        else:
            assign(frame, state, item, elements(value))


def bind_field(frame: Frame, state: State, name: str, value: Value) -> None:
    """`self.name = value`: what was computed from unwritten memory lives on."""
    commit(frame, uses_in(state, value))
    for ref in reach(value):
        if ref.buffer.place is not None:
            frame.analysis.attributes.setdefault(ref.buffer, (frame.info, name))
    state.fields[name] = value


def _assign_attribute(frame: Frame, state: State, target: ir.Attr, value: Value) -> None:
    if isinstance(target.value, ir.Name) and target.value.id == frame.self_name:
        bind_field(frame, state, target.name, value)
        return
    base = frame.evaluate(state, target.value)
    if base.refs and target.name == "data":
        write(frame, state, base.refs, uses_in(state, value))
    elif not (base.refs and target.name in METADATA):
        escape(frame, state, value)


def _assign_item(frame: Frame, state: State, target: ir.Item, value: Value) -> None:
    base = frame.evaluate(state, target.value)
    index = frame.evaluate(state, target.key)
    if index.refs:
        commit(frame, uses_in(state, read(frame, state, index, target.span, "is used as an index")))
    if base.refs:
        source = read(
            frame, state, Value(refs=reach(value), maybe=value.maybe), target.span, "is copied into another tensor"
        )
        write(frame, state, base.part(key_of(target.key)).refs, uses_in(state, source))
    elif base.entries is not None or base.each is not None:
        rebind(frame, state, target.value, _stored(base, target.key, value))
    elif any(isinstance(part, ir.Slice) for part in _parts(target.key)):
        commit(frame, uses_in(state, read(frame, state, value, target.span, "is copied into another tensor")))
    else:
        escape(frame, state, value)


def _parts(key: ir.Expr) -> tuple[ir.Expr, ...]:
    return key.items if isinstance(key, ir.Sequence) else (key,)


def _stored(base: Value, key: ir.Expr, value: Value) -> Value:
    if isinstance(key, ir.Const) and base.entries is not None and base.each is None:
        return Value(entries=tuple({**dict(base.entries), key.value: value}.items()))
    return Value(each=all_of([elements(base), value] if base.entries or base.each else [value]))


def rebind(frame: Frame, state: State, target: ir.Expr, value: Value) -> None:
    """The container that `target` names now holds `value`."""
    if isinstance(target, ir.Name):
        state.env[target.id] = value
    elif isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == frame.self_name:
        bind_field(frame, state, target.name, value)
    elif isinstance(target, ir.Item) and isinstance(target.value, ir.Name | ir.Attr):
        outer = frame.evaluate(state, target.value)
        rebind(frame, state, target.value, Value(each=union(elements(outer), value)))
    else:
        escape(frame, state, value)
