"""Program cards: what each entry point seeds, draws and switches on, at 80 columns, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from torchdet_lint.card import FamilyCard, LoaderCard, ModeCard, ProgramCard
from torchdet_lint.finding import Location, Related
from torchdet_lint.report.excerpt import WIDTH
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import place, printable

SCHEMA = 1

STATES = {
    "seeded": ("ok", "good", "seeded"),
    "optional": ("??", "open", "seeded only on request"),
    "late": ("!!", "bad", "seeded too late"),
    "entropy": ("!!", "bad", "seeded differently in each run"),
    "unseeded": ("!!", "bad", "never seeded"),
    "unused": ("--", "faint", "not drawn from"),
}
"""For each state of a family: its mark, its look, and what is said."""

MODE_MARKS = {"good": ("ok", "good"), "bad": ("!!", "bad"), "open": ("--", "faint")}
_MOST_PLACES = 3
_WIDEST_PLACE = 32
"""How far a column of places makes way for a long one; beside longer places nothing stands in line."""
_INDENT = "       "


def cards(programs: Sequence[ProgramCard], style: Style) -> Iterator[str]:
    """Every card as text, a blank line between them. Marks: `ok`, `!!` not repeatable, `??` depends, `--` no part in it."""
    for index, card in enumerate(programs):
        yield ("\n" if index else "") + "".join(_card(card, style))


def _card(card: ProgramCard, style: Style) -> Iterator[str]:
    title = printable(f"{card.path} ({card.name})" if card.name else card.path)
    yield style.paint("strong", title) + "\n"
    yield from _wrapped(", ".join((card.kind, *card.traits)), "  ")
    yield from _section("random numbers", list(_families(card.families, style)), style)
    yield from _section("loaders", [line for loader in card.loaders for line in _loader(loader)], style)
    yield from _section("modes", list(_modes(card.modes, style)), style)
    steps = [line for number, step in enumerate(card.missing, 1) for line in _step(number, step)]
    yield from _section("to make it repeatable, together with what `check` finds", steps, style)


def _section(title: str, lines: list[str], style: Style) -> Iterator[str]:
    if lines:
        yield f"  {style.paint('margin', title)}\n"
        yield from lines


def _families(families: Sequence[FamilyCard], style: Style) -> Iterator[str]:
    if not families:
        yield f"    {style.paint('faint', '--')} none drawn\n"
    width = max((len(card.family) for card in families), default=0)
    for card in families:
        mark, look, said = STATES[card.state]
        detail = f": {printable(card.text)}" if card.text else ""
        first, *more = _wrapped(f"{card.family:<{width}}  {said}{detail}", _INDENT)
        yield f"    {style.paint(look, mark)} {first.lstrip()}"
        yield from more
        yield from _places("seeded", card.seeders)
        yield from _places("drawn", card.draws)


def _places(word: str, places: Sequence[Related]) -> Iterator[str]:
    """The first places in columns: word, place, label; then how many more there are."""
    shown = [(place(each.location), printable(each.label)) for each in places[:_MOST_PLACES]]
    width = max((len(at) for at, _ in shown), default=0)
    if len(_INDENT) + 10 + width + max((len(label) for _, label in shown), default=0) > WIDTH:
        width = min(width, _WIDEST_PLACE)
    for index, (at, label) in enumerate(shown):
        lead = f"{_INDENT}{word if not index else '':<8}{at:<{width}}"
        yield from _hanging(lead, label, len(_INDENT) + 8 + width)
    if len(places) > _MOST_PLACES:
        yield f"{_INDENT}{'':<8}and {len(places) - _MOST_PLACES} more\n"


def _hanging(lead: str, text: str, column: int) -> Iterator[str]:
    """`lead`, then `text` from `column` on, wrapped there; when `lead` is too long, below it, a little further in."""
    if not text:
        yield lead.rstrip() + "\n"
        return
    if len(lead) > column and len(lead) + 2 + len(text) > WIDTH:
        column = len(lead) - len(lead.rsplit("  ", maxsplit=1)[-1].lstrip())
        yield lead + "\n"
        lead = ""
    column = max(column, len(lead))
    lines = textwrap.wrap(text, max(24, WIDTH - column - 2), break_long_words=False, break_on_hyphens=False)
    for line in lines:
        yield f"{lead:<{column}}  {line}\n"
        lead = ""


def _loader(card: LoaderCard) -> Iterator[str]:
    text = f"{printable(card.call)}: {', '.join(card.facts)}" if card.facts else printable(card.call)
    at = place(card.place)
    yield from _hanging(f"    {at}", text, 4 + min(len(at), _WIDEST_PLACE))


def _modes(modes: Sequence[ModeCard], style: Style) -> Iterator[str]:
    name_width = max((len(card.name) for card in modes), default=0)
    value_width = max((len(card.value) for card in modes), default=0)
    for card in modes:
        mark, look = MODE_MARKS[card.state]
        text = f"{card.name:<{name_width}}  {printable(card.value):<{value_width}}"
        where = place(card.place) if card.place else ""
        if where and len(text) + len(where) + 9 <= WIDTH:
            text, where = f"{text}  {where}", ""
        yield f"    {style.paint(look, mark)} {text.rstrip()}\n"
        if where:
            yield f"         {where}\n"


def _step(number: int, text: str) -> Iterator[str]:
    lead = f"    {number}."
    yield from _wrapped(printable(text), " " * (len(lead) + 1), f"{lead} ")


def _wrapped(text: str, indent: str, first: str | None = None) -> list[str]:
    lines = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line + "\n" for line in lines]


def cards_json(programs: Iterable[ProgramCard], problems: Sequence[str], version: str) -> str:
    """The cards as one JSON document: the fields of `ProgramCard`, places as in the report's schema."""
    import json

    document = {
        "schema": SCHEMA,
        "version": version,
        "programs": [_program_value(card) for card in programs],
        "problems": list(problems),
    }
    return json.dumps(document, indent=2) + "\n"


def _program_value(card: ProgramCard) -> dict[str, Any]:
    return {name: _value(getattr(card, name)) for name in ProgramCard.__slots__}


def _value(value: Any) -> Any:
    """Named tuples as objects, a `Related` flattened as in the report's schema."""
    if isinstance(value, Related):
        return {**value.location._asdict(), "label": value.label}
    if isinstance(value, FamilyCard | LoaderCard | ModeCard | Location):
        return {name: _value(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [_value(part) for part in value]
    return value
