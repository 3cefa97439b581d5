"""What the use of a variable says about it: annotations, methods that only tensors have, loops that train."""

from __future__ import annotations

from collections.abc import Callable

from torchdet_lint import ir
from torchdet_lint.analysis.tensors import known
from torchdet_lint.analysis.tensors.trait import NUMBER, OTHER, REAL, UNSURE, Trait
from torchdet_lint.ir import nested

TENSOR_NAMES = frozenset(("Tensor", "LongTensor", "FloatTensor", "BoolTensor", "IntTensor", "DoubleTensor"))
NUMBERS = {"int": NUMBER, "bool": NUMBER, "float": REAL}
PLAIN = frozenset(
    "str list dict tuple List Dict Tuple Sequence ndarray Array DataFrame Series Path Iterable set Set".split()
)


def annotation(param: ir.Param) -> Trait | None:
    """What a parameter's annotation says; None where there is none."""
    found = param.annotation
    if found is None:
        return None
    if isinstance(found, ir.Const) and isinstance(found.value, str):
        last = found.value.rpartition(".")[2].strip("]").partition("[")[0]
    else:
        last = _last(found)
    if last in TENSOR_NAMES:
        return Trait("tensor", "int" if last in known.INTEGER_TYPES else "")
    if last in NUMBERS:
        return NUMBERS[last]
    return OTHER if last in PLAIN else UNSURE


def _last(expr: ir.Expr) -> str:
    """The class that an annotation names, `Optional[X]` and `X | None` like `X`."""
    if isinstance(expr, ir.Binary) and expr.op == "|":
        return _last(expr.left)
    if isinstance(expr, ir.Item):
        base = _last(expr.value)
        return _last(expr.key) if base == "Optional" else base
    if isinstance(expr, ir.Attr):
        return expr.name
    return expr.id if isinstance(expr, ir.Name) else ""


def evidence(function: ir.Function, name: str, dotted: Callable[[ir.Expr], str | None]) -> bool:
    """Whether the function uses a variable as only a tensor can be used."""
    for node in nested(function.body):
        if isinstance(node, ir.Attr) and node.name in known.EVIDENCE:
            if isinstance(node.value, ir.Name) and node.value.id == name:
                return True
        elif isinstance(node, ir.Call) and node.args and node.args[0].star == "":
            first = node.args[0].value
            if isinstance(first, ir.Name) and first.id == name and _takes_tensor(dotted(node.func)):
                return True
    return False


NOT_ONLY_TENSORS = frozenset(
    "tensor as_tensor asarray from_numpy is_tensor device save load stack cat manual_seed".split()
)


def _takes_tensor(callee: str | None) -> bool:
    """Whether a function of torch takes a tensor first."""
    if callee is None or not callee.startswith("torch."):
        return False
    parent, _, last = callee.rpartition(".")
    if parent not in ("torch", "torch.nn.functional", "torch.linalg", "torch.special") or not last[:1].islower():
        return False
    return last not in known.FACTORIES and last not in NOT_ONLY_TENSORS


STEPS = frozenset(("backward", "zero_grad", "step"))


def trained_loop(loops: tuple[ir.For | ir.While, ...], target: int) -> bool:
    """Whether the loop whose header ends at `target` makes training steps, so that it goes over batches of data."""
    for loop in loops:
        if isinstance(loop, ir.For) and loop.span[1] == target:
            return any(
                isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in STEPS
                for node in nested(loop.body)
            )
    return False
