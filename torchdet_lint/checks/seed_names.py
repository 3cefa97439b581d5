"""Reading code for names of seeds: parameters that are dead, tests that mistake 0 for None."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchdet_lint import ir
from torchdet_lint.analysis.tests import path_text
from torchdet_lint.analysis.triggers import SEED_WORD
from torchdet_lint.checks.facts import nested
from torchdet_lint.project.names import Names

VERBS = (
    "set",
    "use",
    "fix",
    "has",
    "with",
    "no",
    "enable",
    "is",
    "do",
    "should",
    "need",
    "init",
    "reset",
    "random_seed",
    "get",
)
"""First words of names for flags and functions that are not seeds themselves."""

WHOLE = frozenset(
    ("vars", "locals", "asdict", "__dict__", "_get_kwargs", "to_dict", "as_dict", "astuple", "model_dump")
)
"""Words of code that reads all attributes of something at once."""


def is_seed_name(name: str) -> bool:
    return SEED_WORD.search(name) is not None and not name.startswith("_") and name.split("_", 1)[0] not in VERBS


@dataclass(frozen=True, slots=True)
class Dead:
    """A seed parameter that its function never reads, or only stores in the attribute `stored` of an object of class `cls`."""

    param: ir.Param
    stored: str | None
    cls: ir.Class | None


def dead_parameters(names: Names, body: ir.Body) -> Iterator[Dead]:
    """Seed parameters that their function never reads, or only stores in an attribute."""
    installed = _installed(body)
    for function, cls in _functions(body, None):
        if _is_stub(function) or (cls is not None and _overrides(names, cls, function)):
            continue
        if function.name == "__init__" and function.decorators:
            continue  # `@register_to_config`: what decorates a constructor keeps its arguments
        if cls is None and function.name in installed:
            continue
        for param in function.params:
            if param.kind in ("*", "**") or not is_seed_name(param.name):
                continue
            reads, stored = _uses(function, param.name)
            if reads == 0:
                yield Dead(param, None, cls)
            elif stored is not None and reads == 1:
                yield Dead(param, stored, cls)


def _installed(body: ir.Body) -> frozenset[str]:
    """The functions that take the place of a method, whose parameters are those of the method: `env.reset = wrong_reset`."""
    found: set[str] = set()
    for node in nested(body):
        if isinstance(node, ir.Assign) and any(isinstance(target, ir.Attr) for target in node.targets):
            bound = isinstance(node.value, ir.Call) and ir.last_name(node.value.func) in ("MethodType", "staticmethod")
            held = [arg.value for arg in node.value.args] if isinstance(node.value, ir.Call) and bound else [node.value]
        elif isinstance(node, ir.Call) and ir.last_name(node.func) == "setattr":
            held = [arg.value for arg in node.args]
        else:
            continue
        found |= {value.id for value in held if isinstance(value, ir.Name)}
    return frozenset(found)


def _functions(body: ir.Body, cls: ir.Class | None) -> Iterator[tuple[ir.Function, ir.Class | None]]:
    for node in body:
        if isinstance(node, ir.Function):
            yield node, cls
            yield from _functions(node.body, None)
        elif isinstance(node, ir.Class):
            yield from _functions(node.body, node)
        elif isinstance(node, ir.If | ir.For | ir.While | ir.With):
            yield from _functions(node.body, cls)
            if not isinstance(node, ir.With):
                yield from _functions(node.orelse, cls)
        elif isinstance(node, ir.Try):
            for block in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.final):
                yield from _functions(block, cls)


def _is_stub(function: ir.Function) -> bool:
    """A function without a body of its own: abstract, overloaded, a protocol's."""
    decorators = {ir.last_name(d) for d in function.decorators}
    if decorators & {"abstractmethod", "overload", "property", "setter", "fixture", "override"}:
        return True
    return all(
        isinstance(s, ir.Raise) or (isinstance(s, ir.Return) and (s.value is None or isinstance(s.value, ir.Const)))
        for s in function.body
    )


def _overrides(names: Names, cls: ir.Class, function: ir.Function) -> bool:
    """Whether the method's signature comes from a base class: one outside the project, or one that has the method."""
    for base in cls.bases:
        found = names.definition(base.value)
        if found is None:
            dotted = names.dotted(base.value)
            if function.name == "__init__":
                continue
            if dotted not in ("builtins.object", "torch.nn.Module", "torch.utils.data.Dataset"):
                return True
            continue
        path, definition = found
        if isinstance(definition, ir.Class) and function.name != "__init__":
            if any(isinstance(s, ir.Function) and s.name == function.name for s in definition.body):
                return True
            if _overrides(Names(names.project, path, names.canonical), definition, function):
                return True
    return False


def _uses(function: ir.Function, name: str) -> tuple[int, str | None]:
    """How often a name is read in a function, and the attribute of `self` that it is stored in when that is a plain copy."""
    reads = 0
    stored: str | None = None
    for node in nested(function.body):
        if isinstance(node, ir.Name) and node.id == name:
            reads += 1
        elif isinstance(node, ir.Call) and _takes_all(node):
            reads += 2
        elif isinstance(node, ir.Assign) and isinstance(node.value, ir.Name) and node.value.id == name:
            target = node.targets[0]
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == "self":
                stored = target.name
        elif isinstance(node, ir.Delete):
            reads += 2 * sum(1 for t in node.targets if isinstance(t, ir.Name) and t.id == name)
    return reads, stored


def _takes_all(call: ir.Call) -> bool:
    """Whether a call takes all parameters of the function that it is made in: `locals()`, Lightning's `save_hyperparameters()`
    (lightning/pytorch/core/mixins/hparams_mixin.py@2.6.6), which puts them in `self.hparams`.
    """
    if isinstance(call.func, ir.Name):
        return call.func.id in WHOLE and not call.args
    return isinstance(call.func, ir.Attr) and call.func.name == "save_hyperparameters"


def zero_tests(body: ir.Body, texts: frozenset[str] = frozenset()) -> Iterator[tuple[ir.Span, ir.Span]]:
    """Places that take a seed of 0 for none: (span of the finding, span of the test). `texts` are names of the module that hold
    text.
    """
    found = [each for node in nested(body) if (each := _seed_test(node)) is not None]
    if found:
        others = _flags(body) | texts_in(body) | texts
        for span, test, whole in found:
            if _asked_name(test) not in others:
                yield span, span if whole else test.span


def _seed_test(node: object) -> tuple[ir.Span, ir.Expr, bool] | None:
    """The span of a node that asks for the truth of a seed, the seed, and whether all of the node is the test."""
    if isinstance(node, ir.If):
        test = _bare_seed(node.test)
        return None if test is None else (node.span, test, False)
    if isinstance(node, ir.Choice):
        unseeded = node.then if isinstance(node.test, ir.Unary) else node.other
        test = None if _is_zero(unseeded) else _bare_seed(node.test)
        return None if test is None else (node.span, test, True)
    if isinstance(node, ir.Logic) and node.op == "or" and len(node.values) == 2:
        other = node.values[1]
        test = None if _is_zero(other) or _is_test(other) else _bare_seed(node.values[0])
        return None if test is None else (node.span, test, True)
    return None


def _is_zero(expr: ir.Expr) -> bool:
    """Whether who has a seed of 0, or none, gets a seed of 0: nothing is lost."""
    return isinstance(expr, ir.Const) and expr.value == 0 and not isinstance(expr.value, bool)


def _flags(body: ir.Body) -> frozenset[str]:
    """Parameters named like seeds that are on or off."""
    return frozenset(
        node.name
        for node in nested(body)
        if isinstance(node, ir.Param)
        and (
            (isinstance(node.default, ir.Const) and isinstance(node.default.value, bool))
            or (isinstance(node.annotation, ir.Name) and node.annotation.id in ("bool", "str"))
        )
    )


def texts_in(body: ir.Body) -> frozenset[str]:
    """Names that hold text from the environment, where "0" is true."""
    return frozenset(
        target.id
        for node in nested(body)
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Call) and isinstance(node.value.func, ir.Attr)
        and (node.value.func.name == "getenv" or "environ" in path_text(node.value.func))
        for target in node.targets
        if isinstance(target, ir.Name)
    )  # fmt: skip


def _is_test(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Compare | ir.Logic) or (isinstance(expr, ir.Unary) and expr.op == "not")


def _asked_name(expr: ir.Expr) -> str:
    """The name behind `seed`, `cfg.seed`, `cfg["seed"]`, `cfg.get("seed")` and `getattr(cfg, "seed", None)`."""
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        return expr.name
    key: ir.Expr | None = expr.key if isinstance(expr, ir.Item) else None
    if (
        isinstance(expr, ir.Call)
        and isinstance(expr.func, ir.Attr)
        and expr.func.name == "get"
        and _no_default(expr.args, 1)
    ):
        key = expr.args[0].value
    elif (
        isinstance(expr, ir.Call)
        and isinstance(expr.func, ir.Name)
        and expr.func.id == "getattr"
        and _no_default(expr.args, 2)
    ):
        key = expr.args[1].value
    return key.value if isinstance(key, ir.Const) and isinstance(key.value, str) else ""


def _no_default(args: tuple[ir.Arg, ...], count: int) -> bool:
    """Whether a look-up has its arguments and gives None where there is nothing."""
    rest = [arg.value for arg in args[count:]]
    return len(args) >= count and all(isinstance(value, ir.Const) and value.value is None for value in rest)


def _bare_seed(test: ir.Expr) -> ir.Expr | None:
    """The seed that a test asks for its truth, also under `not`."""
    inner = test.value if isinstance(test, ir.Unary) and test.op == "not" else test
    name = _asked_name(inner)
    return inner if name and is_seed_name(name) else None
