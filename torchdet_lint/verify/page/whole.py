"""The whole page of a verification."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchdet_lint.finding import CONFIRMING
from torchdet_lint.report.html.frame import page as framed
from torchdet_lint.report.html.frame import section
from torchdet_lint.report.html.markup import Content, Markup, prose, tag
from torchdet_lint.report.html.programs import sign
from torchdet_lint.verify.experiment import Shown
from torchdet_lint.verify.factors import ENVIRONMENT, PINS, Setting
from torchdet_lint.verify.page.sides import Sides
from torchdet_lint.verify.page.stream import Lines, beside, chain, growing, told
from torchdet_lint.verify.report import NO_PROOF, ordered, sample_of, shown_place, unexplained, where
from torchdet_lint.verify.spoken import MEANING, Verdict
from torchdet_lint.verify.verdict import Judgement, Unexplained, suspects

_LOOKS = {"confirmed": "bad", "confirmed-hidden": "bad", "confounded": "open", "refuted-on-this-torch": "good"}
_STATUSES = {
    "changes": ("bad", "changes the result"),
    "confounded": ("open", "confounded"),
    "no-effect": ("faint", "no effect seen"),
    "not-asked": ("faint", "not asked for"),
    "not-run": ("faint", "not tried"),
}


def page(judgement: Judgement, pairs: Sequence[Sides], lines: Lines, version: str) -> str:
    """One page that needs nothing else. `lines` gives the text of source lines."""
    experiment = judgement.experiment
    differ = experiment.natural.differ
    title = "Two plain runs differ" if differ else "Two plain runs agree"
    torch = experiment.record.ledger.facts.get("torch", "?")
    about = f"{sample_of(judgement)} on torch {torch}, {len(experiment.runs)} runs. {_counts(judgement)} {NO_PROOF}"
    body: list[Content] = [
        tag("h1", sign("bad" if differ else "good"), f" {title}"),
        tag("p", about, class_="lead"),
        _compiled(judgement),
        [_pair(pair, lines) for pair in pairs],
        _verdicts(judgement, lines),
        _factors(judgement),
        _ledger(judgement),
        _runs(judgement),
    ]  # fmt: skip
    lead = tag("span", f"torchdet-lint {version} verify", class_="soft")
    return framed(f"verify: {title.lower()}", lead, body, styles=(_style(),))


def _style() -> str:
    return (Path(__file__).parent / "style.css").read_text(encoding="ascii")


def _counts(judgement: Judgement) -> str:
    counts = {name: sum(each.verdict == name for each in judgement.verdicts) for name in MEANING}
    said = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    more = (
        f" {judgement.elsewhere} findings stand in files that the sample did not load." if judgement.elsewhere else ""
    )
    return (f"Findings: {said}." if said else "No findings in the files of this sample.") + more


def _compiled(judgement: Judgement) -> Content:
    place = judgement.experiment.record.ledger.facts.get("compiled")
    if place is None:
        return None
    return tag("p", f"torch.compile ran its functions uncompiled here ({shown_place(place)}).")


def _pair(pair: Sides, lines: Lines) -> Markup:
    return section(
        pair.title,
        f"pair-{pair.names[1]}",
        tag("h3", "What led to it"),
        told(pair.divergence),
        chain(pair.divergence, lines),
        tag("h3", "Side by side"),
        beside(pair),
        tag("h3", "How the difference grows"),
        growing(pair),
    )


def _verdicts(judgement: Judgement, lines: Lines) -> Content:
    items = [_verdict(verdict, lines) for verdict in ordered(judgement)]
    items += [_unexplained(item, lines) for item in judgement.unexplained]
    return section("Verdicts", "verdicts", items, count=len(items)) if items else None


def _verdict(verdict: Verdict, lines: Lines) -> Markup:
    finding = verdict.finding
    look = _LOOKS.get(verdict.verdict, "faint")
    evidence = [
        ("Factor", verdict.factor),
        ("Source", f"{verdict.source.name} at {shown_place(verdict.source.place)}" if verdict.source else ""),
        ("Decisive", ", ".join(verdict.checks)),
        ("On CUDA", f"check {verdict.cuda_check}" if verdict.cuda_check else ""),
    ]
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", said)) for name, said in evidence if said]
    confirming = verdict.verdict in CONFIRMING
    return tag(
        "article",
        tag(
            "h4",
            sign(look, verdict.verdict),
            " ",
            tag("b", verdict.verdict, class_=f"{look}-text"),
            f" {verdict.reason}",
        ),
        tag("p", tag("span", where(finding), class_="place"), f" {finding.code} {finding.name}", class_="soft"),
        tag("p", prose(finding.message)),
        tag("table", tag("tbody", rows), class_="plain") if rows else None,
        chain(verdict.divergence, lines, finding) if confirming and verdict.divergence is not None else None,
        class_="verdict",
    )


def _unexplained(item: Unexplained, lines: Lines) -> Markup:
    look = "bad" if item.fails else "open"
    return tag(
        "article",
        tag("h4", sign(look), " ", unexplained(item)),
        tag("p", shown_place(item.place), class_="place"),
        chain(item.divergence, lines),
        class_="verdict",
    )


def _factors(judgement: Judgement) -> Content:
    """The matrix: each factor, what its release did, and which findings suspect it."""
    experiment = judgement.experiment
    if experiment.pinned is None:
        return None
    if experiment.residual:
        said = "Two runs differ with everything held, so single factors were not tried."
        return section("Factors", "factors", tag("p", said))
    titles = ("Factor", "", "Released alone", "First difference", "Suspected by")
    head = tag("thead", tag("tr", [tag("th", title, scope="col") for title in titles]))
    rows = [_factor(shown, judgement) for shown in experiment.shown.values()]
    about = "Each was given another value while all the others were held."
    table = tag("div", tag("table", head, tag("tbody", rows), class_="matrix"), class_="scroll")
    return section("Factors", "factors", tag("p", about, class_="soft"), table)


def _factor(shown: Shown, judgement: Judgement) -> Markup:
    look, said = _STATUSES[shown.status]
    suspected = dict.fromkeys(
        (each.finding.code, each.verdict in CONFIRMING and each.factor == shown.factor.name)
        for each in judgement.verdicts
        if shown.factor in suspects(each.finding)
    )
    codes = [
        tag("span", code, " ", sign("bad", "confirmed") if guilty else None, class_="suspect")
        for code, guilty in suspected
    ]
    return tag(
        "tr",
        tag("th", shown.factor.name, scope="row"),
        tag("td", shown.factor.title, class_="soft"),
        tag("td", sign(look, said), f" {said}"),
        tag("td", shown_place(shown.divergence.place) if shown.divergence else None, class_="place"),
        tag("td", codes),
    )


def _ledger(judgement: Judgement) -> Content:
    draws = judgement.experiment.record.ledger.draws
    rows = [
        tag(
            "tr",
            tag("td", sign("good" if draw.seeded else "bad", "seeded" if draw.seeded else "never seeded before")),
            tag("th", draw.generator, scope="row"),
            tag("td", f"{draw.times:,}", class_="number"),
            tag("td", shown_place(draw.place), class_="place"),
            tag("td", shown_place(draw.seeded) if draw.seeded else "never", class_="place"),
        )
        for draw in draws
        if draw.place
    ]
    titles = ("", "Generator", "Draws", "By", "Seeded by")
    head = tag("thead", tag("tr", [tag("th", title, scope="col") for title in titles]))
    table = tag("div", tag("table", head, tag("tbody", rows)), class_="scroll")
    return section("Random numbers of the first run", "ledger", table) if rows else None


def _runs(judgement: Judgement) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", run.setting.name, scope="row"),
            tag("td", _held(run.setting)),
            tag("td", run.outcome.stopped or ("-" if run.outcome.status is None else f"status {run.outcome.status}")),
            tag("td", f"{run.outcome.seconds:.1f} s", class_="number"),
        )
        for run in judgement.experiment.runs
    ]
    head = tag("thead", tag("tr", [tag("th", title, scope="col") for title in ("Run", "Held", "Ended", "Took")]))
    table = tag("div", tag("table", head, tag("tbody", rows)), class_="scroll")
    return section("Runs", "runs", tag("details", tag("summary", f"{len(rows)} runs"), table))


def _held(setting: Setting) -> str:
    """What a run was given, as far as it is not what all pinned runs are given."""
    if not setting.pins:
        return "nothing is held"
    given = {**setting.pins, **setting.env}
    usual = {**PINS, **ENVIRONMENT}
    other = [f"{name} = {value}" for name, value in given.items() if usual.get(name) != value]
    other += ["another folder"] if setting.elsewhere else []
    other += [f"on {line} alone" for line in setting.only]
    return f"all is held but {', '.join(other)}" if other else "all is held"
