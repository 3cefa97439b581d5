"""Reading and writing attributes, items and names."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis import classes, flags, pixels
from torchdet_lint.analysis.checkpoints import read_entry
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.overwriting import record_written
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Bound,
    Box,
    ClassValue,
    Flow,
    FunctionValue,
    Instance,
    Items,
    Known,
    Made,
    Option,
    Super,
    Tainted,
    Value,
    alternatives,
    join,
    known,
    usual,
)
from torchdet_lint.project.modules import Definition, External, Folder, ModuleRef, Symbol

MODULE_CONTAINERS = ("torch.nn.ModuleDict", "torch.nn.ModuleList", "torch.nn.Sequential")
CUDA_ROOTS = ("torch.cuda.", "torch.accelerator.")


def settle(m: Machine, symbol: Symbol | None) -> Value:
    """A symbol as a value."""
    if symbol is None:
        return UNKNOWN
    if isinstance(symbol, Definition):
        found = m.global_value(symbol.path, symbol.name)
        return found if found is not None else UNKNOWN
    return symbol


def get(m: Machine, f: Frame, value: Value, name: str, span: ir.Span) -> Value:
    """`value.name`"""
    if isinstance(value, External):
        return _outside(m, f, value, name, span)
    if isinstance(value, ModuleRef):
        return _module(m, value, name)
    if isinstance(value, Folder):
        return settle(m, m.project.member(value, name))
    if isinstance(value, Instance):
        return _instance(m, f, value, name, span)
    if isinstance(value, ClassValue):
        return _class(m, f, value, name, span)
    if isinstance(value, Bound) and value.function == "bit_generator" and name == "state":
        f.trace.append(Event("rng-state", f.site(span), "bit_generator.state"))
    if isinstance(value, FunctionValue) and name == "__name__":
        return known(value.qualname.rpartition(".")[2])
    if isinstance(value, Super):
        return _super(m, f, value, name, span)
    if isinstance(value, Made):
        return _made(m, f, value, name, span)
    if isinstance(value, Box):
        return _box(m, value, name)
    if isinstance(value, Option):
        inner = get(m, f, value.default, name, span)
        return (
            inner
            if isinstance(inner, Bound | Instance)
            else UNKNOWN
            if inner == UNKNOWN
            else Option(inner, value.label)
        )
    if isinstance(value, Tainted) and _is_number(value, name):
        return value
    options = alternatives(value)
    if len(options) > 1:
        return join(*(get(m, f, option, name, span) for option in options if not isinstance(option, Known)))
    return Bound(value, name)


NUMBERS = frozenset(
    "int bytes bytes_le fields time_low time_mid node clock_seq microsecond second minute hour day month year".split()
)
"""Attributes of a `uuid.UUID` and a `datetime` that are numbers."""


def _is_number(value: Tainted, name: str) -> bool:
    return name in NUMBERS or (name == "hex" and all(mark.what.startswith("uuid.") for mark in value.marks))


def _module(m: Machine, value: ModuleRef, name: str) -> Value:
    if name in ("__dict__", "__getattribute__"):
        return Bound(value, name)
    held = m.global_value(value.path, name)
    return held if held is not None else settle(m, m.project.member(value, name))


def _class(m: Machine, f: Frame, value: ClassValue, name: str, span: ir.Span) -> Value:
    if name == "__name__":
        return known(value.qualname.rpartition(".")[2])
    found = classes.find_member(m, value, name)
    return Bound(value, name) if found is None else classes.bind_method(m, f, value, value, found, span)


def _outside(m: Machine, f: Frame, value: External, name: str, span: ir.Span) -> Value:
    path = f"{value.path}.{name}"
    if path.startswith(CUDA_ROOTS):
        f.trace.append(Event("cuda", f.site(span), path))
    if path == "torch.__version__" or path.endswith(".__version__"):
        from torchdet_lint.analysis.values import Mark

        return Tainted(frozenset((Mark("version", value.path, None),)))
    if value.path == flags.FLAGS and (found := flags.read(m, name)) is not None:
        return found
    return External(path)


def _instance(m: Machine, f: Frame, value: Instance, name: str, span: ir.Span) -> Value:
    held = m.heap.read(value.identity, name)
    found = classes.find_member(m, value.cls, name)
    if held is not None:
        return held
    if found is not None:
        return classes.bind_method(m, f, value, value.cls, found, span)
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return Box("namespace", value.identity)
    made = m.heap.read(value.identity, "<made>")
    if isinstance(made, Made) and name in dict(made.named):
        return dict(made.named)[name]
    _, outside = classes.ancestry(m, value.cls)
    getter = classes.find_member(m, value.cls, "__getattr__")
    return Bound(value, name) if outside or getter is not None or name.startswith("__") else UNKNOWN


def _super(m: Machine, f: Frame, value: Super, name: str, span: ir.Span) -> Value:
    cls = value.receiver.cls if isinstance(value.receiver, Instance) else value.cls
    found = classes.find_member(m, cls, name, after=value.cls)
    if found is not None:
        return classes.bind_method(m, f, value.receiver, cls, found, span)
    return Bound(value.receiver, f"super.{name}")


CONFIGURATIONS = frozenset(
    "yacs.config.CfgNode fvcore.common.config.CfgNode detectron2.config.CfgNode easydict.EasyDict ml_collections.ConfigDict"
    " ml_collections.config_dict.ConfigDict".split()
)
"""Classes of objects whose fields hold defaults, which files and command lines replace."""


def _made(m: Machine, f: Frame, value: Made, name: str, span: ir.Span) -> Value:
    held = m.heap.read(value.identity, name)
    if held is not None:
        return Option(held, f"`{name}`") if value.cls in CONFIGURATIONS and isinstance(held, Known) else held
    for key, entry in value.named:
        if key == name and not isinstance(entry, Known):
            return entry
    if value.cls == "torch.nn.ModuleDict" and value.args and isinstance(value.args[0], Box):
        module = m.heap.read(value.args[0].identity, name)
        if module is not None:
            return module
    if name in ("module", "_orig_mod") and value.args:
        inner = [option for option in alternatives(value.args[0]) if isinstance(option, Instance | Made)]
        if inner:
            return join(*inner)
    wrapped = next((arg for arg in value.args if isinstance(arg, Instance)), None)
    if wrapped is not None and not name.startswith("_") and value.cls != "builtins.type":
        if name in ("module", "_orig_mod", "model", "func"):
            return wrapped
        if classes.find_member(m, wrapped.cls, name) is not None:
            return _instance(m, f, wrapped, name, span)
    return Bound(value, name)


def _box(m: Machine, value: Box, name: str) -> Value:
    if value.kind == "namespace":
        held = m.heap.read(value.identity, name)
        return held if held is not None else (Bound(value, name) if name.startswith("_") else UNKNOWN)
    return Bound(value, name)


def get_slice(m: Machine, value: Value) -> Value:
    """`value[a:b]`"""
    if isinstance(value, Items | Box | Flow):
        from torchdet_lint.analysis.iteration import element

        return Flow(element(m, value)) if not isinstance(value, Box) else value
    if isinstance(value, Instance | Made) and (part := _indexed(m, value, UNKNOWN)) is not None:
        return part
    return value if isinstance(value, Tainted) else UNKNOWN


def get_item(m: Machine, f: Frame, value: Value, key: Value, span: ir.Span) -> Value:
    """`value[key]`"""
    from torchdet_lint.analysis.iteration import element, known_items

    if isinstance(value, Option):
        item = get_item(m, f, value.default, key, span)
        return item if item == UNKNOWN or isinstance(item, Option) else Option(item, value.label)
    if isinstance(value, Instance):
        own = classes.find_member(m, value.cls, "__getitem__") is not None
        part = None if own else _indexed(m, value, key)
        return part if part is not None else _call_operator(m, f, value, "__getitem__", (key,), span)
    if isinstance(value, Box) and value.kind in ("dict", "namespace"):
        return read_key(m, value, key)
    if isinstance(value, External):
        return _outside_item(m, f, value, key, span)
    if (found := pixels.entry(value, key)) is not None:
        return found
    if isinstance(value, ClassValue) and classes.find_member(m, value, "__class_getitem__") is None:
        return value  # `Base[int]` of a generic class
    if isinstance(value, Bound) and value.function == "__dict__" and isinstance(value.receiver, ModuleRef):
        return module_member(m, f, value.receiver, key, span)
    items = known_items(m, value)
    if (
        items is not None
        and isinstance(key, Known)
        and isinstance(key.value, int)
        and -len(items) <= key.value < len(items)
    ):
        return items[key.value]
    if isinstance(value, Items | Box | Flow):
        return element(m, value)
    read_entry(m, f, value, key, f.site(span))
    if isinstance(value, Made) and value.cls in MODULE_CONTAINERS and value.args:
        if value.cls == "torch.nn.Sequential" and len(value.args) > 1:
            return get_item(m, f, Items(value.args), key, span)
        return get_item(m, f, value.args[0], key, span)
    if isinstance(value, Made) and (part := _indexed(m, value, key)) is not None:
        return part
    options = alternatives(value)
    if len(options) > 1:
        return join(*(get_item(m, f, option, key, span) for option in options))
    return value if isinstance(value, Tainted) else UNKNOWN


def module_member(m: Machine, f: Frame, module: ModuleRef, key: Value, span: ir.Span) -> Value:
    """`module.__dict__[key]`: any function or class of the module when the key is not known."""
    from torchdet_lint.analysis.special import any_definition

    found = [
        get(m, f, module, option.value, span)
        for option in usual(key)
        if isinstance(option, Known) and isinstance(option.value, str)
    ]
    return join(*found) if found else any_definition(m, module)


def read_key(m: Machine, box: Box, key: Value) -> Value:
    """The entry of a dictionary; any of them when the key is not known."""
    cell = m.heap.cell(box.identity)
    if isinstance(key, Known) and isinstance(key.value, str) and key.value in cell.entries:
        return cell.entries[key.value]
    if isinstance(key, Option) and isinstance(key.default, Known) and key.default.value in cell.entries:
        return join(*cell.entries.values())
    if isinstance(key, Known) and not cell.open and cell.element is None:
        return UNKNOWN
    options = [*cell.entries.values()]
    if cell.element is not None:
        options.append(cell.element)
    return join(*options) if options else UNKNOWN


def _outside_item(m: Machine, f: Frame, value: External, key: Value, span: ir.Span) -> Value:
    """`models.__dict__[name]` and the like: an attribute that is known by name only."""
    path = value.path
    if path.endswith(".__dict__") and isinstance(key, Known) and isinstance(key.value, str):
        return External(f"{path.removesuffix('.__dict__')}.{key.value}")
    if path.endswith(".__dict__") and isinstance(key, Option) and isinstance(key.default, Known):
        return External(f"{path.removesuffix('.__dict__')}.{key.default.value}")
    if path.endswith(".__dict__"):
        return External(f"{path.removesuffix('.__dict__')}._any")  # rows for all names of a module hold for it
    return value if path.rpartition(".")[2][:1].isupper() else UNKNOWN  # `Dataset[Row]`


def assign(m: Machine, f: Frame, target: ir.Expr, value: Value, span: ir.Span | None = None) -> None:
    """Binds a target to a value."""
    from torchdet_lint.analysis.expressions import evaluate
    from torchdet_lint.analysis.tests import path_text

    at = span if span is not None else target.span
    if isinstance(target, ir.Name):
        if target.id in f.globals:
            m.write_global(f.path, target.id, value)
        else:
            f.env[target.id] = value
        _forget(f, target.id)
    elif isinstance(target, ir.Attr):
        if f.narrowed:
            _forget(f, path_text(target))
        for option in alternatives(evaluate(m, f, target.value)):
            set_attribute(m, f, option, target.name, value, at)
    elif isinstance(target, ir.Item):
        holder = evaluate(m, f, target.value)
        key = evaluate(m, f, target.key) if not isinstance(target.key, ir.Slice) else UNKNOWN
        for option in alternatives(holder):
            set_item(m, f, option, key, value, at)
    elif isinstance(target, ir.Sequence):
        _unpack(m, f, target, value, at)
    elif isinstance(target, ir.Starred):
        assign(m, f, target.value, UNKNOWN, at)


def _forget(f: Frame, text: str) -> None:
    if f.narrowed and text:
        f.narrowed = {k: v for k, v in f.narrowed.items() if k != text and not k.startswith(f"{text}.")}


def _unpack(m: Machine, f: Frame, target: ir.Sequence, value: Value, span: ir.Span) -> None:
    from torchdet_lint.analysis.iteration import element, known_items

    items = known_items(m, value)
    starred = any(isinstance(item, ir.Starred) for item in target.items)
    if items is not None and not starred and len(items) == len(target.items):
        for part, item in zip(target.items, items, strict=True):
            assign(m, f, part, item, span)
        return
    # Alternatives that could not be unpacked like this cannot be the value.
    options = [option for option in alternatives(value) if not isinstance(option, Known | FunctionValue | ClassValue)]
    known_rows = [(option, known_items(m, option)) for option in options if not isinstance(option, Instance)]
    rows = [row for _, row in known_rows if row is not None and len(row) == len(target.items)]
    rest = [element(m, option) for option, row in known_rows if row is None]
    if not starred and rows:
        for index, part in enumerate(target.items):
            assign(m, f, part, join(*(row[index] for row in rows), *rest), span)
        return
    each = value if isinstance(value, Tainted) else element(m, value)
    for part in target.items:
        assign(m, f, part, each, span)


INITIALISERS = "torch.nn.init."
"""Functions that layers call for their first weights, and that programs replace by ones that do nothing."""


def set_attribute(m: Machine, f: Frame, holder: Value, name: str, value: Value, span: ir.Span) -> None:
    """`holder.name = value`"""
    if isinstance(holder, External):
        path = m.apis.canonical(f"{holder.path}.{name}")
        f.trace.append(Event("mode", f.site(span), path, value=value))
        if path.startswith(CUDA_ROOTS):
            f.trace.append(Event("cuda", f.site(span), path))
        if path.startswith(INITIALISERS):
            replaced = {path} if isinstance(value, FunctionValue) else set()
            m.replaced = (m.replaced - {path}) | replaced
    elif isinstance(holder, Instance):
        m.heap.write(holder.identity, name, value)
    elif isinstance(holder, Box):
        m.heap.write(holder.identity, name, value, replace=True)
    elif isinstance(holder, ModuleRef):
        m.write_global(holder.path, name, value)
    elif isinstance(holder, Made):
        m.heap.write(holder.identity, name, value)
        record_written(m, f, holder, name, span)
        f.trace.append(Event("set", f.site(span), f"{holder.cls}.{name}", value=value, made=holder))
    elif isinstance(holder, Bound) and name == "data":
        record_written(m, f, holder, name, span)
    elif isinstance(holder, ClassValue):
        m.heap.write(m.class_identity(holder), name, value)


def _indexed(m: Machine, value: Instance | Made, key: Value) -> Value | None:
    """A part of an object from outside that is of its kind, as the tables say: data sets of PyTorch Geometric indexed with
    anything but a number, splits of Hugging Face's.
    """
    made = m.heap.read(value.identity, "<made>") if isinstance(value, Instance) else value
    row = m.api(f"{made.cls}.__getitem__") if isinstance(made, Made) else None
    if row is None or not isinstance(made, Made) or (isinstance(key, Known) and isinstance(key.value, int)):
        return None
    return value if row.returns == "self" else replace(made, cls=row.returns)


def _call_operator(
    m: Machine, f: Frame, receiver: Instance, name: str, args: tuple[Value, ...], span: ir.Span
) -> Value:
    """A special method of a project class, where it has one."""
    from torchdet_lint.analysis import calls

    found = classes.find_member(m, receiver.cls, name)
    if found is None or not isinstance(found[0], FunctionValue):
        return UNKNOWN
    return calls.enter(m, f, found[0], (receiver, *args), (), span)


def set_item(m: Machine, f: Frame, holder: Value, key: Value, value: Value, span: ir.Span) -> None:
    """`holder[key] = value`"""
    if isinstance(holder, Box) and holder.kind in ("dict", "namespace"):
        set_key(m, holder, key, value)
    elif isinstance(holder, Box):
        m.heap.append(holder.identity, value)
    elif isinstance(holder, External) and holder.path == "os.environ" and isinstance(key, Known):
        f.trace.append(Event("mode", f.site(span), f"os.environ[{key.value}]", value=value))
    elif isinstance(holder, Instance):
        _call_operator(m, f, holder, "__setitem__", (key, value), span)


def set_key(m: Machine, box: Box, key: Value, value: Value) -> None:
    if isinstance(key, Known) and isinstance(key.value, str):
        m.heap.write(box.identity, key.value, value, replace=True)
        return
    cell = m.heap.cell(box.identity)
    new = value if cell.element is None else join(cell.element, value)
    if new != cell.element:
        cell.element = new
        cell.version += 1


def delete_key(m: Machine, holder: Value, key: Value) -> None:
    """`del holder[key]`, or `holder.pop(key)`."""
    if not isinstance(holder, Box) or not isinstance(key, Known):
        return
    cell = m.heap.cell(holder.identity)
    if m.heap.depth <= cell.depth and cell.entries.pop(str(key.value), None) is not None:
        cell.version += 1


def new_dict(
    m: Machine, f: Frame, kind: str, args: tuple[Value, ...], named: tuple[tuple[str, Value], ...], span: ir.Span
) -> Value:
    """A fresh dictionary (or namespace) of what it is made from."""
    box = Box(kind, f.identity(span))
    m.heap.cell(box.identity).depth = m.heap.depth
    for value in args:
        update_dict(m, box, value)
    for name, value in named:
        if name == "**":
            m.heap.cell(box.identity).open = True
        else:
            m.heap.write(box.identity, name, value, replace=True)
    return box


def update_dict(m: Machine, box: Box, value: Value) -> None:
    """`box.update(value)`"""
    cell = m.heap.cell(box.identity)
    for option in alternatives(value):
        if isinstance(option, Box) and option.kind in ("dict", "namespace"):
            other = m.heap.cell(option.identity)
            for name, entry in list(other.entries.items()):
                m.heap.write(box.identity, name, entry, replace=True)
            if other.open or other.element is not None:
                set_key(m, box, UNKNOWN, other.element if other.element is not None else UNKNOWN)
                cell.open = cell.open or other.open
        elif option != known(None) and not cell.open:
            cell.open = True
            cell.version += 1


def extend_list(m: Machine, f: Frame, old: Value, added: Value, op: str) -> bool:
    """`old += added` for lists; whether it was one."""
    from torchdet_lint.analysis.iteration import known_items

    if not isinstance(old, Box) or old.kind != "list" or op != "+":
        return False
    items = known_items(m, added)
    if items is None:
        from torchdet_lint.analysis.iteration import element

        m.heap.append(old.identity, element(m, added))
    else:
        for item in items:
            m.heap.append(old.identity, item)
    return True
