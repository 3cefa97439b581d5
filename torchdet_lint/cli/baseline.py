"""`torchdet-lint baseline write|prune`."""

from __future__ import annotations

import os
from typing import Any

import click

from torchdet_lint.cli.failures import CLEAN, TROUBLE, Trouble, say
from torchdet_lint.cli.output import is_stdout, spare_code
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import (
    checked_paths,
    engine_options,
    options,
    paths_argument,
    project_options,
    run_options,
    selection_options,
    settings_for,
    tell_problems,
)
from torchdet_lint.engine.baseline import DEFAULT_FILE
from torchdet_lint.report.model import count

_file = options(
    click.option(
        "--baseline",
        default=DEFAULT_FILE,
        show_default=True,
        metavar="FILE",
        help="The baseline file.",
    ),
)


@click.group(no_args_is_help=False)
def baseline() -> None:
    """Keep a list of known findings, which `check --baseline FILE` leaves out."""


@baseline.command()
@paths_argument
@_file
@selection_options
@project_options
@run_options
def write(paths: tuple[str, ...], **given: Any) -> int:
    """Write all present findings to the baseline file."""
    from torchdet_lint.engine import baseline as known

    if is_stdout(given["baseline"]):
        raise Trouble(f"--baseline: {given['baseline']} is standard output, and no file to keep")
    spare_code(os.path.realpath(given["baseline"]), "--baseline")
    result = _run(paths, given)
    entries = known.entries_of(result.findings)
    try:
        known.write(given["baseline"], entries)
    except known.BaselineError as error:
        raise Trouble(str(error)) from None
    if not given["quiet"]:
        say(f"{count(len(set(entries)), 'finding')} written to {given['baseline']}")
    return TROUBLE if tell_problems(result.problems) else CLEAN


@baseline.command()
@paths_argument
@_file
@selection_options
@project_options
@run_options
def prune(paths: tuple[str, ...], **given: Any) -> int:
    """Take findings out of the baseline file that are no longer there."""
    from torchdet_lint.engine import baseline as known

    try:
        before = known.read(given["baseline"])
        result = _run(paths, given)
        # What was not looked at, or not in full, may still be there.
        after = before if result.problems else known.pruned(before, result)
        if set(after) != set(before):
            known.write(given["baseline"], after)
    except known.BaselineError as error:
        raise Trouble(str(error)) from None
    if not given["quiet"]:
        say(
            f"{count(len(set(before)) - len(set(after)), 'finding')} pruned from {given['baseline']}, {len(set(after))} left"
        )
    return TROUBLE if tell_problems(result.problems) else CLEAN


def _run(paths: tuple[str, ...], given: dict[str, Any]) -> Any:
    from torchdet_lint import engine

    checked = checked_paths(paths)
    if checked == ("-",):
        raise Trouble("a baseline is about files, and `-` (standard input) is none")
    settings = settings_for(checked, given["config"], given["isolated"], given)
    with progress(given["quiet"]) as shown:
        return engine.run(engine_options(checked, None, settings, given), shown)
