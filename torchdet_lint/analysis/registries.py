"""Registries of libraries: which of the project's classes and functions stand in one, and what is built by a name from it.

A registry is a dictionary here, with the methods of `mmcv.utils.Registry` (mmcv 1, mmengine) and of
`fvcore.common.registry.Registry` (fvcore, detectron2) besides its own: `register_module`, `register`, `build`.
"""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis import attributes
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Bound,
    Box,
    ClassValue,
    FunctionValue,
    Known,
    Made,
    Partial,
    Value,
    alternatives,
    join,
)

Args = tuple[Value, ...]
Named = tuple[tuple[str, Value], ...]

REGISTERS = ("register_module", "register")

CLASSES = (
    "mmcv.utils.Registry", "mmcv.Registry", "mmengine.registry.Registry", "mmengine.Registry",
    "fvcore.common.registry.Registry", "detectron2.utils.registry.Registry",
)  # fmt: skip

BUILDERS = tuple(
    f"{room}.{name}"
    for room in ("mmcv", "mmcv.utils", "mmengine", "mmengine.registry")
    for name in ("build_from_cfg", "build_model_from_cfg")
)
"""`build_from_cfg(cfg, registry, default_args)`: what `cfg["type"]` names, called with the rest of `cfg`."""


MOST_BUILT = 6
"""So many of what a registry holds are tried where nothing says which is built: networks that build one another are costly."""


def make(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`Registry("models")`"""
    return attributes.new_dict(m, f, "dict", (), (), span)


def registers(wrapper: Value) -> bool:
    """Whether a decorator is a method by which a registry notes what it is given."""
    method = wrapper.function if isinstance(wrapper, Partial) else wrapper
    return isinstance(method, Bound) and isinstance(method.receiver, Box) and method.function in REGISTERS


def register(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    """`@R.register_module()`, `@R.register_module(name="net")`, `R.register(Net)`, `R.register_module(module=Net)`"""
    given = dict(named)
    for value in (*args, given.get("module", UNKNOWN)):
        if isinstance(value, ClassValue | FunctionValue):
            name = given.get("name")
            key = str(name.value) if isinstance(name, Known) else value.qualname.rpartition(".")[2]
            m.heap.write(box.identity, key, value)
            return value
    called = given.get("name", args[0] if args else UNKNOWN)
    return Partial(Bound(box, REGISTERS[0]), (), (("name", called),) if isinstance(called, Known) else ())


def build(m: Machine, f: Frame, box: Box, args: Args, named: Named, span: ir.Span) -> Value:
    """`R.build(cfg, default_args)`: any of what is registered, where `cfg` does not say which."""
    from torchdet_lint.analysis.calls import call_value, spread

    given = dict(named)
    cfg, defaults = given.get("cfg", args[0] if args else UNKNOWN), given.get("default_args", *args[1:2] or (UNKNOWN,))
    held: dict[str, Value] = {}
    for each in (cfg, defaults):
        if isinstance(each, Box):
            spread(m, each, held)
    kind = held.pop("type", UNKNOWN)
    if not isinstance(cfg, Box):
        held["**"] = UNKNOWN
    known = [option for option in alternatives(kind) if isinstance(option, ClassValue | FunctionValue)]
    found = join(*known) if known else _any(m, box, kind)
    return call_value(m, f, found, (), tuple(held.items()), span) if found != UNKNOWN else UNKNOWN


def _any(m: Machine, box: Box, kind: Value) -> Value:
    found = [option for option in alternatives(attributes.read_key(m, box, kind)) if option != UNKNOWN]
    return join(*found[:MOST_BUILT]) if found else UNKNOWN


def build_from_cfg(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`build_from_cfg(cfg, registry, default_args)`"""
    registry = made.get("registry", 1)
    args = (made.get("cfg", 0) or UNKNOWN, made.get("default_args", 2) or UNKNOWN)
    results = [build(m, f, box, args, (), span) for box in alternatives(registry) if isinstance(box, Box)]
    return join(*results) if results else None
