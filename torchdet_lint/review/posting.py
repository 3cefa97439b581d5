"""What is to be done so that a pull request shows what a run has to say, once, whatever earlier runs have left there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from torchdet_lint.review.comments import MOST_COMMENTS, Comment


class Posted(NamedTuple):
    """A comment of ours that is there. `line` is None where the line that it stood on is gone; `answered` says that somebody has
    replied; `ref` is how the forge names it.
    """

    ref: Any
    fingerprint: str
    body: str
    path: str
    line: int | None
    answered: bool


class Plan(NamedTuple):
    """`create` fits into one request; `kept` is how many comments stay; `unsaid` are the fingerprints of comments that do
    not fit.
    """

    create: tuple[Comment, ...]
    update: tuple[tuple[Posted, str], ...]
    delete: tuple[Posted, ...]
    kept: int
    unsaid: frozenset[str]


class Done(NamedTuple):
    """What posting has changed, as numbers of comments."""

    created: int
    kept: int
    deleted: int


def plan(wanted: Sequence[Comment], posted: Iterable[Posted], gitlab: bool = False, most: int = MOST_COMMENTS) -> Plan:
    """Comments that still hold stay, those that somebody answered stay too, outdated ones go, and what is missing is added."""
    there: dict[str, list[Posted]] = defaultdict(list)
    for each in posted:
        there[each.fingerprint].append(each)
    create: list[Comment] = []
    update: list[tuple[Posted, str]] = []
    stay: list[Posted] = []
    for comment in wanted:
        mates = there[comment.fingerprint]
        current = [each for each in mates if each.path == comment.path and each.line == comment.last]
        best = next(
            iter([each for each in current if each.answered] or current or [each for each in mates if each.answered]),
            None,
        )
        if best is None:
            create.append(comment)
            continue
        stay.append(best)
        if best in current and not best.answered and best.body.rstrip() != comment.body(gitlab).rstrip():
            update.append((best, comment.body(gitlab)))
    delete = [each for mates in there.values() for each in mates if not each.answered and each not in stay]
    room = max(0, most - len(stay))
    unsaid = frozenset(comment.fingerprint for comment in create[room:])
    return Plan(tuple(create[:room]), tuple(update), tuple(delete), len(stay), unsaid)
