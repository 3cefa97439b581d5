"""Whether partial writes (`t[0] = …`, `t[:n] = …`, `t[i] = …` in a loop) leave a gap that a read can see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.memory.values import PART, Bare, Buffer, Ref, Written, bare

FULL: Bare = ("full",)
UNRELATED: Bare = ("unrelated",)
"""An index that counts something that has nothing to do with the size."""

RAGGED = "ragged"
"""Instead of the run of an unrelated loop: a slice as long as what each turn of the loop brings."""

Key: TypeAlias = tuple[Bare, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A loop that is being executed: the names that count its turns, whether what it runs over is a parameter, and the names of
    what it gets from there in each turn.
    """

    counters: frozenset[str]
    over_parameter: bool
    owner: object
    elements: frozenset[str] = frozenset()


def key_of(expr: ir.Expr) -> Key:
    """The indices of `t[expr]`."""
    items = expr.items if isinstance(expr, ir.Sequence) and expr.kind == "tuple" else (expr,)
    return tuple(_index(item) for item in items)


def _index(item: ir.Expr) -> Bare:
    if isinstance(item, ir.Slice) and item.lower is item.upper is item.step is None:
        return FULL
    if isinstance(item, ir.Unary) and item.op == "-" and isinstance(item.value, ir.Const):
        return ("Const", -item.value.value) if isinstance(item.value.value, int) else bare(item)
    return bare(item)


ELLIPSIS: Bare = ("Const", ...)


def is_whole(key: Key) -> bool:
    return all(item in (FULL, ELLIPSIS) for item in key)


def fills_growth(key: Key, buffer: Buffer) -> bool:
    """Whether a write may cover all that a tensor has grown by: a slice, a computed index, or its last row."""
    first = key[0] if key else FULL
    if not (isinstance(first, tuple) and first[0] == "Const" and isinstance(first[1], int)):
        return True
    last = bare(buffer.sizes[0]) if buffer.sizes else None
    return first[1] == -1 or (isinstance(last, tuple) and last[0] == "Const" and last[1] == first[1] + 1)


def written(key: Key, buffer: Buffer, loops: tuple[Running, ...]) -> Written | None:
    """The partial write under these indices, or None when it may well cover the buffer."""
    settled: list[Bare] = []
    unrelated: object = None
    for item in key:
        if item == PART:
            return None
        if FULL in settled and _ragged(item, loops) and not _like_first(buffer, len(settled)):
            settled.append(UNRELATED)
            unrelated = unrelated or RAGGED
            continue
        if isinstance(item, tuple) and item[0] == "Name":
            loop = next((loop for loop in reversed(loops) if item[1] in loop.counters), None)
            if loop is None:
                return None
            foreign = loop.over_parameter and buffer.owner is not loop.owner
            unrelated = loop.owner if foreign else unrelated
            settled.append(UNRELATED if foreign else FULL)
        elif _plain(item):
            settled.append(item)
        else:
            return None
    return None if is_whole(tuple(settled)) else Written(tuple(settled), unrelated)


def _ragged(item: Bare, loops: tuple[Running, ...]) -> bool:
    """Whether this is a slice `:len(row)` or `-len(row):` with a row of the loop, which pads whatever is longer."""
    if not isinstance(item, tuple) or item[0] != "Slice" or item[3] is not None:
        return False
    lower, upper = item[1:3]
    if lower is None:
        return any(_measures(upper, loop) for loop in loops)
    negative = isinstance(lower, tuple) and lower[:2] == ("Unary", "-")
    return upper is None and negative and any(_measures(lower[2], loop) for loop in loops)


def _like_first(buffer: Buffer, dimension: int) -> bool:
    """Whether a dimension is as long as the first of some elements (`rows[0].shape[1]`): who writes that has equal ones."""
    size = buffer.sizes[dimension] if buffer.sizes and dimension < len(buffer.sizes) else None
    return any(isinstance(node, ir.Item) and isinstance(node.key, ir.Const) for node in ir.nested(size))


def _measures(size: Bare, loop: Running) -> bool:
    """`len(row)`, `row.shape[k]` or `row.size(k)` of an element of the loop, or of `rows[i]` where it counts with i."""
    if not isinstance(size, tuple):
        return False
    called: Bare = size[1] if size[0] in ("Call", "Item") else ()
    if called == ("Name", "len") and len(size[2]) == 1:
        measured = size[2][0][3]
    elif called[:1] == ("Attr",) and (size[0], called[2]) in (("Call", "size"), ("Item", "shape")):
        measured = called[1]
    else:
        return False
    if measured[0] == "Name":
        return measured[1] in loop.elements
    return measured[0] == "Item" and measured[2][0] == "Name" and measured[2][1] in loop.counters


def _plain(item: Bare) -> bool:
    """Whether the index is an int, a slice, or everything; masks, index tensors and computed indices are not."""
    if item in (FULL, ELLIPSIS):
        return True
    if not isinstance(item, tuple):
        return False
    return bool(item[0] == "Slice" or (item[0] == "Const" and isinstance(item[1], int) and item[1] is not True))


def gap(ref: Ref, keys: tuple[Written, ...], run: object) -> str:
    """How sure it is that the partial writes leave out something that `ref` sees: "certain", "likely" or "" (not sure).

    A loop over something unrelated in the same run is taken to fill what is read after it.
    """
    if any(written.unrelated is run for written in keys if written.unrelated is not None):
        return ""
    seen = ref.key or ()
    relevant = [written for written in keys if not _disjoint(written.key, seen)]
    if any(_covers(written.key, seen) and written.unrelated is None for written in relevant):
        return ""
    if not all(_fixed(item) for item in seen):
        return ""
    if seen and not relevant:
        return "certain" if all(_fixed(item) for written in keys for item in written.key) else ""
    unrelated = any(written.unrelated is not None for written in relevant)
    rows = _aligned([written.key for written in relevant], ref.buffer.sizes)
    if rows is None:
        return ""
    inner = [row[len(seen) :] for row in rows]
    sizes = _sizes(ref.buffer, rows)
    verdict = _complete(inner, sizes[len(seen) :])
    return "" if verdict is not False else ("likely" if unrelated else "certain")


def _fixed(item: Bare) -> bool:
    return item in (FULL, UNRELATED) or (isinstance(item, tuple) and item[0] == "Const" and isinstance(item[1], int))


def _disjoint(one: Key, two: Key) -> bool:
    """Whether the two keys differ in a literal index of the same dimension, so that they share no element."""
    return any(
        a != b and all(isinstance(x, tuple) and x[0] == "Const" and isinstance(x[1], int) and x[1] >= 0 for x in (a, b))
        for a, b in zip(one, two, strict=False)
    )


def _covers(key: Key, seen: Key) -> bool:
    """Whether what is written under `key` includes all of `seen`."""
    return len(key) <= len(seen) and all(a in (b, FULL) for a, b in zip(key, seen, strict=False))


def _aligned(keys: list[Key], sizes: tuple[ir.Expr, ...] | None) -> list[Key] | None:
    """The keys as rows of equal length, or None when an ellipsis makes that unclear."""
    if all(key[0] == ELLIPSIS for key in keys) and len({len(key) for key in keys}) == 1:
        stripped = [key[1:] for key in keys]
        dims = len(sizes) if sizes else None
        return [(FULL,) * (dims - len(key)) + key for key in stripped] if dims and dims >= len(stripped[0]) else None
    if any(ELLIPSIS in key for key in keys):
        return None
    width = max(map(len, keys), default=0)
    return [key + (FULL,) * (width - len(key)) for key in keys]


def _sizes(buffer: Buffer, rows: list[Key]) -> tuple[Bare, ...]:
    known = tuple(bare(size) for size in buffer.sizes or ())
    return known + (None,) * max((len(row) for row in rows), default=0)


def _complete(rows: list[Key], sizes: tuple[Bare, ...]) -> bool | None:
    """Whether the rows cover everything; None when that cannot be told."""
    if not rows:
        return False
    if not rows[0]:
        return True
    everywhere = [row[1:] for row in rows if row[0] == FULL]
    groups: dict[Bare, list[Key]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row[1:])
    unsure = False
    reached: set[Bare] = set()
    for item, rest in groups.items():
        verdict = _complete(rest if item == FULL else rest + everywhere, sizes[1:])
        unsure = unsure or verdict is None
        if verdict:
            reached.add(item)
    if FULL in reached:
        return True
    dimension = _dimension(reached, sizes[0])
    return None if dimension is not True and unsure else dimension


def _dimension(items: set[Bare], size: Bare) -> bool | None:
    """Whether indices and slices cover a dimension of this size."""
    items = items - {UNRELATED}
    if not items:
        return False
    spans = [_span(item, size) for item in items]
    steps = {span[2] for span in spans}
    if steps != {1}:
        return _residues(spans) if len(steps) == 1 else None
    reached: Bare = 0
    ends = {_end(span[0], size): _end(span[1], size) for span in spans}
    while reached in ends:
        reached = ends.pop(reached)
        if reached == "end":
            return True
    known = isinstance(reached, int) and all(isinstance(x, int) or x == "end" for pair in ends.items() for x in pair)
    literal = isinstance(size, tuple) and size[0] == "Const"
    if not literal and size is not None and len(items) == 1 and all(item[0] == "Const" for item in items):
        return False  # one row; who has only one row asks for no size
    if not known or not literal:
        return None
    return _count(items, size[1])


def _count(items: set[Bare], size: Bare) -> bool:
    """The same by counting, for literal sizes and bounds that overlap or stand in any order."""
    if not isinstance(size, int) or size > 4096:
        return True
    seen: set[int] = set()
    for item in items:
        start, stop, _ = _span(item, ("Const", size))
        low = start if isinstance(start, int) else 0
        high = stop if isinstance(stop, int) else size
        seen.update(range(low + size if low < 0 else low, high + size if high < 0 else high))
    return seen >= set(range(size))


def _span(item: Bare, size: Bare) -> tuple[Bare, Bare, Bare]:
    """(start, stop, step) of an index or slice; "end" is the size, other bounds that are no ints stay expressions."""
    if item[0] == "Const":
        return item[1], ("end" if item[1] == -1 else item[1] + 1), 1
    lower, upper, step = (_bound(part) for part in item[1:4])
    return (
        0 if lower is None else lower,
        "end" if upper is None or item[2] == size else upper,
        1 if step is None else step,
    )


def _bound(part: Bare) -> Bare:
    if isinstance(part, tuple) and part[0] == "Const" and isinstance(part[1], int):
        return part[1]
    if isinstance(part, tuple) and part[0] == "Unary" and part[1] == "-" and part[2][0] == "Const":
        return -part[2][1]
    return part


def _end(bound: Bare, size: Bare) -> Bare:
    literal = isinstance(size, tuple) and size[0] == "Const" and isinstance(size[1], int)
    if literal and isinstance(bound, int):
        return "end" if bound == size[1] else bound + size[1] if bound < 0 else bound
    return bound


def _residues(spans: list[tuple[Bare, Bare, Bare]]) -> bool | None:
    """Whether slices of one step take turns: `t[0::2]` and `t[1::2]`."""
    step = spans[0][2]
    if not isinstance(step, int) or step < 2 or any(span[1] != "end" or not isinstance(span[0], int) for span in spans):
        return None
    return {span[0] % step for span in spans} == set(range(step))
