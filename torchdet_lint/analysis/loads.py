"""Objects whose initial values a strict `load_state_dict` certainly overwrites: their initial draws cannot matter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from torchdet_lint.analysis.trace import Branch, Enter, Event, Leave, Repeat, Summary, Trace, Within, begins, touched
from torchdet_lint.analysis.values import Identity, Truth

MANY = 2
"""How often a loop makes what it makes in each turn: more than once."""

Load = tuple[Identity, ...]
"""What one load writes: the network that it is called on, then the networks inside it."""


def aborts(trace: Trace) -> bool:
    """Whether the program ends where this trace does."""
    return bool(trace) and isinstance(trace[-1], Leave) and trace[-1].kind in ("raise", "exit")


class Passed(NamedTuple):
    """What a piece of a trace does to networks. A function that makes networks gives all of them one identity, so they are
    counted: a copy that is loaded says nothing of the original.
    """

    made: Mapping[Identity, int] = {}
    """How many are made here and not loaded yet, with no training after it here."""
    loaded: Mapping[Load, float] = {}
    """How many that are made elsewhere are certainly loaded here, before any training here."""
    trains: bool = False
    """Whether a backward pass may happen here. The best weights that are loaded at the end of training come too late for
    the first ones not to matter."""


NOTHING = Passed()


class Loads:
    """Finds them in one pass over a program's trace; results are kept for each summary."""

    def __init__(self) -> None:
        self._facts: dict[int, Passed] = {}
        self._keep: list[Summary] = []
        self._found: set[Identity] = set()
        self._left: set[Identity] = set()
        self._parts: dict[Identity, set[Identity]] = {}

    def run(self, trace: Trace) -> frozenset[Identity]:
        """What is loaded each time that it is made."""
        self._left.update(self._trace(trace).made)
        left = self._left.union(*(self._parts.get(each, ()) for each in self._left))
        return frozenset(self._found - left)

    def _trace(self, trace: Trace) -> Passed:
        """Notes what is made and loaded later on the same path."""
        made: Counter[Identity] = Counter()
        loaded: dict[Load, float] = {}
        trains = False
        for node in trace:
            new, now, here = self._node(node)
            before = Counter(made)
            made.update(new)
            for load, count in now.items():
                left = self._load(made, load, count)
                if left and not trains:
                    loaded[load] = loaded.get(load, 0) + left
            if here:
                self._left.update(made & before)
                made -= before
            trains = trains or here
        return Passed(+made, loaded, trains)

    def _load(self, made: Counter[Identity], load: Load, count: float) -> float:
        """Takes loaded networks from those that are made; how many loads are left for others."""
        whole = load[0]
        self._parts.setdefault(whole, set()).update(load)
        taken = int(min(count, made[whole]))
        made[whole] -= taken
        if taken and made[whole]:
            return count - taken
        self._found.update(load if taken else (part for part in load if made[part]))
        for part in load:
            made[part] = 0
        return count - taken

    def _node(self, node: object) -> Passed:
        if isinstance(node, Event):
            if node.kind == "backward":
                return Passed(trains=True)
            if node.kind == "load":
                return Passed(loaded={load: 1} if (load := touched(node)) else {})
            if begins(node) and node.made is not None:
                return Passed(made={node.made.identity: 1})
            return NOTHING
        if isinstance(node, Branch):
            return self._branch(node)
        if isinstance(node, Repeat):
            body = self._trace(node.body)
            many = dict.fromkeys(body.made, MANY)
            return Passed(many, dict.fromkeys(body.loaded, math.inf), body.trains)
        if isinstance(node, Within):
            return self._trace(node.body)
        if isinstance(node, Enter):
            found = self._summary(node.summary)
            if node.kind == "construct" and node.receiver is not None:
                return found._replace(made={**found.made, node.receiver: 1})
            return found
        return NOTHING

    def _branch(self, node: Branch) -> Passed:
        then, other = self._trace(node.then), self._trace(node.other)
        made = Counter(then.made) | Counter(other.made)
        if aborts(node.then) or aborts(node.other):
            goes_on = other if aborts(node.then) else then
            return goes_on._replace(made=made)
        # What happens unless the user asks for something else.
        usual = {Truth.LIKELY: then.loaded, Truth.UNLIKELY: other.loaded}
        both = {load: min(count, other.loaded[load]) for load, count in then.loaded.items() if load in other.loaded}
        return Passed(made, usual.get(node.test, both), then.trains or other.trains)

    def _summary(self, summary: Summary) -> Passed:
        key = id(summary)
        if key not in self._facts:
            self._facts[key] = NOTHING
            self._keep.append(summary)
            self._facts[key] = self._trace(summary.trace)
        return self._facts[key]
