"""Which units can hold an operation or kernel that differs from run to run: a look at their words, before any parse."""

from __future__ import annotations

import re
from functools import lru_cache

from torchdet_lint.catalog.apis import Apis
from torchdet_lint.project.modules import Module
from torchdet_lint.source import SourceFile, Unit

ALONE = frozenset(
    "ReflectionPad1d ReflectionPad2d ReflectionPad3d AvgPool3d avg_pool3d FractionalMaxPool2d FractionalMaxPool3d"
    " fractional_max_pool2d fractional_max_pool3d CTCLoss ctc_loss grid_sample".split()
)
"""Words that make a unit worth evaluating although no program reaches it."""

TOGETHER = (
    (frozenset(("interpolate", "upsample", "Upsample")), frozenset(("linear", "bicubic", "antialias"))),
    (frozenset(("pad", "Conv1d", "Conv2d", "Conv3d")), frozenset(("reflect",))),
    (frozenset(("EmbeddingBag", "embedding_bag")), frozenset(("max",))),
)
"""Words of which one of the first set needs one of the second beside it."""

OLDER = (frozenset(("interpolate", "upsample", "Upsample")), frozenset(("bilinear", "trilinear")))
"""The same for what only older versions of torch have no way around."""

POOLING = frozenset(
    "AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool2d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d".split()
)
LARGER = re.compile(
    r"AdaptiveAvgPool[23]d\s*\((?!\s*(?:output_size\s*=\s*)?(?:1\s*[,)]|[(\[]\s*1\s*,\s*1))"
    r"|AdaptiveMaxPool2d\s*\((?!\s*(?:output_size\s*=\s*)?(?:1\s*[,)]|[(\[]\s*1\s*,\s*1))"
    r"|adaptive_(?:avg_pool[23]d|max_pool2d)\s*\((?![^()]*,\s*(?:output_size\s*=\s*)?(?:1\s*[,)]|[(\[]\s*1\s*,\s*1))"
)
"""Adaptive pooling to another size than 1."""


def holds_operation(source: SourceFile, unit: Unit) -> bool:
    """Whether the unit can hold an operation that is judged although no program reaches it.

    Only what strict mode has no kernel for is judged there, and of that what shows by itself that it can be trained through.
    """
    words = unit.words
    if not ALONE.isdisjoint(words):
        return True
    if any(not first.isdisjoint(words) and not second.isdisjoint(words) for first, second in TOGETHER):
        return True
    if POOLING.isdisjoint(words):
        return False
    return unit.kind == "file" or LARGER.search(source.text, unit.start, unit.end) is not None


def holds_older(unit: Unit) -> bool:
    """The same for older versions of torch, in which resizing raises."""
    first, second = OLDER
    return not first.isdisjoint(unit.words) and not second.isdisjoint(unit.words)


@lru_cache(maxsize=8)
def _kernels(apis: Apis) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the tables that run a kernel of an extension, and the packages that these are in."""
    names = apis.having(("kernel",))
    return names, frozenset(name.partition(".")[0] for name in names)


def kernel_names(module: Module, apis: Apis) -> frozenset[str]:
    """The names under which a module imports something of an extension with kernels that differ from run to run."""
    kernels, roots = _kernels(apis)
    found = set()
    for name, (dotted, _, member) in module.imports.items():
        if dotted.partition(".")[0] not in roots:
            continue
        full = apis.canonical(f"{dotted}.{member}" if member else dotted)
        if any(kernel == full or kernel.startswith(f"{full}.") for kernel in kernels):
            found.add(name)
    return frozenset(found)
