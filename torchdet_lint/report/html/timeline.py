"""The timeline of a program: what it seeds, draws, builds and switches, in the order in which it first comes by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchdet_lint.card import FamilyCard, ProgramCard
from torchdet_lint.finding import Location
from torchdet_lint.report.html.markup import Content, Markup, tag
from torchdet_lint.report.html.shapes import drawing, shape
from torchdet_lint.report.summary import place

LOADERS, MODES = "loaders", "modes"
_STEP, _LANE, _GUTTER, _TOP = 38, 34, 92, 8


class Sign(NamedTuple):
    """One shape: its kind, its look, the lane that it is in, and what happens: a word, the code, and more about it."""

    kind: str
    look: str
    lane: str
    word: str
    code: str = ""
    more: str = ""


class Moment(NamedTuple):
    """A place that the program comes by, with everything that happens there."""

    place: Location
    signs: tuple[Sign, ...]


def moments(card: ProgramCard) -> tuple[Moment, ...]:
    """The moments of a program in their order; places that the order does not name come last."""
    rank = {at: index for index, at in enumerate(card.order)}
    found: dict[Location, list[Sign]] = {}
    for at, sign in _signs(card, rank):
        found.setdefault(at, []).append(sign)
    return tuple(Moment(at, tuple(found[at])) for at in sorted(found, key=lambda at: rank.get(at, len(rank))))


def _signs(card: ProgramCard, rank: dict[Location, int]) -> Iterator[tuple[Location, Sign]]:
    for family in card.families:
        for seeder in family.seeders:
            yield seeder.location, Sign("seed", _seed_look(family), family.family, "seeds", seeder.label, family.text)
        start = min((rank.get(each.location, len(rank)) for each in family.seeders), default=len(rank))
        for draw in family.draws:
            early = rank.get(draw.location, len(rank)) < start
            yield draw.location, Sign("draw", _draw_look(family, early), family.family, "draws from", draw.label)
    for loader in card.loaders:
        yield loader.place, Sign("loader", "faint", LOADERS, "builds", loader.call, ", ".join(loader.facts))
    for mode in card.modes:
        if mode.place is not None:
            look = "faint" if mode.state == "open" else mode.state
            yield mode.place, Sign("mode", look, MODES, "mode", "", f"{mode.name}: {mode.value}")


def _seed_look(family: FamilyCard) -> str:
    return {"seeded": "good", "late": "good", "optional": "open", "entropy": "bad"}.get(family.state, "faint")


def _draw_look(family: FamilyCard, early: bool) -> str:
    if family.state == "late":
        return "bad" if early else "good"
    return {"seeded": "good", "optional": "open", "unused": "faint"}.get(family.state, "bad")


def timeline(card: ProgramCard) -> Markup | None:
    """The drawing, and below it the same as a list; None where there is nothing to show."""
    found = moments(card)
    if not found:
        return None
    kinds = {sign.kind for moment in found for sign in moment.signs}
    return tag(
        "figure",
        tag("div", _drawn(card, found), class_="scroll", tabindex=0, role="group", aria_label="Timeline"),
        tag("p", _legend(kinds), class_="legend"),
        tag("ol", [_listed(moment) for moment in found], class_="moments"),
    )


def _drawn(card: ProgramCard, found: tuple[Moment, ...]) -> Markup:
    drawn = [sign.lane for moment in found for sign in moment.signs]
    lanes = [family.family for family in card.families] + [lane for lane in (LOADERS, MODES) if lane in drawn]
    width = _GUTTER + _STEP * len(found) + 8
    height = _TOP + _LANE * len(lanes)
    label = f"What {card.path} seeds and draws in order; the list below says the same"
    content: list[Content] = []
    for index, lane in enumerate(lanes):
        y = _TOP + _LANE * (index + 0.5)
        content.append(tag("text", lane, x=0, y=f"{y + 4:g}", class_="lane"))
        family = next((each for each in card.families if each.family == lane), None)
        content += _line(family, found, y)
    for column, moment in enumerate(found):
        for sign in moment.signs:
            y = _TOP + _LANE * (lanes.index(sign.lane) + 0.5)
            title = f"{sign.word} {sign.lane}: {sign.code or sign.more} ({place(moment.place)})"
            content.append(shape(sign.kind, _x(column), y, sign.look, column + 1, title))
    return drawing(width, height, label, content, class_="timeline")


def _x(column: float) -> float:
    return _GUTTER + _STEP * (column + 0.5)


def _line(family: FamilyCard | None, found: tuple[Moment, ...], y: float) -> Iterator[Markup]:
    """The line of a lane in two parts: before the family is seeded, and from then on."""
    end = _x(len(found) - 0.5)
    if family is None:
        yield _stretch(_GUTTER, end, y, "faint")
        return
    at = [index for index, moment in enumerate(found) for sign in moment.signs if sign.lane == family.family]
    seeds = [
        index for index, moment in enumerate(found) for sign in moment.signs
        if sign.lane == family.family and sign.kind == "seed"
    ]  # fmt: skip
    first, seeded = min(at, default=0), min(seeds, default=len(found))
    after = {"seeded": "good", "late": "good", "optional": "open", "entropy": "bad"}.get(family.state, "faint")
    middle = min(_x(seeded), end)
    if first < seeded:  # drawn from, and not seeded yet
        yield _stretch(_GUTTER, _x(first), y, "faint")
        yield _stretch(_x(first), middle, y, "faint" if family.state == "unused" else _draw_look(family, early=True))
    else:
        yield _stretch(_GUTTER, middle, y, "faint")
    if middle < end:
        yield _stretch(middle, end, y, after)


def _stretch(start: float, end: float, y: float, look: str) -> Markup:
    return tag("line", x1=f"{start:g}", x2=f"{end:g}", y1=f"{y:g}", y2=f"{y:g}", class_=f"flow {look}")


_LEGEND = (("seed", "seeds"), ("draw", "draws"), ("loader", "builds a loader"), ("mode", "sets or needs a mode"))


def _legend(kinds: Iterable[str]) -> list[Markup]:
    return [
        tag("span", drawing(22, 22, "", shape(kind, 11, 11, "faint"), class_="key"), said)
        for kind, said in _LEGEND
        if kind in kinds
    ]


def _listed(moment: Moment) -> Markup:
    """A moment in words. One call often seeds several families."""
    deeds: dict[tuple[str, str], list[Sign]] = {}
    for sign in moment.signs:
        deeds.setdefault((sign.word, sign.code or sign.more), []).append(sign)
    return tag("li", tag("div", map(_deed, deeds.values())), tag("span", place(moment.place), class_="place"))


def _deed(signs: list[Sign]) -> Markup:
    word, code = signs[0].word, signs[0].code
    lanes = [sign.lane for sign in signs if sign.kind in ("seed", "draw")]
    more = "; ".join(dict.fromkeys(sign.more for sign in signs if sign.more))
    said = (f"{word} ", f"{_and(lanes)}: " if lanes else None, tag("code", code) if code else None)
    return tag("span", said, f"{': ' if code else ''}{more}" if more else None, class_="deed")


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
