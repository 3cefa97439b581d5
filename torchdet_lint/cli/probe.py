"""`torchdet-lint verify --probe`."""

from __future__ import annotations

from typing import Any

import click

from torchdet_lint.cli.evidence import interpreter, lacking, probed, python_option
from torchdet_lint.cli.failures import CLEAN, FINDINGS, TROUBLE, Trouble
from torchdet_lint.cli.output import fitted, write_out
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import (
    checked_paths,
    engine_options,
    paths_argument,
    project_options,
    run_options,
    selection_options,
    settings_for,
    tell_problems,
)


@click.command("probe")
@paths_argument
@python_option
@click.option(
    "--output-format",
    "evidence_format",
    type=click.Choice(("text", "json")),
    default="text",
    help="The form of the report.",
)
@selection_options
@project_options
@run_options
def probe_command(paths: tuple[str, ...], python: str | None, evidence_format: str, **given: Any) -> int:
    """Try what findings claim with tiny programs on the installed torch; nothing of yours is run.

    Exit status: 0 nothing confirmed, 1 something confirmed, 2 trouble.
    """
    from torchdet_lint import __version__
    from torchdet_lint.engine import run
    from torchdet_lint.verify.probe.text import as_json, as_text

    paths = checked_paths(paths)
    if paths == ("-",):
        raise Trouble("probes are about files; name one instead of `-`")
    python = interpreter(python)
    settings = settings_for(paths, given["config"], given["isolated"], given)
    with progress(given["quiet"]) as shown:
        result = run(engine_options(paths, None, settings, given), shown)
        evidence = probed(result.findings, settings.project, python, shown)
    if evidence_format == "json":
        write_out([as_json(result.findings, evidence, python, __version__)])
    else:
        write_out(fitted(as_text(result.findings, evidence)))
    if tell_problems((*result.problems, *lacking(evidence.values(), python))):
        return TROUBLE
    return FINDINGS if any(found.confirms for found in evidence.values()) else CLEAN
