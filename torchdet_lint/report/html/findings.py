"""The report of a run as a page: the programs, every finding with its source, filters, and the rules that spoke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from torchdet_lint.finding import Finding
from torchdet_lint.report.evidence import sentence
from torchdet_lint.report.full import EFFECTS
from torchdet_lint.report.html.filters import filters
from torchdet_lint.report.html.frame import alert, page, section
from torchdet_lint.report.html.markup import Content, Markup, link, prose, tag
from torchdet_lint.report.html.programs import program_cards, sign
from torchdet_lint.report.html.source import source
from torchdet_lint.report.model import Report, count
from torchdet_lint.report.style import Style
from torchdet_lint.report.summary import can_be_fixed, place


def html(report: Report, _style: Style) -> Iterator[str]:
    """One page that needs nothing else."""
    body: list[Content] = [_summary(report), alert(report.problems)]
    if report.findings:
        by_file = groupby(report.findings, key=lambda finding: finding.location.path)
        files = [_file(path, list(findings), report) for path, findings in by_file]
        shown = section("Findings", "findings", filters(report), files, count=len(report.findings))
        body += [_programs(report), shown, section("Rules", "rules", _rules(report))]
    else:
        body += [_programs(report)]
    body.append(section("What was looked at", "scope", _scope(report)))
    lead = (tag("span", f"torchdet-lint {report.version}".strip(), class_="soft"), _contents(report))
    yield page(f"torchdet-lint: {_headline(report)}", lead, body)


def _headline(report: Report) -> str:
    parts = [count(number, severity) for severity, number in report.by_severity().items() if number]
    return ", ".join(parts) or "no findings"


def _summary(report: Report) -> list[Markup]:
    """What was found where; it claims nothing about code that no rule speaks of."""
    where = f"in {count(report.files_checked, 'file')}"
    where += f", {count(report.programs, 'program')}" if report.programs else ""
    aside = [f"{len(report.fixed)} fixed"] if report.fixed else []
    aside += [f"{report.suppressed} suppressed by comments"] if report.suppressed else []
    aside += [f"{report.known} in the baseline"] if report.known else []
    text = "; ".join(filter(None, (where, *aside, can_be_fixed(report)))) + "."
    if report.findings:
        return [tag("h1", _headline(report)), tag("p", text, class_="lead")]
    proof = " No rule spoke. That is not a proof that the trainings repeat."
    return [tag("h1", sign("good"), " No findings"), tag("p", text + proof, class_="lead")]


def _contents(report: Report) -> Markup:
    anchors = [("programs", "Programs", len(report.cards)), ("findings", "Findings", len(report.findings))]
    anchors += [("rules", "Rules", len({finding.code for finding in report.findings}))]
    return tag(
        "nav",
        [tag("a", f"{title} ", tag("span", f"{n:,}", class_="soft"), href=f"#{to}") for to, title, n in anchors if n],
        aria_label="Contents",
    )


def _programs(report: Report) -> Content:
    if not report.cards:
        return None
    return section("Programs", "programs", program_cards(report.cards), count=len(report.cards))


def _file(path: str, findings: list[Finding], report: Report) -> Markup:
    heading = tag("h3", path, tag("span", len(findings), class_="count"))
    return tag("section", heading, [_finding(each, report) for each in findings], class_="file", data_path=path)


def _finding(finding: Finding, report: Report) -> Markup:
    at = finding.location
    where = f"line {at.line}" if at.cell is None else f"cell {at.cell}, line {at.line}"
    rule = report.rules.get(finding.code)
    return tag(
        "article",
        tag("h4", severity(finding.severity), " ", prose(finding.message)),
        tag("p", tag("span", f"{where}, column {at.column}", title=place(at)), _rule_line(finding), class_="soft"),
        source(report.excerpt(at), at, finding.severity),
        _related(finding, report),
        _help(finding),
        class_=f"finding {finding.severity}",
        id=f"f-{finding.fingerprint}" if finding.fingerprint else None,
        data_severity=finding.severity,
        data_code=finding.code,
        data_family=rule.family if rule else None,
        data_effect=finding.effect,
        data_verdict=finding.evidence.verdict if finding.evidence is not None else None,
    )


def severity(name: str) -> Markup:
    """A severity as a label."""
    return tag("span", name, class_=f"severity {name}")


def _rule_line(finding: Finding) -> list[Content]:
    said = [f"{finding.confidence} confidence", *([EFFECTS[finding.effect]] if finding.effect else [])]
    name = tag("a", f"{finding.code} {finding.name}", href=f"#rule-{finding.code}")
    return [" \N{MIDDLE DOT} ", name, *(f" \N{MIDDLE DOT} {each}" for each in said)]


def _related(finding: Finding, report: Report) -> Content:
    """The other places, each by its first line."""
    items = []
    for at, label in finding.related:
        here = (at.path, at.cell) == (finding.location.path, finding.location.cell)
        where = f"line {at.line}" if here else place(at)
        lines = report.excerpt(at)[:1]
        first = at if at.line == at.end_line else at._replace(end_line=at.line, end_column=len("".join(lines)) + 1)
        items.append(tag("li", prose(label), " ", tag("span", where, class_="place"), source(lines, first, "note")))
    return tag("ol", items, class_="related") if items else None


def _help(finding: Finding) -> list[Content]:
    rows = [("Help", prose(finding.help))] if finding.help else []
    if finding.fix is not None:
        kind = "Suggestion" if finding.fix.safety == "display" else f"{finding.fix.safety.capitalize()} fix"
        rows.append((kind, prose(finding.fix.title)))
    if finding.evidence is not None:
        rows.append(("Evidence", prose(sentence(finding))))
    return [tag("p", tag("b", word), " ", text, class_="help") for word, text in rows]


def _rules(report: Report) -> list[Markup]:
    """The rules that spoke, most frequent first."""
    counts = Counter(finding.code for finding in report.findings)
    first = {finding.code: finding for finding in report.findings}
    rows = []
    for code, number in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        rule = report.rules.get(code)
        name = link(first[code].url, f"{code} {first[code].name}")
        about = [tag("b", name), tag("br"), f"{rule.summary.rstrip('.')}." if rule else None]
        rows.append(tag("tr", tag("td", f"{number:,}", class_="number"), tag("td", about), id=f"rule-{code}"))
    head = tag("thead", tag("tr", tag("th", "Findings", scope="col"), tag("th", "Rule", scope="col")))
    more = tag("p", tag("code", "torchdet-lint explain CODE"), " says why a rule exists, and shows what it reports.")
    return [more, tag("table", head, tag("tbody", rows), class_="rules")]


def _scope(report: Report) -> list[Content]:
    """The files and programs of the run, so that nothing is taken for clean that was not read."""
    if not report.files:
        return [tag("p", count(report.files_checked, "file"), ".")]
    listed = tag("ul", [tag("li", path) for path in report.files], class_="files")
    return [tag("details", tag("summary", count(len(report.files), "file")), listed)]
