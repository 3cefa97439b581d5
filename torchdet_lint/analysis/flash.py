"""Where a model of Transformers is told to compute attention with flash-attn.

From transformers/modeling_utils.py@5.0 (`attn_implementation`, `set_attn_implementation`), transformers@4.35
(`use_flash_attention_2`) and trl@0.24 (`model_init_kwargs`).
"""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import TRUE, Box, Known, Made, Option, Value, alternatives, known

NAME = "attn_implementation"
OLD_FLAG = "use_flash_attention_2"
SETTERS = frozenset(("set_attn_implementation",))
ATTRIBUTES = ("._attn_implementation", ".attn_implementation")
"""Attributes of configurations that say the same."""

PASSED_ON = ("model_init_kwargs", "model_kwargs")
"""Arguments whose dictionary is handed to the model."""


def chosen(value: Value | None) -> Known | None:
    """The name of a flash-attn implementation among the values that it has unless the user says otherwise."""
    options = alternatives(value)
    likely = [option.default for option in options if isinstance(option, Option)] or options
    for option in likely:
        if isinstance(option, Known) and str(option.value).startswith("flash_attention"):
            return option
    return None


def note_flash(m: Machine, f: Frame, made: Made, span: ir.Span, setter: str = "") -> None:
    """Notes a call that asks for flash-attn: by a keyword argument, in a dictionary, or of a method `setter`."""
    if setter:
        found, shown = chosen(made.get(NAME, 0)), f'{setter}("{{}}")'
    else:
        found, shown = chosen(made.get(NAME)), f'{NAME}="{{}}"'
    if found is None and OLD_FLAG in dict(made.named) and made.get(OLD_FLAG) == TRUE:
        found, shown = known("flash_attention_2"), f"{OLD_FLAG}=True"
    if found is None:
        boxes = [box for name in PASSED_ON for box in alternatives(made.get(name)) if isinstance(box, Box)]
        values = [chosen(m.heap.read(box.identity, NAME)) for box in boxes]
        found, shown = next((value for value in values if value is not None), None), f'"{NAME}": "{{}}"'
    if found is not None:
        text = shown.format(found.value)
        f.trace.append(Event("use", f.site(span), text, value=found, made=made, note="flash-option"))
