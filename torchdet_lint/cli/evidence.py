"""Evidence beside findings: from probes that are run now, or from a document that `verify` has written."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from torchdet_lint.cli.ending import ended_in_order
from torchdet_lint.cli.failures import Trouble, say
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import options

if TYPE_CHECKING:
    from torchdet_lint.config import Settings
    from torchdet_lint.engine.options import Progress, Stdin
    from torchdet_lint.finding import Evidence, Finding
    from torchdet_lint.source import SourceFile

python_option = click.option(
    "--python", metavar="PATH", help="The interpreter whose torch is asked (default: of the active environment)."
)

evidence_options = options(
    click.option("--verify", is_flag=True, help="Try what findings claim on the installed torch; nothing of yours is run."),
    python_option,
    click.option("--evidence", metavar="FILE", help="Show the verdicts of a JSON report of `verify` with the findings."),
)  # fmt: skip


class Tried(NamedTuple):
    """Findings with their evidence, and what kept them from being tried, a line each."""

    findings: tuple[Finding, ...]
    problems: tuple[str, ...] = ()


def asks(given: dict[str, Any]) -> bool:
    """Whether a command line wants evidence. Raises Trouble for options that go with none."""
    if given["python"] is not None and not given["verify"]:
        raise Trouble("--python names the interpreter for --verify; add that, or leave it out")
    return given["verify"] or given["evidence"] is not None


def with_evidence(
    findings: Sequence[Finding], project: Settings, given: dict[str, Any], top: str = "", stdin: Stdin | None = None
) -> Tried:
    """The findings with what is known of each: from the file of `--evidence`, and for those that it does not name from probes
    with `--verify`. Paths of findings are relative to `top`. Raises Trouble.
    """
    from torchdet_lint.verify.evidence import attached, read
    from torchdet_lint.verify.findings import FindingsError

    known: dict[str, Evidence] = {}
    if given["evidence"] is not None:
        try:
            known.update(read(given["evidence"]))
        except FindingsError as error:
            raise Trouble(f"--evidence: {error}") from None
        if known and findings and not any(finding.fingerprint in known for finding in findings):
            say(f"{given['evidence']} speaks of none of these findings: it may be of another revision")
    problems: tuple[str, ...] = ()
    if given["verify"]:
        rest = [finding for finding in findings if finding.fingerprint not in known]
        python = interpreter(given["python"])
        with progress(given["quiet"]) as shown:
            known.update(probed(rest, project, python, shown, top, stdin))
        problems = lacking(known.values(), python)
    return Tried(attached(findings, known), problems)


def probed(
    findings: Sequence[Finding],
    project: Settings,
    python: str,
    shown: Progress,
    top: str = "",
    stdin: Stdin | None = None,
) -> dict[str, Evidence]:
    """What probes say about each finding, by fingerprint."""
    from torchdet_lint.config.policy import catalog_for
    from torchdet_lint.engine.tables import apis_for
    from torchdet_lint.verify.probe import probe

    with ended_in_order():
        evidence = probe(
            findings,
            _sources(findings, top, stdin),
            python,
            apis=apis_for(project),
            catalog=catalog_for(project),
            progress=lambda done, total: shown("probing", done, total),
        )
    return dict(evidence)


def lacking(evidence: Sequence[Evidence] | Any, python: str) -> tuple[str, ...]:
    """The line for an interpreter without torch, if it has none."""
    said = next((each.text for each in evidence if each.text.startswith("the interpreter has no torch")), "")
    return (f"{python}: {said}; name another one with --python",) if said else ()


def interpreter(named: str | None) -> str:
    """The interpreter to probe with: the one that is named, else that of the active environment, else our own."""
    if named is not None:
        import shutil

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


def _sources(findings: Sequence[Finding], top: str, stdin: Stdin | None) -> dict[str, SourceFile]:
    """The files of the findings; one that cannot be read any more is left out."""
    paths = dict.fromkeys(finding.location.path for finding in findings)
    read = {path: _load(path, top, stdin) for path in paths}
    return {path: source for path, source in read.items() if source is not None}


def _load(path: str, top: str, stdin: Stdin | None) -> SourceFile | None:
    from torchdet_lint.source import SourceError, load

    try:
        if stdin is not None:
            return load(stdin.filename, stdin.data, path)
        return load(os.path.join(top, path), display=path)
    except SourceError:
        return None
