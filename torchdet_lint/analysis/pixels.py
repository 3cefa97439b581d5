"""What layers and networks of libraries give where that has a value for each pixel: losses over it are summed by other kernels
than losses over one row for each sample.
"""

from __future__ import annotations

from torchdet_lint.analysis.values import TRUE, UNKNOWN, Known, Made, Site, Value, alternatives

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

POINTWISE = frozenset(
    f"torch.nn.{name}"
    for name in (
        "BatchNorm2d", "BatchNorm3d", "InstanceNorm2d", "InstanceNorm3d", "GroupNorm", "ReLU", "LeakyReLU", "Sigmoid", "Softmax",
        "Softmax2d", "LogSoftmax", "Identity", "Dropout", "Dropout2d", "Dropout3d",
    )
)  # fmt: skip
"""Layers that keep the pixels of their input."""

NETWORKS = ("segmentation_models_pytorch.",)
"""Libraries whose networks give a class for each pixel."""

WRAPPERS = frozenset(("torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel", "torch.compile"))

FUNCTIONS = frozenset(f"torch.nn.functional.{name}" for name in ("interpolate", "upsample", "pixel_shuffle"))

KEEP = frozenset(
    f"torch.{name}"
    for name in ("log_softmax", "softmax", "nn.functional.log_softmax", "nn.functional.softmax", "log", "clamp")
)
"""Functions that keep the pixels of their first argument."""


def output_of(made: Made, args: tuple[Value, ...], inner: list[Value]) -> Value:
    """What calling a layer or a network of a library gives; `inner` is what the networks give that it wraps."""
    if made.cls in POINTWISE and args:
        return args[0] if is_pixels(args[0]) else UNKNOWN
    if made.cls in WRAPPERS and inner:
        return PIXELS if all(is_pixels(value) for value in inner) else UNKNOWN
    return PIXELS if _has_pixels(made, 4) else UNKNOWN


def entry(value: Value, key: Value) -> Value | None:
    """What a key of a network's output gives: `model(x)["out"]`; None for anything else."""
    return value if is_pixels(value) and isinstance(key, Known) and key.kind == "str" else None


def _has_pixels(made: Made, depth: int) -> bool:
    if made.cls in LAYERS or made.cls.startswith(NETWORKS):
        return True
    if made.cls != "torch.nn.Sequential" or not made.args or not depth or made.open:
        return False
    parts = [part for part in made.args if not (isinstance(part, Made) and part.cls in POINTWISE)]
    last = alternatives(parts[-1]) if parts else ()
    return bool(last) and all(isinstance(each, Made) and _has_pixels(each, depth - 1) for each in last)


def is_pixels(value: Value) -> bool:
    """Whether a value of the machine is known to have pixels."""
    if not isinstance(value, Made):
        return False
    if value.cls == "torch.Tensor":
        return MARK in value.named
    if value.cls in KEEP and value.args:
        return is_pixels(value.args[0])
    return value.cls in FUNCTIONS
