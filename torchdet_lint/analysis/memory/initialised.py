"""Whether code outside of a class initialises an attribute of its instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.memory.classes import ClassInfo
from torchdet_lint.analysis.memory.tables import COMPUTES, DONORS, INIT_WORDS, METADATA
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names

LOADING = frozenset(
    {"load_state_dict", "load_checkpoint", "from_pretrained", "load_from_checkpoint", "load_model", "load_weights"}
)
NO_MODELS = ("optim", "sched", "scaler", "sampler", "loader", "generator", "ema")
PARAMETERS = frozenset({"parameters", "named_parameters"})


def initialised_elsewhere(project: Project, info: ClassInfo, attribute: str, parameter: bool) -> bool:
    """Whether anything in the project, besides methods of the class on `self`, may write the attribute.

    For parameters and buffers that includes `apply(fn)`, loops over `parameters()`, loading, and libraries' base classes.
    """
    if parameter and info.strange_bases:
        return True
    for path, module in project.modules.items():
        names = Names(project, path, info.names.canonical)
        for unit in module.source.units:
            words = unit.words
            if attribute in words and _touched(project.body(path, unit.index), attribute):
                return True
            if not parameter:
                continue
            if not LOADING.isdisjoint(words) and _loads(project.body(path, unit.index)):
                return True
            if "apply" in words and any(_covers(fn, info, names) for fn in _applied(project.body(path, unit.index))):
                return True
            if not PARAMETERS.isdisjoint(words) and _all_parameters(project.body(path, unit.index)):
                return True
    return False


def nodes(node: Any) -> Iterator[Any]:
    """A piece of IR and everything inside it."""
    if isinstance(node, tuple):
        yield node
        for part in node:
            if isinstance(part, tuple):
                yield from nodes(part)


def _touched(body: ir.Body, attribute: str) -> bool:
    """Whether some `x.attribute` (x is not `self`) may be written: assigned, given away, aliased, changed in place."""
    for node in nodes(body):
        if isinstance(node, ir.Assign):
            parts = (*node.targets, node.value)
            if any(_is_view(part, attribute) or _holds(part, attribute) for part in parts):
                return True
        elif isinstance(node, ir.Call):
            if _call_touches(node, attribute):
                return True
        elif isinstance(node, ir.For):
            if any(_is_view(part, attribute) for part in nodes(node.iter)):
                return True
        elif isinstance(node, ir.Compare) and any(_names_it(part, attribute) for part in (node.left, *node.values)):
            return True
    return False


def _call_touches(node: ir.Call, attribute: str) -> bool:
    func = node.func
    last = ir.last_name(func)
    if isinstance(func, ir.Attr) and last.endswith("_") and _is_view(func.value, attribute):
        return True
    if last in ("getattr", "setattr") and any(_names_it(arg.value, attribute) for arg in node.args):
        return True
    given = any(_is_view(arg.value, attribute) for arg in node.args)
    return given and last not in COMPUTES and last not in DONORS


def _names_it(expr: Any, attribute: str) -> bool:
    return isinstance(expr, ir.Const) and expr.value == attribute


def _is_view(expr: Any, attribute: str) -> bool:
    """Whether the expression is `x.attribute`, or a view of it, of another object than `self`."""
    while isinstance(expr, ir.Attr | ir.Item | ir.Call):
        if isinstance(expr, ir.Attr) and expr.name in METADATA:
            return False
        if isinstance(expr, ir.Attr) and expr.name == attribute:
            return not (isinstance(expr.value, ir.Name) and expr.value.id == "self")
        expr = expr.func if isinstance(expr, ir.Call) else expr.value
    return False


def _holds(target: Any, attribute: str) -> bool:
    """Whether a tuple of targets or values holds it."""
    return isinstance(target, ir.Sequence) and any(
        _is_view(item, attribute) or _holds(item, attribute) for item in target.items
    )


def _loads(body: Any) -> bool:
    """Whether a model's weights are loaded, other than to resume a run (which a first run does not)."""
    if isinstance(body, ir.If) and any("resume" in name for name in _identifiers(body.test)):
        return _loads(body.orelse)
    if isinstance(body, ir.Call):
        name = ir.last_name(body.func)
        owner = body.func.value if isinstance(body.func, ir.Attr) else None
        last = ir.last_name(owner)
        if name in LOADING and not any(word in last.lower() for word in NO_MODELS):
            return True
    return isinstance(body, tuple) and any(_loads(part) for part in body if isinstance(part, tuple))


def _identifiers(expr: Any) -> Iterator[str]:
    for node in nodes(expr):
        if isinstance(node, ir.Attr):
            yield node.name
        elif isinstance(node, ir.Name):
            yield node.id


def _applied(body: ir.Body) -> Iterator[ir.Expr]:
    """The functions given to `.apply(...)`."""
    for node in nodes(body):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "apply" and node.args:
            yield node.args[0].value


def _covers(fn: ir.Expr, info: ClassInfo, names: Names) -> bool:
    """Whether a function given to `apply` may initialise the parameters of this class themselves.

    One that only handles layers by other classes, and never names the attribute (see `_touched`), does not.
    """
    found: Any = fn if isinstance(fn, ir.Lambda) else None
    if isinstance(fn, ir.Attr):
        own = info.find(fn.name)
        found = own[1] if own is not None else None
    if found is None:
        definition = names.definition(fn)
        found = definition[1] if definition is not None else None
    if not isinstance(found, ir.Function | ir.Lambda):
        return True
    relatives = {"Module", *(ancestor.node.name for ancestor in info.ancestors())}
    for node in nodes(found.body):
        if isinstance(node, ir.Call):
            last = ir.last_name(node.func)
            if last in ("parameters", "named_parameters", "getattr", "setattr", "reset_parameters", "init_weights"):
                return True
            if last == "isinstance" and any(
                isinstance(part, ir.Name | ir.Attr)
                and (part.name if isinstance(part, ir.Attr) else part.id) in relatives
                for arg in node.args[1:]
                for part in nodes(arg.value)
            ):
                return True
    return False


def _all_parameters(body: ir.Body) -> bool:
    """Whether a loop over all parameters of some model initialises them."""
    for node in nodes(body):
        if isinstance(node, ir.For) and _asks_parameters(node.iter):
            for inner in nodes(node.body):
                if isinstance(inner, ir.Call):
                    last = ir.last_name(inner.func)
                    if any(word in last for word in INIT_WORDS) and last != "zero_grad":
                        return True
    return False


def _asks_parameters(expr: Any) -> bool:
    return any(isinstance(node, ir.Attr) and node.name in PARAMETERS for node in nodes(expr))
