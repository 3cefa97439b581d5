"""Objects whose initial values a strict `load_state_dict` certainly overwrites: their initial draws cannot matter."""

from __future__ import annotations

from typing import NamedTuple

from torchdet_lint.analysis.trace import Branch, Enter, Event, Leave, Repeat, Summary, Trace, Within, touched
from torchdet_lint.analysis.values import Identity


def aborts(trace: Trace) -> bool:
    """Whether the program ends where this trace does."""
    return bool(trace) and isinstance(trace[-1], Leave) and trace[-1].kind in ("raise", "exit")


class Passed(NamedTuple):
    """What a piece of a trace does to networks."""

    made: frozenset[Identity] = frozenset()
    """Made here, with no training after it here."""
    loaded: frozenset[Identity] = frozenset()
    """Certainly loaded here, before any training here."""
    trains: bool = False
    """Whether a backward pass may happen here. The best weights that are loaded at the end of training come too late for
    the first ones not to matter."""


NOTHING = Passed()


class Loads:
    """Finds them in one pass over a program's trace; results are kept for each summary."""

    def __init__(self) -> None:
        self._facts: dict[int, Passed] = {}
        self._keep: list[Summary] = []
        self.found: set[Identity] = set()

    def run(self, trace: Trace) -> frozenset[Identity]:
        self._trace(trace)
        return frozenset(self.found)

    def _trace(self, trace: Trace) -> Passed:
        """Notes what is made and loaded later on the same path."""
        made: set[Identity] = set()
        loaded: set[Identity] = set()
        trains = False
        for node in trace:
            new, now, here = self._node(node)
            self.found |= (made | new) & now
            if not trains:
                loaded |= now
            if here:
                made.clear()
            made |= new
            trains = trains or here
        return Passed(frozenset(made), frozenset(loaded), trains)

    def _node(self, node: object) -> Passed:
        if isinstance(node, Event):
            if node.kind == "backward":
                return Passed(trains=True)
            if node.kind == "load":
                return Passed(loaded=touched(node))
            if node.kind == "draw" and node.note == "init" and node.made is not None:
                return Passed(made=frozenset((node.made.identity,)))
            return NOTHING
        if isinstance(node, Branch):
            return self._branch(node)
        if isinstance(node, Repeat | Within):
            return self._trace(node.body)
        if isinstance(node, Enter):
            found = self._summary(node.summary)
            if node.kind == "construct" and node.receiver is not None:
                return found._replace(made=found.made | {node.receiver})
            return found
        return NOTHING

    def _branch(self, node: Branch) -> Passed:
        then, other = self._trace(node.then), self._trace(node.other)
        if aborts(node.then) or aborts(node.other):
            goes_on = other if aborts(node.then) else then
            return goes_on._replace(made=then.made | other.made)
        return Passed(then.made | other.made, then.loaded & other.loaded, then.trains or other.trains)

    def _summary(self, summary: Summary) -> Passed:
        key = id(summary)
        if key not in self._facts:
            self._facts[key] = NOTHING
            self._keep.append(summary)
            self._facts[key] = self._trace(summary.trace)
        return self._facts[key]
