"""Programs as cards: what each seeds and draws, its timeline, its modes, and what is missing for a repeatable run."""

from __future__ import annotations

from collections.abc import Sequence

from torchdet_lint.card import FamilyCard, ModeCard, ProgramCard
from torchdet_lint.report.cards import MODE_MARKS, STATES
from torchdet_lint.report.html.markup import Content, Markup, prose, tag
from torchdet_lint.report.html.timeline import timeline
from torchdet_lint.report.summary import place

_WORDS = {"good": "fine", "bad": "not repeatable", "open": "depends", "faint": "of no consequence"}
_SIGNS = {"good": "\N{CHECK MARK}", "bad": "\N{MULTIPLICATION X}", "open": "?", "faint": "\N{EN DASH}"}


def sign(look: str, said: str = "") -> Markup:
    """A mark of a look ("good", "bad", "open", "faint"), with its meaning for those who do not see it."""
    return tag("span", _SIGNS[look], class_=f"sign {look}", role="img", aria_label=said or _WORDS[look])


MOST_OPEN = 3
"""Of more programs than these only the first is open; of the others the heads are shown."""


def program_cards(cards: Sequence[ProgramCard]) -> Markup:
    """A card for each program."""
    return tag("div", [_card(card, not at or len(cards) <= MOST_OPEN) for at, card in enumerate(cards)], class_="cards")


def _card(card: ProgramCard, opened: bool) -> Markup:
    title = f"{card.path} ({card.name})" if card.name else card.path
    families = [_head(family) for family in card.families]
    return tag(
        "details",
        tag("summary", tag("h3", title), tag("span", families, class_="heads")),
        tag("p", " \N{MIDDLE DOT} ".join((card.kind, *card.traits)), class_="soft"),
        _families(card.families),
        timeline(card),
        _part("Modes", _modes(card.modes)),
        _part("To make it repeatable, together with the findings", _steps(card.missing)),
        class_="card",
        open=opened,
    )


def _head(family: FamilyCard) -> Markup:
    _, look, said = STATES[family.state]
    return tag("span", sign(look, said), " ", family.family, title=f"{family.family}: {said}")


def _part(title: str, content: Content) -> Content:
    return [tag("h4", title), content] if content else None


def _families(families: Sequence[FamilyCard]) -> Markup:
    if not families:
        return tag("p", sign("faint"), " draws no random numbers")
    rows = []
    for family in families:
        _, look, said = STATES[family.state]
        detail = [": ", tag("span", family.text, class_="soft")] if family.text else None
        rows.append(tag("li", sign(look), " ", tag("b", family.family), f" {said}", detail))
    return tag("ul", rows, class_="families")


def _modes(modes: Sequence[ModeCard]) -> Content:
    rows = [
        tag(
            "tr",
            tag("td", sign(MODE_MARKS[mode.state][1])),
            tag("th", mode.name, scope="row"),
            tag("td", mode.value),
            tag("td", place(mode.place) if mode.place else None, class_="place"),
        )
        for mode in modes
    ]
    return tag("table", tag("tbody", rows), class_="plain modes") if rows else None


def _steps(steps: Sequence[str]) -> Content:
    return tag("ol", [tag("li", prose(step)) for step in steps], class_="steps") if steps else None
