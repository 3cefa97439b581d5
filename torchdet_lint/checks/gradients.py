"""Whether a gradient can flow through a call, as far as the code around it shows.

A gradient that nobody takes runs no backward kernel. The signs that are read here only ever silence: data on its way into a
program, results that are cut off by a comparison, weights on their way out of a checkpoint.
"""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.analysis.tensors.scopes import Place
from torchdet_lint.ir import nested

FUNCTIONS = re.compile(
    r"post_?process|pre_?process|visuali[sz]|plot|draw|^_?show|^_?save|checkpoint|pretrained|state_dict|^_?load|_load_|convert"
    r"|resize_pos|interpolate_pos_embed$|augment|metric|evaluat|accuracy|collate|paste_mask|process_mask|thumbnail|^_?transform$"
)
CLASSES = re.compile(r"Processor|Dataset|Transforms?$|Augment|Pipeline|Resize|Predictor|Evaluator|Metric|Mixup|CutMix")
FILES = re.compile(
    r"(?:^|/)(?:transforms?|\w*augment\w*|datasets?|image_process\w*|video_process\w*|\w*preprocess\w*|visuali\w*|convert_\w*"
    r"|data|data_?utils?|data_?load\w*|pipeline_\w+|inference|demo)(?:/|\.py$)"
)
DATA = re.compile(
    r"^(?:gt|ground_truth)(?:_\w+)?$|^(?:target|label|img|image|pixel_values|attention_mask|mask|low_res|frame|input_image)(?:s|es)?$"
    r"|_(?:gt|target|label|img|image)s?$"
)
"""Names of what comes out of a data set."""

CUTS = frozenset("gt gt_ ge ge_ lt lt_ le argmax numpy cpu tolist item detach byte bool long int uint8".split())
"""Methods behind which there is no gradient."""


def without_gradient(path: str, place: Place) -> bool:
    """Whether the place is one where data are prepared, weights are loaded or results are looked at, by its names."""
    if FILES.search(path):
        return True
    if place.owner is not None and CLASSES.search(place.owner.name):
        return True
    for function in place.functions:
        if isinstance(function, ir.Function) and (FUNCTIONS.search(function.name) or _own_gradient(function)):
            return True
    return False


def _own_gradient(function: ir.Function) -> bool:
    """A method of an `autograd.Function`, which runs without recording."""
    return bool(function.params) and function.params[0].name == "ctx"


def names_data(expr: ir.Expr | None) -> bool:
    """Whether an expression is named like data: `images`, `gt_masks[None]`, `batch.labels.float()`."""
    while isinstance(expr, ir.Call | ir.Item | ir.Attr):
        if isinstance(expr, ir.Attr) and DATA.search(expr.name):
            return True
        expr = expr.func if isinstance(expr, ir.Call) else expr.value
    return isinstance(expr, ir.Name) and DATA.search(expr.id) is not None


def cut_off(place: Place, body: ir.Body) -> bool:
    """Whether the result of the call is only compared, turned into numbers or moved away, in a function without a loss."""
    inside: object = place.functions[-1].body if place.functions else body
    found = list(nested(inside))
    if any("loss" in name.lower() or "criterion" in name.lower() for name in _names(found)):
        return False
    targets = {
        target.id
        for node in found
        if isinstance(node, ir.Assign) and node.value is not None and _holds(node.value, place.call)
        for target in node.targets
        if isinstance(target, ir.Name)
    }
    return any(_cuts(node, place.call, targets) for node in found)


def _names(found: list[object]) -> list[str]:
    return [
        node.id if isinstance(node, ir.Name) else node.name for node in found if isinstance(node, ir.Name | ir.Attr)
    ]


def _holds(value: ir.Expr, call: ir.Call) -> bool:
    return any(isinstance(node, ir.Call) and node.span == call.span for node in nested(value))


def _cuts(node: object, call: ir.Call, targets: set[str]) -> bool:
    if isinstance(node, ir.Compare):
        return _roots_in(node.left, call, targets)
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in CUTS:
        return _roots_in(node.func.value, call, targets)
    return False


def _roots_in(expr: ir.Expr, call: ir.Call, targets: set[str]) -> bool:
    """Whether a chain of methods, attributes and items starts at the call or at a name for its result."""
    while True:
        if isinstance(expr, ir.Call) and expr.span == call.span:
            return True
        if isinstance(expr, ir.Call):
            expr = expr.func
        elif isinstance(expr, ir.Attr):
            if expr.name in ("shape", "ndim", "dtype", "device", "size", "dim"):
                return False
            expr = expr.value
        elif isinstance(expr, ir.Item):
            expr = expr.value
        else:
            return isinstance(expr, ir.Name) and expr.id in targets
