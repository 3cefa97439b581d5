"""A part of a project handed over to another process, and its verdict handed back.

That process is a copy of this one from before anything was read: it knows the terms, and gets the part. So it takes the memory
that the part needs, whatever there is besides.
"""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from torchdet_lint.engine.kept import Kept
from torchdet_lint.engine.load import Loaded
from torchdet_lint.engine.options import silent
from torchdet_lint.engine.reading import dump, undump
from torchdet_lint.engine.verdict import Verdict, verdict_of
from torchdet_lint.engine.verdict import dump as dump_verdict
from torchdet_lint.engine.verdict import undump as undump_verdict
from torchdet_lint.project.context import Context
from torchdet_lint.project.layout import Layout
from torchdet_lint.project.modules import part_of


@dataclass(frozen=True)
class Terms:
    """What is known before any file is read. `context` is that of every part but for its project, its scripts and which of its
    files are reported.
    """

    context: Context
    kept: Kept
    cards: bool


def hand_over(context: Context, loaded: Loaded) -> list[bytes]:
    """The part that is the project of the context, file by file, with what was lowered ahead of it, which is let go of here."""
    imports = {path: tuple(found) for path, found in context.project.imports.items()}
    reported = None if context.reported is None else tuple(context.reported)
    about: Any = (imports, context.scripts, reported)
    return [*(dump(loaded.take(path)) for path in context.project.modules), marshal.dumps(about)]


def judge_there(terms: Terms, layout: Layout, part: list[bytes]) -> bytes:
    """What the other process does: the verdict, and the units that it had to lower on the way. What it is given is used up:
    whoever called still holds it, and would hold it until the part is judged.
    """
    imports, scripts, reported = marshal.loads(part.pop())  # noqa: S302 (from a process of our own)
    loaded = Loaded(kept=terms.kept)
    part.reverse()
    while part:
        reading = undump(part.pop())
        assert reading.source is not None
        loaded.add(reading.source.path, reading._replace(source=reading.source.unpacked()))
    before = loaded.parsed
    terms.kept.added.clear()
    project = part_of(loaded.sources.values(), layout, loaded.lower)
    project.imports = {path: frozenset(found) for path, found in imports.items()}
    known = None if reported is None else frozenset(reported)
    context = replace(terms.context, project=project, scripts=scripts, reported=known)
    verdict = dump_verdict(verdict_of(context, loaded, silent, cards=terms.cards))
    whole: Any = (verdict, list(terms.kept.added), loaded.parsed - before)
    return marshal.dumps(whole)


def hand_back(data: bytes, loaded: Loaded) -> Verdict:
    """What `judge_there` gave; the units that were lowered there are kept here."""
    verdict, added, parsed = marshal.loads(data)  # noqa: S302 (from a process of our own)
    for key, body in added:
        loaded.kept.put_unit(key, body)
    loaded.parsed += parsed
    return undump_verdict(verdict)


def of_part(whole: Context, part: Sequence[str]) -> Context:
    """What the checks need for one part of a project."""
    paths = frozenset(part)
    reported = whole.reported
    return replace(
        whole,
        project=whole.project.part(part),
        scripts=tuple(script for script in whole.scripts if script[0] in paths),
        reported=None if reported is None or paths <= reported else paths & reported,
    )
