"""What layers and networks of libraries give where that has a value for each pixel: losses over it are summed by other kernels
than losses over one row for each sample.
"""

from __future__ import annotations

from torchdet_lint.analysis.iteration import known_items
from torchdet_lint.analysis.machine import Machine
from torchdet_lint.analysis.values import TRUE, UNKNOWN, Items, Made, Site, Value, alternatives

MARK = ("pixels", TRUE)

PIXELS = Made("torch.Tensor", (), (MARK,), (Site("", 0, (0, 0), ""), 0))
"""A tensor with pixels, one value for all of them: where it was made does not matter."""

LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in (
        "Conv2d", "Conv3d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose2d",
        "LazyConvTranspose3d", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "PixelShuffle",
    )
)  # fmt: skip
"""Layers whose input and output have pixels (a `Conv1d` over a sequence has its points in time, which is as good, but it
serves for single rows as well)."""

NETWORKS = ("segmentation_models_pytorch.", "torchvision.models.segmentation.")
"""Libraries whose networks give a class for each pixel."""

FUNCTIONS = frozenset(f"torch.nn.functional.{name}" for name in ("interpolate", "upsample", "pixel_shuffle"))

KEEP = frozenset(
    f"torch.{name}"
    for name in ("log_softmax", "softmax", "nn.functional.log_softmax", "nn.functional.softmax", "log", "clamp")
)
"""Functions that keep the pixels of their first argument."""


def output_of(m: Machine, made: Made) -> Value:
    """What calling a layer gives."""
    return PIXELS if _has_pixels(m, made, 4) else UNKNOWN


def _has_pixels(m: Machine, made: Made, depth: int) -> bool:
    if made.cls in LAYERS or made.cls.startswith(NETWORKS):
        return True
    if made.cls not in ("torch.nn.Sequential", "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"):
        return False
    parts = known_items(m, Items(made.args)) or ()
    last = alternatives(parts[-1]) if parts and depth and not made.open else ()
    return bool(last) and all(isinstance(each, Made) and _has_pixels(m, each, depth - 1) for each in last)


def is_pixels(value: Value) -> bool:
    """Whether a value of the machine is known to have pixels."""
    if not isinstance(value, Made):
        return False
    if value.cls == "torch.Tensor":
        return MARK in value.named
    if value.cls in KEEP and value.args:
        return is_pixels(value.args[0])
    return value.cls in FUNCTIONS
