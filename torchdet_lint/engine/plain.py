"""Findings and cards as plain tuples that `marshal` can write, for other processes and for the cache."""

from __future__ import annotations

from typing import Any

from torchdet_lint.card import FamilyCard, LoaderCard, ModeCard, ProgramCard
from torchdet_lint.finding import Edit, Finding, Fix, Location, Related


def plain_finding(finding: Finding) -> tuple[Any, ...]:
    return (
        finding.code, finding.name, finding.severity, finding.confidence, finding.effect, finding.message,
        tuple(finding.location), finding.program,
        tuple([(tuple(place), label) for place, label in finding.related]), finding.help, finding.url,
        finding.variant, None if finding.fix is None else _plain_fix(finding.fix),
    )  # fmt: skip


def finding_of(values: tuple[Any, ...]) -> Finding:
    """The inverse of `plain_finding`."""
    code, name, severity, confidence, effect, message, place, program, related, told, url, variant, fix = values
    return Finding(
        code, name, severity, confidence, effect, message, Location(*place), program,
        tuple([Related(Location(*each), label) for each, label in related]), told, url,
        variant=variant, fix=None if fix is None else _fix_of(fix),
    )  # fmt: skip


def _plain_fix(fix: Fix) -> tuple[Any, ...]:
    parts = [tuple([(tuple(e.location), e.start, e.end, e.text) for e in edits]) for edits in (fix.edits, fix.imports)]
    return (fix.title, fix.safety, *parts)


def _fix_of(values: tuple[Any, ...]) -> Fix:
    title, safety, *parts = values
    return Fix(title, safety, *[tuple([Edit(Location(*place), *rest) for place, *rest in edits]) for edits in parts])


def plain_card(card: ProgramCard) -> tuple[Any, ...]:
    return (
        card.path, card.kind, card.name, card.traits,
        tuple([(*each[:3], _plain_places(each.seeders), _plain_places(each.draws)) for each in card.families]),
        tuple([(tuple(place), call, facts) for place, call, facts in card.loaders]),
        tuple([(*each[:3], None if each.place is None else tuple(each.place)) for each in card.modes]),
        card.missing, tuple(map(tuple, card.order)),
    )  # fmt: skip


def card_of(values: tuple[Any, ...]) -> ProgramCard:
    """The inverse of `plain_card`."""
    path, kind, name, traits, families, loaders, modes, missing, order = values
    return ProgramCard(
        path, kind, name, traits,
        tuple([FamilyCard(a, b, c, _places_of(seeders), _places_of(draws)) for a, b, c, seeders, draws in families]),
        tuple([LoaderCard(Location(*place), call, facts) for place, call, facts in loaders]),
        tuple([ModeCard(a, b, c, None if place is None else Location(*place)) for a, b, c, place in modes]),
        missing, tuple([Location(*place) for place in order]),
    )  # fmt: skip


def _plain_places(places: tuple[Related, ...]) -> tuple[Any, ...]:
    return tuple([(tuple(place), label) for place, label in places])


def _places_of(values: tuple[Any, ...]) -> tuple[Related, ...]:
    return tuple([Related(Location(*place), label) for place, label in values])
