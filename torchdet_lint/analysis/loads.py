"""Objects whose initial values a strict `load_state_dict` certainly overwrites: their initial draws cannot matter."""

from __future__ import annotations

from torchdet_lint.analysis.trace import Branch, Enter, Event, Leave, Repeat, Summary, Trace, Within
from torchdet_lint.analysis.values import Identity, Instance, Made


def aborts(trace: Trace) -> bool:
    """Whether the program ends where this trace does."""
    return bool(trace) and isinstance(trace[-1], Leave) and trace[-1].kind in ("raise", "exit")


class Loads:
    """Finds them in one pass over a program's trace; results are kept for each summary."""

    def __init__(self) -> None:
        self._facts: dict[int, tuple[frozenset[Identity], frozenset[Identity]]] = {}
        self._keep: list[Summary] = []
        self.found: set[Identity] = set()

    def run(self, trace: Trace) -> frozenset[Identity]:
        self._trace(trace)
        return frozenset(self.found)

    def _trace(self, trace: Trace) -> tuple[frozenset[Identity], frozenset[Identity]]:
        """(made here, certainly loaded here); notes what is made and loaded later on the same path."""
        made: set[Identity] = set()
        loaded: set[Identity] = set()
        for node in trace:
            new, now = self._node(node)
            made |= new
            loaded |= now
            self.found |= made & now
        return frozenset(made), frozenset(loaded)

    def _node(self, node: object) -> tuple[frozenset[Identity], frozenset[Identity]]:
        empty: frozenset[Identity] = frozenset()
        if isinstance(node, Event):
            if node.kind == "load" and isinstance(node.value, Instance | Made):
                return empty, frozenset((node.value.identity,))
            if node.kind == "draw" and node.note == "init" and node.made is not None:
                return frozenset((node.made.identity,)), empty
            return empty, empty
        if isinstance(node, Branch):
            then, other = self._trace(node.then), self._trace(node.other)
            if aborts(node.then) or aborts(node.other):
                return then[0] | other[0], other[1] if aborts(node.then) else then[1]
            return then[0] | other[0], then[1] & other[1]
        if isinstance(node, Repeat | Within):
            return self._trace(node.body)
        if isinstance(node, Enter):
            made, loaded = self._summary(node.summary)
            if node.kind == "construct" and node.receiver is not None:
                made = made | {node.receiver}
            return made, loaded
        return empty, empty

    def _summary(self, summary: Summary) -> tuple[frozenset[Identity], frozenset[Identity]]:
        key = id(summary)
        if key not in self._facts:
            self._facts[key] = (frozenset(), frozenset())
            self._keep.append(summary)
            self._facts[key] = self._trace(summary.trace)
        return self._facts[key]
