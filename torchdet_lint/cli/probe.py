"""`torchdet-lint verify --probe`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint.cli.failures import CLEAN, FINDINGS, TROUBLE, Trouble
from torchdet_lint.cli.output import write_out
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

if TYPE_CHECKING:
    from torchdet_lint.finding import Finding
    from torchdet_lint.source import SourceFile


@click.command("probe")
@paths_argument
@click.option(
    "--python", metavar="PATH", help="The interpreter whose torch is asked (default: of the active environment)."
)
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
    from torchdet_lint.config.policy import catalog_for
    from torchdet_lint.engine import run
    from torchdet_lint.engine.tables import apis_for
    from torchdet_lint.verify.probe import probe
    from torchdet_lint.verify.probe.text import as_json, as_text

    paths = checked_paths(paths)
    if paths == ("-",):
        raise Trouble("probes are about files; name one instead of `-`")
    interpreter = _interpreter(python)
    settings = settings_for(paths, given["config"], given["isolated"], given)
    with progress(given["quiet"]) as shown:
        result = run(engine_options(paths, None, settings, given), shown)
        evidence = probe(
            result.findings,
            _sources(result.findings),
            interpreter,
            apis=apis_for(settings.project),
            catalog=catalog_for(settings.project),
            progress=lambda done, total: shown("probing", done, total),
        )
    if evidence_format == "json":
        write_out([as_json(result.findings, evidence, interpreter, __version__)])
    else:
        write_out(as_text(result.findings, evidence))
    lacking = next(
        (found.text for found in evidence.values() if found.text.startswith("the interpreter has no torch")), ""
    )
    problems = [*result.problems, *([f"{interpreter}: {lacking}; name another one with --python"] if lacking else [])]
    if tell_problems(problems):
        return TROUBLE
    return FINDINGS if any(found.verdict.startswith("confirmed") for found in evidence.values()) else CLEAN


def _interpreter(named: str | None) -> str:
    """The interpreter to probe with: the one that is named, else that of the active environment, else our own."""
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise Trouble(f"--python: no such program: {named}")
        return os.path.abspath(found)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = os.environ.get(variable)
        for inner in ("bin/python", "Scripts/python.exe", "python.exe"):
            if folder and os.path.isfile(os.path.join(folder, inner)):
                return os.path.join(folder, inner)
    return sys.executable


def _sources(findings: Iterable[Finding]) -> dict[str, SourceFile]:
    """The files of the findings; one that cannot be read any more is left out."""
    read = {path: _load(path) for path in dict.fromkeys(finding.location.path for finding in findings)}
    return {path: source for path, source in read.items() if source is not None}


def _load(path: str) -> SourceFile | None:
    from torchdet_lint.source import SourceError, load

    try:
        return load(path)
    except SourceError:
        return None
