"""Whether the conditions of the table of operations hold for a call: on its arguments, and on what the code says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from torchdet_lint import ir
from torchdet_lint.analysis.tensors import Inference, Trait, of_value
from torchdet_lint.analysis.tensors.scopes import place_of
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import NONE, Items, Known, Made, Option, Value, alternatives
from torchdet_lint.catalog.operations import Condition, Operation
from torchdet_lint.checks.emit import source_text
from torchdet_lint.checks.facts import Facts, find_call
from torchdet_lint.checks.gradients import cut_off, names_data, without_gradient
from torchdet_lint.checks.losses import losses

METHOD = "torch.Tensor."
COUNTS = re.compile(
    r"mask|len|count|num|\bn_|idx|ids?\b|indices|index|offset|size|label|position|pos\b|_pos|token|valid|batch|ptr|degree|deg\b"
    r"|step|seq|cu_|repeat|bincount|shape|dim|hot|target|row|col|sector|split|padding|attention|chunk|block|frames|where|ratio_n"
)
"""Names of what is counted, masked or indexed: integers, where nothing else says so."""

DISTINCT = re.compile(r"action|sort|topk|top_k|perm|shuffle|restore|rank|order|uniq|keep|pos")
"""Names of indices that hold nothing twice."""

REPEATING = frozenset(
    f"torch.{name}" for name in ("randint", "randint_like", "multinomial", "tensor", "as_tensor", "LongTensor", "bucketize",
    "searchsorted", "zeros", "ones", "full", "cat", "repeat_interleave")
)  # fmt: skip
"""Functions whose results hold an index more than once, or may well."""

SAMPLES = frozenset(("__getitem__", "__getitems__"))


@dataclass(frozen=True)
class Call:
    """A call with what is known of it: the machine's arguments, its expression, and inference around it."""

    facts: Facts
    event: Event
    made: Made
    expr: ir.Call
    inference: Inference
    samples: bool

    @property
    def method(self) -> bool:
        return self.event.api.startswith(METHOD)

    @property
    def layer(self) -> bool:
        return self.event.api.rpartition(".")[2][:1].isupper()

    @property
    def input(self) -> ir.Expr | None:
        """What the operation works on; None for a layer that is built."""
        if self.layer:
            return None
        if self.method:
            return self.expr.func.value if isinstance(self.expr.func, ir.Attr) else None
        return self.argument("input", 0)

    def argument(self, name: str, position: int | None) -> ir.Expr | None:
        """The expression of an argument."""
        for arg in self.expr.args:
            if arg.star == "=" and arg.name == name:
                return arg.value
        plain = [arg.value for arg in self.expr.args if arg.star == ""]
        starred = any(arg.star == "*" for arg in self.expr.args)
        return plain[position] if position is not None and position < len(plain) and not starred else None

    def trait(self, expr: ir.Expr | None, value: Value | None) -> Trait:
        """What the code says of an expression, and of which kind the machine's value is."""
        found = self.inference.of(expr) if expr is not None else Trait()
        if value is None:
            return found
        seen = of_value(value)
        return found._replace(kind=found.kind or seen.kind, pixels=found.pixels or seen.pixels)

    def worked_on(self) -> Trait:
        value = self.event.value if self.method else self.made.get("input", 0)
        return self.trait(self.input, value)

    def runs(self, row: Operation) -> bool:
        """Whether the operation works on a tensor that may be on an accelerator and, for a row about gradients, have one."""
        if self.layer:
            return True
        if self.samples or self._elsewhere():
            return False
        found = self.worked_on()
        if found.kind == "other" or found.device == "cpu":
            return False
        name = self.event.api.removeprefix(METHOD)
        if row.copies and not self._index_in_sight(row):
            return False
        ambiguous = self.method and name in self.facts.machine.operations.ambiguous
        if ambiguous and found.kind != "tensor" and not self.inference.used_as_tensor(self.input):
            return False
        return not row.backward or self._trained(row, found)

    def _may_repeat(self, value: Value | None) -> bool:
        """Whether a value that a caller hands over is made by what gives the same index more than once."""
        sites = [option.identity[0] for option in alternatives(value) if isinstance(option, Made)]
        calls = [(site, find_call(self.facts.project, site)) for site in sites]
        return any(
            call is not None and self.facts.names(site.path).dotted(call.func) in REPEATING for site, call in calls
        )

    def _elsewhere(self) -> bool:
        """Whether the call stands where a tensor is known to be on another device than CUDA: `if x.device.type == "mps":`."""
        body = self.facts.project.body(self.event.site.path, self.event.site.unit)
        start = self.expr.span[0]
        return any(
            isinstance(node, ir.If)
            and _other_device(node.test)
            and any(each.span[0] <= start for each in node.body)
            and start < (node.orelse[0].span[0] if node.orelse else _end(node.body))
            for node in ir.nested(body)
        )

    def _index_in_sight(self, row: Operation) -> bool:
        """Whether it can be seen where the indices come from: they hold something twice only where somebody made them so."""
        conditions = [found for callee, found in row.calls if callee == self.event.api]
        for name, position in [(c.name, c.position) for found in conditions for c in found if c.test == "repeats"]:
            expr = self.argument(name, position)
            value = self.made.get(name, position)
            if expr is not None and self.inference.of(expr).given and not self._may_repeat(value):
                return False
        return True

    def _trained(self, row: Operation, found: Trait) -> bool:
        """Whether a gradient flows back through the call. Reads of single elements are as common in data as in networks: for
        them, something has to say that there is a gradient.
        """
        if self.event.api.endswith(".grid_sample"):
            grid = self.argument("grid", 1)
            if found.grad == "no" and self.trait(grid, None).grad == "no":
                return False
        elif found.grad == "no" or (names_data(self.input) and (found.given or found.grad != "yes")):
            return False
        if row.replaced and found.grad != "yes" and not self.event.api.startswith("torch.nn."):
            return False
        site = self.event.site
        body = self.facts.project.body(site.path, site.unit)
        return not (without_gradient(site.path, self.inference.place) or cut_off(self.inference.place, body))


def _other_device(test: ir.Expr) -> bool:
    """`x.device.type == "mps"`, `device == "cpu"`"""
    if not isinstance(test, ir.Compare) or test.ops != ("==",) or not isinstance(test.values[0], ir.Const):
        return False
    asked = test.left.value if isinstance(test.left, ir.Attr) and test.left.name == "type" else test.left
    name = ir.last_name(asked)
    return "device" in name and test.values[0].value in ("cpu", "mps", "xla", "meta", "hpu", "npu", "tpu")


def _end(body: ir.Body) -> int:
    return max((node.span[1] for node in ir.nested(body) if getattr(node, "span", None) is not None), default=0)  # type: ignore[attr-defined]


def describe(facts: Facts, event: Event) -> Call | None:
    """What is known of the call at an event."""
    site = event.site
    place = place_of(facts.project.body(site.path, site.unit), site.span)
    if place is None or event.made is None:
        return None
    inference = Inference(facts.project, site.path, site.unit, facts.names(site.path), place)
    members = {member.name for member in place.owner.body if isinstance(member, ir.Function)} if place.owner else set()
    return Call(facts, event, event.made, place.call, inference, not SAMPLES.isdisjoint(members))


def holds(call: Call, condition: Condition) -> bool:
    """Whether a condition holds, as far as that can be known; what would have to be guessed does not hold."""
    test, name, position, wanted = condition
    value = call.made.get(name, position)
    if test == "equals":
        return any(_is(option, wanted) for option in alternatives(value))
    if test == "not":
        return value is None and not call.made.open or all(_known(option, wanted) for option in alternatives(value))
    if test == "given":
        return value is not None and value != NONE
    if test == "size":
        return value is not None and any(_larger(option) for option in alternatives(value))
    expr = call.argument(name, position)
    if test == "tensor":
        return call.trait(expr, value).kind == "tensor"
    if test == "rounds":
        return expr is None or not _whole(call, expr, value)
    if test == "repeats":
        return expr is None or not _distinct(call, expr)
    if test in ("spatial", "unflattened"):
        uses = losses(call, _calls_of(call))
        if test == "spatial":
            return any(use.pixels and not use.flattened for use in uses)
        return not uses or not all(use.flattened for use in uses)
    return _real(call, call.worked_on())


def _calls_of(call: Call) -> Iterator[Call]:
    """The calls of the layer or loss that is built here, where gradients are kept."""
    for event in call.facts.uses("call"):
        if event.made is None or event.made.identity != call.made.identity:
            continue
        if any(not visit.around.no_grad for visit in call.facts.reached(event)):
            found = describe(call.facts, event)
            if found is not None:
                yield found


def _plain(value: Value) -> Value:
    return value.default if isinstance(value, Option) else value


def _is(value: Value, wanted: str) -> bool:
    inner = _plain(value)
    return isinstance(inner, Known) and str(inner.value) == wanted


def _known(value: Value, unwanted: str) -> bool:
    """Whether the value is known, and another one."""
    inner = _plain(value)
    return isinstance(inner, Known) and str(inner.value) != unwanted


def _larger(value: Value) -> bool:
    """Whether a size of pooling is known and not 1."""
    inner = _plain(value)
    if isinstance(inner, Items):
        return any(_larger(item) for item in inner.items)
    return isinstance(inner, Known) and (inner.value is None or (inner.kind == "int" and inner.value != 1))


def _real(call: Call, found: Trait) -> bool:
    """Whether the numbers can be floating-point ones; where nothing says so, names of what is counted mean integers."""
    dtype = call.argument("dtype", None)
    if dtype is not None:
        return "float" in source_text(call.facts, call.event.site.path, call.event.site.unit, dtype.span)
    if found.dtype:
        return found.dtype == "float"
    return call.input is None or COUNTS.search(_text(call, call.input).lower()) is None


WHOLE = frozenset(("ones", "ones_like", "new_ones", "zeros", "zeros_like", "new_zeros", "one_hot"))
"""Functions that give whole numbers, in whatever type."""


def _whole(call: Call, expr: ir.Expr, value: Value | None) -> bool:
    """Whether what is added up is known to be whole numbers."""
    made = call.inference.resolve(expr)
    func = made.func if isinstance(made, ir.Call) else None
    name = func.name if isinstance(func, ir.Attr) else func.id if isinstance(func, ir.Name) else ""
    return name in WHOLE or call.trait(expr, value).dtype == "int"


def _text(call: Call, expr: ir.Expr) -> str:
    return source_text(call.facts, call.event.site.path, call.event.site.unit, expr.span)


def _distinct(call: Call, index: ir.Expr) -> bool:
    """Whether an index holds nothing twice along the dimension that it is used for."""
    if call.inference.of(index).unique or DISTINCT.search(_text(call, index).lower()):
        return True
    dim = call.argument("dim", 0 if call.method else 1)
    return _column(call.inference.resolve(index), dim.value if isinstance(dim, ir.Const) else _negative(dim))


def _negative(expr: ir.Expr | None) -> object:
    if isinstance(expr, ir.Unary) and expr.op == "-" and isinstance(expr.value, ir.Const):
        return -expr.value.value
    return None


def _column(index: ir.Expr, dim: object) -> bool:
    """Whether the index has one entry along `dim`: `i.unsqueeze(1)`, `i.view(-1, 1)`, `i[:, None]`."""
    last = dim in (1, 2, 3, -1)
    if isinstance(index, ir.Item):
        key = index.key
        tail = key.items[-1] if isinstance(key, ir.Sequence) and key.items else key
        return last and isinstance(tail, ir.Const) and tail.value is None
    if not (isinstance(index, ir.Call) and isinstance(index.func, ir.Attr)):
        return False
    name = index.func.name
    args = [arg.value.value if isinstance(arg.value, ir.Const) else _negative(arg.value) for arg in index.args]
    if name in ("long", "int", "to", "detach", "clone", "cuda", "contiguous"):
        return _column(index.func.value, dim)
    if name == "unsqueeze" and args:
        return args[0] == dim or (last and args[0] in (-1, 1) and dim in (-1, 1))
    if name in ("view", "reshape"):
        return last and bool(args) and args[-1] == 1
    return any(arg.name == "keepdim" for arg in index.args) and last
