"""The question itself: which allocations of one unit are read before they are wholly written."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.memory.attributes import run_class
from torchdet_lint.analysis.memory.classes import make_info
from torchdet_lint.analysis.memory.expressions import evaluate, mentioned
from torchdet_lint.analysis.memory.frame import Analysis, Frame, TooLong, commit, uses_in
from torchdet_lint.analysis.memory.initialised import initialised_elsewhere, nodes
from torchdet_lint.analysis.memory.inline import enter
from torchdet_lint.analysis.memory.statements import execute
from torchdet_lint.analysis.memory.use import MemoryUse
from torchdet_lint.analysis.memory.values import DONE, NOTHING, Buffer, Place, State, Use, reach
from torchdet_lint.project.modules import Definition, Folder, Module, ModuleRef, Project
from torchdet_lint.project.names import Names, flat, local_bindings
from torchdet_lint.source import Unit

LEVELS = 2
"""Through how many returning functions an allocation is followed to its callers."""


def uses(
    project: Project, path: str, unit: int, names: Names, top_levels: dict[str, Analysis] | None = None
) -> Iterator[MemoryUse]:
    """See `torchdet_lint.analysis.memory.memory_uses`."""
    analysis = top_levels.get(path) if top_levels is not None and _is_plain(project, path, unit) else None
    try:
        if analysis is None:
            analysis = Analysis(project, lambda other: Names(project, other, names.canonical), evaluate, execute)
            if top_levels is not None and _is_plain(project, path, unit):
                top_levels[path] = analysis
            _run_unit(analysis, path, unit)
            _run_callers(analysis)
        yield from _answers(analysis, path, unit)
    except (TooLong, RecursionError):  # expressions may nest deeper than Python's stack; no answer is a silent one
        if analysis is not None:
            analysis.created.clear()


def _is_plain(project: Project, path: str, unit: int) -> bool:
    """Whether the unit is a statement in which nothing is defined."""
    return not any(isinstance(node, ir.Class | ir.Function) for node in flat(project.body(path, unit)))


def _answers(analysis: Analysis, path: str, unit: int) -> Iterator[MemoryUse]:
    ranks = {"certain": 0, "likely": 1, "warm-up": 2}
    best: dict[ir.Span, MemoryUse] = {}
    buffers: dict[ir.Span, dict[Buffer, None]] = {}
    for use in analysis.created:
        place = use.buffer.place
        if place is None or place[:2] != (path, unit) or use in analysis.dropped:
            continue
        buffers.setdefault(place.span, {})[use.buffer] = None
        found = _answer(analysis, use, place)
        known = best.get(place.span)
        if known is None or ranks[found.certainty] < ranks[known.certainty]:
            best[place.span] = found
    for span in sorted(best):
        if not any(_initialised(analysis, buffer) for buffer in buffers[span]):
            yield best[span]


def _initialised(analysis: Analysis, buffer: Buffer) -> bool:
    info, attribute = analysis.attributes.get(buffer, (None, ""))
    if info is None:
        return False
    return initialised_elsewhere(analysis.project, info, attribute, buffer in analysis.parameters)


def _answer(analysis: Analysis, use: Use, place: Place) -> MemoryUse:
    at, phrase = analysis.resited.get(use, (use.at, use.phrase))
    certainty = "warm-up" if use not in analysis.committed else "certain" if use.certain else "likely"
    _, attribute = analysis.attributes.get(use.buffer, (None, ""))
    parameter = use.buffer in analysis.parameters
    return MemoryUse(*place, use.buffer.api, phrase, *at, certainty, parameter, attribute)


def _run_unit(analysis: Analysis, path: str, unit: int) -> None:
    names, top_level = analysis.names(path), False
    for node in flat(analysis.project.body(path, unit)):
        if isinstance(node, ir.Class):
            run_class(analysis, make_info(analysis.project, path, unit, node, names))
            for method in flat(node.body):
                if isinstance(method, ir.Function):
                    _run_inner(analysis, path, unit, method, names.inside(method))
        elif isinstance(node, ir.Function):
            _run_function(analysis, path, unit, node, names)
        else:
            top_level = True
    if top_level:
        _run_module(analysis, path)


def _run_function(analysis: Analysis, path: str, unit: int, node: ir.Function, names: Names) -> None:
    """The function on its own, with arguments of which nothing is known, and the functions inside it."""
    inside = names.inside(node)
    frame = Frame(analysis, path, unit, inside, object())
    state = State()
    result = enter(frame, state, node, {param.name: NOTHING for param in node.params})
    commit(frame, uses_in(state, result))
    if not names.functions and any(not state.heap.get(ref.buffer, DONE).done for ref in reach(result)):
        analysis.returning[path, node.name] = None
    _run_inner(analysis, path, unit, node, inside)


def _run_inner(analysis: Analysis, path: str, unit: int, node: ir.Function, inside: Names) -> None:
    for inner in flat(node.body):
        if isinstance(inner, ir.Function):
            _run_function(analysis, path, unit, inner, inside)


def _run_module(analysis: Analysis, path: str) -> None:
    """The statements of a file that stand outside of functions and classes, in order."""
    state: State | None = State()
    root = object()
    for unit in analysis.project.modules[path].source.units:
        if unit.kind in ("def", "class", "import", "from") or state is None:
            continue
        frame = Frame(analysis, path, unit.index, analysis.names(path), root)
        frame.shared = lambda name: _is_shared(analysis, path, name)
        state = execute(frame, state, analysis.project.body(path, unit.index))


def _is_shared(analysis: Analysis, path: str, name: str) -> bool:
    """Whether a function of the file, or another file, uses the global of that name."""
    for other, module in analysis.project.modules.items():
        for unit in module.source.units:
            if name not in unit.words:
                continue
            if other != path and unit.kind == "from":
                return True
            if other == path and unit.kind not in ("import", "from"):
                body = analysis.project.body(path, unit.index)
                if any(isinstance(node, ir.Function | ir.Class) and _reaches(node, name) for node in flat(body)):
                    return True
    return False


def _reaches(node: ir.Function | ir.Class, name: str) -> bool:
    if isinstance(node, ir.Function) and name in local_bindings(node):
        return False
    return name in mentioned(node)


def _run_callers(analysis: Analysis) -> None:
    """Runs the units that call a function which returns unwritten memory, level by level."""
    done: set[tuple[str, str]] = set()
    for _ in range(LEVELS):
        fresh = [key for key in analysis.returning if key not in done]
        done.update(fresh)
        if not fresh:
            return
        for caller in _callers(analysis, fresh):
            if _calls(analysis, *caller, fresh):
                _run_unit(analysis, *caller)


def _callers(analysis: Analysis, keys: list[tuple[str, str]]) -> list[tuple[str, int]]:
    """The units that mention one of the functions, by its name or by the name that it is imported as."""
    names = {name for _, name in keys}
    found: list[tuple[str, int]] = []
    for path, module in analysis.project.modules.items():
        words = names | {bound for bound, (_, _, member) in module.imports.items() if member in names}
        for unit in module.source.units:
            named = words.intersection(unit.words) if unit.kind not in ("import", "from") else set()
            if any(_may_name(analysis.project, module, unit, word, keys) for word in named):
                found.append((path, unit.index))
    return found


def _may_name(project: Project, module: Module, unit: Unit, word: str, keys: list[tuple[str, str]]) -> bool:
    """Whether the word can stand for one of the functions here: by itself, or as a member of an imported module."""
    symbol = project.lookup(module.path, word)
    if isinstance(symbol, Definition) and (symbol.path, symbol.name) in keys:
        return True
    if unit.index in module.records:  # imports of its own
        return True
    holders = (project.lookup(module.path, name) for name in unit.words if name in module.imports)
    return any(isinstance(holder, ModuleRef | Folder) for holder in holders)


def _calls(analysis: Analysis, path: str, unit: int, keys: list[tuple[str, str]]) -> bool:
    """Whether the unit mentions one of the functions, and not only defines it."""
    imports = analysis.project.modules[path].imports
    names = {name for _, name in keys}
    return any(
        name in names or (name in imports and imports[name][2] in names)
        for name in _all_names(analysis.project.body(path, unit))
    )


def _all_names(body: ir.Body) -> Iterator[str]:
    """Names, and attributes such as `lib.allocate`."""
    for node in nodes(body):
        if isinstance(node, ir.Name):
            yield node.id
        elif isinstance(node, ir.Attr):
            yield node.name
