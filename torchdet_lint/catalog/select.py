"""Which rules are on: selection by code, prefix of codes, family, rule name or ALL, with ruff's meaning."""

from __future__ import annotations

import re
from typing import NamedTuple

from torchdet_lint.catalog.errors import SelectionError, suggest
from torchdet_lint.catalog.rules import Catalog, Rule

ALL = "ALL"

_CODE = re.compile(r"(?P<letters>[A-Za-z]+)(?P<digits>\d*)")
_EXACT = 100
"""The specificity of a selector that names one rule; a prefix has its length, `ALL` has 0."""


class Selection(NamedTuple):
    """Selectors as a user writes them. `select` None means the rules that are on by default."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()


def matches(selector: str, rule: Rule) -> bool:
    """Whether a selector covers a rule. Codes and prefixes are read in any case."""
    if selector.upper() == ALL:
        return True
    if selector in (rule.name, rule.family):
        return True
    parts, code = _CODE.fullmatch(selector), _CODE.fullmatch(rule.code)
    if parts is None or code is None or parts["letters"].upper() != code["letters"]:
        return False
    return code["digits"].startswith(parts["digits"])


def expand(catalog: Catalog, selector: str) -> frozenset[str]:
    """The codes that a selector covers; raises `SelectionError` when it names nothing.

    The codes of a family that has no rules yet are nothing wrong: such a selector covers no code.
    """
    codes = frozenset(rule.code for rule in catalog.rules if matches(selector, rule))
    if codes or selector.upper() == ALL or any(selector in (f.name, f.prefix) for f in catalog.families):
        return codes
    known = [word for rule in catalog.rules for word in (rule.name, rule.code)]
    known += [family.name for family in catalog.families]
    raise SelectionError(f'no rule, family or code "{selector}"{suggest(selector, known)}')


def resolve(catalog: Catalog, selection: Selection) -> frozenset[str]:
    """The codes that are on; raises `SelectionError` for a selector that names nothing.

    The more specific selector wins over the less specific one, whatever list it stands in: `select = ["TDL1"]` with
    `ignore = ["TDL105"]` leaves TDL105 out, `ignore = ["TDL1"]` with `select = ["TDL105"]` keeps it. Between equals
    `ignore` wins.
    """
    wanted = (*(selection.select or ()), *selection.extend_select)
    steps = [(_specificity(catalog, word), False, word) for word in wanted]
    steps += [(_specificity(catalog, word), True, word) for word in selection.ignore]
    codes = {rule.code for rule in catalog.rules if rule.default} if selection.select is None else set()
    for _, ignored, word in sorted(steps):
        if ignored:
            codes -= expand(catalog, word)
        else:
            codes |= expand(catalog, word)
    return frozenset(codes)


def _specificity(catalog: Catalog, selector: str) -> int:
    if selector.upper() == ALL:
        return 0
    for family in catalog.families:
        if selector == family.name:
            return len(family.prefix)
    return _EXACT if catalog.find(selector) else len(selector)
