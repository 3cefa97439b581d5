"""What is known of a parameter besides what callers write: its annotation, its name."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.triggers import SEED_WORD
from torchdet_lint.analysis.values import UNKNOWN, Made, Tainted, Value
from torchdet_lint.project.modules import External

GIVEN = Tainted(frozenset())
"""An unknown value that is not None."""


def received(m: Machine, frame: Frame, param: ir.Param, value: Value) -> Value:
    """What a parameter gets from an argument. A caller that writes a seed for one whose default is None gives a seed, whatever it
    is: who gives None says so.
    """
    if value != UNKNOWN:
        return value
    default = param.default
    if isinstance(default, ir.Const) and default.value is None and SEED_WORD.search(param.name):
        return GIVEN
    return annotated(m, frame, param)


def annotated(m: Machine, frame: Frame, param: ir.Param) -> Value:
    """What an annotation says about a value that is not known otherwise: an instance of a class from outside."""
    if param.annotation is None or frame.outer is None:
        return UNKNOWN
    return of_annotation(m, frame, frame.outer, param.annotation, param.span)


def of_annotation(m: Machine, frame: Frame, scope: Frame, annotation: ir.Expr, span: ir.Span) -> Value:
    """An object of the class from outside that an annotation names, `Optional[X]` and `X | None` like `X`."""
    from torchdet_lint.analysis.expressions import evaluate

    if isinstance(annotation, ir.Binary) and annotation.op == "|":
        annotation = annotation.left
    if isinstance(annotation, ir.Item) and isinstance(annotation.value, ir.Name) and annotation.value.id == "Optional":
        annotation = annotation.key
    if not isinstance(annotation, ir.Name | ir.Attr):
        return UNKNOWN
    kept, scope.trace = scope.trace, []
    value = evaluate(m, scope, annotation)
    scope.trace = kept
    if isinstance(value, External):
        name = m.apis.canonical(value.path)
        if "." in name and name.rsplit(".", 1)[-1][:1].isupper():
            return Made(name, (), (("**", UNKNOWN),), frame.identity(span))
    return UNKNOWN
