"""Iterating over things: what their items are, and what drawing them does (loaders, samplers, data sets, generators)."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.analysis import classes
from torchdet_lint.analysis.conditions import drawn, redirected
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch, Enter, Event, Node, Within
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
    Partial,
    Pending,
    Tainted,
    Truth,
    Value,
    alternatives,
    is_none,
    join,
    known,
    truth,
    usual,
)
from torchdet_lint.project.modules import External

ITEM_TRANSFORM = "<transform>"
"""The entry of a data set in the heap that holds what it was told later to call for each item."""

NUMBERED = "builtins.enumerate"
ZIPPED = ("builtins.zip", "itertools.product", "itertools.zip_longest")


def known_items(m: Machine, value: Value) -> tuple[Value, ...] | None:
    """The items one by one, where they are known."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Known) and isinstance(value.value, tuple | list | range):
        return tuple(known(item) for item in value.value)[:64]
    if isinstance(value, Box):
        cell = m.heap.cell(value.identity)
        if value.kind in ("list", "set") and cell.items is not None and cell.element is None and not cell.open:
            return tuple(cell.items)
        if value.kind == "dict" and not cell.open and cell.element is None:
            return tuple(known(name) for name in cell.entries)
    return None


MOST_CASES = 16
OWN = Instance | ClassValue | FunctionValue | Bound | Partial


def are_cases(m: Machine, value: Value) -> bool:
    """Whether these are a few things with names of their own, such as splits or data sets with their weights, that the program
    writes out somewhere; or objects and functions of its own, such as callbacks.
    """
    listed = [known_items(m, option) for option in usual(value)]
    return bool(listed) and all(items and len(items) <= MOST_CASES and all(map(_is_named, items)) for items in listed)


_SETS = re.compile(r"(?:\w*_)?(?:data_?set|corpus|split|subset|fold)(?:_(?:name|cfg|config|conf|args|spec|path|dir))?")


def are_sets(target: ir.Expr) -> bool:
    """Whether a loop goes through data sets or their splits, and not through what is in them: it says so itself."""
    name = target.items[-1] if isinstance(target, ir.Sequence) and target.items else target
    return isinstance(name, ir.Name) and _SETS.fullmatch(name.id) is not None


def _is_named(item: Value) -> bool:
    parts = item.items if isinstance(item, Items) else (item,)
    return any((isinstance(part, Known) and part.kind == "str") or isinstance(part, OWN) for part in parts)


def element(m: Machine, value: Value) -> Value:
    """Any item of a value, without iterating it for real."""
    items = known_items(m, value)
    if items:
        return join(*items)
    if isinstance(value, Flow):
        return value.element
    if isinstance(value, Box):
        found = m.heap.elements(value.identity)
        return join(*found) if found else UNKNOWN
    if isinstance(value, Made):
        row = m.api(value.cls)
        if row is not None and row.yields:
            parts = tuple(_instance_of(value, name) for name in row.yields)
            return parts[0] if len(parts) == 1 else Items(parts)
    return value if isinstance(value, Tainted) else UNKNOWN


def _instance_of(value: Made, name: str) -> Value:
    return UNKNOWN if name in ("", "?", "unknown") else Made(name, (), (("**", UNKNOWN),), value.identity)


def iterate(m: Machine, f: Frame, value: Value, span: ir.Span) -> Value:
    """One item of the value; what fetching items does goes into the trace."""
    options = alternatives(value)
    if len(options) > 1:
        some = [option for option in options if known_items(m, option) != ()] or options
        return join(*(iterate(m, f, option, span) for option in some))
    if isinstance(value, Option):
        return iterate(m, f, value.default, span)
    if isinstance(value, Instance):
        return _iterate_instance(m, f, value, span)
    if isinstance(value, Flow):
        run_sources(m, f, value, span)
        return value.element
    if isinstance(value, Made):
        return _iterate_made(m, f, value, span)
    return element(m, value)


def run_sources(m: Machine, f: Frame, flow: Flow, span: ir.Span) -> None:
    """What producing the items of a flow does: the bodies of generators, passes over what it is made from."""
    for source in flow.sources:
        if not isinstance(source, Pending):
            iterate(m, f, source, span)
        elif source.summary.trace:
            f.trace.append(Enter(f.site(span), "item", source.summary))


def _iterate_instance(m: Machine, f: Frame, value: Instance, span: ir.Span) -> Value:
    from torchdet_lint.analysis import calls

    made = m.heap.read(value.identity, "<made>")
    if isinstance(made, Made) and classes.find_member(m, value.cls, "__iter__") is None:
        return _iterate_made(m, f, made, span)
    for name in ("__iter__", "__next__", "__getitem__"):
        found = classes.find_member(m, value.cls, name)
        if found is None or not isinstance(found[0], FunctionValue):
            continue
        args = (value, UNKNOWN) if name == "__getitem__" else (value,)
        result = calls.enter(m, f, found[0], args, (), span, kind="item", receiver=value.identity)
        if name != "__iter__":
            return result
        if result == value:
            continue
        return iterate(m, f, result, span)
    return UNKNOWN


def _iterate_made(m: Machine, f: Frame, value: Made, span: ir.Span) -> Value:
    if value.cls == NUMBERED:
        return Items((UNKNOWN, iterate(m, f, value.args[0], span))) if value.args else UNKNOWN
    if value.cls in ZIPPED:
        return Items(tuple(iterate(m, f, arg, span) for arg in value.args))
    row = m.api(value.cls)
    if row is not None and row.role == "loader":
        return iterate_loader(m, f, value, span)
    if row is not None and row.role in ("sampler", "split") and row.draws:
        f.trace.append(Event("draw", f.site(span), value.cls, drawn(row.draws, value), made=value))
    elif row is not None and row.calls and not row.role and not redirected(value, row):
        f.trace.append(Event("draw", f.site(span), value.cls, drawn(row.calls, value), made=value))
    found = [iterate(m, f, arg, span) for arg in value.args if _worth(m, arg)]
    if row is not None and row.yields:
        return element(m, value)
    return found[0] if len(found) == 1 else UNKNOWN


def _worth(m: Machine, value: Value) -> bool:
    """Whether iterating an argument of something that is iterated can matter."""
    return any(isinstance(option, Instance | Flow | Made | Box | Items) for option in alternatives(value))


def iterate_loader(m: Machine, f: Frame, loader: Made, span: ir.Span) -> Value:
    """A pass over a loader: its base seed, its sampler, and its data set's items, in workers or in the main process."""
    from torchdet_lint.analysis import outside

    f.trace.append(Event("iterate", f.site(span), loader.cls, made=loader))
    generator = loader.get("generator")
    row = m.api(loader.cls)
    own = drawn(row.workers, loader) if row is not None else ()
    if generator is None or is_none(generator) in (Truth.YES, Truth.LIKELY):
        families = (drawn(row.calls, loader) if row is not None else ()) or ("torch",)
        note = "order" if _orders(m, loader) or families != ("torch",) else "base"
        f.trace.append(Event("draw", f.site(span), loader.cls, families, made=loader, note=note))
    kept, f.trace = f.trace, []
    for name in ("sampler", "batch_sampler"):
        sampler = loader.get(name)
        for option in alternatives(sampler):
            if isinstance(option, Instance):
                iterate(m, f, option, span)
    sampling, f.trace = f.trace, []
    item = dataset_item(m, f, loader.get("dataset", 0) or UNKNOWN, span)
    collate = loader.get("collate_fn")
    if collate is not None:
        for option in alternatives(collate):
            outside.call_back(m, f, option, (Flow(item),), span)
    work, f.trace = f.trace, kept
    f.trace += sampling
    workers = loader.get("num_workers", 5)
    init = _worker_init(m, f, loader, span)
    if work:
        fixed = known(generator is not None and is_none(generator) not in (Truth.YES, Truth.LIKELY))
        count = Items((worker_count(workers, loader), fixed, Items(tuple(known(family) for family in own))))
        f.trace.append(Within(f.site(span), "worker", count, (*init, *work)))
    return UNKNOWN


def _orders(m: Machine, loader: Made) -> bool:
    """Whether a pass draws the order of samples, and not only the base seed of workers, which reaches no result by itself."""
    shuffle, sampler = loader.get("shuffle", 2), loader.get("sampler", 3)
    if shuffle is not None and truth(shuffle) is not Truth.NO:
        return True
    return any(isinstance(option, Made) and not _has_order(m, option) for option in alternatives(sampler))


def _has_order(m: Machine, sampler: Made) -> bool:
    """Whether a sampler has an order of its own: the one of the data set, or one by a seed that it has."""
    row = m.api(sampler.cls)
    if row is not None and row.role == "seeded-sampler":
        return True
    return sampler.cls == "torch.utils.data.SequentialSampler"


def worker_count(workers: Value | None, loader: Made) -> Value:
    """How many workers a loader has: 0 when the argument is not given."""
    if workers is None:
        return UNKNOWN if loader.open else known(0)
    options = tuple(known(0) if is_none(option) is Truth.YES else option for option in alternatives(workers))
    return join(*options)


def _worker_init(m: Machine, f: Frame, loader: Made, span: ir.Span) -> tuple[Node, ...]:
    from torchdet_lint.analysis import outside

    init = loader.get("worker_init_fn")
    if init is None:
        return ()
    kept, f.trace = f.trace, []
    for option in alternatives(init):
        outside.call_back(m, f, option, (UNKNOWN,), span)
    trace, f.trace = f.trace, kept
    return (Within(f.site(span), "worker-init", UNKNOWN, tuple(trace)),) if trace else ()


def dataset_item(m: Machine, f: Frame, dataset: Value, span: ir.Span) -> Value:
    """Fetches one item of a data set: of the project, or of a library that wraps project code (`Subset`, transforms). Each of
    several that it may be is a branch of its own.
    """
    options = [option for option in usual(dataset) if not isinstance(option, Known)]
    if len(options) == 1:
        return join(*_items_of(m, f, options[0], span))
    results: list[Value] = []
    for option in options:
        kept, f.trace = f.trace, []
        m.heap.depth += 1
        results += _items_of(m, f, option, span)
        m.heap.depth -= 1
        trace, f.trace = tuple(f.trace), kept
        if trace:
            f.trace.append(Branch(f.site(span), Truth.OPEN, "", trace, (), len(options)))
    return join(*results)


def _items_of(m: Machine, f: Frame, dataset: Value, span: ir.Span) -> tuple[Value, ...]:
    """An item of one data set, where something is known of it."""
    from torchdet_lint.analysis import outside

    if isinstance(dataset, Instance):
        return (_item_of(m, f, dataset, span),)
    if isinstance(dataset, Made):
        later = alternatives(m.heap.read(dataset.identity, ITEM_TRANSFORM))
        for arg in (*dataset.args, *(value for _, value in dataset.named), *later):
            for part in usual(arg):
                _item_part(m, f, part, span)
        _later_transforms(m, f, dataset, span)
    elif isinstance(dataset, Box | Items | Flow):
        return (element(m, dataset),)
    elif isinstance(dataset, Bound):
        outside.call_back(m, f, dataset, (UNKNOWN,), span)
    return ()


TRANSFORMS = ("transform", "target_transform", "transforms")
"""Attributes in which torchvision's data sets keep what they do to an item: torchvision/datasets/vision.py, `VisionDataset`."""


def _later_transforms(m: Machine, f: Frame, dataset: Made | Instance, span: ir.Span) -> None:
    """What a data set from outside was given after it was made: `data.transform = Compose([...])`."""
    for name in TRANSFORMS:
        for part in usual(m.heap.read(dataset.identity, name)):
            _item_part(m, f, part, span)


def _item_part(m: Machine, f: Frame, part: Value, span: ir.Span) -> None:
    from torchdet_lint.analysis import outside

    if isinstance(part, Instance) and _is_dataset(m, part):
        _item_of(m, f, part, span)
    elif isinstance(part, Made) and (row := m.api(part.cls)) is not None and row.role in ("dataset", "split"):
        dataset_item(m, f, part, span)
    elif isinstance(part, Made | Instance | FunctionValue):
        outside.call_back(m, f, part, (UNKNOWN,), span)
    elif isinstance(part, Box | Items):
        for inner in known_items(m, part) or ():
            _item_part(m, f, inner, span)


def _is_dataset(m: Machine, value: Instance) -> bool:
    return any(classes.find_member(m, value.cls, name) is not None for name in ("__getitem__", "__iter__"))


def _item_of(m: Machine, f: Frame, dataset: Instance, span: ir.Span) -> Value:
    from torchdet_lint.analysis import calls

    for name in ("__getitem__", "__iter__", "__getitems__"):
        found = classes.find_member(m, dataset.cls, name)
        if found is not None and isinstance(found[0], FunctionValue):
            args = (dataset,) if name == "__iter__" else (dataset, UNKNOWN)
            result = calls.enter(m, f, found[0], args, (), span, kind="item", receiver=dataset.identity)
            if isinstance(result, Flow):
                return iterate(m, f, result, span)
            return _next_of(m, f, result, span) if name == "__iter__" and isinstance(result, Instance) else result
    made = m.heap.read(dataset.identity, "<made>")
    if not isinstance(made, Made):
        return UNKNOWN
    _later_transforms(m, f, dataset, span)
    return dataset_item(m, f, made, span)


def _next_of(m: Machine, f: Frame, iterator: Instance, span: ir.Span) -> Value:
    """An item of an iterator of the project: `__iter__` often returns `self`."""
    from torchdet_lint.analysis import calls

    found = classes.find_member(m, iterator.cls, "__next__")
    if found is None or not isinstance(found[0], FunctionValue):
        return UNKNOWN
    return calls.enter(m, f, found[0], (iterator,), (), span, kind="item", receiver=iterator.identity)


__all__ = ["Enter", "External", "dataset_item", "element", "iterate", "iterate_loader", "known_items", "worker_count"]
