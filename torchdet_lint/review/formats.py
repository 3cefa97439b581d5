"""A review as text: what would be posted, a summary for people, and all of it for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torchdet_lint import __version__
from torchdet_lint.report import render
from torchdet_lint.report.marks import code, inline
from torchdet_lint.report.model import Report
from torchdet_lint.report.style import PLAIN
from torchdet_lint.report.summary import place
from torchdet_lint.review.comments import MOST_COMMENTS, described, headline, planned, summary
from torchdet_lint.review.compare import Noted
from torchdet_lint.review.github import review_value
from torchdet_lint.review.gitlab import Version, discussion_value
from torchdet_lint.review.run import Review

SCHEMA = 1

MOST = 200
"""Findings that the summary for people describes: GitHub shows no more than one megabyte of a step's summary."""


def github_review(review: Review) -> Iterator[str]:
    """The request that `--post` would send to a pull request that holds nothing of ours yet."""
    said = planned(review.noted, review.change, review.excerpt)
    yield _json(review_value(said.comments[:MOST_COMMENTS], _body(review), review.head))


def gitlab(review: Review) -> Iterator[str]:
    """The requests that `--post` would send to a merge request: one for each thread, and a note."""
    said = planned(review.noted, review.change, review.excerpt)
    version = Version(review.base, review.start, review.head) if review.base else None
    threads = [discussion_value(each, version) for each in said.comments[:MOST_COMMENTS]]
    yield _json({"discussions": threads, "notes": [{"body": _body(review)}] if review.noted else []})


def markdown(review: Review) -> Iterator[str]:
    """A summary for people."""
    yield f"{headline(review.noted)}\n"
    for new, title in ((True, "Introduced"), (False, "There before, on changed lines")):
        some = [each for each in review.noted if each.new is new]
        if some:
            yield f"\n### {title}\n"
            yield from (f"\n{code(place(each.finding.location))}\n\n{described(each)}\n" for each in some[:MOST])
            yield f"\n… and {len(some) - MOST} more.\n" if len(some) > MOST else ""
    yield from (f"\n> {inline(problem)}\n" for problem in review.problems)


def json_review(review: Review) -> Iterator[str]:
    """The commits, and the findings as in the JSON report, those that are new apart from those that were there before."""
    yield _json({
        "schema": SCHEMA,
        "version": __version__,
        "merge_base": review.base,
        "base": review.start,
        "head": review.head,
        "new": _values(each for each in review.noted if each.new),
        "touched": _values(each for each in review.noted if not each.new),
        "problems": list(review.problems),
    })  # fmt: skip


FORMATS: dict[str, Callable[[Review], Iterator[str]]] = {
    "markdown": markdown,
    "github-review": github_review,
    "gitlab": gitlab,
    "json": json_review,
}


def report_of(review: Review) -> Report:
    """What there is to say as a report, for forms that know nothing of changes."""
    return Report(tuple(each.finding for each in review.noted), 0, excerpt=review.excerpt, version=__version__)


def _body(review: Review) -> str:
    said = planned(review.noted, review.change, review.excerpt)
    rest = {each.fingerprint for each in said.comments[MOST_COMMENTS:]}
    return summary(
        review.noted, [*(each for each in review.noted if each.finding.fingerprint in rest), *said.elsewhere]
    )


def _values(noted: Iterable[Noted]) -> list[Any]:
    report = Report(tuple(each.finding for each in noted), 0)
    return [json.loads(line) for line in render("json-lines", report, PLAIN)]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
