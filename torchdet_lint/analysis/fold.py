"""Folding a program's trace: in what state each event happens, and which event of a kind comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from torchdet_lint.analysis import keeping, modes
from torchdet_lint.analysis.state import FAMILIES, Around, State, Status, merge
from torchdet_lint.analysis.trace import (
    Branch,
    Enter,
    Event,
    Leave,
    Node,
    Repeat,
    Summary,
    Trace,
    Within,
    begins,
    draws,
    events,
    touched,
)
from torchdet_lint.analysis.values import (
    FALSE,
    Identity,
    Instance,
    Items,
    Known,
    Made,
    Option,
    Site,
    Truth,
    Value,
    alternatives,
    marks,
)

MODULE_KINDS = frozenset(("eval", "train", "load", "made"))
"""Events that nobody asks for by their visits: what they do to modules is in `State.evals` and in `loads`."""

NO_MODULES: frozenset[Identity] = frozenset()


class Step(NamedTuple):
    """One node on the way from the program to an event: the trace that it is in, and its place there."""

    trace: Trace
    place: int

    @property
    def node(self) -> Node:
        return self.trace[self.place]


class Hit(NamedTuple):
    """An event with the way to it from the root."""

    event: Event
    steps: tuple[Step, ...]
    unusual: bool = False
    """Whether it takes an option that is off by default to get there."""

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places of the calls on the way, then that of the event itself."""
        return (*(step.node.site for step in self.steps[:-1] if isinstance(step.node, Enter)), self.event.site)


class Visit(NamedTuple):
    """That a program reaches an event, and how."""

    program: str
    state: State
    around: Around


class Outcome(NamedTuple):
    """The states in which a trace is left: at its end, by `return`, by `break` or `continue`; and first hits by key."""

    after: State | None
    returned: State | None
    jumped: State | None
    hits: dict[str, Hit]


@dataclass(slots=True)
class Walk:
    """The fold of one program (or of one function that no program reaches)."""

    program: str
    torch_19: bool
    visits: dict[Event, set[Visit]]
    seed_only: frozenset[Site] = frozenset()
    forgiven: frozenset[Identity] = frozenset()
    base: State = State()
    kept: dict[Identity, keeping.Families] = field(default_factory=dict)
    imported: set[str] = field(default_factory=set)
    _memo: dict[tuple[int, State, Around], Outcome] = field(default_factory=dict)
    _keep: list[Summary] = field(default_factory=list)
    _rebuilds: dict[int, bool] = field(default_factory=dict)
    _counts: dict[int, Counter[Identity]] = field(default_factory=dict)
    _made: Counter[Identity] | None = None
    _whole: Trace = ()
    _loops: list[Repeat] = field(default_factory=list)

    def run(self, trace: Trace) -> Outcome:
        self.kept = keeping.families_of(keeping.given_back(trace))
        self._whole, self._made = trace, None
        return self.fold(trace, State(), Around())

    def fold(self, trace: Trace, state: State, around: Around) -> Outcome:
        """The outcome of a trace that starts in `state`."""
        here: State | None = state
        returned: State | None = None
        jumped: State | None = None
        left = 0  # the node by which a path last returned
        hits: dict[str, Hit] = {}
        for index, node in enumerate(trace):
            if here is None:
                break
            step = Step(trace, index)
            if isinstance(node, Event):
                here = self._event(node, here, around, step, hits)
            elif isinstance(node, Leave):
                if node.kind == "return":
                    returned = self._meet(Truth.OPEN, returned, here, trace[left : left + 1], trace[left + 1 : index])
                elif node.kind in ("break", "continue"):
                    jumped = merge(Truth.OPEN, jumped, here)
                here = None
            else:
                part = self._node(node, here, around)
                here = part.after
                if part.returned is not None:
                    apart = (trace[left : left + 1], trace[left + 1 : index + 1])
                    returned, left = self._meet(Truth.OPEN, returned, part.returned, *apart), index
                jumped = merge(Truth.OPEN, jumped, part.jumped)
                for key, found in part.hits.items():
                    hit = found._replace(steps=(step, *found.steps))
                    if isinstance(node, Branch) and node.choices > 3 and _is_rare(key, hit):
                        hit = hit._replace(unusual=True)
                    if key not in hits or _rather(key, hit, hits[key]):
                        hits[key] = hit
        return Outcome(here, returned, jumped, hits)

    def _node(self, node: Branch | Repeat | Within | Enter, state: State, around: Around) -> Outcome:
        if isinstance(node, Branch):
            return self._branch(node, state, around)
        if isinstance(node, Repeat):
            inner = around._replace(loop=self._loop(node, around))
            body = self.fold(node.body, state, inner)
            after = merge(Truth.OPEN, body.after, body.jumped)
            return Outcome(after if after is not None else state, body.returned, None, body.hits)
        if isinstance(node, Within):
            return self._within(node, state, around)
        return self._enter(node, state, around)

    def _loop(self, node: Repeat, around: Around) -> str:
        if node.kind == "fit" or (node.kind == "comprehension" and around.loop):
            return around.loop or "fit"
        if node.kind == "cases":
            return around.loop or "rebuild"
        key = id(node)
        if key not in self._rebuilds:
            self._rebuilds[key] = any(
                (event.kind, event.note) in (("draw", "init"), ("use", "optimizer")) for event in events(node.body)
            )
            self._loops.append(node)
        return "rebuild" if self._rebuilds[key] else "loop"

    def _branch(self, node: Branch, state: State, around: Around) -> Outcome:
        unlikely = around._replace(optional=node.label) if node.label else around
        then = self.fold(node.then, state, unlikely if node.test is Truth.UNLIKELY else around)
        other = self.fold(node.other, state, unlikely if node.test is Truth.LIKELY else around)
        hits = _unusual(then.hits) if node.test is Truth.UNLIKELY else dict(then.hits)
        for key, hit in (_unusual(other.hits) if node.test is Truth.LIKELY else other.hits).items():
            if key not in hits or _rather(key, hit, hits[key]):
                hits[key] = hit
        return Outcome(
            self._meet(node.test, then.after, other.after, node.then, node.other),
            self._meet(node.test, then.returned, other.returned, node.then, node.other),
            merge(node.test, then.jumped, other.jumped),
            hits,
        )

    def _meet(self, test: Truth, one: State | None, two: State | None, first: Trace, second: Trace) -> State | None:
        """The state where two ways meet. What one of them has made, and set to evaluation, is that or is not there."""
        found = merge(test, one, two)
        if found is None or one is None or two is None or one.evals == two.evals:
            return found
        only = (one.evals - two.evals, two.evals - one.evals)
        kept = {net for way, nets in zip((first, second), only, strict=True) if nets for net in nets & self._alone(way)}
        return found._replace(evals=found.evals | kept) if kept else found

    def _alone(self, trace: Trace) -> set[Identity]:
        """The objects that a trace makes, and nothing else in the program: all that one function makes have one identity."""
        if self._made is None:
            self._made = self._makes(self._whole)
        return {each for each in self._makes(trace) if self._made[each] == 1}

    def _makes(self, trace: Trace) -> Counter[Identity]:
        """How often a trace makes each object, on the way that makes it most often."""
        found: Counter[Identity] = Counter()
        for node in trace:
            if isinstance(node, Event):
                made = (node.made, node.value) if begins(node) else ()
                found.update(each.identity for each in made if isinstance(each, Made | Instance))
            elif isinstance(node, Branch):
                found += self._makes(node.then) | self._makes(node.other)
            elif isinstance(node, Repeat | Within):
                found += self._makes(node.body)
            elif isinstance(node, Enter):
                if node.kind == "construct" and node.receiver is not None:
                    found[node.receiver] += 1
                if id(node.summary) not in self._counts:
                    self._counts[id(node.summary)] = Counter()
                    self._keep.append(node.summary)
                    self._counts[id(node.summary)] = self._makes(node.summary.trace)
                found += self._counts[id(node.summary)]
        return found

    def _within(self, node: Within, state: State, around: Around) -> Outcome:
        if node.kind == "main":
            self.base = state
            return self.fold(node.body, state, around)
        if node.kind == "worker":
            return self._worker(node, state, around)
        if node.kind == "worker-init":
            inner = around._replace(loop="")
            return _there(self.fold(node.body, state, inner)) if around.worker else Outcome(state, None, None, {})
        inner = around._replace(**modes.around(node.kind))
        body = self.fold(node.body, state, inner)
        if node.kind == "fork-rng":
            return _on_each_way(body, lambda way: way._replace(rng=state.rng))
        if node.kind == keeping.BLOCK:
            known = tuple(keeping.states(node.value))
            return _on_each_way(body, lambda way: keeping.give_back(way, known))
        return body

    def _worker(self, node: Within, state: State, around: Around) -> Outcome:
        """What a loader does for its items: in workers it leaves the parent's state alone."""
        count, fixed, own = node.value.items if isinstance(node.value, Items) else (node.value, FALSE, Items(()))
        kind = worker_kind(count)
        seeded = tuple(str(f.value) for f in own.items if isinstance(f, Known)) if isinstance(own, Items) else ()
        inner = around._replace(worker=kind, fixed=fixed != FALSE, loop="call", seeded=seeded)
        body = self.fold(node.body, state, inner)
        hits = _there(body).hits if kind == "yes" else body.hits
        return Outcome(state if kind else body.after, None, None, hits)

    def _enter(self, node: Enter, state: State, around: Around) -> Outcome:
        summary = node.summary
        if node.kind == "import":
            if summary.path in self.imported:
                return Outcome(state, None, None, {})
            self.imported.add(summary.path)
        inner = around
        if node.kind == "construct" and node.receiver in self.forgiven:
            inner = inner._replace(forgiven=True)
        if node.kind == "construct" and inner.loop == "loop":
            inner = inner._replace(loop="rebuild")  # each turn has a trainer, a batcher, an experiment of its own
        if node.kind in ("forward", "item"):
            inner = inner._replace(loop=inner.loop or "call")
        if node.receiver is not None and node.receiver in state.evals and node.kind in ("forward", "call"):
            inner = inner._replace(evaluating=True)
        if not self.program:
            inner = inner._replace(loop="")  # a loop in a function that nobody runs says nothing of what it calls
        start = self.base if node.kind == "spawn" else state
        body = self._summary(summary, start, inner)
        after = merge(Truth.OPEN, body.after, body.returned)
        if self.kept and after is not None and not summary.opens:
            after = keeping.give_back(after, keeping.closed(summary, state, after))
        if node.kind == "spawn":
            after = state
        return Outcome(after, None, None, body.hits)

    def _summary(self, summary: Summary, state: State, around: Around) -> Outcome:
        key = (id(summary), state, around)
        found = self._memo.get(key)
        if found is None:
            self._memo[key] = Outcome(state, None, None, {})
            self._keep.append(summary)
            found = self._memo[key] = self.fold(summary.trace, state, around)
        return found

    def _event(self, event: Event, state: State, around: Around, step: Step, hits: dict[str, Hit]) -> State:
        if event.kind not in MODULE_KINDS:
            self.visits.setdefault(event, set()).add(Visit(self.program, state._replace(evals=NO_MODULES), around))
        for key in self._keys(event, state, around):
            hit = Hit(event, (step,))
            if key not in hits or _rather(key, hit, hits[key]):
                hits[key] = hit
        if event.kind == "seed":
            families = tuple(family for family in event.families if family != "cuda-only")
            return state.seeded(families) if families else state
        if event.kind == "mode":
            return modes.apply(event, state)
        if event.kind == "rng-state" and event.made is not None and event.made.identity in self.kept:
            return keeping.keep(state, event.made.identity, self.kept[event.made.identity])
        if event.kind == "rng-back":
            return state if event.note == "open" else keeping.give_back(state, keeping.states(event.value))
        if event.kind == "eval":
            return state._replace(evals=state.evals.union(touched(event)))
        if event.kind == "train":
            return state._replace(evals=state.evals.difference(touched(event)))
        return state

    def _keys(self, event: Event, state: State, around: Around) -> tuple[str, ...]:
        """Under which keys the event is worth remembering when it is the first of its kind."""
        if event.kind == "draw":
            return self._draw_keys(event, state, around)
        if event.kind == "seed":
            return tuple(f"seed:{family}" for family in event.families)
        if event.kind == "mode":
            return (f"mode:{event.api}", *modes.keys(event))
        if event.kind == "matmul":
            return ("matmul",) if state.cublas else ("matmul", "matmul-unset")
        return (event.kind,)

    def _draw_keys(self, event: Event, state: State, around: Around) -> tuple[str, ...]:
        if not self.matters(event, around):
            return ()
        keys = []
        for named in event.families:
            family, weak = self._family(named, around)
            if not family:
                continue
            keys.append(f"drawn:{family}")
            status = state.status(family)
            if status is Status.UNSEEDED:
                keys.append(f"weak:{family}" if weak else f"unseeded:{family}")
            elif status is Status.OPTIONAL:
                keys.append(f"optional:{family}")
        return tuple(keys)

    def matters(self, event: Event, around: Around) -> bool:
        """Whether a draw can reach a result."""
        if event.site in self.seed_only or around.frozen:
            return False
        initial = event.note == "init" or event.site.scope.endswith("__init__")
        if around.forgiven and event.families == ("torch",):
            return False  # what a constructor, or who helps it, takes from torch's generator becomes parameters and buffers
        if initial and (around.forgiven or (event.made is not None and event.made.identity in self.forgiven)):
            return False
        if event.note in ("name", "base"):
            return False
        return not (event.note == "training" and around.evaluating)

    def _family(self, family: str, around: Around) -> tuple[str, bool]:
        """The family that a draw really comes from: workers are seeded from the parent's torch stream."""
        if family not in FAMILIES and family in around.seeded:
            return ("" if around.fixed else "torch"), False
        if not around.worker or family not in FAMILIES:
            return family, False
        if around.worker == "some":
            return family, family != "torch"
        if family == "numpy" and not self.torch_19 and family not in around.seeded:
            return family, False
        return ("" if around.fixed else "torch"), False


_USUAL_FIRST = ("backward", "unseeded:")
"""Keys of events that are told at one place: on the path of the defaults if there is one there, else wherever it is."""


def _rather(key: str, hit: Hit, known: Hit) -> bool:
    """Whether a later hit says more than the one that is known."""
    return known.unusual and not hit.unusual and key.startswith(_USUAL_FIRST)


def _on_each_way(outcome: Outcome, change: Callable[[State], State]) -> Outcome:
    """The same with each state changed in which the trace is left."""
    ways = (outcome.after, outcome.returned, outcome.jumped)
    after, returned, jumped = (None if way is None else change(way) for way in ways)
    return Outcome(after, returned, jumped, outcome.hits)


def _there(outcome: Outcome) -> Outcome:
    """What happens in worker processes: whatever seems to seed there seeds nothing here."""
    return outcome._replace(hits={key: hit for key, hit in outcome.hits.items() if key != "unknown-seeder"})


MANY = 6
"""Of so many callees that a call may have, half must draw for a draw to be expected."""


def is_far_fetched(hit: Hit, family: str) -> bool:
    """Whether the draw is behind a call that may have one of many callees, most of which do not draw; of the dropout of networks
    that a checkpoint may hold, four are many.
    """
    return any(_is_far_off(step, hit.event, family) for step in hit.steps)


def _is_rare(key: str, hit: Hit) -> bool:
    kind, _, family = key.partition(":")
    return kind == "unseeded" and _is_far_off(hit.steps[0], hit.event, family)


def _is_far_off(step: Step, event: Event, family: str) -> bool:
    node = step.node
    few, share = (4, 3) if event.note == "training" else (MANY, 2)
    if not isinstance(node, Branch) or node.choices < few:
        return False
    return node.choices > share * drawing(step.trace, node, family) > 0


def drawing(trace: Trace, choice: Branch, family: str) -> int:
    """How many of the callees that a call may have draw from a family."""
    return sum(
        isinstance(node, Branch) and node.choices > 0 and node.site == choice.site and draws(node.then, family)
        for node in trace
    )


def _unusual(hits: dict[str, Hit]) -> dict[str, Hit]:
    return {key: hit._replace(unusual=True) for key, hit in hits.items()}


def worker_kind(count: Value) -> str:
    """How sure it is that something runs in workers: "yes", "some" (perhaps), "" (on some path it runs in the main process)."""
    kinds = set()
    for option in alternatives(count):
        if isinstance(option, Known) and isinstance(option.value, int):
            kinds.add("yes" if option.value > 0 else "")
        elif isinstance(option, Option) and isinstance(option.default, Known) and option.default.value == 0:
            kinds.add("some")
        else:
            kinds.add("some")
    if "" in kinds:
        return ""
    return "yes" if kinds == {"yes"} else "some"


def marked_seeds(trace: Trace) -> frozenset[Site]:
    """The sites of draws whose values become seeds."""
    found: set[Site] = set()
    for event in events(trace):
        if event.kind in ("seed", "seeded", "use") and event.kind != "use" or event.note == "rng":
            value = event.value
            values = (
                (value,)
                if event.kind != "use"
                else (
                    *(event.made.args if event.made else ()),
                    *(v for _, v in (event.made.named if event.made else ())),
                )
            )
            found |= {mark.site for mark in marks(values) if mark.kind == "draw" and mark.site is not None}
    return frozenset(found)
