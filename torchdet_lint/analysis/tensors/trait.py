"""What is known of a value, as far as operations on tensors ask for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from torchdet_lint.analysis.pixels import is_pixels
from torchdet_lint.analysis.values import Box, Items, Known, Made, Value, alternatives
from torchdet_lint.project.modules import External


class Trait(NamedTuple):
    """What is known of a value; "" and False mean that it is not known.

    kind: "tensor", or "other" (a number, an array, a list, …). dtype: "int" (integers and booleans) or "float".
    grad: "no" where no gradient flows back into it, "yes" where one may (it comes out of a layer or a network).
    device: "cpu". `unique`: as an index it holds nothing twice.
    `pixels`: as the input of a loss it has a value for each pixel. `given`: it comes from a parameter of the function.
    """

    kind: str = ""
    dtype: str = ""
    grad: str = ""
    device: str = ""
    unique: bool = False
    pixels: bool = False
    given: bool = False


UNSURE = Trait()
OTHER = Trait("other")
NUMBER = Trait("other", "int", "no")
REAL = Trait("other", "float", "no")


def join(traits: Iterable[Trait | None]) -> Trait:
    """What holds of a value that may be any of these; None (a value that is defined by itself) says nothing."""
    found = [trait for trait in traits if trait is not None]
    if not found:
        return UNSURE
    kinds = {trait.kind for trait in found}
    dtypes = {trait.dtype for trait in found}
    return Trait(
        "other" if kinds == {"other"} else "tensor" if "tensor" in kinds and "other" not in kinds else "",
        "float" if "float" in dtypes else "int" if dtypes == {"int"} else "",
        _gradient({trait.grad for trait in found}),
        "cpu" if all(trait.device == "cpu" for trait in found) else "",
        all(trait.unique for trait in found),
        all(trait.pixels for trait in found),
        any(trait.given for trait in found),
    )


def _gradient(grads: set[str]) -> str:
    return "yes" if "yes" in grads else "no" if grads == {"no"} else ""


def combine(left: Trait, right: Trait) -> Trait:
    """What arithmetic makes of two values."""
    kinds = {left.kind, right.kind}
    dtypes = {left.dtype, right.dtype}
    on_cpu = all(side.device == "cpu" or side.kind == "other" for side in (left, right)) and "tensor" in kinds
    return Trait(
        "tensor" if "tensor" in kinds else "other" if kinds == {"other"} else "",
        "float" if "float" in dtypes else "int" if dtypes == {"int"} else "",
        _gradient({left.grad, right.grad}),
        "cpu" if on_cpu else "",
        pixels=left.pixels or right.pixels,
        given=left.given or right.given,
    )


def of_value(value: Value | None) -> Trait:
    """What the abstract machine's value says, which follows values through calls but forgets what methods made of them."""
    return join(_of_option(option) for option in alternatives(value)) if value is not None else UNSURE


def _of_option(value: Value) -> Trait:
    if isinstance(value, Known):
        return NUMBER if value.kind in ("int", "bool") else REAL if value.kind == "float" else OTHER
    if isinstance(value, Box | Items | External):
        return OTHER
    if isinstance(value, Made):
        first, _, rest = value.cls.partition(".")
        last = rest.rpartition(".")[2]
        if first != "torch":
            return UNSURE if first in ("einops", "kornia", "torchvision", "fairscale") or not rest else OTHER
        if is_pixels(value):
            return Trait("tensor", pixels=True)
        if value.cls == "torch.Tensor" or last.endswith("Tensor") or (last[:1].islower() and rest == last):
            return Trait("tensor")
    return UNSURE
