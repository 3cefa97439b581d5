"""A rule, and the index of all rules, as Markdown for the documentation and for editors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchdet_lint.catalog.page import Example, Page
from torchdet_lint.catalog.rules import Catalog, Family, Rule

_EFFECTS = {
    "run": "two runs on one machine differ",
    "cuda": "two runs on one machine differ, on an accelerator only",
    "machine": "results differ between machines, file systems, hash seeds or thread counts",
    "stream": "runs repeat until something unrelated shifts the random numbers",
    "frozen": "runs repeat too much: workers, epochs or seeds get the same numbers",
}
_SCOPES = {
    "site": "one finding for each place",
    "program": "one finding for each program and family of random numbers",
}
_FIXES = {
    "safe": "`--fix` makes it",
    "unsafe": "`--fix --unsafe-fixes` makes it",
    "display": "shown as a suggestion",
}
GENERATED = "<!-- Generated from rules/ by `python -m torchdet_lint.catalog.pages`; edit the rule file instead. -->"


def rule_markdown(rule: Rule, page: Page, family: Family) -> str:
    """The page of a rule for the documentation."""
    blocks = [GENERATED, f"# {rule.name} ({rule.code})", f"{rule.summary}."]
    facts = [("Family", f"[{family.title}](README.md#{_anchor(family.title)})"), *_facts(rule)]
    blocks.append(_table(("", ""), facts))
    blocks += ["## Why", page.why, "## Instead", page.instead, "## Messages", _messages(rule)]
    for kind, title in (("bad", "Reported"), ("good", "Not reported")):
        blocks.append(f"## {title}")
        blocks += [_example(example) for example in page.examples if example.kind == kind]
    if page.references:
        blocks += ["## References", "\n".join(f"- <{url}>" for url in page.references)]
    return "\n\n".join(blocks) + "\n"


def rule_hover(rule: Rule, page: Page) -> str:
    """The page of a rule without its examples, for where there is little room."""
    facts = "; ".join((rule.severity, *(_EFFECTS[effect] for effect in rule.effects)))
    blocks = [f"**{rule.code}** {rule.name}", f"{rule.summary}.", f"*{facts}*"]
    blocks += [f"**{title}** {text}" for title, text in (("Why.", page.why), ("Instead.", page.instead)) if text]
    blocks += [f"[All about {rule.code}]({rule.page})"] if "://" in rule.page else []
    return "\n\n".join(blocks) + "\n"


def index_markdown(catalog: Catalog) -> str:
    """The index of all rules for the documentation, a table for each family that has rules."""
    blocks = [GENERATED, "# Rules"]
    blocks.append(
        f"{len(catalog.rules)} rules. A rule is named by its code or its name, several by a prefix of their codes or a family."
    )
    for family in catalog.families:
        rules = [rule for rule in catalog.rules if rule.family == family.name]
        if rules:
            rows = [
                (
                    f"[{rule.code}]({rule.code}.md)",
                    rule.name + ("" if rule.default else " (off by default)"),
                    rule.severity,
                    ", ".join(rule.effects),
                    ", ".join(rule.fixes),
                    rule.summary,
                )
                for rule in rules
            ]
            title = f"## {family.title}\n\n`{family.name}`, {family.prefix}xx. {family.intro}"
            blocks += [title, _table(("Code", "Name", "Severity", "Effect", "Fix", "Says"), rows)]
    effects = [(f"`{effect}`", meaning) for effect, meaning in _EFFECTS.items()]
    blocks += ["## Effects", _table(("Effect", "What a user sees"), effects)]
    return "\n\n".join(blocks) + "\n"


def _facts(rule: Rule) -> list[tuple[str, str]]:
    effects = "; ".join(f"{effect}: {_EFFECTS[effect]}" for effect in rule.effects)
    facts = [
        ("Severity", _with_variants(rule.severity, [variant.severity for variant in rule.variants.values()])),
        ("Confidence", _with_variants(rule.confidence, [variant.confidence for variant in rule.variants.values()])),
        ("Effect", effects),
        ("Scope", f"{rule.scope}: {_SCOPES[rule.scope]}"),
        ("Fix", "; ".join(f"{safety}: {_FIXES[safety]}" for safety in rule.fixes)),
        ("Default", "on" if rule.default else "off"),
        ("Since", rule.since),
    ]
    return [(label, value) for label, value in facts if value]


def _with_variants(usual: str, values: list[str]) -> str:
    others = [value for value in dict.fromkeys(values) if value != usual]
    return usual + (f" ({' or '.join(others)} in some cases)" if others else "")


def _messages(rule: Rule) -> str:
    lines = []
    for variant in rule.variants.values():
        weight = "" if variant.severity == rule.severity else f" ({variant.severity})"
        lines.append(f"- {_readable(variant.template)}{weight}")
    helps = dict.fromkeys(variant.help_template for variant in rule.variants.values() if variant.help_template)
    return "\n".join([*lines, "", "What to do:", "", *[f"- {_readable(text)}" for text in helps]])


def _readable(template: str) -> str:
    """The template as a reader of the page sees it: placeholders in angle quotes, the optional ones left out."""
    text = template.replace("{chain}", "").replace("{reason}", "…").replace("{call}", "‹call›(...)")
    return text.replace("{", "‹").replace("}", "›")


def _example(example: Example) -> str:
    parts = [f"**{_sentence(example.title)}**{_torch(example)}"]
    for path, code in example.files.items():
        language = "json" if path.endswith(".ipynb") else "python"
        caption = f"`{path}`\n\n" if len(example.files) > 1 else ""
        parts.append(f"{caption}```{language}\n{code.strip()}\n```")
    if example.fixed:
        parts.append(f"Fixed:\n\n```python\n{example.fixed.strip()}\n```")
    return "\n\n".join(parts)


def _torch(example: Example) -> str:
    return f" (torch {example.torch})" if example.torch else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", title.lower().replace(" ", "-"))


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
