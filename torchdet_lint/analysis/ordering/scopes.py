"""Walks through functions, classes and modules, each done once, and short answers about the functions that are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.bases import own_methods
from torchdet_lint.analysis.ordering.carriers import Carriers, Giver
from torchdet_lint.analysis.ordering.classes import attributes_of, holds_argument, run_class
from torchdet_lint.analysis.ordering.expressions import evaluate
from torchdet_lint.analysis.ordering.frame import Attributes, Escape, Frame, Log, Store, key_of
from torchdet_lint.analysis.ordering.parameters import parameter
from torchdet_lint.analysis.ordering.passing import ArgumentUse, Target, deep_origins
from torchdet_lint.analysis.ordering.screen import Outside
from torchdet_lint.analysis.ordering.statements import execute
from torchdet_lint.analysis.ordering.values import PLAIN, Lists, Origin, Place, Value, gives_order
from torchdet_lint.project.modules import Definition, Symbol
from torchdet_lint.project.names import Canonical, Names, flat

_LEVELS = 4
"""So many functions may hand an order on to each other."""

_HANDED_ON = 3
"""Through so many calls a collection is followed that is given as an argument."""

_SHORT = 600
"""Characters in a function that is taken to be short."""

_CLEAN_KINDS = ("def", "class", "import", "from")
_CONFIDENCE = {"low": 0, "medium": 1, "high": 2}


@dataclass(slots=True)
class ModuleRun:
    env: dict[str, Value]
    log: Log
    done: bool = False


class Ordering:
    """All that is known of a project's orders, found out on demand."""

    def __init__(self, carriers: Carriers, canonical: Canonical, lists: Lists, outside: Outside) -> None:
        self.project = carriers.project
        self.canonical = canonical
        self.lists = lists
        self.sets = outside.sets
        self.evaluate = evaluate
        self.execute = execute
        self._units: dict[tuple[str, int], Log] = {}
        self._modules: dict[str, ModuleRun] = {}
        self._results: dict[tuple[Place, str], Value] = {}
        self._holders: dict[tuple[str, int, ir.Span, bool], Attributes] = {}
        self._arguments: dict[tuple[Place, str, str, str, str, int], ArgumentUse] = {}
        self._handed_on = 0
        self._supposed: Target | None = None
        self._definitions: dict[Definition, tuple[int, ir.Function | ir.Class] | None] = {}
        self._names: dict[str, Names] = {}
        self._gives: dict[tuple[str, int], dict[str, dict[str, Value]]] = {}
        self._idle: dict[Definition, bool] = {}
        self._typing = False
        self.symbols: dict[int, tuple[ir.Expr, Symbol | None]] = {}
        """What expressions name, by their identity; the expression is held, so that no other can take its place."""
        self.carriers = carriers
        self._explore()

    def _explore(self) -> None:
        """Finds the statements that can do something with an order, by following the names that give one."""
        fresh = sorted(self.carriers.units)
        for _ in range(_LEVELS):
            users = self.carriers.add([giver for path, unit in fresh for giver in self._given(path, unit)])
            if not users:
                return
            fresh = sorted({*users, *self._stale(users)})
            for key in fresh:
                self._units.pop(key, None)
            self._idle.clear()
            self._results.clear()
            self._holders.clear()
            self._arguments.clear()
            self._modules.clear()

    def _stale(self, users: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
        """The statements whose answers may change because these are looked at now: those that name what they define."""
        modules = self.project.modules
        bound = {name for path, unit in users for name in modules[path].source.units[unit].names}
        for path, unit in self.carriers.units:
            if not bound.isdisjoint(modules[path].source.units[unit].words):
                yield path, unit

    def _given(self, path: str, unit: int) -> Iterator[Giver]:
        """The top-level names behind which there is an order once the statement has run."""
        self.unit(path, unit)
        gives = dict(self._gives.get((path, unit), {}))
        module = self.project.modules[path]
        for name in module.source.units[unit].names:
            if name not in gives and path in self._modules:
                gives[name] = {"": self._modules[path].env.get(name, PLAIN)}
        for name, values in gives.items():
            held = [member for member, value in values.items() if gives_order(value)]
            if held and name in module.bound:
                yield Giver(Definition(path, name, module.bound[name]), frozenset(filter(None, held)))

    def names(self, path: str) -> Names:
        """Name resolution at the top level of a file."""
        if path not in self._names:
            self._names[path] = Names(self.project, path, self.canonical)
        return self._names[path]

    # Walks

    def unit(self, path: str, unit: int) -> Log:
        """What one top-level statement does with orders; nothing where it can have none."""
        key = (path, unit)
        if key not in self.carriers.units:
            return Log()
        if key not in self._units:
            self._units[key] = Log()
            self._units[key] = self._walk(path, unit)
        return self._units[key]

    def _walk(self, path: str, unit: int) -> Log:
        log, plain = Log(), False
        gives: dict[str, dict[str, Value]] = {}
        for statement in flat(self.project.body(path, unit)):
            if isinstance(statement, ir.Function):
                run = self.run_function(path, unit, statement)
                log.add(run.log)
                gives[statement.name] = {"": run.result()}
            elif isinstance(statement, ir.Class):
                owner = self.holder(path, unit, statement)
                log.add(owner.log)
                gives[statement.name] = owner.gives
            elif not isinstance(statement, ir.Import | ir.ImportFrom):
                plain = True
        if plain:
            log.add(self.module(path).log)
        self._gives[path, unit] = gives
        return log

    def supposing(self, target: Target, path: str, unit: int) -> Log:
        """What a unit does if a method that it calls on something unknown is `target`, which has the same name."""
        memory = (self._modules, self._results, self._arguments, self._holders)
        self._modules, self._results, self._arguments, self._holders = {}, {}, {}, {}
        self._supposed = target
        try:
            return self._walk(path, unit)
        finally:
            self._supposed = None
            self._modules, self._results, self._arguments, self._holders = memory

    def module(self, path: str) -> ModuleRun:
        """The top level of a module, statement after statement; functions and classes stand apart."""
        if path not in self._modules:
            frame = Frame(self, path, 0, self.names(path))
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
        names = around.names if around is not None else self.names(path)
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

    def holder(self, path: str, unit: int, definition: ir.Class) -> Attributes:
        """A class after its run, or what one that is under way has so far."""
        key = (path, unit, definition.span, self._typing)
        if key not in self._holders:
            owner = self._holders[key] = attributes_of(self, path, unit, definition)
            with self._from_scratch():
                run_class(self, owner)
        return self._holders[key]

    @contextmanager
    def _from_scratch(self) -> Iterator[None]:
        """In here orders are followed as far as from anywhere: the answer must not depend on who asks first."""
        before, self._handed_on = self._handed_on, 0
        try:
            yield
        finally:
            self._handed_on = before

    # Short answers

    def result(self, target: Target, frame: Frame) -> Value:
        """What a call of the function gives; of a function that has no order itself only the types are looked at."""
        if isinstance(target.definition, ir.Class):
            return PLAIN
        nested = frame.nested.get(target.definition.name)
        if nested is target.definition:
            return self._nested(nested, frame)
        owner = frame.owner
        if owner is not None and target.owner is owner.definition:
            return self._own(owner, target)
        relevant = (target.path, target.unit) in self.carriers.units or target is self._supposed
        if not relevant and (self._typing or target.owner is not None):
            return PLAIN
        key = ((target.path, target.unit, target.definition.span), target.owner.name if target.owner else "")
        if key not in self._results:
            self._results[key] = PLAIN
            before, self._typing = self._typing, not relevant
            holder = self._holder(target)
            self._results[key] = self.run_function(target.path, target.unit, target.definition, owner=holder).result()
            self._typing = before
        return self._results[key]

    def _holder(self, target: Target) -> Attributes | None:
        """The class that the target is a method of, after its run."""
        if target.owner is None or isinstance(target.definition, ir.Class):
            return None
        path, unit = target.home or (target.path, target.unit)
        return self.holder(path, unit, target.owner)

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
        # The depth is part of the key, so that an answer does not depend on who asks first.
        key = (place, target.owner.name if target.owner else "", name, form, kind, self._handed_on)
        if self._handed_on >= _HANDED_ON:
            return ArgumentUse()
        if key not in self._arguments:
            self._arguments[key] = ArgumentUse()
            self._handed_on += 1
            self._arguments[key] = self._argument(target, name, form, kind)
            self._handed_on -= 1
        return self._arguments[key]

    def _argument(self, target: Target, name: str, form: str, kind: str) -> ArgumentUse:
        place = (target.path, target.unit, (-1, -1))
        given = {name: Value(form, kind, frozenset({Origin("param", place, name, kind, param=True)}), place)}
        found = (
            self._built_with(target, given)
            if isinstance(target.definition, ir.Class)
            else self._run_with(target, given)
        )
        if found is None:
            return ArgumentUse()
        log, store, result = found
        best = max(
            (event for event in log.events if event.origin.param), key=lambda e: _CONFIDENCE[e.confidence], default=None
        )
        called = f"reaches `{target.definition.name}(...)`"
        returned = result if any(origin.param for origin in deep_origins(result)) else PLAIN
        if best is None:
            return ArgumentUse(sorts=place in store.settled, result=returned)
        consumer = best.consumer if best.consumer.startswith("reaches") else f"{called}, where it {best.consumer}"
        return ArgumentUse(consumer, best.confidence, place in store.settled, returned)

    def _built_with(self, target: Target, given: dict[str, Value]) -> tuple[Log, Store, Value] | None:
        assert isinstance(target.definition, ir.Class)
        first = own_methods(target.path, target.unit, target.definition).get("__init__")
        if first is None:
            return None
        owner = attributes_of(self, target.path, target.unit, target.definition)
        run_class(self, owner, (first.function, given))
        return owner.log, owner.store, PLAIN

    def _run_with(self, target: Target, given: dict[str, Value]) -> tuple[Log, Store, Value]:
        """The function alone; all of its class only where the argument gets into an attribute, which other methods use."""
        assert isinstance(target.definition, ir.Function)
        holder = self._holder(target)
        owner = None if holder is None else holder.apart()
        frame = self.run_function(target.path, target.unit, target.definition, owner=owner, given=given)
        if owner is None or target.owner is None or not holds_argument(frame, owner):
            return frame.log, frame.store, frame.result()
        path, unit = target.home or (target.path, target.unit)
        whole = attributes_of(self, path, unit, target.owner)
        run_class(self, whole, (target.definition, given))
        frame = self.run_function(target.path, target.unit, target.definition, owner=whole, given=given)
        return whole.log, whole.store, frame.result()

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

    def is_defined(self, symbol: Definition) -> bool:
        """Whether the name is that of a function or class, as far as can be said without a parse."""
        units = self.project.modules[symbol.path].source.units
        return all(units[unit].kind in ("def", "class") for unit in symbol.units)

    def is_idle(self, symbol: Definition) -> bool:
        """Whether a function or class can have no order but one that is given to it. A short function is looked at in any
        case: it may say that it returns numbers.
        """
        if symbol not in self._idle:
            units = self.project.modules[symbol.path].source.units
            self._idle[symbol] = self.is_defined(symbol) and not any(
                (symbol.path, unit) in self.carriers.units or units[unit].end - units[unit].start < _SHORT
                for unit in symbol.units
            )
        return self._idle[symbol]

    def global_value(self, symbol: Definition, frame: Frame) -> Value:
        """What a top-level name holds in the end; looked at only where it can hold a set or a listing."""
        if not any((symbol.path, unit) in self.carriers.units for unit in symbol.units):
            return PLAIN
        run = self.module(symbol.path)
        if not run.done:
            return PLAIN
        value = run.env.get(symbol.name, PLAIN)
        frame.log.seen |= deep_origins(value)
        return replace(value, depth=0)

    def resolve(self, frame: Frame, func: ir.Expr) -> Target | None:
        """The project's function or class that is called."""
        if isinstance(func, ir.Name) and func.id in frame.nested:
            return Target(frame.path, frame.unit, frame.nested[func.id])
        owner = frame.owner
        if owner is not None and isinstance(func, ir.Name) and func.id == frame.self_name:
            return Target(owner.path, owner.unit, owner.definition)
        symbol = frame.symbol(func)
        if isinstance(symbol, Definition) and (found := self.definition(symbol)) is not None:
            return Target(symbol.path, found[0], found[1])
        if not isinstance(func, ir.Attr):
            return None
        symbol = frame.symbol(func.value)
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
