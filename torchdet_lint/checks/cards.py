"""Cards: what a program does about its randomness, for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.analysis.fold import Hit, Visit
from torchdet_lint.analysis.iteration import worker_count
from torchdet_lint.analysis.modes import CUBLAS, good_cublas
from torchdet_lint.analysis.state import FAMILIES, Status
from torchdet_lint.analysis.trace import Event, events
from torchdet_lint.analysis.values import Known, Made, Option, Truth, Value, alternatives, is_none, marks, truth
from torchdet_lint.card import FamilyCard, LoaderCard, ModeCard, ProgramCard
from torchdet_lint.checks.attention import may_be_fused
from torchdet_lint.checks.emit import call_text, family_name, locate
from torchdet_lint.checks.facts import Facts, ProgramFacts
from torchdet_lint.checks.seeding import condition_of, seeded_after
from torchdet_lint.finding import Location, Related

SEED_CALLS = {
    "torch": "torch.manual_seed(seed)",
    "numpy": "np.random.seed(seed)",
    "python": "random.seed(seed)",
    "gym": "env.reset(seed=seed)",
    "gym-space": "env.action_space.seed(seed)",
}
KINDS = {
    "main guard": "guarded script",
    "package main": "script",
    "script": "script",
    "notebook": "notebook",
    "console script": "entry point",
}
MOST = 3


def program_cards(facts: Facts) -> tuple[ProgramCard, ...]:
    """One card for each program, by path."""
    return tuple(_card(facts, program) for program in facts.programs)


def _card(facts: Facts, program: ProgramFacts) -> ProgramCard:
    found = events(program.trace)
    families = tuple(_families(facts, program, found))
    loaders = tuple(_loaders(facts, found))
    modes = tuple(_modes(facts, program))
    return ProgramCard(
        path=program.program.path,
        kind=KINDS.get(program.program.kind, program.program.kind),
        name=_name(facts, program),
        traits=tuple(_traits(program)),
        families=families,
        loaders=loaders,
        modes=modes,
        missing=tuple(_missing(program, families, found, facts)),
        order=tuple(_order(facts, found, families, loaders, modes)),
    )


def _order(
    facts: Facts,
    found: list[Event],
    families: tuple[FamilyCard, ...],
    loaders: tuple[LoaderCard, ...],
    modes: tuple[ModeCard, ...],
) -> Iterator[Location]:
    """The places of a card as the program comes by them. In a mode's case that is where it is set for the first time."""
    named = {each.location for family in families for each in (*family.seeders, *family.draws)}
    named |= {loader.place for loader in loaders} | {mode.place for mode in modes if mode.place is not None}
    paths = {place.path for place in named}
    for site in dict.fromkeys(event.site for event in found if event.site.path in paths):
        place = locate(facts, site)
        if place in named:
            named.remove(place)
            yield place


def _name(facts: Facts, program: ProgramFacts) -> str:
    if not program.program.function:
        return ""
    return f"{facts.project.modules[program.program.path].name}:{program.program.function}"


def _traits(program: ProgramFacts) -> Iterator[str]:
    yield "trains" if "backward" in program.hits else "does not train"
    if "cuda" in program.hits:
        yield f"names an accelerator ({program.hits['cuda'].event.api})"
    if not program.whole:
        yield "too large to be followed to its end"


def _families(facts: Facts, program: ProgramFacts, found: list[Event]) -> Iterator[FamilyCard]:
    others = sorted(
        {key.partition(":")[2] for key in program.hits if key.startswith("drawn:")} - set(FAMILIES) - {"cuda-only"}
    )
    for family in (*FAMILIES, *others):
        state, text = _state(facts, program, family)
        seeders = _places(facts, [e for e in found if e.kind == "seed" and family in e.families])
        drawn = f"drawn:{family}" in program.hits
        draws = _places(facts, [e for e in found if e.kind == "draw" and family in e.families]) if drawn else ()
        if seeders or draws:
            yield FamilyCard(family_name(family), state, text, seeders, draws)


def _state(facts: Facts, program: ProgramFacts, family: str) -> tuple[str, str]:
    """The state of a family, and a few words about it."""
    hits = program.hits
    seed = hits.get(f"seed:{family}")
    if f"drawn:{family}" not in hits:
        return "unused", ""
    if (hit := hits.get(f"unseeded:{family}")) is not None:
        late = seeded_after(hit, family)
        return ("late", "") if late is not None else ("unseeded", "")
    if f"optional:{family}" in hits and seed is not None:
        return "optional", f"only if {condition_of(seed).strip('`')} is given"
    if seed is None:
        return ("unseeded", "drawn only where a loader has no workers") if f"weak:{family}" in hits else ("unused", "")
    if any(mark.kind == "entropy" for mark in marks((seed.event.value,))):
        return "entropy", ""
    visits = _visits(facts, program, hits[f"drawn:{family}"].event)
    if any(visit.state.status(family) is Status.MAYBE for visit in visits):
        return "seeded", "under a condition that is not known here"
    return "seeded", _seed_text(seed.event.value)


def _seed_text(value: Value) -> str:
    """How a seed is known: a number, an option with its default."""
    for option in alternatives(value):
        if isinstance(option, Option) and option.label:
            shown = f", default {option.default.value!r}" if isinstance(option.default, Known) else ""
            return f"{option.label.strip('`')}{shown}"
        if isinstance(option, Known):
            return f"{option.value}"
    return ""


def _places(facts: Facts, found: list[Event]) -> tuple[Related, ...]:
    """The first few places, each line once."""
    places: dict[tuple[str, int], Related] = {}
    for event in found:
        place = locate(facts, event.site)
        places.setdefault((place.path, place.line), Related(place, call_text(facts, event.site)))
        if len(places) == MOST:
            break
    return tuple(places.values())


def _loaders(facts: Facts, found: list[Event]) -> Iterator[LoaderCard]:
    said = set()
    for event in found:
        if event.kind == "use" and event.note == "loader" and event.made is not None and event.site not in said:
            said.add(event.site)
            yield LoaderCard(locate(facts, event.site), call_text(facts, event.site), tuple(_loader_facts(event.made)))


def _loader_facts(made: Made) -> Iterator[str]:
    shuffle = made.get("shuffle", 2)
    if shuffle is not None and truth(shuffle) is not Truth.NO:
        yield "shuffles" if truth(shuffle) in (Truth.YES, Truth.LIKELY) else "may shuffle"
    elif (
        made.get("sampler", 3) is not None
        and is_none(made.get("sampler", 3) or Known(None, "NoneType")) is not Truth.YES
    ):
        yield "has a sampler"
    else:
        yield "keeps the order"
    count = worker_count(made.get("num_workers", 5), made)
    numbers = sorted({str(_plain(option)) for option in alternatives(count)})
    yield "no workers" if numbers == ["0"] else f"workers: {' or '.join(numbers)}"
    yield "own generator" if _given(made.get("generator")) else "no generator"
    if _given(made.get("worker_init_fn", 10)):
        yield "worker_init_fn"


def _plain(value: Value) -> object:
    if isinstance(value, Option):
        return f"{value.label.strip('`')} (default {_plain(value.default)})"
    return value.value if isinstance(value, Known) else "not known"


def _given(value: Value | None) -> bool:
    return value is not None and is_none(value) is not Truth.YES


def _visits(facts: Facts, program: ProgramFacts, event: Event) -> list[Visit]:
    """Those that the program itself makes; none of what stands where every path has ended."""
    return [visit for visit in facts.visits.get(event, ()) if visit.program == program.program.path]


def _modes(facts: Facts, program: ProgramFacts) -> Iterator[ModeCard]:
    """The switches that matter for the program, also those that it does not set."""
    hits = program.hits
    trains_on_gpu = "cuda" in hits and "backward" in hits
    yield _strict(facts, program, needed=trains_on_gpu)
    cublas = hits.get(f"mode:{CUBLAS}") or hits.get("mode:cublas-workspace")
    if cublas is not None or "strict-on" in hits:
        good = cublas is not None and good_cublas(cublas.event.value)
        value = _value_text(cublas.event.value) if cublas is not None else "not set"
        yield ModeCard(
            "CUBLAS_WORKSPACE_CONFIG",
            value,
            "good" if good else "bad" if "cuda" in hits else "open",
            _place(facts, cublas),
        )
    for name, bad in (("benchmark", True), ("deterministic", False)):
        hit = hits.get(f"mode:torch.backends.cudnn.{name}") or hits.get(f"mode:cudnn.{name}")
        if hit is not None:
            on = truth(hit.event.value)
            state = "open" if on is Truth.OPEN else "bad" if (on in (Truth.YES, Truth.LIKELY)) == bad else "good"
            yield ModeCard(f"cudnn.{name}", _value_text(hit.event.value), state, _place(facts, hit))
    attention = (e for e in events(program.trace) if e.kind == "use" and e.note in ("sdpa", "attention"))
    sdpa = next((e for e in attention if e in facts.visits), None)
    if sdpa is not None:
        strict = "strict-on" in hits
        safe = strict or not any(map(may_be_fused, _visits(facts, program, sdpa)))
        yield ModeCard(
            "SDPA backends",
            "deterministic in strict mode" if strict else "restricted, or without gradients" if safe else "any",
            "good" if safe else "bad" if trains_on_gpu else "open",
            locate(facts, sdpa.site),
        )


def _strict(facts: Facts, program: ProgramFacts, *, needed: bool) -> ModeCard:
    for how, value, state in (
        ("on", "on", "good"),
        ("warn", "warn only", "bad"),
        ("unknown", "not known", "open"),
        ("off", "off", "bad"),
    ):
        hit = program.hits.get(f"strict-{how}")
        if hit is not None:
            return ModeCard("deterministic algorithms", value, state, _place(facts, hit))
    return ModeCard("deterministic algorithms", "not set", "bad" if needed else "open")


def _value_text(value: Value) -> str:
    found = truth(value)
    if isinstance(value, Known) and isinstance(value.value, str):
        return value.value
    return {Truth.YES: "on", Truth.NO: "off", Truth.LIKELY: "on by default", Truth.UNLIKELY: "off by default"}.get(
        found, "not known"
    )


def _place(facts: Facts, hit: Hit | None) -> Location | None:
    return locate(facts, hit.event.site) if hit is not None else None


def _missing(
    program: ProgramFacts, families: tuple[FamilyCard, ...], found: list[Event], facts: Facts
) -> Iterator[str]:
    """What would have to change for a repeatable run, in the order in which to do it."""
    hits = program.hits
    keys = {family_name(family): family for family in FAMILIES}
    for card in families:
        call = SEED_CALLS.get(keys.get(card.family, ""), f"the seed of {card.family}")
        if card.state == "unseeded":
            yield f"seed {card.family} before its first draw: {call}"
        elif card.state == "late":
            yield f"move {call} before the first draw from {card.family}"
        elif card.state == "optional":
            yield f"seed {card.family} also when no option asks for it: give the option a number as its default"
        elif card.state == "entropy":
            yield f"seed {card.family} with a number from the configuration"
    if "cuda" in hits and "backward" in hits and "strict-on" not in hits:
        yield "call torch.use_deterministic_algorithms(True) before the model is built"
    if "cuda" in hits and "backward" in hits and "cublas" not in hits:
        yield 'set os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8" before torch is imported'
    for name in ("torch.backends.cudnn.benchmark", "cudnn.benchmark"):
        hit = hits.get(f"mode:{name}")
        if hit is not None and truth(hit.event.value) in (Truth.YES, Truth.LIKELY):
            at = hit.event.site
            place = locate(facts, at)
            yield f"set cudnn.benchmark to False (line {place.line} of {place.path.rpartition('/')[2]} turns it on)"
    for event in found:
        if event.kind == "use" and event.note == "rng" and event.made is not None:
            row = facts.machine.api(event.api)
            if row is not None and row.missing == "entropy" and not event.made.args and not event.made.named:
                yield f"give {call_text(facts, event.site)} a seed ({event.site.path})"
