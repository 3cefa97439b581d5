"""What torchdet-lint may cost, and whether a measurement keeps to it. All figures are ratios, but for memory and linking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple


class Budget(NamedTuple):
    """A row: its key, what is compared, the most that it may be (`must`) and what would be fine (`stretch`).

    A `share` is written as a fraction, 1/40; `unit` is "×" for ratios, "MB" for memory and "s" for the one budget in CPU seconds.
    """

    key: str
    what: str
    must: float
    stretch: float
    unit: str = "×"
    share: bool = False


BUDGETS = (
    Budget("scripts/torchfix", "cold, scripts, against torchfix", 1 / 40, 1 / 100, share=True),
    Budget("scripts/fixit", "cold, scripts, against fixit", 1 / 40, 1 / 100, share=True),
    Budget("scripts/pylint", "cold, scripts, against pylint", 1 / 40, 1 / 100, share=True),
    Budget("sample/torchfix", "cold, a sample of the libraries, against torchfix", 1 / 60, 1 / 150, share=True),
    Budget("scripts/ruff", "cold, scripts, against ruff", 20, 7),
    Budget("libraries/ruff", "cold, libraries, against ruff", 25, 5),
    Budget("scripts/floor", "cold, scripts, against `libcst.parse_module` alone", 0.8, 0.3),
    Budget("libraries/floor", "cold, libraries, against `libcst.parse_module` alone", 0.8, 0.3),
    Budget("warm/scripts", "warm, scripts, against ruff's warm run", 2.5, 1),
    Budget("warm/libraries", "warm, libraries, against ruff's warm run", 1, 0.6),
    Budget("warm/edited", "one function edited in the libraries, against ruff", 6, 3),
    Budget("hook/unchanged", "hook, one file, nothing changed, against `python -c pass`", 6, 3),
    Budget("hook/screened", "hook, one file without a word of torch, against `python -c pass`", 6, 3),
    Budget("hook/needed", "hook, one file that libcst must parse, against `python -c pass`", 25, 12),
    Budget("memory/cold", "peak memory of the largest process, libraries, cold", 150, 60, "MB"),
    Budget("memory/warm", "peak memory of the largest process, libraries, warm", 60, 25, "MB"),
    Budget("growth", "time a byte, all libraries at once against each alone", 1.3, 1.1),
    Budget("linking", "linking 20,000 files, CPU seconds", 1, 0.5, "s"),
    Budget("linking/growth", "linking, time a file, 20,000 files against 5,000", 1.3, 1.1),
)


def verdict(budget: Budget, figure: float) -> str:
    """What a figure means: "stretch", "met", "missed", or "not measured" for NaN."""
    if math.isnan(figure):
        return "not measured"
    if figure <= budget.stretch:
        return "stretch"
    return "met" if figure <= budget.must else "**missed**"


def amount(figure: float, budget: Budget) -> str:
    """A figure as people read it: `1/48`, `7.3 ×`, `142 MB`."""
    if budget.unit == "MB":
        return f"{figure:.0f} MB"
    if budget.unit == "s":
        return f"{figure:.2g} s"
    if budget.share and 0 < figure < 1:
        inverse = 1 / figure
        return f"1/{inverse:.0f}" if inverse >= 10 else f"1/{inverse:.1f}"
    return f"{figure:.3g} ×"


def table(figures: Mapping[str, float], reasons: Mapping[str, str]) -> list[str]:
    """The lines of a Markdown table of all budgets. `reasons` say why there is no figure, by the row's key."""
    lines = ["| figure | measured | must | stretch | |", "|---|---:|---:|---:|---|"]
    for budget in BUDGETS:
        figure = figures.get(budget.key, math.nan)
        known = not math.isnan(figure)
        measured = amount(figure, budget) if known else "–"
        word = verdict(budget, figure) if known else reasons.get(budget.key) or verdict(budget, figure)
        most, fine = (f"≤ {amount(value, budget)}" for value in (budget.must, budget.stretch))
        lines.append(f"| {budget.what} | {measured} | {most} | {fine} | {word} |")
    return lines
