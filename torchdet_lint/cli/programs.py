"""`torchdet-lint programs`."""

from __future__ import annotations

from typing import Any

import click

from torchdet_lint.cli.failures import CLEAN, TROUBLE, say
from torchdet_lint.cli.output import stdout_style, write_out
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import (
    checked_paths,
    engine_options,
    paths_argument,
    project_options,
    run_options,
    settings_for,
    tell_problems,
)


@click.command()
@paths_argument
@click.option(
    "--output-format", "card_format", type=click.Choice(("text", "json")), default="text", help="The form of the cards."
)
@project_options
@run_options
def programs(paths: tuple[str, ...], card_format: str, **given: Any) -> int:
    """Show a card for each program: who seeds what, who draws, which modes are on."""
    from torchdet_lint import __version__
    from torchdet_lint.engine import programs as programs_of
    from torchdet_lint.report.cards import cards, cards_json

    paths = checked_paths(paths)
    settings = settings_for(paths, given["config"], given["isolated"], given)
    with progress(given["quiet"]) as shown:
        found = programs_of(engine_options(paths, None, settings, given), shown)
    if card_format == "json":
        write_out([cards_json(found.cards, found.problems, __version__)])
    else:
        write_out(cards(found.cards, stdout_style(given["color"])))
        if not found.cards and not given["quiet"]:
            say("no programs found")
    return TROUBLE if tell_problems(found.problems) else CLEAN
