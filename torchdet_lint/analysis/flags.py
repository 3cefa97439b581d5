"""Flags of absl, which are defined one by one and read from one object of the whole program, or from what defines them.

https://abseil.io/docs/python/guides/flags
"""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import UNKNOWN, Identity, Known, Made, Option, Site, Value

FLAGS = "absl.flags.FLAGS"
KINDS = ("integer", "string", "float", "bool", "boolean", "enum", "list")
DEFINERS = tuple(f"absl.flags.DEFINE_{kind}" for kind in KINDS)


def define(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`flags.DEFINE_integer("seed", 0, "…")`; None where the name is not written out."""
    name, default = made.get("name", 0), made.get("default", 1)
    if not isinstance(name, Known) or not isinstance(name.value, str) or default is None:
        return None
    value = default if default == UNKNOWN else Option(default, f"`--{name.value}`")
    m.heap.write(_place(m), name.value, value)
    m.heap.write(made.identity, "value", value)
    f.trace.append(Event("option", f.site(span), name.value, value=default, made=made))
    return Made("absl.flags.FlagHolder", (), (), made.identity)


def read(m: Machine, name: str) -> Value | None:
    """`FLAGS.seed`: what the program's own file defines, or a module that it imports."""
    found = m.heap.read(_place(m), name)
    return found if found is not None or m.base is None else m.heap.read(_place(m.base), name)


def _place(m: Machine) -> Identity:
    return Site("", 0, (0, 0), FLAGS), m.home
