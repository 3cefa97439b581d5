"""Methods of objects that are not project code: tensors, loaders, generators, containers, modules."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis import attributes, classes, contexts, options
from torchdet_lint.analysis.checkpoints import READS_STATE, load_state, read_entry
from torchdet_lint.analysis.conditions import argument
from torchdet_lint.analysis.containers import DICT_METHODS, LIST_METHODS
from torchdet_lint.analysis.effects import number_of, record, unrepeatable_data
from torchdet_lint.analysis.flash import SETTERS, note_flash
from torchdet_lint.analysis.iteration import ITEM_TRANSFORM
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.overwriting import record_written
from torchdet_lint.analysis.pixels import is_pixels
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import (
    NONE,
    UNKNOWN,
    Bound,
    Box,
    Flow,
    Instance,
    Items,
    Known,
    Made,
    Mark,
    Tainted,
    Value,
    alternatives,
    computed,
    known,
)
from torchdet_lint.catalog.apis import Api, Callee
from torchdet_lint.project.modules import ModuleRef

Args = tuple[Value, ...]
Named = tuple[tuple[str, Value], ...]

TENSOR_DRAWS = frozenset(
    ("uniform_", "normal_", "random_", "bernoulli_", "exponential_", "geometric_", "cauchy_", "log_normal_")
)
"""Method names that only tensors have."""

TENSOR_METHODS = frozenset(
    "roll mul mul_ add add_ sub sub_ div div_ fill_ clamp narrow index_select masked_fill repeat view reshape copy_ pow sample"
    " choice take index_fill_ select split chunk".split()
)
"""Methods by which numbers become data, whatever the receiver is."""

SAME = frozenset(
    "to cuda cpu eval train float half double bfloat16 requires_grad_ share_memory detach contiguous type xpu mps to_empty"
    " manual_seed set_state compile apply".split()
)
"""Methods of modules, tensors and generators that return their receiver (or something as good)."""

ABSTRACT = "gymnasium.Env."
"""A class whose own methods draw nothing: `super().reset(seed=seed)` seeds, and what the subclass draws stands in it."""

FITS = frozenset("fit fit_transform fit_predict fit_resample partial_fit split".split())
"""Methods that draw what the `calls` of a class without a role say: estimators and splitters."""

MODULE_STATE = frozenset(("eval", "train", "load_state_dict"))
SUBMITS = frozenset(("submit", "apply_async", "launch"))


def call(
    m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span, expr: ir.Call | None
) -> Value:
    """Calls `receiver.name(…)`."""
    from torchdet_lint.analysis import outside

    if name.startswith("super."):
        return _super(m, f, receiver, name.removeprefix("super."), args, named, span, expr)
    if isinstance(receiver, Box):
        handlers = DICT_METHODS if receiver.kind in ("dict", "namespace") else LIST_METHODS
        if name in handlers:
            return handlers[name](m, f, receiver, args, named, span)
    if (found := _of_its_own(m, f, receiver, name, args, named, span)) is not None:
        return found
    _evidence(m, f, receiver, name, args, named, span)
    if name in MODULE_STATE:
        _module_state(m, f, receiver, name, args, named, span)
    path = method_path(m, receiver, name)
    made = Made(path, args, named, f.identity(span))
    if name in TENSOR_METHODS:
        unrepeatable_data(m, f, Made(f"torch.Tensor.{name}", args, named, made.identity))
    row = m.api(path) if path else None
    if path in m.watched:
        f.trace.append(Event("watched", f.site(span), path, made=made))
    if row is not None and (found := _by_role(m, f, receiver, made, row, span)) is not None:
        return found
    _fit_parts(m, f, receiver, name, args, named, span)
    if isinstance(receiver, Made) and _is_rng(m, receiver) and (row is None or row.role != "seeder"):
        f.trace.append(Event("rng-draw", f.site(span), path, made=receiver))
        return _rng_result(f, receiver, path, args, span)
    if row is not None and row.callee is not None:
        outside.hand_on(m, f, made, row, span, receiver)
    else:
        outside.callbacks(m, f, args, named, span)
    if name in SUBMITS:
        outside.submitted(m, f, args, span)
    return _result(m, f, receiver, name, made, row, span)


def _by_role(m: Machine, f: Frame, receiver: Value, made: Made, row: Api, span: ir.Span) -> Value | None:
    """Notes what a method does that the tables know; its result where nothing else is to be done for it."""
    record(m, f, made, row, span)
    if row.role == "fit":
        return _fit(m, f, receiver, made, span)
    if row.role == "dataset" and row.callee is not None:
        return _transformed(m, receiver, made, row.callee, in_place=row.returns != "self")
    _done_to(m, f, receiver, made, row, span)
    return None


def _transformed(m: Machine, receiver: Value, made: Made, callee: Callee, *, in_place: bool) -> Value:
    """A data set with a function that is called for each item that is fetched, in the workers of a loader too."""
    transform = argument(made, callee.target)
    if not isinstance(receiver, Made) or transform is None:
        return receiver
    if in_place:
        m.heap.write(receiver.identity, ITEM_TRANSFORM, transform, replace=True)
        return UNKNOWN
    return Made(made.cls.rpartition(".")[0], (receiver, transform), (), made.identity)


def _of_its_own(
    m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span
) -> Value | None:
    """Methods of modules, of contexts and of parsers, which no table describes."""
    if (found := _of_module(m, f, receiver, name, args, span)) is not None:
        return found
    if (found := contexts.enter_by_hand(m, f, receiver, name, args, span)) is not None:
        return found
    return _parser(m, f, receiver, name, args, named, span) if isinstance(receiver, Made) else None


def _of_module(m: Machine, f: Frame, receiver: Value, name: str, args: Args, span: ir.Span) -> Value | None:
    """What a module holds: `module.__getattribute__("Net")`, `for name, value in module.__dict__.items()`."""
    if isinstance(receiver, ModuleRef) and name == "__getattribute__" and args and isinstance(args[0], Known):
        return attributes.get(m, f, receiver, str(args[0].value), span)
    if isinstance(receiver, Bound) and receiver.function == "__dict__" and isinstance(receiver.receiver, ModuleRef):
        any_member = attributes.module_member(m, f, receiver.receiver, UNKNOWN, span)
        return {"items": Flow(Items((UNKNOWN, any_member))), "values": Flow(any_member)}.get(name)
    return None


def _done_to(m: Machine, f: Frame, receiver: Value, made: Made, row: Api, span: ir.Span) -> None:
    """What a method does to its receiver: a tensor is filled with random numbers, a generator is seeded."""
    if isinstance(receiver, Made) and made.cls.rpartition(".")[2] in TENSOR_DRAWS:
        m.drawn[receiver.identity] = f.site(span)
    if isinstance(receiver, Made) and row.role == "seeder" and not row.seeds:
        _seed_object(f, receiver, made, row.seed, row.missing, span)


def _operation(m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span) -> None:
    """A method that differs from run to run on tensors, unless the receiver is certainly none."""
    if isinstance(receiver, Box | Instance | Items | Flow | Known):
        return
    path = method_path(m, receiver, name)
    if path and not path.startswith(("torch.", "?.")):
        return
    api = f"torch.Tensor.{name}"
    made = Made(api, args, named, f.identity(span))
    f.trace.append(Event("use", f.site(span), api, value=receiver, made=made, note="operation"))


def _parser(m: Machine, f: Frame, receiver: Made, name: str, args: Args, named: Named, span: ir.Span) -> Value | None:
    """A method of a parser of command-line options."""
    if receiver.cls == "argparse.ArgumentParser":
        return options.parser_method(m, f, receiver, name, Made(name, args, named, f.identity(span)), span)
    return (
        options.parse_dataclasses(m, f, receiver, name, span)
        if receiver.cls == "transformers.HfArgumentParser"
        else None
    )


def method_path(m: Machine, receiver: Value, name: str) -> str:
    """The dotted name of a method, "" when the receiver's class is not known."""
    if isinstance(receiver, Made):
        row = m.api(receiver.cls)
        cls = row.result if row is not None and row.result not in ("", "self") else receiver.cls
        return m.apis.canonical(f"{cls}.{name}")
    if isinstance(receiver, Instance):
        for base in classes.ancestry(m, receiver.cls)[1]:
            path = m.apis.canonical(f"{base}.{name}")
            if m.api(path) is not None:
                return path
        return ""
    if isinstance(receiver, Bound) and isinstance(receiver.function, str):
        inner = method_path(m, receiver.receiver, receiver.function)
        return f"{inner}.{name}" if inner else f"?.{receiver.function}.{name}"
    if name in TENSOR_DRAWS:
        return f"torch.Tensor.{name}"
    return ""


def _evidence(m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span) -> None:
    if name == "backward" and not isinstance(receiver, Instance):
        f.trace.append(Event("backward", f.site(span), ".backward()"))
    elif name == "set_epoch":
        made = receiver if isinstance(receiver, Made) else None
        f.trace.append(Event("set-epoch", f.site(span), name, value=receiver, made=made))
    elif name == "copy_":
        record_written(m, f, receiver, name, span)
    elif name in READS_STATE:
        f.trace.append(Event("rng-state", f.site(span), name))
    elif name in ("get", "pop") and args:
        read_entry(m, f, receiver, args[0], f.site(span))
    elif name == "cuda":
        f.trace.append(Event("cuda", f.site(span), ".cuda()"))
    elif name == "to" and args and isinstance(args[0], Known) and args[0].kind == "int":
        f.trace.append(Event("cuda", f.site(span), f".to({args[0].value})"))
    elif name in SETTERS:
        note_flash(m, f, Made(name, args, named, f.identity(span)), span, name)
    elif name == "compile" and any(key in ("mode", "options") for key, _ in named):
        made = Made("torch.compile", (receiver, *args), named, f.identity(span))
        f.trace.append(Event("use", f.site(span), made.cls, made=made, note="call"))
    elif name in ("matmul", "mm", "bmm", "addmm", "mv"):
        f.trace.append(Event("matmul", f.site(span), f".{name}()"))
    if name in m.operations.methods:
        _operation(m, f, receiver, name, args, named, span)


def _module_state(m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span) -> None:
    """`eval`, `train`, `load_state_dict` on a module, and on the module inside a wrapper."""
    if name == "load_state_dict":
        load_state(f, receiver, f.site(span))
    given = Made(name, args, named, f.identity(span))
    kind = {"eval": "eval", "train": "train", "load_state_dict": "load"}[name]
    if kind == "train" and given.get("mode", 0) == known(False):
        kind = "eval"
    if kind == "load" and given.get("strict", 1) not in (None, known(True)):
        return
    for option in alternatives(receiver):
        if isinstance(option, Instance | Made):
            f.trace.append(Event(kind, f.site(span), name, value=Items((option, *m.heap.below(option))), made=given))


def _fit_parts(m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span) -> None:
    """An estimator or splitter draws, or what it is composed of does."""
    from torchdet_lint.analysis import outside

    row = m.api(receiver.cls) if isinstance(receiver, Made) and name in FITS else None
    if isinstance(receiver, Made) and row is not None and (row.role == "compose" or (row.calls and not row.role)):
        outside.call_made(m, f, receiver, args, named, span)


def _is_rng(m: Machine, receiver: Made) -> bool:
    row = m.api(receiver.cls)
    return row is not None and row.role in ("rng", "generator")


def _rng_result(f: Frame, receiver: Made, path: str, args: Args, span: ir.Span) -> Value:
    if receiver.cls == "random.SystemRandom":
        return Tainted(frozenset((Mark("entropy", "random.SystemRandom()", f.site(span)),)))
    return UNKNOWN


def _seed_object(f: Frame, receiver: Made, made: Made, spec: str, missing: str, span: ir.Span) -> None:
    """A private generator gets its seed."""
    name, _, position = spec.partition("@")
    value = made.get(name, int(position) if position else None) if spec else None
    if value is None or value == NONE:
        entropy = missing == "entropy"
        value = Tainted(frozenset((Mark("entropy", f"{made.cls}()", None),))) if entropy else known("default")
    f.trace.append(Event("seeded", f.site(span), made.cls, value=value, made=receiver))


def _fit(m: Machine, f: Frame, receiver: Value, made: Made, span: ir.Span) -> Value:
    from torchdet_lint.analysis.training import fit

    return fit(m, f, receiver, made, span)


def _super(
    m: Machine, f: Frame, receiver: Value, name: str, args: Args, named: Named, span: ir.Span, expr: ir.Call | None
) -> Value:
    from torchdet_lint.analysis import outside

    if name == "__init__" and isinstance(receiver, Instance):
        _, bases = classes.ancestry(m, receiver.cls)
        through = expr is not None and any(arg.star in ("*", "**") for arg in expr.args)
        outside.construct_base(m, f, receiver, bases, args, named, span, through=through)
        return NONE
    if name == "__setattr__" and len(args) == 2 and isinstance(args[0], Known):
        attributes.set_attribute(m, f, receiver, str(args[0].value), args[1], span)
        return NONE
    if name == "forward" and isinstance(receiver, Instance):
        layer = m.heap.read(receiver.identity, "<made>") or _base_layer(m, receiver)
        if isinstance(layer, Made) and layer.cls.startswith("torch.nn."):
            return outside.call_made(m, f, layer, args, named, span)
    path = method_path(m, receiver, name)
    if (row := m.api(path)) is not None and path.startswith(ABSTRACT):
        record(m, f, Made(path, args, named, f.identity(span)), replace(row, draws=()), span)
        return UNKNOWN
    return call(m, f, receiver, name, args, named, span, None)


def _base_layer(m: Machine, receiver: Instance) -> Made | None:
    """The layer of torch that a class derives, where nobody is seen to make an object of it."""
    for base in classes.ancestry(m, receiver.cls)[1]:
        row = m.api(base)
        if row is not None and row.role in ("layer", "attention", "recurrent"):
            return Made(row.name, (), (("**", UNKNOWN),), receiver.identity)
    return None


def _result(m: Machine, f: Frame, receiver: Value, name: str, made: Made, row: object, span: ir.Span) -> Value:
    from torchdet_lint.analysis.outside import result_of

    if isinstance(row, Api):
        if (row.returns == "self" and not row.variants) or (name in SAME and is_pixels(receiver)):
            return receiver
        return result_of(m, f, made, row, span)
    if name in ("item", "tolist"):
        receiver = number_of(m, receiver)
    if name in SAME and isinstance(receiver, Instance | Made):
        return receiver
    if isinstance(receiver, Flow) and name == "__iter__":
        return receiver
    if name in (
        "astype",
        "item",
        "tolist",
        "copy",
        "split",
        "format",
        "timestamp",
        "encode",
        "hex",
        "replace",
        "strip",
    ):
        return computed(receiver, *made.args)
    found = computed(receiver, *made.args, *(value for _, value in made.named))
    return found if isinstance(found, Tainted) else UNKNOWN
