"""The statements that a value flows through, as text that a probe can run.

Only arithmetic and well-known functions of torch, NumPy and Python without effects outside are taken over. A statement that
touches the value and is anything else makes the slice impossible; statements that do not touch it are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.project.names import blocks, flat, target_names
from torchdet_lint.verify.probe.evidence import Unprobed
from torchdet_lint.verify.probe.place import Case
from torchdet_lint.verify.probe.render import Grammar, render

_FOLDERS = (
    "torch.nn.functional.",
    "torch.nn.init.",
    "torch.linalg.",
    "torch.special.",
    "torch.fft.",
    "numpy.linalg.",
    "math.",
)
_FUNCTIONS = frozenset(
    """
empty empty_like new_empty zeros ones full rand randn randint randperm zeros_like ones_like full_like rand_like randn_like
arange linspace eye tensor as_tensor from_numpy array asarray Tensor FloatTensor LongTensor cat concat concatenate stack
vstack hstack where masked_fill sum mean prod max min maximum minimum amax amin argmax argmin sort argsort topk cumsum
cumprod matmul mm bmm dot einsum add sub subtract mul multiply div divide true_divide pow exp log sqrt abs clamp clip
sigmoid tanh relu softmax log_softmax isnan isfinite isinf nan_to_num all any equal allclose is_tensor numel squeeze
unsqueeze reshape flatten transpose permute flip roll tile repeat_interleave split chunk gather scatter scatter_add
index_select masked_select take diag triu tril outer norm std var unique bincount one_hot nonzero broadcast_to expand_dims
ascontiguousarray no_grad inference_mode inv det
""".split()
)
"""Functions of torch and NumPy that only compute."""

_METHODS = _FUNCTIONS | frozenset(
    """
fill fill_ zero_ copy_ normal_ uniform_ add_ sub_ mul_ div_ clamp_ masked_fill_ index_fill_ index_copy_ index_add_ scatter_
scatter_add_ view view_as expand expand_as size dim item tolist float double half int long bool byte type to cpu clone
detach contiguous numpy copy astype new_zeros new_ones new_full new_tensor narrow select t repeat unbind requires_grad_
append ravel swapaxes
""".split()
)

_BUILTINS = frozenset(
    "range len zip enumerate int float bool abs min max sum round list tuple sorted reversed slice".split()
)
_ATTRIBUTES = frozenset(
    ("shape", "dtype", "device", "T", "ndim", "size", "data", "grad", "requires_grad", "mT", "itemsize")
)
_SINKS = frozenset(("builtins.print", "torch.save", "numpy.save"))
_USUAL = {"device": '"cpu"', "dtype": "torch.float32"}
"""Parameters of these names mean one thing everywhere."""


class Slice(NamedTuple):
    """`text` is indented for the inside of a function in a function. `unknown` are the names whose values are not in sight, with
    what they are called in the text.
    """

    text: str
    unknown: dict[str, str]


def slice_of(case: Case) -> Slice:
    """What happens to the value of the case's call. Raises Unprobed."""
    writer = _Writer(case)
    chosen = _chosen(case)
    lines = [line for statement in chosen for line in writer.statement(statement, "        ")]
    return Slice("\n".join(lines), writer.unknown)


def _chosen(case: Case) -> list[ir.Stmt]:
    """The statements of the block that the value flows through, and those that they need."""
    block = list(_block(case))
    at = next((i for i, statement in enumerate(block) if any(node is case.node for node in nested((statement,)))), None)
    if at is None:
        raise Unprobed("the statement that it stands in is not found")
    flows = set(_bound(block[at]))
    chosen = {at}
    for index in range(at + 1, len(block)):
        if flows & _read(block[index]):
            chosen.add(index)
            flows |= set(_bound(block[index]))
    needed = set[str]().union(*(_read(block[index]) for index in chosen))
    for index in range(at, -1, -1):  # backwards, so that what a chosen statement needs is chosen too
        if index in chosen or set(_bound(block[index])) & needed:
            chosen.add(index)
            needed |= _read(block[index])
    return [block[index] for index in sorted(chosen)]


def _block(case: Case) -> ir.Body:
    """The statements of the function; at top level those of the module that are not definitions."""
    if case.names.functions:
        return case.block
    project, path = case.names.project, case.names.path
    units = project.modules[path].source.units
    return tuple(
        statement
        for unit in units
        if unit.kind not in ("import", "from", "def", "class")
        for statement in project.body(path, unit.index)
    )


def _bound(statement: ir.Stmt) -> Iterator[str]:
    """The names that a statement changes: bound, or written into."""
    for each in flat((statement,)):
        targets: Iterable[ir.Expr] = ()
        if isinstance(each, ir.Assign):
            targets = each.targets
        elif isinstance(each, ir.Augment | ir.For):
            targets = (each.target,)
        for target in targets:
            yield from target_names(target)
            yield from _roots(target)
        if isinstance(each, ir.Do) and isinstance(each.value, ir.Call) and isinstance(each.value.func, ir.Attr):
            yield from _roots(each.value.func)


def _roots(target: ir.Expr) -> Iterator[str]:
    """`x` of `x[0].data`."""
    while isinstance(target, ir.Item | ir.Attr | ir.Call):
        target = target.func if isinstance(target, ir.Call) else target.value
    if isinstance(target, ir.Name):
        yield target.id


def _read(statement: ir.Stmt) -> set[str]:
    return {node.id for node in nested((statement,)) if isinstance(node, ir.Name)}


class _Writer:
    """Writes statements as text; collects the names that nothing in the text binds."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._bound: set[str] = set()
        self.unknown: dict[str, str] = {}
        self._grammar = Grammar(self._name, self._callee, self._target)

    def statement(self, statement: ir.Stmt, indent: str) -> Iterator[str]:
        """The lines of a statement. Raises Unprobed for one that is not taken over."""
        if isinstance(statement, ir.Assign) and statement.value is not None:
            value = self._render(statement.value)
            targets = [self._target(target) for target in statement.targets]
            yield f"{indent}{' = '.join([*targets, value])}"
        elif isinstance(statement, ir.Augment):
            yield f"{indent}{self._render(statement.target)} {statement.op}= {self._render(statement.value)}"
        elif isinstance(statement, ir.Do):
            yield indent + self._effect(statement.value)
        elif isinstance(statement, ir.Return):
            value = "None" if statement.value is None else self._render(statement.value)
            yield f"{indent}seen.append({value})"
            yield f"{indent}return"
        elif isinstance(statement, ir.Jump):
            yield indent + statement.kind
        elif blocks(statement):
            yield from self._compound(statement, indent)
        else:
            raise Unprobed("a statement that uses its value is of a kind that a probe does not take over")

    def _compound(self, statement: ir.Stmt, indent: str) -> Iterator[str]:
        if isinstance(statement, ir.For):
            iterated = self._render(statement.iter)
            yield f"{indent}for {self._target(statement.target)} in {iterated}:"
            yield from self._body(statement.body, indent)
            if statement.orelse:
                raise Unprobed("a loop around it has an `else`")
        elif isinstance(statement, ir.If):
            yield f"{indent}if {self._render(statement.test)}:"
            yield from self._body(statement.body, indent)
            if statement.orelse:
                yield f"{indent}else:"
                yield from self._body(statement.orelse, indent)
        elif isinstance(statement, ir.With) and all(target is None for _, target in statement.items):
            yield f"{indent}with {', '.join(self._render(item) for item, _ in statement.items)}:"
            yield from self._body(statement.body, indent)
        else:
            raise Unprobed("a statement around it is of a kind that a probe does not take over")

    def _body(self, body: ir.Body, indent: str) -> Iterator[str]:
        yield f"{indent}    pass"
        for statement in body:
            yield from self.statement(statement, indent + "    ")

    def _effect(self, value: ir.Expr) -> str:
        """A call for its effect: something that happens to the value, or a place where it leaves."""
        if isinstance(value, ir.Call) and self._case.names.dotted(value.func) in _SINKS:
            shown = [self._render(arg.value) for arg in value.args if not arg.star and not _is_text(arg.value)]
            return f"seen.append([{', '.join(shown)}])"
        return self._render(value)

    def _render(self, expr: ir.Expr) -> str:
        return render(expr, self._grammar)

    def _target(self, target: ir.Expr) -> str:
        self._bound.update(target_names(target))
        return self._render(target)

    def _name(self, expr: ir.Name | ir.Attr) -> str:
        dotted = self._case.names.dotted(expr)
        if dotted is not None and dotted.startswith(("torch.", "numpy.", "math.")):
            return dotted  # a dtype, a constant
        if isinstance(expr, ir.Attr) and expr.name in _ATTRIBUTES and not _is_self(expr.value):
            return f"{self._render(expr.value)}.{expr.name}"
        if isinstance(expr, ir.Name) and expr.id in self._bound:
            return f"v_{expr.id}"
        constant = self._case.known(expr, self)
        if constant is not self:
            return repr(constant)
        return self._stand_in(expr)

    def _stand_in(self, expr: ir.Name | ir.Attr) -> str:
        if isinstance(expr, ir.Attr) and not _is_self(expr.value):
            raise Unprobed(f"`.{expr.name}` of something that is not in sight decides about it")
        name = expr.id if isinstance(expr, ir.Name) else expr.name
        if name in _USUAL:
            return _USUAL[name]
        written = name if isinstance(expr, ir.Name) else f"self.{name}"
        return self.unknown.setdefault(written, f"u{len(self.unknown)}_{name}")

    def _callee(self, call: ir.Call) -> str:
        text = self._known_callee(call)
        return f"filled({text})" if call is self._case.node else text

    def _known_callee(self, call: ir.Call) -> str:
        dotted = self._case.names.dotted(call.func)
        if dotted is not None:
            library, _, name = dotted.rpartition(".")
            if dotted.startswith(_FOLDERS) or (library in ("torch", "numpy", "numpy.random") and name in _FUNCTIONS):
                return dotted
            if library == "builtins" and name in _BUILTINS:
                return name
            raise Unprobed(f"its value goes through `{dotted.removeprefix('builtins.')}`, which a probe does not call")
        if isinstance(call.func, ir.Attr) and call.func.name in _METHODS and not _is_self(call.func.value):
            return f"{self._render(call.func.value)}.{call.func.name}"
        raise Unprobed("its value goes through a call that is not in sight")


def _is_self(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Name) and expr.id in ("self", "cls")


def _is_text(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Format) or (isinstance(expr, ir.Const) and isinstance(expr.value, str))
