"""Inference of traits from the code around an expression: local bindings, `self.x`, module-level names, torch's own functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.tensors import known
from torchdet_lint.analysis.tensors.results import function_result, method_result
from torchdet_lint.analysis.tensors.scopes import Binding, Place, Scope, attribute_values
from torchdet_lint.analysis.tensors.trait import NUMBER, OTHER, REAL, UNSURE, Trait, combine, join
from torchdet_lint.analysis.tensors.usage import annotation, evidence, trained_loop
from torchdet_lint.project.modules import Definition, Project
from torchdet_lint.project.names import Names

Around: TypeAlias = tuple[ir.Function | ir.Lambda, ...]
"""The functions around an expression, outermost first."""

DEPTH = 14
"""How far definitions are followed."""

STORED = re.compile(r"state_dict|checkpoint|ckpt|pretrained|weights|params|^sd$|batch|sample|^data$")
"""Names of dictionaries that hold weights from a file, or data."""

NETWORKS = re.compile(r"model|net(?:work)?(?:_|$|\d)|encoder|decoder|backbone|policy|critic|actor|q_func|head$|embed")
"""Names of what, when called, gives tensors that gradients flow back into."""

OUTSIDE = (
    "numpy",
    "pandas",
    "scipy",
    "tensorflow",
    "jax",
    "math",
    "random",
    "builtins",
    "collections",
    "itertools",
    "cv2",
)
"""Libraries and modules whose functions return no tensors of torch."""


class Inference:
    """Answers about expressions in one function (or a module's top level). Answers err on the side of `UNSURE`."""

    def __init__(self, project: Project, path: str, unit: int, names: Names, place: Place) -> None:
        self.project = project
        self.path = path
        self.unit = unit
        self.place = place
        self._names = names
        for function in place.functions:
            self._names = self._names.inside(function)
        self._scopes: dict[int, Scope] = {}
        self._active: set[tuple[int, int]] = set()

    def of(self, expr: ir.Expr) -> Trait:
        """What is known of an expression that stands in the call of the place, or around it."""
        return self._infer(expr, self.place.call.span[0], self.place.functions) or UNSURE

    def used_as_tensor(self, expr: ir.Expr | None) -> bool:
        """Whether the function uses a local name as only a tensor can be used."""
        function = self.place.functions[-1] if self.place.functions else None
        if not isinstance(expr, ir.Name) or not isinstance(function, ir.Function):
            return False
        return evidence(function, expr.id, self._names.dotted)

    def resolve(self, expr: ir.Expr) -> ir.Expr:
        """The expression that a local name stands for, where that is one only."""
        function = self.place.functions[-1] if self.place.functions else None
        if not isinstance(expr, ir.Name) or not isinstance(function, ir.Function):
            return expr
        return _single(self._scope(function).reaching(expr.id, self.place.call.span[0])) or expr

    def definition(self, expr: ir.Expr) -> ir.Expr:
        """The same for names of the module's top level, too."""
        if self.place.functions or not isinstance(expr, ir.Name):
            return self.resolve(expr)
        return _single(self._global_bindings(expr.id, self.place.call.span[0])) or expr

    # One method a kind of expression; None: the expression is defined by itself, and says nothing

    def _infer(self, expr: ir.Expr, position: int, functions: Around) -> Trait | None:
        key = (id(expr), position)
        if key in self._active or len(self._active) >= DEPTH:
            return None if key in self._active else UNSURE
        self._active.add(key)
        try:
            return self._kinds().get(type(expr), _unsure)(expr, position, functions)
        finally:
            self._active.discard(key)

    def _kinds(self) -> dict[type, Callable[..., Trait | None]]:
        return {
            ir.Const: _constant, ir.Name: self._name, ir.Attr: self._attribute, ir.Item: self._item, ir.Call: self._call,
            ir.Binary: self._binary, ir.Unary: self._unary, ir.Compare: _compare, ir.Choice: self._choice,
            ir.Sequence: self._sequence, ir.Walrus: self._inner, ir.Await: self._inner, ir.Starred: self._inner,
            ir.Mapping: _other, ir.Format: _other, ir.Comprehension: _other,
        }  # fmt: skip

    def _inner(self, expr: ir.Starred, position: int, functions: Around) -> Trait | None:
        return self._infer(expr.value, position, functions)

    def _sequence(self, expr: ir.Sequence, position: int, functions: Around) -> Trait | None:
        """A list or tuple: of no use as a tensor itself, but its dtype is that of its numbers."""
        inner = join(self._infer(item, position, functions) for item in expr.items[:8])
        return OTHER._replace(dtype=inner.dtype, grad=inner.grad)

    def _choice(self, expr: ir.Choice, position: int, functions: Around) -> Trait | None:
        return join((self._infer(expr.then, position, functions), self._infer(expr.other, position, functions)))

    def _unary(self, expr: ir.Unary, position: int, functions: Around) -> Trait | None:
        inner = self._infer(expr.value, position, functions) or UNSURE
        return inner._replace(dtype="int", grad="no") if expr.op in ("~", "not") else inner

    def _binary(self, expr: ir.Binary, position: int, functions: Around) -> Trait | None:
        left = self._infer(expr.left, position, functions)
        right = self._infer(expr.right, position, functions)
        if left is None or right is None:
            return right if left is None else left
        both = combine(left, right)
        if expr.op in ("/", "@") or (expr.op == "**" and both.dtype != "int"):
            return both._replace(dtype="float")
        return both._replace(dtype="int", grad="no") if expr.op in ("&", "|", "^", "<<", ">>") else both

    def _item(self, expr: ir.Item, position: int, functions: Around) -> Trait | None:
        if isinstance(expr.value, ir.Name) and STORED.search(expr.value.id):
            return Trait(grad="no")
        inner = self._infer(expr.value, position, functions) or UNSURE
        if inner.kind == "tensor":
            return inner._replace(pixels=False)
        return UNSURE._replace(grad=inner.grad, given=inner.given)

    def _attribute(self, expr: ir.Attr, position: int, functions: Around) -> Trait | None:
        if isinstance(expr.value, ir.Name) and expr.value.id == "self" and self.place.owner is not None:
            written = attribute_values(self.place.owner, expr.name)
            if not written:
                return UNSURE
            return join(self._infer(value, value.span[1], (method,)) for method, value in written)
        if expr.name in ("shape", "ndim", "size", "dtype", "device"):
            return OTHER
        inner = self._infer(expr.value, position, functions) or UNSURE
        if expr.name in ("data", "grad"):
            return inner._replace(grad="no")
        if expr.name in known.SHAPES and inner.kind == "tensor":
            return inner
        return UNSURE

    def _name(self, expr: ir.Name, position: int, functions: Around) -> Trait | None:
        for at in range(len(functions) - 1, -1, -1):
            function = functions[at]
            where = position if at == len(functions) - 1 else function.span[0] + 10**9
            bound = self._scope(function).reaching(expr.id, where) if isinstance(function, ir.Function) else ()
            if bound:
                return join(self._bound(expr.id, binding, functions[: at + 1]) for binding in bound)
            if any(param.name == expr.id for param in function.params):
                return self._parameter(expr.id, function)
        return self._global(expr.id, position if not functions else -1)

    def _bound(self, name: str, binding: Binding, functions: Around) -> Trait | None:
        if binding.value is None:
            return UNSURE
        if binding.kind == "item":
            return self._element(binding, functions)
        found = self._infer(binding.value, binding.value.span[0], functions)
        if binding.kind == "value" or found is None:
            return found
        if isinstance(binding.value, ir.Call) and binding.part == 1 and _callee(binding.value) in known.ORDERS:
            return Trait("tensor", "int", "no", unique=True)
        return found if found.kind == "tensor" else UNSURE._replace(grad=found.grad)

    def _element(self, binding: Binding, functions: Around) -> Trait:
        """What a loop gives: a batch of data where the loop trains, else an element of what it goes over."""
        if trained_loop(self.place.loops, binding.end):
            return Trait(grad="no")
        iterated = binding.value
        if isinstance(iterated, ir.Call):
            if _callee(iterated) == "range":
                return NUMBER
            if _callee(iterated) == "enumerate" and binding.part == 0:
                return NUMBER
            return UNSURE
        found = self._infer(iterated, binding.end, functions) if iterated is not None else None
        return found if found is not None and found.kind == "tensor" else UNSURE

    def _parameter(self, name: str, function: ir.Function | ir.Lambda) -> Trait:
        param = next(param for param in function.params if param.name == name)
        said = annotation(param)
        if said is not None:
            return said._replace(given=True)
        if isinstance(function, ir.Lambda):
            return UNSURE
        in_forward = function.name == "forward" and self.place.owner is not None and function in self.place.owner.body
        if evidence(function, name, self._names.dotted):
            return Trait("tensor", grad="yes" if in_forward else "", given=True)
        return Trait(
            "tensor" if in_forward and param.default is None else "", grad="yes" if in_forward else "", given=True
        )

    def _global(self, name: str, position: int) -> Trait | None:
        symbol = self.project.lookup(self.path, name)
        if not isinstance(symbol, Definition) or symbol.path != self.path:
            return OTHER if symbol is not None and not isinstance(symbol, Definition) else UNSURE
        bound = self._global_bindings(name, position)
        return join(self._bound(name, binding, ()) for binding in bound) if bound else UNSURE

    def _global_bindings(self, name: str, position: int) -> tuple[Binding, ...]:
        """What a name of the module's top level may be bound to at a position of this unit; at its end for -1."""
        symbol = self.project.lookup(self.path, name)
        if not isinstance(symbol, Definition) or symbol.path != self.path:
            return ()
        before = [unit for unit in symbol.units if position < 0 or unit <= self.unit]
        for unit in reversed(before):
            limit = position if unit == self.unit and position >= 0 else 10**9
            bound = self._scope_of(self.project.body(self.path, unit)).reaching(name, limit)
            if bound:
                return bound
        return ()

    def _scope(self, function: ir.Function) -> Scope:
        return self._scope_of(function.body)

    def _scope_of(self, body: ir.Body) -> Scope:
        if id(body) not in self._scopes:
            self._scopes[id(body)] = Scope(body)
        return self._scopes[id(body)]

    # Calls

    def _call(self, expr: ir.Call, position: int, functions: Around) -> Trait | None:
        dotted = self._names.dotted(expr.func)
        if dotted is not None:
            return self._outside(dotted, expr, position, functions)
        if isinstance(expr.func, ir.Attr):
            return self._method(expr.func, expr, position, functions)
        if self._names.definition(expr.func) is not None:
            return UNSURE
        return Trait("tensor" if expr.args and NETWORKS.search(_callee(expr).lower()) else "", grad="yes")

    def _outside(self, dotted: str, expr: ir.Call, position: int, functions: Around) -> Trait | None:
        first, _, rest = dotted.partition(".")
        last = rest.rpartition(".")[2]
        if dotted in ("builtins.len", "builtins.int", "builtins.round", "builtins.range"):
            return NUMBER
        if dotted == "builtins.float" or first == "math":
            return REAL
        if first in OUTSIDE:
            return OTHER
        if first != "torch" or last[:1].isupper():
            return (
                Trait("tensor", "int" if last in known.INTEGER_TYPES else "", "no", "cpu")
                if (first == "torch" and rest.endswith("Tensor"))
                else UNSURE
            )
        if rest not in (last, f"nn.functional.{last}", f"special.{last}", f"linalg.{last}"):
            return UNSURE
        return function_result(last, expr, join(self._inputs(expr, position, functions)))

    def _inputs(self, expr: ir.Call, position: int, functions: Around) -> list[Trait | None]:
        """The traits of what a function works on: its first argument (of a list the items), and what else is a tensor."""
        first = expr.args[0].value if expr.args else None
        if isinstance(first, ir.Sequence):
            return [self._infer(item, position, functions) for item in first.items[:8]]
        found = [self._infer(arg.value, position, functions) for arg in expr.args if arg.star == ""]
        return [*found[:1], *(trait for trait in found[1:] if trait is not None and trait.kind == "tensor")]

    def _method(self, func: ir.Attr, expr: ir.Call, position: int, functions: Around) -> Trait | None:
        if isinstance(func.value, ir.Name) and func.value.id == "self":
            return self._layer(func, functions)
        receiver = self._infer(func.value, position, functions)
        if receiver is None:
            return None
        name = func.name
        if name in known.NOT_TENSORS or (receiver.kind == "other" and name != "to"):
            return OTHER if name in known.NOT_TENSORS or receiver.kind == "other" else UNSURE
        tensor = receiver.kind == "tensor" or name in known.TENSOR_ONLY or _reduced(expr)
        grad = "no" if name in known.DETACHED | known.WHOLE | known.NEW else receiver.grad
        found = method_result(name, expr, receiver, grad if tensor or name in known.NAMES else "")
        return found if tensor else found._replace(kind="")

    def _layer(self, func: ir.Attr, functions: Around) -> Trait:
        """`self.layer(x)` where `self.layer` is a layer of torch."""
        if self.place.owner is None:
            return UNSURE
        written = attribute_values(self.place.owner, func.name)
        made = [self._names.dotted(value.func) for _, value in written if isinstance(value, ir.Call)]
        layers = bool(made) and len(made) == len(written) and all((name or "").startswith("torch.nn.") for name in made)
        if any(isinstance(member, ir.Function) and member.name == func.name for member in self.place.owner.body):
            return UNSURE
        if layers:
            return Trait("tensor", "float", "yes")
        return Trait("tensor" if NETWORKS.search(func.name.lower()) else "", grad="yes")


def _single(bound: tuple[Binding, ...]) -> ir.Expr | None:
    return bound[0].value if len(bound) == 1 and bound[0].kind == "value" else None


def _callee(call: ir.Call) -> str:
    return call.func.name if isinstance(call.func, ir.Attr) else call.func.id if isinstance(call.func, ir.Name) else ""


def _reduced(expr: ir.Call) -> bool:
    """`x.mean(dim=1)`: arrays of NumPy have an `axis`, and xarray's dimensions have names."""
    return any(
        arg.name == "dim" and not (isinstance(arg.value, ir.Const) and isinstance(arg.value.value, str))
        for arg in expr.args
    )


def _constant(expr: ir.Const, position: int, functions: Around) -> Trait:
    if isinstance(expr.value, bool | int):
        return NUMBER
    return REAL if isinstance(expr.value, float) else OTHER


def _compare(expr: ir.Compare, position: int, functions: Around) -> Trait:
    return Trait("", "int", "no")


def _other(expr: ir.Expr, position: int, functions: Around) -> Trait:
    return OTHER


def _unsure(expr: ir.Expr, position: int, functions: Around) -> Trait:
    return UNSURE
