"""The two arms of a test: what names hold after either, and what the test says of the code in them."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch, Trace, Within
from torchdet_lint.analysis.values import UNKNOWN, Box, Option, Truth, Value, is_none, join


def note_inference(f: Frame, s: ir.If) -> None:
    """What runs under `if not self.training:` takes no gradients, as what evaluates a network hardly ever does."""
    evaluates = isinstance(s.test, ir.Unary) and s.test.op == "not"
    asked = s.test.value if isinstance(s.test, ir.Unary) and evaluates else s.test
    branch = f.trace[-1] if f.trace else None
    if not (isinstance(asked, ir.Attr) and asked.name == "training" and isinstance(branch, Branch)):
        return
    if branch.site == f.site(s.span):
        then, other = (branch.then, branch.other) if evaluates else (branch.other, branch.then)
        quiet: Trace = (Within(branch.site, "no-grad", UNKNOWN, then),) if then else ()
        f.trace[-1] = (
            replace(branch, then=quiet, other=other) if evaluates else replace(branch, then=other, other=quiet)
        )


def refine(
    mine: dict[str, Value], narrowed: dict[str, Value], before: dict[str, Value], other: dict[str, Value]
) -> None:
    """What an arm's test says of a name stays true of it where the other arm binds the name anew: `if seed is None: seed = 0`."""
    for name, value in narrowed.items():
        if name in before and mine.get(name) == before[name] != other.get(name):
            mine[name] = value


def merge(m: Machine, one: dict[str, Value], two: dict[str, Value], label: str, found: Truth) -> dict[str, Value]:
    merged: dict[str, Value] = {}
    for name in one.keys() | two.keys():
        a, b = one.get(name), two.get(name)
        if a is None or b is None:
            merged[name] = a if a is not None else b  # type: ignore[assignment]  # one of them is there
        elif a == b:
            merged[name] = a
        elif label:
            likely, unlikely = (a, b) if found is Truth.LIKELY else (b, a)
            option = likely if isinstance(likely, Option) else Option(likely, label)
            merged[name] = option if _is_list_of_none(m, unlikely) else join(option, unlikely)
        else:
            merged[name] = join(a, b)
    return merged


def _is_list_of_none(m: Machine, value: Value) -> bool:
    """`[seed] * count` where no seed is given: nobody asks for that who leaves the default."""
    elements = m.heap.elements(value.identity) if isinstance(value, Box) and value.kind == "list" else ()
    return bool(elements) and all(is_none(each) is Truth.YES for each in elements)
