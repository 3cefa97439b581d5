"""From a place and a message variant to a finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from torchdet_lint.analysis.fold import Hit
from torchdet_lint.analysis.trace import Enter
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.facts import Facts
from torchdet_lint.finding import Finding, Location, Related
from torchdet_lint.ir import Span

FAMILY_NAMES = {"torch": "torch", "numpy": "NumPy", "python": "Python"}
LONGEST = 72


def family_name(family: str) -> str:
    return FAMILY_NAMES.get(family, family)


def locate(facts: Facts, site: Site) -> Location:
    source = facts.project.modules[site.path].source
    return source.locate(source.units[site.unit], site.span)


def source_text(facts: Facts, path: str, unit: int, span: Span) -> str:
    """The code at a place, on one line and not too long."""
    source = facts.project.modules[path].source
    start = source.units[unit].start
    text = " ".join(source.text[start + span[0] : start + span[1]].split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def call_text(facts: Facts, site: Site) -> str:
    """A call as messages quote it: the callee as written, and `(...)`."""
    source = facts.project.modules[site.path].source
    start = source.units[site.unit].start
    text = source.text[start + site.span[0] : start + site.span[1]]
    return shorten_call(text)


def shorten_call(text: str) -> str:
    text = " ".join(text.split())
    if not text.endswith(")"):
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        depth += (text[index] == ")") - (text[index] == "(")
        if depth == 0:
            callee = text[:index] if index <= LONGEST else _without_arguments(text[:index])
            inner = "()" if index == len(text) - 2 else "(...)"
            return (callee if len(callee) <= LONGEST else f"…{callee[-LONGEST:]}") + inner
    return text[:LONGEST]


def _without_arguments(callee: str) -> str:
    """`Split(a, b)(...)` as `Split(...)(...)`."""
    kept: list[str] = []
    depth = 0
    for at, char in enumerate(callee):
        if char == ")":
            depth -= 1
        if depth == 0:
            kept.append(char)
        if char == "(":
            depth += 1
            if depth == 1 and callee[at + 1 : at + 2] != ")":
                kept.append("...")
    return "".join(kept)


def finding(
    facts: Facts,
    code: str,
    variant: str,
    location: Location,
    *,
    program: str | None = None,
    related: Iterable[Related] = (),
    confidence: str = "",
    texts: Mapping[str, str] = {},
    **more: str,
) -> Finding:
    """A finding with the texts and the weight that the catalogue gives this variant; `texts` and `more` fill its placeholders."""
    values = {**texts, **more}
    rule = facts.context.catalog.get(code)
    said = rule.variant(variant)
    return Finding(
        code=code,
        name=rule.name,
        severity=said.severity,
        confidence=confidence or said.confidence,
        effect=said.effect,
        message=said.message(**values),
        location=location,
        program=program,
        related=tuple(related),
        help=said.help(**values),
        url=rule.page,
        variant=variant,
    )


def at_site(facts: Facts, code: str, variant: str, site: Site, **values: str) -> Finding:
    """A finding at a call, with `{call}` filled in."""
    values.setdefault("call", call_text(facts, site))
    return finding(facts, code, variant, locate(facts, site), texts=values)


def entry_index(hit: Hit, entry: str) -> int:
    """Which of the hit's sites is the innermost one that is still in the entry file."""
    sites = hit.sites
    index = 0
    while index + 1 < len(sites) and sites[index + 1].path == entry:
        index += 1
    return index


def chain_names(hit: Hit, entry: str) -> tuple[str, ...]:
    """The functions between the finding's place and the event."""
    skip = entry_index(hit, entry)
    names = [
        step.node.summary.name for step in hit.steps[:-1] if isinstance(step.node, Enter) and step.node.kind != "import"
    ]
    imports = [step.node for step in hit.steps[:-1] if isinstance(step.node, Enter)]
    names = [node.summary.name for node in imports[skip:] if node.kind != "import"]
    return tuple(dict.fromkeys(names))


def chain_text(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = [*names[:2], "…", names[-1]] if len(names) > 4 else names
    return f" (through {', '.join(shown)})"


def related_sites(facts: Facts, hit: Hit, entry: str, last: str) -> tuple[Related, ...]:
    """The places from the finding's own to the event, each with a label."""
    sites = hit.sites
    start = entry_index(hit, entry)
    found: list[Related] = []
    for index, site in enumerate(sites[start + 1 :], start + 1):
        label = last if index == len(sites) - 1 else "through this call"
        related = Related(locate(facts, site), label)
        if related not in found:
            found.append(related)
    return tuple(found)


def at_hit(facts: Facts, code: str, variant: str, hit: Hit, entry: str, *, last: str, **values: str) -> Finding:
    """A program finding: at the innermost statement of the entry file, with the chain to the event."""
    sites = hit.sites
    place = sites[entry_index(hit, entry)]
    values.setdefault("call", call_text(facts, hit.event.site))
    values.setdefault("chain", chain_text(chain_names(hit, entry)))
    return finding(
        facts,
        code,
        variant,
        locate(facts, place),
        program=entry,
        related=related_sites(facts, hit, entry, last),
        texts=values,
    )
