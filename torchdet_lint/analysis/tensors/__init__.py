"""What a piece of code says about a value: a tensor or not, of integers or not, with a gradient or not, on the CPU or not."""

from __future__ import annotations

from torchdet_lint.analysis.tensors.infer import Inference
from torchdet_lint.analysis.tensors.trait import OTHER, UNSURE, Trait, of_value

__all__ = ["OTHER", "UNSURE", "Inference", "Trait", "of_value"]
