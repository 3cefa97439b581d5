"""Walks through functions, classes and modules, each done once, and short answers about the functions that are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.bases import base_classes, own_methods
from torchdet_lint.analysis.ordering.expressions import evaluate
from torchdet_lint.analysis.ordering.frame import Attributes, Escape, Event, Frame, Log, key_of
from torchdet_lint.analysis.ordering.parameters import parameter
from torchdet_lint.analysis.ordering.passing import ArgumentUse, Target, deep_origins
from torchdet_lint.analysis.ordering.statements import execute
from torchdet_lint.analysis.ordering.tables import MAKERS
from torchdet_lint.analysis.ordering.values import PLAIN, Origin, Place, Value
from torchdet_lint.project.modules import Definition, Project
from torchdet_lint.project.names import Canonical, Names, flat

Lists = Callable[[str], str | None]

_CLEAN_KINDS = ("def", "class", "import", "from")
_CONFIDENCE = {"low": 0, "medium": 1, "high": 2}


@dataclass(slots=True)
class ModuleRun:
    env: dict[str, Value]
    log: Log
    done: bool = False


class Ordering:
    """All that is known of a project's orders, found out on demand."""

    def __init__(self, project: Project, canonical: Canonical, lists: Lists) -> None:
        self.project = project
        self.canonical = canonical
        self.lists = lists
        self.evaluate = evaluate
        self.execute = execute
        self._units: dict[tuple[str, int], Log] = {}
        self._modules: dict[str, ModuleRun] = {}
        self._results: dict[tuple[Place, str], Value] = {}
        self._arguments: dict[tuple[Place, str, str, str, str], ArgumentUse] = {}
        self._supposed: Target | None = None
        self._definitions: dict[Definition, tuple[int, ir.Function | ir.Class] | None] = {}

    # Walks

    def unit(self, path: str, unit: int) -> Log:
        """What one top-level statement does with orders."""
        key = (path, unit)
        if key not in self._units:
            self._units[key] = Log()
            self._units[key] = self._walk(path, unit)
        return self._units[key]

    def _walk(self, path: str, unit: int) -> Log:
        log, plain = Log(), False
        for statement in flat(self.project.body(path, unit)):
            if isinstance(statement, ir.Function):
                log.add(self.run_function(path, unit, statement).log)
            elif isinstance(statement, ir.Class):
                log.add(self.run_class(path, unit, statement).log)
            elif not isinstance(statement, ir.Import | ir.ImportFrom):
                plain = True
        if plain:
            log.add(self.module(path).log)
        return log

    def supposing(self, target: Target, path: str, unit: int) -> Log:
        """What a unit does if a method that it calls on something unknown is `target`, which has the same name."""
        memory = (self._modules, self._results, self._arguments)
        self._modules, self._results, self._arguments = {}, {}, {}
        self._supposed = target
        try:
            return self._walk(path, unit)
        finally:
            self._supposed = None
            self._modules, self._results, self._arguments = memory

    def module(self, path: str) -> ModuleRun:
        """The top level of a module, statement after statement; functions and classes stand apart."""
        if path not in self._modules:
            frame = Frame(self, path, 0, Names(self.project, path, self.canonical))
            run = self._modules[path] = ModuleRun(frame.env, frame.log)
            for unit in self.project.modules[path].source.units:
                if unit.kind not in _CLEAN_KINDS:
                    frame.unit = unit.index
                    frame.execute(self.project.body(path, unit.index))
            run.env = {name: frame.export(value) for name, value in frame.env.items()}
            for name, value in run.env.items():
                for origin in sorted(frame.visible(value), key=lambda origin: origin.rank):
                    frame.log.escapes.setdefault(origin, Escape(name))
            run.done = True
        return self._modules[path]

    def run_function(
        self,
        path: str,
        unit: int,
        function: ir.Function,
        *,
        owner: Attributes | None = None,
        given: dict[str, Value] | None = None,
        around: Frame | None = None,
    ) -> Frame:
        """One function, with the values of some parameters given."""
        target = Target(path, unit, function)
        if owner is not None:
            target = Target(path, unit, function, owner.definition, True, (owner.path, owner.unit))
        names = around.names if around is not None else Names(self.project, path, self.canonical)
        frame = Frame(self, path, unit, names.inside(function), function=function.name, target=target)
        if around is not None:
            frame.store, frame.owner, frame.self_name = around.store, around.owner, around.self_name
            frame.outer = around.lookup
        if owner is not None:
            frame.owner, frame.store = owner, owner.store
            frame.self_name = _self_name(function)
        for param in function.params:
            if param.name != frame.self_name:
                frame.env[param.name] = parameter(frame, param)
        frame.env.update(given or {})
        frame.execute(function.body)
        for name, nested in frame.nested.items():
            if name not in frame.called:
                frame.log.add(self.run_function(path, unit, nested, around=frame).log)
        return frame

    def run_class(
        self,
        path: str,
        unit: int,
        definition: ir.Class,
        *,
        method: ir.Function | None = None,
        given: dict[str, Value] | None = None,
    ) -> Attributes:
        """All methods of a class and of its bases, twice, so that each sees the attributes that the others set; to
        `method` some arguments are given.
        """
        bases = tuple(base_classes(self, path, definition))
        above = tuple(method for base in bases for method in own_methods(*base).values())
        own = own_methods(path, unit, definition)
        owner = Attributes(path, unit, definition, {m.function.name: m for m in reversed(above)} | own, above)
        for body in (*reversed(bases), (path, unit, definition)):
            self._class_body(owner, *body)
        for _ in range(2):
            owner.log = Log()
            owner.results.clear()
            for one in sorted((*reversed(above), *own.values()), key=lambda m: m.function.name != "__init__"):
                values = given if one.function is method else None
                owner.log.add(self.run_function(one.path, one.unit, one.function, owner=owner, given=values).log)
        self._kept(owner)
        return owner

    def _class_body(self, owner: Attributes, path: str, unit: int, definition: ir.Class) -> None:
        """The attributes that the body of the class, or of a base class of it, sets."""
        frame = Frame(self, path, unit, Names(self.project, path, self.canonical), store=owner.store)
        frame.function = definition.name
        frame.execute(tuple(s for s in definition.body if not isinstance(s, ir.Function | ir.Class)))
        owner.values.update(frame.env)

    def _kept(self, owner: Attributes) -> None:
        """Attributes in arbitrary order that no method reads: other code does."""
        frame = Frame(self, owner.path, owner.unit, Names(self.project, owner.path, self.canonical), store=owner.store)
        for name, value in owner.values.items():
            if name not in owner.read and value.form in ("seq", "map", "text"):
                for origin in sorted(frame.visible(value), key=lambda origin: origin.rank):
                    owner.log.events[Event(origin, origin.via or f"is kept in `self.{name}`", "medium")] = None

    # Short answers

    def result(self, target: Target, frame: Frame) -> Value:
        """What a call of the function gives."""
        if isinstance(target.definition, ir.Class):
            return PLAIN
        nested = frame.nested.get(target.definition.name)
        if nested is target.definition:
            return self._nested(nested, frame)
        owner = frame.owner
        if owner is not None and target.owner is owner.definition:
            return self._own(owner, target)
        key = ((target.path, target.unit, target.definition.span), target.owner.name if target.owner else "")
        if key not in self._results:
            self._results[key] = PLAIN
            holder = self._holder(target)
            run = self.run_function(target.path, target.unit, target.definition, owner=holder)
            self._results[key] = run.result()
        return self._results[key]

    def _holder(self, target: Target, given: dict[str, Value] | None = None) -> Attributes | None:
        """The class that the target is a method of, after its run."""
        if target.owner is None or isinstance(target.definition, ir.Class):
            return None
        path, unit = target.home or (target.path, target.unit)
        return self.run_class(path, unit, target.owner, method=target.definition, given=given)

    def _own(self, owner: Attributes, target: Target) -> Value:
        key = (target.path, target.unit, target.definition.span)
        if key in owner.open or isinstance(target.definition, ir.Class):
            return PLAIN
        if key not in owner.results:
            owner.open.add(key)
            run = self.run_function(target.path, target.unit, target.definition, owner=owner)
            owner.results[key] = run.result()
            owner.open.discard(key)
        return owner.results[key]

    def _nested(self, function: ir.Function, frame: Frame) -> Value:
        if function.name in frame.called:
            return PLAIN
        run = self.run_function(frame.path, frame.unit, function, around=frame)
        frame.called.add(function.name)
        frame.log.events.update(run.log.events)
        frame.log.seen |= run.log.seen
        return run.result()

    def argument(self, target: Target, name: str, form: str, kind: str) -> ArgumentUse:
        """What the function does with a collection in arbitrary order that is given for the parameter `name`."""
        place = (target.path, target.unit, target.definition.span)
        key = (place, target.owner.name if target.owner else "", name, form, kind)
        if key not in self._arguments:
            self._arguments[key] = ArgumentUse()
            self._arguments[key] = self._argument(target, name, form, kind)
        return self._arguments[key]

    def _argument(self, target: Target, name: str, form: str, kind: str) -> ArgumentUse:
        place = (target.path, target.unit, (-1, -1))
        given = {name: Value(form, kind, frozenset({Origin("param", place, name, kind, param=True)}), place)}
        if isinstance(target.definition, ir.Class):
            first = own_methods(target.path, target.unit, target.definition).get("__init__")
            if first is None:
                return ArgumentUse()
            owner = self.run_class(target.path, target.unit, target.definition, method=first.function, given=given)
            log, store, result = owner.log, owner.store, PLAIN
        else:
            holder = self._holder(target, given)
            frame = self.run_function(target.path, target.unit, target.definition, owner=holder, given=given)
            log, store, result = (holder.log if holder is not None else frame.log), frame.store, frame.result()
        best = max(
            (event for event in log.events if event.origin.param), key=lambda e: _CONFIDENCE[e.confidence], default=None
        )
        called = f"reaches `{target.definition.name}(...)`"
        returned = result if any(origin.param for origin in deep_origins(result)) else PLAIN
        if best is None:
            return ArgumentUse(sorts=place in store.settled, result=returned)
        consumer = best.consumer if best.consumer.startswith("reaches") else f"{called}, where it {best.consumer}"
        return ArgumentUse(consumer, best.confidence, place in store.settled, returned)

    # Names

    def definition(self, symbol: Definition) -> tuple[int, ir.Function | ir.Class] | None:
        """The function or class that a top-level name of the project is bound to, with its unit."""
        if symbol not in self._definitions:
            self._definitions[symbol] = None
            units = self.project.modules[symbol.path].source.units
            for unit in reversed(symbol.units):
                if units[unit].kind in ("assign", "expr", "for", "while", "with"):
                    continue
                for statement in flat(self.project.body(symbol.path, unit)):
                    if isinstance(statement, ir.Function | ir.Class) and statement.name == symbol.name:
                        self._definitions[symbol] = (unit, statement)
        return self._definitions[symbol]

    def global_value(self, symbol: Definition, frame: Frame) -> Value:
        """What a top-level name holds in the end; looked at only where its text can make a set or a listing."""
        if not any(self._may_be_unordered(symbol, unit) for unit in symbol.units):
            return PLAIN
        run = self.module(symbol.path)
        if not run.done:
            return PLAIN
        value = run.env.get(symbol.name, PLAIN)
        frame.log.seen |= deep_origins(value)
        return replace(value, depth=0)

    def _may_be_unordered(self, symbol: Definition, unit: int) -> bool:
        """Whether a top-level statement can make a set or a listing, as far as its words say; most constants cannot."""
        source = self.project.modules[symbol.path].source
        words = source.units[unit].words
        if not words.isdisjoint(MAKERS) or "{" in source.unit_text(source.units[unit]):
            return True
        own = (word for word in words if word != symbol.name)
        return any(isinstance(self.project.lookup(symbol.path, word), Definition) for word in own)

    def resolve(self, frame: Frame, func: ir.Expr) -> Target | None:
        """The project's function or class that is called."""
        if isinstance(func, ir.Name) and func.id in frame.nested:
            return Target(frame.path, frame.unit, frame.nested[func.id])
        owner = frame.owner
        if owner is not None and isinstance(func, ir.Name) and func.id == frame.self_name:
            return Target(owner.path, owner.unit, owner.definition)
        symbol = frame.names.symbol(func)
        if isinstance(symbol, Definition) and (found := self.definition(symbol)) is not None:
            return Target(symbol.path, found[0], found[1])
        if not isinstance(func, ir.Attr):
            return None
        symbol = frame.names.symbol(func.value)
        found = self.definition(symbol) if isinstance(symbol, Definition) else None
        if not isinstance(symbol, Definition) or found is None or not isinstance(found[1], ir.Class):
            supposed = self._supposed
            return (
                supposed if symbol is None and supposed is not None and supposed.definition.name == func.name else None
            )
        for statement in found[1].body:
            if isinstance(statement, ir.Function) and statement.name == func.name:
                return Target(symbol.path, found[0], statement, found[1], _self_name(statement) == "cls")
        return None


def _self_name(function: ir.Function) -> str:
    """The parameter that stands for the object or the class; "" for a static method."""
    if any(key_of(decorator) == "staticmethod" for decorator in function.decorators) or not function.params:
        return ""
    return function.params[0].name
