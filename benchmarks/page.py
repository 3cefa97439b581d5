"""The measured part of `docs/benchmarks.md`."""

from __future__ import annotations

import datetime as dt
import math
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.budgets import table
from benchmarks.corpora import Corpus
from benchmarks.measure import Outcome, ratio

BEGIN = "<!-- measured by python -m benchmarks: begin -->"
END = "<!-- measured by python -m benchmarks: end -->"


def replace(text: str, measured: str) -> str:
    """The page with the part between the marks replaced. Raises ValueError when it has no marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n\n{measured.strip()}\n\n{END}{after}"


def measured(
    command: str,
    figures: Mapping[str, float],
    reasons: Mapping[str, str],
    groups: Sequence[tuple[str, Mapping[str, Outcome]]],
    curve: Sequence[tuple[float, float]],
    corpora: Sequence[Corpus],
    versions: Mapping[str, str],
) -> str:
    """All that one run has to say, as Markdown."""
    lines = [f"{dt.datetime.now(tz=dt.timezone.utc).date()}, `{command}`, on {machine()}.", ""]
    lines += [*table(figures, reasons), ""]
    for title, outcomes in groups:
        lines += [f"### {title}", "", *runs(outcomes), ""]
    if curve:
        lines += [
            "### Growth: ever larger parts of the libraries",
            "",
            "![CPU seconds by size](benchmarks-growth.svg)",
            "",
        ]
        lines += ["| MB | CPU s | s / MB |", "|---:|---:|---:|"]
        lines += [f"| {size:.1f} | {seconds:.3g} | {seconds / size:.2f} |" for size, seconds in curve]
        lines.append("")
    lines += ["### What was measured", ""]
    lines += [f"- {each.about}{': ' if each.made_of else ''}{each.made_of}" for each in corpora]
    lines.append(f"- {', '.join(f'{name} {version}' for name, version in versions.items())}")
    return "\n".join(lines)


def runs(outcomes: Mapping[str, Outcome]) -> list[str]:
    """The lines of a table of what everyone took; ratios are those of torchdet-lint by the other, round by round."""
    lines = ["| | CPU s | wall s | peak MB | rounds | torchdet-lint takes |", "|---|---:|---:|---:|---:|---:|"]
    ours = outcomes["torchdet-lint"]
    for name, outcome in outcomes.items():
        if outcome.reason:
            lines.append(f"| {name} | skipped: {cell(outcome.reason)} | | | | |")
            continue
        wall = sorted(sample.wall for sample in outcome.samples)[len(outcome.samples) // 2]
        quotient = "" if outcome is ours else times(ratio(ours, outcome))
        lines.append(
            f"| {name} | {outcome.cpu:.3g} | {wall:.3g} | {outcome.peak / 1e6:.0f} | {len(outcome.samples)} | {quotient} |"
        )
    return lines


def times(value: float) -> str:
    """A ratio as people read it."""
    if math.isnan(value):
        return "–"
    return f"{value:.3g} ×" if value >= 1 else f"{value:.3f} × (1/{1 / value:.3g})"


def cell(text: str) -> str:
    """A text that cannot break a table."""
    return " ".join(text.replace("|", "\\|").split())


def machine() -> str:
    """The machine in a few words: cores that may be used, processor, system, Python."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} core{'s' * (cores > 1)} ({_processor()}), {platform.system()}, {python}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
