"""`torchdet-lint diff`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from torchdet_lint.cli.failures import CLEAN, FINDINGS, Trouble
from torchdet_lint.cli.output import fitted, write_out

if TYPE_CHECKING:
    from torchdet_lint.verify.difference import Event


@click.command("diff")
@click.argument("left")
@click.argument("right")
@click.option(
    "--output-format",
    "diff_format",
    type=click.Choice(("text", "json")),
    default="text",
    help="The form of the report.",
)
def diff_command(left: str, right: str, diff_format: str) -> int:
    """Compare two records (`verify --record FOLDER`) of different machines, versions or commits.

    Operations are laid beside each other by what they are, so that other lines and more operations
    do not matter. Exit status: 0 no
    difference, 1 a difference, 2 trouble.
    """
    from torchdet_lint.verify.difference import as_document, as_text, differences

    found = differences(_effects(left), _effects(right))
    if diff_format == "json":
        write_out([json.dumps(as_document(found), indent=2) + "\n"])
    else:
        write_out(fitted([as_text(found, left, right)]))
    return FINDINGS if any(each.first is not None for each in found) else CLEAN


def _effects(folder: str) -> dict[str, Sequence[Event]]:
    """The effects of each stream of a record. Raises Trouble where there is none that can be read."""
    from torchdet_lint.verify.record import RecordError, read

    try:
        record = read(folder)
    except (RecordError, OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Trouble(f"{folder}: cannot be read as a record: {reason}") from None
    if not record.streams:
        raise Trouble(
            f"{folder}: holds no record; `verify --record {os.path.basename(folder) or 'FOLDER'} -- COMMAND` makes one"
        )
    return {name: [event for _, event in stream.effects] for name, stream in record.streams.items()}
