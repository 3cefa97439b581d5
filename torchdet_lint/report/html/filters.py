"""The form that narrows findings down. Without its script it stays hidden, and everything is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from torchdet_lint.finding import EFFECTS as EFFECT_NAMES
from torchdet_lint.finding import SEVERITIES
from torchdet_lint.report.full import EFFECTS
from torchdet_lint.report.html.markup import Markup, tag
from torchdet_lint.report.model import Report


def filters(report: Report) -> Markup:
    """Severity, rule or family, effect, path and text: as far as the findings differ in them."""
    return tag(
        "form",
        _severities(report),
        tag("label", tag("span", "Rule"), tag("select", _rules(report), name="rule")),
        tag("label", tag("span", "Effect"), tag("select", _effects(report), name="effect")),
        _field("path", "Path"),
        _field("text", "Text"),
        tag("button", "Show all", type="reset"),
        tag("output", "", id="shown"),
        id="filters",
        role="search",
        aria_label="Filter findings",
        hidden=True,
    )


def _severities(report: Report) -> Markup:
    counts = Counter(finding.severity for finding in report.findings)
    boxes = [
        tag(
            "label",
            tag("input", type="checkbox", name="severity", value=name, checked=True),
            f" {name} ",
            tag("span", f"{counts[name]:,}", class_="soft"),
        )
        for name in reversed(SEVERITIES)
        if counts[name]
    ]
    return tag("fieldset", tag("legend", "Severity"), boxes)


def _rules(report: Report) -> list[Markup]:
    """The families with their rules; a rule that the catalogue does not hold stands for itself."""
    counts = Counter(finding.code for finding in report.findings)
    names = {finding.code: finding.name for finding in report.findings}
    families: dict[str, list[str]] = {}
    for code in sorted(counts):
        families.setdefault(report.rules[code].family if code in report.rules else "", []).append(code)
    options = [tag("option", "all", value="")]
    for family, codes in families.items():
        whole = [_option(f"family:{family}", f"all of {family}", sum(counts[code] for code in codes))] if family else []
        each = [_option(f"code:{code}", f"{code} {names[code]}", counts[code]) for code in codes]
        options.append(tag("optgroup", whole, each, label=family or "others"))
    return options


def _effects(report: Report) -> Iterable[Markup]:
    counts = Counter(finding.effect for finding in report.findings)
    yield tag("option", "all", value="")
    yield from (_option(name, EFFECTS[name], counts[name]) for name in EFFECT_NAMES if counts[name])


def _option(value: str, said: str, number: int) -> Markup:
    return tag("option", f"{said} ({number:,})", value=value)


def _field(name: str, title: str) -> Markup:
    entry = tag("input", type="search", name=name, autocomplete="off", spellcheck="false")
    return tag("label", tag("span", title), entry)
