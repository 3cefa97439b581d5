"""The abstract machine: evaluates functions of the project for abstract arguments, once for each kind of argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from torchdet_lint import ir
from torchdet_lint.analysis.heap import Heap
from torchdet_lint.analysis.trace import Node, Summary, Trace
from torchdet_lint.analysis.values import (
    UNKNOWN,
    Box,
    ClassValue,
    FunctionValue,
    Identity,
    Instance,
    Items,
    Made,
    Site,
    Value,
    join,
)
from torchdet_lint.catalog.apis import Api, Apis
from torchdet_lint.catalog.operations import Operations, load_operations
from torchdet_lint.catalog.versions import Interval
from torchdet_lint.project.modules import Definition, Project

Code: TypeAlias = dict[tuple[str, int, ir.Span], ir.Function | ir.Lambda | ir.Class]

MAX_DEPTH = 48
"""Calls nested deeper than this are not entered."""

MAX_RECURSION = 3
"""How often a function may be entered from within itself, with other arguments each time."""

MAX_CONTEXTS = 24
"""A function is evaluated for at most so many kinds of arguments; further calls are evaluated with unknown arguments, once."""

MAX_STEPS = 200_000
"""Statements and expressions evaluated for one root; what is left when they are used up is not entered."""


class Frame:
    """The activation of one function (or of a module's top level) while it is evaluated."""

    __slots__ = (
        "closure",
        "context",
        "defines",
        "ended",
        "env",
        "function",
        "globals",
        "logging",
        "naming",
        "narrowed",
        "opened",
        "opens",
        "outer",
        "owner",
        "path",
        "qualname",
        "receiver",
        "returns",
        "trace",
        "unit",
        "yields",
    )  # fmt: skip

    def __init__(self, path: str, unit: int, qualname: str, outer: Frame | None, context: int) -> None:
        self.path = path
        self.unit = unit
        self.qualname = qualname
        self.outer = outer
        self.context = context
        self.env: dict[str, Value] = {}
        self.narrowed: dict[str, Value] = {}
        self.trace: list[Node] = []
        self.returns: list[Value] = []
        self.yields: list[Value] | None = None
        self.opens: list[tuple[str, Value]] = []
        self.opened: tuple[tuple[str, Value], ...] | None = None
        self.ended = ""
        self.globals: frozenset[str] = frozenset()
        self.naming = False
        self.logging = False
        self.function: ir.Function | ir.Lambda | None = None
        self.receiver: Value | None = None
        self.owner: ClassValue | None = None
        self.defines: ClassValue | None = None
        self.closure = 0

    def site(self, span: ir.Span) -> Site:
        return Site(self.path, self.unit, span, self.qualname)

    def identity(self, span: ir.Span) -> Identity:
        return self.site(span), self.context


class Machine:
    """Evaluation of one program (or of what no program reaches).

    Summaries, and what a program writes to modules and classes, belong to one machine, so that what a program is found to do
    does not depend on which other programs were evaluated before. `base` is the machine that runs modules when they are
    imported, once for all programs; a machine without one is a base. Machines on one base share its heap, where identities of
    different machines differ. `watched` are callees that rules of the project ask about. `spawns` says that processes start
    anew, rather than as copies of the one that starts them. `drawn` are tensors of random numbers, with the place where these
    are drawn. `replaced` are initialisers of torch in whose place the program has put functions of its own.
    """

    def __init__(
        self,
        project: Project,
        apis: Apis,
        versions: Mapping[str, Interval] | None = None,
        watched: frozenset[str] = frozenset(),
        base: Machine | None = None,
    ) -> None:
        self.project = project
        self.apis = apis
        self.versions = versions or {}
        self.watched = watched
        self.operations: Operations = base.operations if base is not None else load_operations()
        self.base = base
        self.heap: Heap = base.heap if base is not None else Heap()
        self.home = self.heap.new_context()
        self.code: Code = base.code if base is not None else {}
        self.frames: list[Frame] = base.frames if base is not None else []
        self.summaries: dict[object, Summary] = {}
        self.contexts: dict[FunctionValue, int] = {}
        self.active: set[object] = set()
        self.running: dict[FunctionValue, int] = {}
        self.steps = 0
        self.call_depth = 0
        self.taken_over: frozenset[str] = frozenset()
        self.spawns = False
        self.replaced: set[str] = set()
        self.drawn: dict[Identity, Site] = {}
        self.max_depth = MAX_DEPTH
        self.runs_imports = True
        self._modules: dict[str, Frame] = {}
        self._written: dict[tuple[str, str], Value] = {}
        self._running: set[tuple[str, int]] = set()
        self.classes: dict[ClassValue, object] = {}
        self.defined: list[int] = base.defined if base is not None else [0]
        """How often a class has been defined, on any machine of these."""
        self.ancestries: dict[ClassValue, tuple[int, Any]] = {}
        """A memo of `torchdet_lint.analysis.classes.ancestry`, good while no class has been defined since."""
        self._apis: dict[str, Api | None] = {}

    @property
    def is_spent(self) -> bool:
        """Whether no further call is entered, because too much has been evaluated already."""
        return self.steps > MAX_STEPS

    # What is known of the outside

    def api(self, path: str) -> Api | None:
        """The table row of a canonical or aliased dotted path."""
        if path not in self._apis:
            self._apis[path] = None if "__dict__" in path else self.apis.get(path, self.versions)
        return self._apis[path]

    def number(self) -> int:
        """A fresh context number."""
        return self.heap.new_context()

    # Modules

    def module_frame(self, path: str) -> Frame:
        """The environment of a module: this machine's own where it runs the module itself, else that of the base."""
        if path not in self._modules:
            if self.base is not None:
                return self.base.module_frame(path)
            frame = Frame(path, 0, "", None, self.home)
            self._modules[path] = frame
        return self._modules[path]

    def global_value(self, path: str, name: str) -> Value | None:
        """The value of a module's top-level name, evaluating what binds it when that has not run yet."""
        if (path, name) in self._written:
            return self._written[path, name]
        if self.base is not None and path not in self._modules:
            return self.base.global_value(path, name)
        frame = self.module_frame(path)
        if name in frame.env:
            return frame.env[name]
        symbol = self.project.lookup(path, name)
        if symbol is None:
            return None
        if not isinstance(symbol, Definition):
            return symbol
        if symbol.path != path:
            return self.global_value(symbol.path, symbol.name)
        for unit in symbol.units:
            self._bind_unit(frame, unit)
        return frame.env.get(name)

    def write_global(self, path: str, name: str, value: Value) -> None:
        """What code outside of the module's top level assigns to one of its names."""
        old = self.global_value(path, name)
        self._written[path, name] = value if old is None else join(old, value)

    def run_unit(self, path: str, unit: int) -> None:
        """Evaluates a unit on the machine that holds its module, without recording what happens in it."""
        if self.base is not None and path not in self._modules:
            self.base.run_unit(path, unit)
        else:
            self._bind_unit(self.module_frame(path), unit, whole=True)

    def _bind_unit(self, frame: Frame, unit: int, *, whole: bool = False) -> None:
        """Evaluates a unit for the sake of the names that it binds; what happens in it is not recorded."""
        if (frame.path, unit) in self._running or len(self._running) > 64:
            return
        self._running.add((frame.path, unit))
        kept, frame.trace = frame.trace, []
        ended, frame.ended = frame.ended, ""
        from torchdet_lint.analysis.statements import execute_unit

        execute_unit(self, frame, unit, whole=whole)
        frame.trace, frame.ended = kept, ended
        self._running.discard((frame.path, unit))

    def module_summary(self, path: str, *, main: bool) -> Summary:
        """What running the module's top level does: as the program (`main`) or when it is imported."""
        if self.base is not None and not main and self.runs_imports:
            return self.base.module_summary(path, main=False)
        key = ("module", path, main)
        if key in self.summaries:
            return self.summaries[key]
        if key in self.active:
            return Summary(path, path, (), UNKNOWN)
        self.active.add(key)
        from torchdet_lint.analysis.statements import execute_unit

        if path not in self._modules:
            self._modules[path] = Frame(path, 0, "", None, self.home)
        frame = self._modules[path]
        kept = frame.trace, frame.ended, frame.env.get("__name__")
        frame.trace, frame.ended = [], ""
        frame.env["__name__"] = self._module_name(path, main=main)
        depth, self.heap.depth = self.heap.depth, 0
        for unit in self.project.modules[path].source.units:
            if frame.ended:
                break
            self._running.add((path, unit.index))
            execute_unit(self, frame, unit.index)
            self._running.discard((path, unit.index))
        self.heap.depth = depth
        summary = Summary(path, path, tuple(frame.trace), UNKNOWN)
        frame.trace, frame.ended = kept[:2]
        if kept[2] is not None:  # the file runs as the program and was imported by one of its own imports
            frame.env["__name__"] = kept[2]
        self.active.discard(key)
        self.summaries[key] = summary
        return summary

    def _module_name(self, path: str, *, main: bool) -> Value:
        from torchdet_lint.analysis.values import known

        return known("__main__" if main else self.project.modules[path].name)

    # Code

    def class_info(self, cls: ClassValue) -> object | None:
        found = self.classes.get(cls)
        return found if found is not None or self.base is None else self.base.class_info(cls)

    def define_class(self, cls: ClassValue, info: object) -> None:
        self.classes[cls] = info
        self.defined[0] += 1

    def class_identity(self, cls: ClassValue) -> Identity:
        """Under which the heap keeps what this program assigns to attributes of a class."""
        return Site(cls.path, cls.unit, cls.span, f"<class {cls.qualname}>"), self.home

    def function_code(self, function: FunctionValue) -> ir.Function | ir.Lambda | None:
        key = (function.path, function.unit, function.span)
        if key not in self.code:
            for statement in self.project.body(function.path, function.unit):
                if isinstance(statement, ir.Function) and statement.name == function.qualname:
                    self.code[key] = statement
        found = self.code.get(key)
        return found if isinstance(found, ir.Function | ir.Lambda) else None

    def closure_frame(self, number: int, path: str) -> Frame:
        return self.frames[number - 1] if number else self.module_frame(path)

    def keep(self, frame: Frame) -> int:
        """The number by which functions defined in this frame find it again; 0 for a module's frame."""
        if frame.outer is None:
            return 0
        if not frame.closure:
            self.frames.append(frame)
            frame.closure = len(self.frames)
        return frame.closure

    def entered(self) -> Iterator[tuple[str, int, str]]:
        """The functions that were evaluated, by file, unit and qualified name."""
        return ((f.path, f.unit, f.qualname) for f in self.contexts)

    def fingerprint(self, value: Value, depth: int = 2) -> object:
        """The value as part of a summary's key: objects count with the version of what they hold."""
        if isinstance(value, Instance | Box):
            return value, self.heap.version(value.identity)
        if depth and isinstance(value, Items):
            return tuple(self.fingerprint(item, depth - 1) for item in value.items)
        if depth and isinstance(value, Made):
            return value.identity, value.cls
        return value


def sequence(nodes: list[Node]) -> Trace:
    return tuple(nodes)
