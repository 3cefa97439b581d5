"""Which units can hold an operation or kernel that differs from run to run: a look at their words, before any parse."""

from __future__ import annotations

from functools import lru_cache

from torchdet_lint.catalog.apis import Apis
from torchdet_lint.project.modules import Module
from torchdet_lint.source import Unit

ALONE = frozenset(
    "ReflectionPad1d ReflectionPad2d ReflectionPad3d AvgPool3d avg_pool3d MaxPool3d max_pool3d AdaptiveAvgPool2d AdaptiveAvgPool3d"
    " AdaptiveMaxPool2d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d FractionalMaxPool2d FractionalMaxPool3d"
    " fractional_max_pool2d fractional_max_pool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d max_unpool1d max_unpool2d max_unpool3d CTCLoss"
    " ctc_loss grid_sample UpsamplingBilinear2d upsample_bilinear ReplicationPad1d ReplicationPad2d ReplicationPad3d".split()
)
"""Words that make a unit worth evaluating although no program reaches it."""

TOGETHER = (
    (frozenset(("interpolate", "upsample", "Upsample")), frozenset(("linear", "bilinear", "trilinear", "bicubic"))),
    (frozenset(("pad",)), frozenset(("reflect", "replicate"))),
    (frozenset(("EmbeddingBag", "embedding_bag")), frozenset(("max",))),
)
"""Words of which one of the first set needs one of the second beside it."""


def holds_operation(unit: Unit) -> bool:
    """Whether the unit can hold an operation that is judged although no program reaches it.

    Only what strict mode has no kernel for is judged there, and of that what shows by itself that it can be trained through.
    """
    words = unit.words
    if not words.isdisjoint(ALONE):
        return True
    return any(not words.isdisjoint(first) and not words.isdisjoint(second) for first, second in TOGETHER)


@lru_cache(maxsize=8)
def _kernels(apis: Apis) -> frozenset[str]:
    """The names of the tables that run a kernel of an extension."""
    return frozenset(name for name in apis if (row := apis.get(name)) is not None and row.role == "kernel")


@lru_cache(maxsize=8)
def _roots(apis: Apis) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in _kernels(apis))


def kernel_names(module: Module, apis: Apis) -> frozenset[str]:
    """The names under which a module imports something of an extension with kernels that differ from run to run."""
    roots = _roots(apis)
    found = set()
    for name, (dotted, _, member) in module.imports.items():
        if dotted.partition(".")[0] not in roots:
            continue
        full = apis.canonical(f"{dotted}.{member}" if member else dotted)
        if any(kernel == full or kernel.startswith(f"{full}.") for kernel in _kernels(apis)):
            found.add(name)
    return frozenset(found)
