"""The texts that a rule can say, with their placeholders."""

from __future__ import annotations

import re
from typing import NamedTuple

from torchdet_lint.catalog.errors import suggest
from torchdet_lint.catalog.tables import Table
from torchdet_lint.finding import CONFIDENCES, EFFECTS, SEVERITIES

PLACEHOLDERS = {
    "call": "the callee as written, followed by (...): torch.randperm(...)",
    "family": "a family of random numbers as people call it: torch, NumPy, Python",
    "chain": "nothing, or how the program gets there, with a leading blank: (through build, Net.__init__)",
    "seeder": "the seeding call as written, followed by (...)",
    "program": "the path of the entry file",
    "where": "the function, class, attribute or call that the message is about",
    "option": "a parameter, an argument or a command-line option",
    "value": "an expression as written, or a value",
    "reason": "a cause in plain words",
    "instead": "what to do instead, in plain words",
}
"""All placeholders that a message or a help text may have, and what checks put there."""

_FIELD = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Variant(NamedTuple):
    """One thing that a rule can say: its message and help templates, and how much it weighs when it says that."""

    name: str
    template: str
    help_template: str
    severity: str
    confidence: str
    effect: str

    def message(self, **values: str) -> str:
        """The message with its placeholders filled; a missing value raises KeyError."""
        return self.template.format_map(values)

    def help(self, **values: str) -> str:
        """The help text with its placeholders filled; a missing value raises KeyError."""
        return self.help_template.format_map(values)


def placeholders(template: str) -> tuple[str, ...]:
    """The placeholders of a template in order."""
    return tuple(_FIELD.findall(template))


def read_variants(table: Table, severity: str, confidence: str, effects: tuple[str, ...]) -> dict[str, Variant]:
    """The variants of a rule file.

    `[messages]` names them; a plain `message = "..."` is one variant called "default". `[help]` has a text for a
    variant, or "default" for all others; `[severities]`, `[confidences]` and `[effects]` hold what a variant does not
    share with its rule.
    """
    messages = _texts(table, "messages", "message")
    helps = _texts(table, "help", "help")
    if not messages:
        raise table.error("message", "is missing")
    severities = _overrides(table, "severities", SEVERITIES, messages)
    confidences = _overrides(table, "confidences", CONFIDENCES, messages)
    effects_of = _overrides(table, "effects", EFFECTS, messages)
    for name in helps:
        if name != "default" and name not in messages:
            raise table.error(f"help.{name}", f"belongs to no message{suggest(name, messages)}")
    usual = effects[0] if effects else ""
    return {
        name: Variant(
            name,
            template,
            helps.get(name, helps.get("default", "")),
            severities.get(name, severity),
            confidences.get(name, confidence),
            effects_of.get(name, usual),
        )
        for name, template in messages.items()
    }


def check_name(table: Table, key: str) -> str:
    """A kebab-case name below `key`."""
    name = table.line(key)
    if not _NAME.fullmatch(name):
        raise table.error(key, f'is "{name}", but must be lower-case words joined by hyphens')
    return name


def _texts(table: Table, key: str, single: str) -> dict[str, str]:
    """A table of texts below `key`, or the single text below `single` under the name "default"."""
    texts = {"default": table.line(single)} if table.kind(single) is str else table.mapping(key)
    for name, text in texts.items():
        for field in placeholders(text):
            if field not in PLACEHOLDERS:
                raise table.error(
                    f"{key}.{name}", f"has an unknown placeholder {{{field}}}{suggest(field, PLACEHOLDERS)}"
                )
        if "{" in _FIELD.sub("", text) or "}" in _FIELD.sub("", text):
            raise table.error(f"{key}.{name}", "has a brace that belongs to no placeholder")
    return texts


def _overrides(table: Table, key: str, allowed: tuple[str, ...], messages: dict[str, str]) -> dict[str, str]:
    values = table.mapping(key)
    for name, value in values.items():
        if name not in messages:
            raise table.error(f"{key}.{name}", f"belongs to no message{suggest(name, messages)}")
        if value not in allowed:
            raise table.error(f"{key}.{name}", f'is "{value}", but must be one of {", ".join(allowed)}')
    return values
