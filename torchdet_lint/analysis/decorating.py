"""What decorators make of functions and classes when these are defined."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis import classes, commands, registries
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.values import UNKNOWN, Bound, ClassValue, FunctionValue, Instance, Partial, Value


def decorate(m: Machine, f: Frame, decorators: tuple[ir.Expr, ...], value: Value) -> Value:
    """What is left of a definition after its decorators; those from outside hand it through."""
    from torchdet_lint.analysis.calls import call_value
    from torchdet_lint.analysis.expressions import evaluate

    for decorator in reversed(decorators):
        if (
            isinstance(decorator, ir.Call)
            and isinstance(decorator.func, ir.Attr)
            and decorator.func.name in ("command", "callback")
        ):
            commands.register(m, f, evaluate(m, f, decorator.func.value), value)
            continue
        wrapper = evaluate(m, f, decorator)
        if _wraps(m, wrapper, value):
            result = call_value(m, f, wrapper, (value,), (), decorator.span)
            if result != UNKNOWN:
                value = result
    return value


def _wraps(m: Machine, wrapper: Value, value: Value) -> bool:
    """Whether a decorator is code of the project: a function, a method, an object that is called, the class of such objects."""
    if registries.registers(wrapper):
        return True
    if isinstance(wrapper, Partial):
        return isinstance(wrapper.function, FunctionValue)
    if isinstance(wrapper, Instance | ClassValue):
        cls = wrapper.cls if isinstance(wrapper, Instance) else wrapper
        called = classes.find_member(m, cls, "__call__")
        return called is not None and (isinstance(wrapper, Instance) or isinstance(value, FunctionValue))
    return isinstance(wrapper, FunctionValue) or (isinstance(wrapper, Bound) and not isinstance(wrapper.function, str))
