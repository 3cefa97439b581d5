"""Measures torchdet-lint beside other linters, and writes what came out into `docs/benchmarks.md`.

Everything that is downloaded stays in `.bench/`. Counted are CPU seconds of whole processes with all descendants: they say more
than seconds of a clock on a machine that others use too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import corpora, page, plot, rivals
from benchmarks.corpora import Corpus, Unavailable
from benchmarks.session import Session

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PLOT = ROOT / "docs" / "benchmarks-growth.svg"
HOME = ROOT / ".bench"


def main(argv: Sequence[str]) -> int:
    given = _parser().parse_args(argv)
    if given.rounds < 1:
        sys.exit("--rounds: at least 1")
    HOME.mkdir(exist_ok=True)
    try:
        own = dict(map(_own, given.corpus))
        scripts, libraries, sample = _corpora(own, given.full)
    except Unavailable as error:
        sys.exit(f"nothing to measure: {error}")
    found = {rival.name: rivals.install(rival, HOME) for rival in rivals.RIVALS if rival.name not in given.without}
    session = Session(ROOT, HOME, found, given.rounds)
    session.linking()
    session.hooks()
    for corpus in filter(None, (scripts, libraries)):
        session.corpus(corpus)
    if sample:
        session.sample(sample)
    measured = page.measured(
        " ".join(["python -m benchmarks", *argv]),
        session.figures,
        session.reasons,
        session.groups,
        session.curve,
        [each for each in (scripts, libraries, sample) if each],
        session.versions(),
    )
    print(measured)
    if not own and not given.dry_run:
        PAGE.write_text(page.replace(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
        if session.curve:
            PLOT.write_text(plot.growth(session.curve), encoding="utf-8")
        print(f"written to {PAGE.relative_to(ROOT)}", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="0.9 M lines of libraries instead of 0.16 M (half an hour)")
    parser.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="[libraries=]PATH",
        help="measure a folder of your own as scripts (or libraries) instead; the page is left as it is",
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often everyone runs in turn (default 3)")
    parser.add_argument("--without", action="append", default=[], metavar="LINTER", help="leave this linter out")
    parser.add_argument("--dry-run", action="store_true", help="print only; the page is left as it is")
    return parser


def _own(text: str) -> tuple[str, Corpus]:
    kind, equals, path = text.partition("=")
    if not equals:
        kind, path = "scripts", text
    if kind not in {"scripts", "libraries"}:
        raise Unavailable(f"--corpus {text}: a corpus is `scripts=PATH` or `libraries=PATH`")
    return kind, corpora.described(kind, Path(path).resolve())


def _corpora(own: dict[str, Corpus], full: bool) -> tuple[Corpus | None, Corpus | None, Corpus | None]:
    """Scripts, libraries, and a sample of the libraries that is small enough for everyone."""
    if own:
        return own.get("scripts"), own.get("libraries"), None
    print("corpora", file=sys.stderr)
    small, large = (corpora.SAMPLE, corpora.LIBRARIES), (corpora.FULL_SAMPLE, corpora.FULL_LIBRARIES)
    sample, libraries = large if full else small
    return (
        corpora.prepare("scripts", corpora.SCRIPTS, HOME),
        corpora.prepare("libraries-full" if full else "libraries", libraries, HOME),
        corpora.prepare("sample-full" if full else "sample", sample, HOME),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
