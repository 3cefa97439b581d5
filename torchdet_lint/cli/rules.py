"""`torchdet-lint rules` and `torchdet-lint explain`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint.cli.failures import CLEAN
from torchdet_lint.cli.output import stdout_style, write_out
from torchdet_lint.cli.shared import options, settings_for
from torchdet_lint.report.style import WHEN, Style

if TYPE_CHECKING:
    from torchdet_lint.catalog.rules import Catalog, Rule

_config_options = options(
    click.option(
        "--output-format", "form", type=click.Choice(("text", "json")), default="text", help="The form of the output."
    ),
    click.option(
        "--config", multiple=True, metavar="FILE|KEY=VALUE", help="A configuration file, or a key to set (TOML)."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file: bundled rules only."),
    click.option("--color", type=click.Choice(WHEN), default="auto", help="When to colour the output."),
)


@click.command()
@_config_options
def rules(form: str, config: tuple[str, ...], isolated: bool, color: str) -> int:
    """List the rules, those of the project included."""
    catalog = _catalog(config, isolated)
    if form == "json":
        write_out([json.dumps([_rule_value(rule) for rule in catalog.rules], indent=2) + "\n"])
    else:
        write_out(_table(catalog, stdout_style(color)))
    return CLEAN


@click.command()
@click.argument("rule", metavar="CODE|NAME")
@_config_options
def explain(rule: str, form: str, config: tuple[str, ...], isolated: bool, color: str) -> int:
    """Explain a rule: why it exists, what to do instead, examples."""
    found = _catalog(config, isolated).get(rule)
    if form == "json":
        write_out([json.dumps({**_rule_value(found), **_page_value(found)}, indent=2) + "\n"])
    else:
        write_out(_page(found, stdout_style(color)))
    return CLEAN


def _catalog(config: tuple[str, ...], isolated: bool) -> Catalog:
    from torchdet_lint.config.policy import catalog_for

    return catalog_for(settings_for((), config, isolated, {}).project)


def _table(catalog: Catalog, style: Style) -> Iterator[str]:
    """The rules by family; those that are off by default are marked."""
    width = max((len(rule.name) for rule in catalog.rules), default=0)
    for index, family in enumerate(catalog.families):
        members = [rule for rule in catalog.rules if rule.family == family.name]
        if members:
            yield ("\n" if index else "") + style.paint("strong", f"{family.title} ({family.name})") + "\n"
        for rule in members:
            severity = style.paint(rule.severity, f"{rule.severity:<7}")
            off = "" if rule.default else "  off by default"
            yield f"  {rule.code}  {rule.name:<{width}}  {severity}  {'/'.join(rule.effects)}{off}".rstrip() + "\n"


def _rule_value(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "summary": rule.summary,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "effects": list(rule.effects),
        "scope": rule.scope,
        "default": rule.default,
        "since": rule.since,
    }


def _page_value(rule: Rule) -> dict[str, Any]:
    from torchdet_lint.catalog.page import load_page

    page = load_page(rule)
    examples = [{"kind": each.kind, "title": each.title, "files": each.files} for each in page.examples]
    return {"why": page.why, "instead": page.instead, "references": list(page.references), "examples": examples}


def _page(rule: Rule, style: Style) -> Iterator[str]:
    """The page of a rule for a terminal; it is Markdown that reads well as it is."""
    from torchdet_lint.catalog.page import load_page
    from torchdet_lint.report.full import EFFECTS

    page = load_page(rule)
    yield f"{style.paint('strong', f'{rule.code} {rule.name}')}\n\n"
    yield textwrap.fill(rule.summary, 80) + "\n\n"
    about = "one finding for each program" if rule.scope == "program" else "one finding for each place"
    state = "on by default" if rule.default else "off by default"
    yield f"{style.paint(rule.severity, rule.severity)}, {rule.confidence} confidence; {about}; {state}\n"
    yield from (f"{effect}: {EFFECTS[effect]}\n" for effect in rule.effects)
    for title, text in (("Why", page.why), ("Instead", page.instead)):
        if text:
            yield f"\n{style.paint('strong', title)}\n\n{_filled(text)}\n"
    for example in page.examples:
        yield f"\n{style.paint('strong', f'{example.kind.capitalize()}: {example.title}')}\n"
        for name, code in example.files.items():
            yield f"\n{textwrap.indent(code.strip(), '    ')}\n" if len(example.files) == 1 else _file(name, code)
    if page.references:
        yield f"\n{style.paint('strong', 'References')}\n\n" + "".join(f"{url}\n" for url in page.references)


def _filled(text: str) -> str:
    """Markdown with its plain paragraphs filled to 80 columns; lists, tables and code stay as they are."""
    paragraphs = text.split("\n\n")
    kept = ("-", "*", "|", "    ", "```", "1.")
    return "\n\n".join(
        each if each.startswith(kept) else textwrap.fill(each, 80, break_long_words=False, break_on_hyphens=False)
        for each in paragraphs
    )


def _file(name: str, code: str) -> str:
    return f"\n  {name}\n{textwrap.indent(code.strip(), '    ')}\n"
