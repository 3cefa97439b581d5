"""What annotations and defaults say of a parameter, or of a field."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Frame
from torchdet_lint.analysis.ordering.tables import PATHS, SET_ANNOTATIONS
from torchdet_lint.analysis.ordering.values import INT, OBJECT, PATH, STR, TEXT, UNKNOWN, Origin, Value

_NUMBERS = frozenset({"builtins.int", "builtins.float", "builtins.bool"})
_LISTS = frozenset(
    "builtins.list builtins.tuple typing.List typing.Tuple typing.Sequence typing.Iterable collections.abc.Sequence"
    " collections.abc.Iterable".split()
)
_TENSORS = frozenset({"torch.Tensor", "torch.LongTensor"})


def parameter(frame: Frame, param: ir.Param) -> Value:
    """The value of a parameter before anything is known of the caller."""
    if param.kind in ("*", "**"):
        return frame.make("param", param.span)
    if param.annotation is not None:
        found = annotated(frame, param.annotation, param.span, f"the parameter `{param.name}`")
        if found is not None:
            return found
    if param.default is not None and isinstance(param.default, ir.Sequence | ir.Call | ir.Comprehension):
        value = frame.eval(param.default)
        if value.form == "set":
            return value
    return frame.make("param", param.span)


def fields(frame: Frame, definition: ir.Class) -> dict[str, Value]:
    """The sets that the annotations of a dataclass promise."""
    named = (d.func if isinstance(d, ir.Call) else d for d in definition.decorators)
    if not any(ir.last_name(decorator) == "dataclass" for decorator in named):
        return {}
    found = {}
    for statement in definition.body:
        if isinstance(statement, ir.Assign) and statement.annotation is not None:
            name = ir.last_name(statement.targets[0])
            value = annotated(frame, statement.annotation, statement.span, f"the field `{name}`")
            if value is not None and value.form == "set":
                found[name] = value
    return found


def annotated(frame: Frame, annotation: ir.Expr, span: ir.Span, what: str) -> Value | None:
    """The value that an annotation promises for `what` stands at `span`; None when it says nothing about order."""
    if isinstance(annotation, ir.Binary):
        return annotated(frame, annotation.left, span, what) or annotated(frame, annotation.right, span, what)
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        return PATH if annotation.value in ("Path", "pathlib.Path") else None
    argument: ir.Expr | None = None
    if isinstance(annotation, ir.Item):
        argument = annotation.key
        annotation = annotation.value
    dotted = frame.dotted(annotation) or ""
    if dotted in ("typing.Optional", "typing.Union") and argument is not None:
        inner = argument.items if isinstance(argument, ir.Sequence) else (argument,)
        found = [value for value in (annotated(frame, one, span, what) for one in inner) if value is not None]
        return found[0] if found else None
    kind = _element(frame, argument)
    if dotted in SET_ANNOTATIONS:
        return frame.make("set", span, kind, {Origin("set", frame.place(span), what, kind)})
    if dotted in _LISTS and kind != UNKNOWN:
        return Value("seq", kind, obj=frame.place(span))
    return _scalar(dotted)


def _scalar(dotted: str) -> Value | None:
    if dotted in PATHS:
        return PATH
    if dotted in _NUMBERS:
        return Value("scalar", INT)
    if dotted in _TENSORS:
        return Value("tensor", OBJECT)
    return TEXT if dotted == "builtins.str" else None


def _element(frame: Frame, argument: ir.Expr | None) -> str:
    if argument is None:
        return UNKNOWN
    dotted = frame.dotted(argument) or ""
    if dotted == "builtins.str" or dotted in PATHS:
        return STR
    if dotted in _NUMBERS:
        return INT
    return OBJECT if dotted.startswith("torch.") else UNKNOWN
