"""Where lines of a program go: its entry, its seeding, and what comes before what."""

from __future__ import annotations

from typing import NamedTuple

from torchdet_lint import ir
from torchdet_lint.analysis.fold import Hit
from torchdet_lint.analysis.trace import Enter
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Edit
from torchdet_lint.fixes.code import Around, Code, Placed
from torchdet_lint.fixes.seeds import Seed, parses_options, seeds_before

_DEFINES = (ir.Import, ir.ImportFrom, ir.Function, ir.Class)


class Frame(NamedTuple):
    """A place on the way to an event: the offset in the entry file, and how the function around it was called."""

    at: int
    kind: str


def frames(code: Code, hit: Hit) -> list[Frame] | None:
    """The places in the entry file on the way to an event, the outermost first; None where the event happens while another
    file is imported. What a process that is started anew does has a beginning of its own.
    """
    found: list[Frame] = []
    kind = "module"
    for step in hit.steps:
        node = step.node
        if isinstance(node, Enter):
            if node.kind == "import":
                return None
            site: Site = node.site
            if site.path != code.path:
                break
            found.append(Frame(_offset(code, site), kind))
            kind = node.kind
            if node.kind == "spawn":
                found.clear()
        elif step is hit.steps[-1] and hit.event.site.path == code.path:
            found.append(Frame(_offset(code, hit.event.site), kind))
    return found or None


def _offset(code: Code, site: Site) -> int:
    return code.source.units[site.unit].start + site.span[0]


def offset_of(code: Code, site: Site) -> tuple[int, int]:
    """The span of a site in its file's text."""
    start = code.source.units[site.unit].start
    return start + site.span[0], start + site.span[1]


def precedes(first: Hit, second: Hit) -> bool:
    """Whether one event comes before another on the way of the program."""
    for one, other in zip(first.steps, second.steps, strict=False):
        if one.trace is not other.trace:
            return False
        if one.place != other.place:
            return one.place < other.place
    return False


def process_of(hit: Hit) -> Site | None:
    """Where the process was started in which an event happens; None for the main process."""
    spawns = [step.node.site for step in hit.steps[:-1] if isinstance(step.node, Enter) and step.node.kind == "spawn"]
    return spawns[-1] if spawns else None


class Head(NamedTuple):
    """Where the program starts: lines go before the statement at `at`, or after it where `after`; `seed` holds there."""

    placed: Placed
    after: bool
    seed: Seed | None

    def insert(self, code: Code, lines: list[str]) -> Edit | None:
        if self.after:
            return code.lines_after(self.placed, lines)
        top = code.function(self.placed.start) is None and not code.indent(self.placed.start)
        if not top:
            return code.lines_before(self.placed.start, lines)
        return _between_blocks(code, self.placed, lines)


def _between_blocks(code: Code, placed: Placed, lines: list[str]) -> Edit | None:
    """Before a statement of the top level, set off from it by as many blank lines as stand before it now."""
    edit = code.lines_before(placed.start, lines)
    if edit is None:
        return None
    blank = code.blank_lines_before(edit.start)
    gap = code.newline * min(max(blank, 1), 2)
    return edit._replace(text=("" if blank or code.begins(edit.start) else code.newline) + edit.text + gap)


def head(facts: Facts, code: Code, hits: list[Hit]) -> Head | None:
    """The entry of the program: after the options are parsed where a seed is among them, else where the work begins."""
    ways = [frames(code, hit) for hit in hits]
    if not ways or any(way is None for way in ways):
        return None
    known = sorted((way for way in ways if way is not None), key=lambda way: way[0].at)
    return next((found for way in known if (found := _head(facts, code, way, known)) is not None), None)


def _head(facts: Facts, code: Code, way: list[Frame], ways: list[list[Frame]]) -> Head | None:
    """The entry by one way, where it is above all of them."""
    for frame in way:
        seed = next(seeds_before(facts, code, frame.at), None)
        found = _after_seed(facts, code, frame, seed) if seed is not None else None
        if found is not None and before_all(code, found.placed, ways, after=found.after):
            return found
    for frame in way:
        found = _start(facts, code, frame)
        if found is None:
            return None
        if _is_gate(facts, code, frame) and frame is not way[-1]:
            continue
        return found if before_all(code, found.placed, ways, after=found.after) else None
    return None


def _after_seed(facts: Facts, code: Code, frame: Frame, seed: Seed) -> Head | None:
    """Right after what gives the seed, where that is a statement of a block around the frame."""
    around = code.around(frame.at)
    for level in around:
        for each in level.block[: level.index]:
            if each.start < seed.since <= code.line_end(each.end) and not isinstance(
                each.statement, ir.Function | ir.Class
            ):
                return Head(each, after=True, seed=seed)
    begin = _start(facts, code, frame)
    return None if begin is None or begin.placed.start < seed.since else begin._replace(seed=seed)


def _start(facts: Facts, code: Code, frame: Frame) -> Head | None:
    """The first statement of the function around a frame, of the main guard, or of the work of a script."""
    around = code.around(frame.at)
    inner = [at for at, level in enumerate(around) if isinstance(level.here.statement, ir.Function)]
    if inner and inner[-1] + 1 < len(around):
        return _block_start(facts, around[inner[-1] + 1])
    if not around:
        return None
    here = around[0].here.statement
    if isinstance(here, ir.If) and len(around) > 1 and _is_guard(here):
        return _block_start(facts, around[1])
    return _script_start(facts, code, around[0])


def _block_start(facts: Facts, level: Around) -> Head:
    """Below the imports of a block, and below the line that parses the options where it comes first."""
    for each in level.block[: level.index]:
        if parses_options(facts, each):
            return Head(each, after=True, seed=None)
    first = next((at for at, each in enumerate(level.block) if not isinstance(each.statement, _DEFINES)), 0)
    return Head(level.block[min(first, level.index)], after=False, seed=None)


def _script_start(facts: Facts, code: Code, level: Around) -> Head | None:
    """Below the imports of a script, and below the line that parses the options."""
    block, index = level.block, level.index
    for each in block[:index]:
        if parses_options(facts, each):
            return Head(each, after=True, seed=None)
    last = max((at for at in range(index) if isinstance(block[at].statement, ir.Import | ir.ImportFrom)), default=-1)
    for at in range(last + 1, index + 1):
        statement = block[at].statement
        if isinstance(statement, ir.If | ir.Try) and at < index and _only_imports(statement):
            continue
        return Head(block[at], after=False, seed=None)
    return None


def _only_imports(statement: ir.If | ir.Try) -> bool:
    return bool(statement.body) and all(isinstance(each, ir.Import | ir.ImportFrom) for each in statement.body)


def _is_guard(statement: ir.If) -> bool:
    test = statement.test
    return isinstance(test, ir.Compare) and isinstance(test.left, ir.Name) and test.left.id == "__name__"


def _is_gate(facts: Facts, code: Code, frame: Frame) -> bool:
    """Whether all that a block does is to call the function that does the work: `main()`, `main(args)`."""
    around = code.around(frame.at)
    level = around[-1] if around else None
    statement = level.here.statement if level is not None else None
    value = statement.value if isinstance(statement, ir.Do | ir.Assign | ir.Return) else None
    if level is None or not isinstance(value, ir.Call) or level.here.base + value.span[0] != frame.at:
        return False
    holder = around[-2].here.statement if len(around) > 1 else None
    whole = holder is None or isinstance(holder, ir.Function) or (isinstance(holder, ir.If) and _is_guard(holder))
    plain = whole and not any(isinstance(arg.value, ir.Call) for arg in value.args)
    return plain and level.index == len(level.block) - 1 and all(_sets_up(facts, each) for each in level.block[:-1])


def _sets_up(facts: Facts, placed: Placed) -> bool:
    """Whether a statement only prepares a call: imports, definitions, constants, options."""
    statement = placed.statement
    if isinstance(statement, ir.Assign):
        return isinstance(statement.value, ir.Const) or parses_options(facts, placed)
    return isinstance(statement, ir.Import | ir.ImportFrom | ir.Function | ir.Class)


def before_all(code: Code, placed: Placed, ways: list[list[Frame]], *, after: bool) -> bool:
    """Whether lines before (or after) a statement run before every one of the events: it is in a block around one of the
    places on the way there, above it.
    """
    return all(any(_above(code, placed.start, frame, after) for frame in way) for way in ways)


def in_loop(code: Code, placed: Placed) -> bool:
    """Whether a statement is in a loop of its function."""
    for level in reversed(code.around(placed.start)[:-1]):
        if isinstance(level.here.statement, ir.For | ir.While):
            return True
        if isinstance(level.here.statement, ir.Function):
            return False
    return False


def _above(code: Code, at: int, frame: Frame, after: bool) -> bool:
    for level in code.around(frame.at):
        for index, each in enumerate(level.block):
            if each.start == at:
                return index < level.index or (index == level.index and not after)
    return False


def statement_at(code: Code, offset: int) -> Placed | None:
    """The innermost statement around an offset."""
    around = code.around(offset)
    return around[-1].here if around else None
