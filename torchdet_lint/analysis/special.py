"""Functions from outside whose meaning is not a table row: builtins, containers, reflection, the end of the program."""

from __future__ import annotations

import re
from collections.abc import Callable

from torchdet_lint import ir
from torchdet_lint.analysis import attributes, classes, flags, options, registries
from torchdet_lint.analysis.effects import number_of
from torchdet_lint.analysis.importing import IMPORTERS, import_one
from torchdet_lint.analysis.iteration import element, iterate, known_items
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.triggers import SEED_WORD
from torchdet_lint.analysis.values import (
    NONE,
    UNKNOWN,
    Bound,
    Box,
    ClassValue,
    Either,
    Flow,
    FunctionValue,
    Instance,
    Items,
    Known,
    Made,
    Mark,
    Option,
    Partial,
    Tainted,
    Truth,
    Value,
    alternatives,
    computed,
    join,
    known,
    marks,
    truth,
    usual,
)
from torchdet_lint.project.modules import External, ModuleRef

Handler = Callable[[Machine, Frame, Made, ir.Span], Value | None]

EXIT = External("!exit")
"""What a call returns that does not return."""

WATCHED = frozenset(
    (
        "torch.compile",
        "torch._inductor.config.patch",
        "transformers.TrainingArguments",
        "transformers.Seq2SeqTrainingArguments",
        "trl.SFTConfig",
        "trl.DPOConfig",
        "trl.GRPOConfig",
        "accelerate.utils.TorchDynamoPlugin",
        "accelerate.utils.dataclasses.TorchDynamoPlugin",
        "triton.autotune",
        "torch.backends.cudnn.flags",
        "torch.backends.cuda.sdp_kernel",
        "torch.set_float32_matmul_precision",
    )
)
"""Calls that rules look at although no table row describes them."""


def _getattr(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    if len(made.args) < 2:
        return UNKNOWN
    holder, name = made.args[:2]
    found = [
        attributes.get(m, f, holder, option.value, span)
        for option in usual(name)
        if isinstance(option, Known) and isinstance(option.value, str)
    ]
    if found:
        value = join(*found)
        if len(made.args) > 2 and (
            value == UNKNOWN or (isinstance(value, Bound) and isinstance(holder, Instance | Box))
        ):
            return (
                made.args[2]
                if isinstance(holder, Box) and not m.heap.cell(holder.identity).open
                else join(value, made.args[2])
            )
        return value
    if isinstance(holder, ModuleRef):
        return any_definition(m, holder)
    if isinstance(holder, External) and holder.path.rpartition(".")[2].islower():
        return External(f"{holder.path}._any")  # rows for all names of a module hold for it
    return UNKNOWN


def any_definition(m: Machine, module: ModuleRef, spelt: re.Pattern[str] | None = None) -> Value:
    """Any function or class that a module defines, where the name is not known, or only that it is spelt like this."""
    found: list[Value] = []
    for unit in m.project.modules[module.path].source.units:
        if spelt is not None and not any(map(spelt.fullmatch, unit.names)):
            continue
        if unit.kind in ("def", "class") and len(found) < 12:
            value = m.global_value(module.path, unit.names[0]) if unit.names else None
            if isinstance(value, FunctionValue | ClassValue):
                found.append(value)
    return Either(tuple(dict.fromkeys(found))) if len(found) > 1 else found[0] if found else UNKNOWN


def _setattr(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    if len(made.args) == 3 and isinstance(made.args[1], Known):
        for option in alternatives(made.args[0]):
            attributes.set_attribute(m, f, option, str(made.args[1].value), made.args[2], span)
    elif len(made.args) == 3:
        for option in alternatives(made.args[0]):
            if isinstance(option, Instance):
                m.heap.cell(option.identity).open = True  # it may have any attribute now
    return NONE


def _globals(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    box = Box("dict", (f.site((0, 0))._replace(unit=-1, scope="<globals>"), m.home))
    cell = m.heap.cell(box.identity)
    module = m.project.modules[f.path]
    for name in (*module.bound, *module.imports):
        if name not in cell.entries and (value := m.global_value(f.path, name)) is not None:
            cell.entries[name] = value
    return box


def _vars(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    if not made.args:
        return UNKNOWN
    value = made.args[0]
    if isinstance(value, Instance):
        return Box("namespace", value.identity)
    return value if isinstance(value, Box) else UNKNOWN


def _computed(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return computed(*made.args, *(value for _, value in made.named))


def _convert(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`int(x)`, `str(x)`, …: a known value stays known."""
    kind = made.cls.rsplit(".", 1)[-1]
    convert: dict[str, Callable[[object], object]] = {"int": int, "str": str, "float": float, "bool": bool}  # type: ignore[dict-item]
    results: list[Value] = []
    for option in alternatives(made.args[0]) if len(made.args) == 1 else ():
        inner = option.default if isinstance(option, Option) else option
        value: Value = computed(number_of(m, option))
        if isinstance(inner, Known) and isinstance(inner.value, int | str | float | bool):
            try:
                value = known(convert[kind](inner.value))
            except (ValueError, OverflowError):
                value = UNKNOWN
        if kind == "bool" and value == UNKNOWN and truth(inner) in (Truth.YES, Truth.NO):
            value = known(truth(inner) is Truth.YES)
        results.append(Option(value, option.label) if isinstance(option, Option) and value != UNKNOWN else value)
    return join(*results) if results else _computed(m, f, made, span)


def _iterating(kind: str) -> Handler:
    def handler(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
        from torchdet_lint.analysis.outside import callbacks

        if not made.args:
            return _fresh(m, f, kind, (), span) if kind else UNKNOWN
        callbacks(m, f, (), tuple(entry for entry in made.named if entry[0] == "key"), span)
        value = made.args[0]
        if isinstance(value, Bound) and value.function == "shape":
            return value
        items = known_items(m, value)
        if items is None:
            inner = iterate(m, f, value, span)
            if not kind:
                return inner
            box = _fresh(m, f, kind, (), span)
            if isinstance(box, Box):
                cell = m.heap.cell(box.identity)
                cell.items, cell.element = None, inner
            return box if isinstance(box, Box) else Flow(inner)
        return _fresh(m, f, kind, items, span) if kind else join(*items) if items else UNKNOWN

    return handler


def _fresh(m: Machine, f: Frame, kind: str, items: tuple[Value, ...], span: ir.Span) -> Value:
    from torchdet_lint.analysis.expressions import new_list

    return Items(items) if kind == "tuple" else new_list(m, f, span, list(items), kind)


def _identity(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return made.args[0] if made.args else UNKNOWN


def _cast(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return made.args[1] if len(made.args) > 1 else UNKNOWN


def _lazy(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`tqdm(x)`, `iter(x)`, `islice(x)`: iterating the result iterates the first argument."""
    for value in made.args[:1] or tuple(value for name, value in made.named if name == "iterable"):
        inner = element(m, value) if not isinstance(value, Made | Instance) else UNKNOWN
        return value if isinstance(value, Made | Instance | Flow | Box | Items | Either) else Flow(inner)
    return UNKNOWN


def _map(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    from torchdet_lint.analysis.calls import call_value

    if len(made.args) < 2:
        return UNKNOWN
    items = tuple(iterate(m, f, value, span) for value in made.args[1:])
    result = call_value(m, f, made.args[0], items, (), span)
    return Flow(items[0] if made.cls.endswith("filter") else result)


def _dict(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    kind = "namespace" if made.cls.endswith(("amespace", "EasyDict")) else "dict"
    return attributes.new_dict(m, f, kind, made.args, made.named, span)


def _partial(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return Partial(made.args[0], made.args[1:], made.named) if made.args else UNKNOWN


def _hash(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    if len(made.args) == 1 and _stable_hash(made.args[0]):
        return UNKNOWN
    what = f"{made.cls.rsplit('.', 1)[-1]}()"
    return Tainted(frozenset((Mark("entropy", what, f.site(span)),)) | marks(made.args))


def _stable_hash(value: Value) -> bool:
    """Ints, and tuples of ints."""
    if isinstance(value, Bound) and value.function == "shape":
        return True
    if isinstance(value, Items):
        return all(_stable_hash(item) for item in value.items)
    if isinstance(value, Option):
        return _stable_hash(value.default)
    return isinstance(value, Known) and value.kind in ("int", "bool", "float")


def _exit(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return EXIT


PLAIN_BASES = frozenset(("torch.nn.Module", "builtins.object"))
"""Bases outside of the project that are no more than themselves: what has only these is no `DataParallel`."""


PLAIN_TYPES: dict[str, type] = {
    f"builtins.{kind.__name__}": kind for kind in (str, int, float, bool, list, tuple, dict)
}
PLAIN_TYPES["types.NoneType"] = type(None)
"""Classes of values that are written out; nothing of these is an object of a class of the project."""


def _length(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`len("")`: how long a text is that is known, or the default of an option."""
    found = []
    for option in alternatives(made.args[0]) if len(made.args) == 1 else ():
        inner = option.default if isinstance(option, Option) else option
        if not isinstance(inner, Known) or not isinstance(inner.value, str):
            return UNKNOWN
        length = known(len(inner.value))
        found.append(Option(length, option.label) if isinstance(option, Option) else length)
    return join(*found) if found else UNKNOWN


def _isinstance(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    if len(made.args) != 2:
        return UNKNOWN
    asked = made.args[1].items if isinstance(made.args[1], Items) else (made.args[1],)
    found = {_is_any_of(m, option, asked) for option in alternatives(made.args[0])}
    answer = found.pop() if len(found) == 1 else None
    return UNKNOWN if answer is None else known(answer)


def _is_any_of(m: Machine, value: Value, asked: tuple[Value, ...]) -> bool | None:
    answers = [_is_one_of(m, value, cls) for cls in asked]
    return True if True in answers else None if None in answers else False


def _is_one_of(m: Machine, value: Value, cls: Value) -> bool | None:
    """Whether an object is of a class; None where that is not known."""
    if isinstance(value, Known) and type(value.value) in PLAIN_TYPES.values():
        if isinstance(cls, External) and (kind := PLAIN_TYPES.get(cls.path)) is not None:
            return isinstance(value.value, kind)
        return False if isinstance(cls, ClassValue) else None
    if not isinstance(value, Instance) or not isinstance(cls, ClassValue | External):
        return None
    project, outside = classes.ancestry(m, value.cls)
    if isinstance(cls, ClassValue):
        return True if any(part.value == cls for part in project) else None if "?" in outside else False
    name = m.apis.canonical(cls.path)
    return True if name in outside else False if PLAIN_BASES.issuperset(outside) else None


def _hasattr(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`hasattr(model, "module")` asks whether a network is wrapped: one of the project with no such attribute is not."""
    if len(made.args) == 2 and isinstance(model := made.args[0], Instance) and made.args[1] == known("module"):
        own = any(classes.find_member(m, model.cls, name) is not None for name in ("module", "__getattr__"))
        held = m.heap.cell(model.identity)
        plain = PLAIN_BASES.issuperset(classes.ancestry(m, model.cls)[1])
        if plain and not own and not held.open and "module" not in held.entries:
            return known(False)
    return UNKNOWN


def _environment(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`os.environ.setdefault(k, v)`, `os.environ.update(…)`, `os.putenv(k, v)`: like setting the item."""
    if made.cls.endswith(("setdefault", "putenv")) and len(made.args) == 2:
        attributes.set_item(m, f, External("os.environ"), made.args[0], made.args[1], span)
        return made.args[1]
    for value in made.args:
        if isinstance(value, Box):
            for name, entry in m.heap.cell(value.identity).entries.items():
                attributes.set_item(m, f, External("os.environ"), known(name), entry, span)
    for name, entry in made.named:
        attributes.set_item(m, f, External("os.environ"), known(name), entry, span)
    return NONE


def _start_method(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`set_start_method("spawn")`, `get_context("spawn")`: processes do not inherit the state of generators. Where that is
    for some platforms only, nothing is known.
    """
    chosen = made.get("method", 0)
    if isinstance(chosen, Known) and chosen.value in ("spawn", "forkserver") and not _is_conditional(m, f, span):
        m.spawns = True
    return None


def _is_conditional(m: Machine, f: Frame, span: ir.Span) -> bool:
    """Whether a call stands under a condition other than the main guard."""
    return any(
        isinstance(node, ir.If)
        and node.span[0] <= span[0]
        and any(inside.span[0] <= span[0] < inside.span[1] for inside in (*node.body, *node.orelse))
        and not (isinstance(node.test, ir.Compare) and isinstance(node.test.left, ir.Name))
        for node in ir.nested(m.project.body(f.path, f.unit))
    )


def _variable(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """A seed that comes from the environment: text that is chosen when the program starts, None where nobody does."""
    name = made.args[0] if made.args else None
    if isinstance(name, Known) and isinstance(name.value, str) and SEED_WORD.search(name.value.lower()):
        return Option(made.args[1] if len(made.args) > 1 else NONE, f"`${name.value}`")
    return None


def _import_module(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    names = [option.value for option in usual(made.args[0]) if isinstance(option, Known)] if made.args else []
    names = [name for name in names if isinstance(name, str) and name.strip(".")]
    found = [import_one(m, f, name, span) for name in names]
    if made.cls == "builtins.__import__" and made.get("fromlist", 3) is None:
        found = [attributes.settle(m, m.project.resolve_import(f.path, name.partition(".")[0], 0)) for name in names]
    return join(*found) if found else UNKNOWN


def _range(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return Flow(UNKNOWN)


def _exec(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`exec(open("configurator.py").read())`: constants above it are options, which the user sets from outside."""
    if f.outer is None and made.args and not isinstance(made.args[0], Known):
        for name, value in f.env.items():
            if isinstance(value, Known) and value.kind in ("str", "int", "float", "bool") and not name.startswith("__"):
                f.env[name] = Option(value, f"`{name}`")
    return UNKNOWN


def _quiet(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return UNKNOWN


def _type(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    return made.args[0].cls if len(made.args) == 1 and isinstance(made.args[0], Instance) else UNKNOWN


def _table() -> dict[str, Handler]:
    table: dict[str, Handler] = {
        "getattr": _getattr, "setattr": _setattr, "globals": _globals, "locals": _quiet, "vars": _vars, "len": _length,
        "int": _convert, "str": _convert, "float": _convert, "bool": _convert, "list": _iterating("list"),
        "tuple": _iterating("tuple"), "set": _iterating("set"), "frozenset": _iterating("set"), "sorted": _iterating("list"),
        "next": _iterating(""), "iter": _lazy, "reversed": _lazy, "map": _map, "filter": _map, "dict": _dict, "hash": _hash,
        "id": _hash, "exec": _exec, "exit": _exit, "quit": _exit, "isinstance": _isinstance, "hasattr": _hasattr,
        "print": _quiet, "type": _type,
        "sum": _iterating(""), "any": _iterating(""), "all": _iterating(""), "min": _computed, "max": _computed, "abs": _computed,
        "round": _computed, "pow": _computed, "range": _range, "open": _quiet, "super": _quiet, "format": _computed,
    }  # fmt: skip
    found = {f"builtins.{name}": handler for name, handler in table.items()}
    found |= dict.fromkeys(("functools.partial", "functools.partialmethod"), _partial)
    found |= dict.fromkeys(("sys.exit", "os._exit", "os.abort"), _exit)
    found |= dict.fromkeys(("copy.copy", "copy.deepcopy", "typing.cast"), _identity)
    found["typing.cast"] = _cast
    found["dataclasses.asdict"] = _vars
    found |= dict.fromkeys(("types.SimpleNamespace", "argparse.Namespace"), _dict)
    found |= dict.fromkeys(("collections.OrderedDict", "collections.defaultdict", "easydict.EasyDict"), _dict)
    found |= dict.fromkeys(("os.environ.setdefault", "os.environ.update", "os.putenv"), _environment)
    found |= dict.fromkeys(("os.environ.get", "os.getenv"), _variable)
    found |= dict.fromkeys(
        (
            f"{room}.{name}"
            for room in ("multiprocessing", "torch.multiprocessing")
            for name in ("set_start_method", "get_context")
        ),
        _start_method,
    )
    found |= dict.fromkeys(IMPORTERS, _import_module)
    found |= dict.fromkeys(
        ("tqdm", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.trange", "rich.progress.track"), _lazy
    )
    found |= dict.fromkeys(
        ("itertools.islice", "itertools.cycle", "itertools.chain", "itertools.chain.from_iterable"), _lazy
    )
    found |= dict.fromkeys(registries.CLASSES, registries.make)
    found |= dict.fromkeys(registries.BUILDERS, registries.build_from_cfg)
    found |= options.HANDLERS
    found |= dict.fromkeys(flags.DEFINERS, flags.define)
    return found


HANDLERS = _table()
"""Handlers by canonical name; one that returns None leaves the call to the tables."""
