"""Which calls build a network, a layer or a loss."""

from __future__ import annotations

from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.memory.classes import ClassInfo, class_info
from torchdet_lint.analysis.memory.frame import Analysis
from torchdet_lint.analysis.memory.values import TORCH_MODULE
from torchdet_lint.project.names import Names

MODULE_METHODS = frozenset(
    "to cuda cpu eval train half float double bfloat16 requires_grad_ compile share_memory apply".split()
)
WRAPPERS = frozenset("DataParallel DistributedDataParallel FullyShardedDataParallel compile script".split())
NO_LAYER = frozenset({"Parameter", "ParameterList", "ParameterDict", "Module", "Buffer"})
BUILDERS = ("torchvision.models.", "timm.create_model", "segmentation_models_pytorch.")


def constructed(analysis: Analysis, expr: ir.Call, names: Names) -> Any:
    """What `Value.module` is for a call that builds a module, else None."""
    dotted = names.dotted(expr.func)
    if dotted is not None:
        last = dotted.rsplit(".", 1)[-1]
        layer = dotted.startswith("torch.nn.") and last[:1].isupper() and last not in NO_LAYER
        return TORCH_MODULE if layer or dotted.startswith(BUILDERS) else None
    info = class_info(analysis.project, expr.func, names)
    return info if isinstance(info, ClassInfo) and info.is_module else None


def wrapped(analysis: Analysis, expr: ir.Call, names: Names) -> Any:
    """The same through wrappers and methods that return the module itself: `DDP(Net().to(device))`."""
    dotted = names.dotted(expr.func)
    if dotted is not None:
        inner = expr.args[0].value if expr.args and dotted.rsplit(".", 1)[-1] in WRAPPERS else None
    else:
        inner = expr.func.value if isinstance(expr.func, ir.Attr) and expr.func.name in MODULE_METHODS else None
    if not isinstance(inner, ir.Call):
        return None
    return constructed(analysis, inner, names) or wrapped(analysis, inner, names)
