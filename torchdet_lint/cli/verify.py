"""`torchdet-lint verify`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint.cli.ending import ended_in_order
from torchdet_lint.cli.failures import CLEAN, FINDINGS, Trouble, say
from torchdet_lint.cli.output import fitted, spare_code, write_file, write_out
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import (
    engine_options,
    options,
    project_options,
    run_options,
    selection_options,
    settings_for,
)

if TYPE_CHECKING:
    from torchdet_lint.finding import Finding
    from torchdet_lint.verify.experiment import Execute, Experiment, Tell
    from torchdet_lint.verify.running import Run, Sample
    from torchdet_lint.verify.trials import Wanted
    from torchdet_lint.verify.verdict import Judgement

_sample_options = options(
    click.option(
        "--steps", type=click.IntRange(1), default=20, show_default=True, help="Stop after so many optimizer steps."
    ),
    click.option(
        "--ops", type=click.IntRange(1), default=200_000, show_default=True, help="Stop after so many operations."
    ),
    click.option(
        "--seconds", type=click.FloatRange(1), default=120.0, show_default=True, help="Stop after so many seconds."
    ),
    click.option(
        "--factors", default="all", show_default=True, metavar="LIST", help="What to release: names, `entropy`, `none`."
    ),
    click.option(
        "--findings", "findings_file", metavar="FILE", help="A JSON report to verify, instead of linting now."
    ),
    click.option(
        "--without",
        default="",
        metavar="PATTERN",
        help="Test that functions with such a name shift no draw of the rest.",
    ),
    click.option(
        "--resume-args",
        default="",
        metavar="ARGS",
        help="Arguments with which the program resumes; test that it goes on.",
    ),
    click.option("--record", metavar="FOLDER", help="Keep the records of all runs in this new or empty folder."),
    click.option("--html", metavar="FILE", help="Write a page that shows two runs side by side."),
    click.option("--output-format", "form", type=click.Choice(("text", "json", "markdown")), default="text"),
)


@click.command(context_settings={"ignore_unknown_options": False})
@_sample_options
@selection_options
@project_options
@run_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def verify(command: tuple[str, ...], **given: Any) -> int:
    """Run a sample of a program several times, and say which findings that confirms.

    The command runs in a copy of the current folder: `torchdet-lint verify -- python train.py --epochs 1`.
    `torchdet-lint verify --probe PATHS` runs nothing of yours: it tries what findings claim with tiny programs on the
    installed torch.
    """
    from torchdet_lint import __version__
    from torchdet_lint.verify.document import document
    from torchdet_lint.verify.report import markdown, text

    chosen = _factors(given["factors"])
    if given["html"] and not os.path.isdir(os.path.dirname(os.path.abspath(given["html"]))):
        raise Trouble(f"--html: there is no folder for {given['html']}")
    spare_code(os.path.realpath(given["html"] or ""), "--html")
    command = _found(command)
    with progress(given["quiet"]) as shown:
        findings = _findings(given, shown)
        judgement = _judged(command, findings, chosen, given, shown)
    if given["form"] == "json":
        write_out([document(judgement, __version__)])
    else:
        write_out(markdown(judgement) if given["form"] == "markdown" else fitted(text(judgement)))
    return CLEAN if judgement.clean else FINDINGS


def _factors(names: str) -> frozenset[str]:
    from torchdet_lint.verify.factors import BY_NAME, GROUPS

    chosen: set[str] = set()
    for name in filter(None, (part.strip() for part in names.split(","))):
        if name not in BY_NAME and name not in GROUPS:
            raise Trouble(f"--factors: unknown factor {name}; known are {', '.join((*BY_NAME, *GROUPS))}")
        chosen.update(GROUPS.get(name, (name,)))
    return frozenset(chosen)


def _found(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command with the path of its program. Raises Trouble."""
    program = shutil.which(command[0])
    if program is None:
        script = os.path.isfile(command[0]) and command[0].endswith((".py", ".ipynb"))
        hint = f"; write `python {command[0]}`" if script else ""
        raise Trouble(f"command not found: {command[0]}{hint}")
    if os.path.basename(program).startswith("python") and command[1:] in ((), ("-",)):
        raise Trouble("the command reads its program from standard input, which is empty here; name a file of it")
    return (os.path.abspath(program), *command[1:])


def _findings(given: dict[str, Any], shown: Tell) -> tuple[Finding, ...]:
    from torchdet_lint.engine import run
    from torchdet_lint.verify.findings import FindingsError, from_report, still_there

    file = given["findings_file"]
    try:
        earlier = from_report(file) if file else ()
        if file:
            given = {**given, "select": ("ALL",), "ignore": ()}
        settings = settings_for((".",), given["config"], given["isolated"], given)
        result = run(engine_options((".",), None, settings, given), shown)
        for problem in result.problems:
            say(problem)
        if not file:
            return result.findings
        kept, note = still_there(earlier, result.findings, file)
    except FindingsError as error:
        raise Trouble(str(error)) from None
    if note:
        say(note)
    return kept


def _judged(
    command: tuple[str, ...], findings: Sequence[Finding], chosen: frozenset[str], given: dict[str, Any], shown: Tell
) -> Judgement:
    from torchdet_lint.verify.running import Sample, by_path
    from torchdet_lint.verify.spoken import lines_of
    from torchdet_lint.verify.trials import wanted
    from torchdet_lint.verify.verdict import judge, suspects

    suspected = frozenset(factor.name for finding in findings for factor in suspects(finding))
    with ended_in_order(), tempfile.TemporaryDirectory(prefix="torchdet-", ignore_cleanup_errors=True) as base:
        sample = Sample(
            command=_runnable(command, os.path.realpath(base)),
            folder=os.getcwd(),
            base=os.path.realpath(base),
            steps=given["steps"],
            ops=given["ops"],
            seconds=given["seconds"],
            lines=by_path(line for finding in findings for line in lines_of(finding)),
            records=_record_folder(given["record"]),
        )
        trials = wanted(findings, command, bool(chosen), given["without"], shlex.split(given["resume_args"]))
        judgement = judge(findings, _experiment(sample, findings, chosen, suspected, shown, trials))
        if given["html"]:
            _write_page(given["html"], judgement, sample)
        return judgement


def _runnable(command: tuple[str, ...], base: str) -> tuple[str, ...]:
    """The command, or what runs the notebook that it names. Raises Trouble."""
    from torchdet_lint.source.text import SourceError
    from torchdet_lint.verify.notebooks import NotebookError, entry, runnable

    try:
        notebook = entry(command)
        return command if notebook is None else runnable(notebook, os.getcwd(), base)
    except NotebookError as error:
        raise Trouble(str(error)) from None
    except SourceError as error:
        raise Trouble(f"{error.path}:{error.line}: {error.message}") from None
    except OSError as error:
        raise Trouble(f"{error.filename} cannot be read: {error.strerror}") from None


def _write_page(file: str, judgement: Judgement, sample: Sample) -> None:
    """The page, while the records that it shows are there. Raises Trouble."""
    from torchdet_lint import __version__
    from torchdet_lint.verify.page.sides import sides
    from torchdet_lint.verify.page.sources import lines_in
    from torchdet_lint.verify.page.whole import page

    pairs = sides(judgement, sample.records or os.path.join(sample.base, "records"))
    write_file(file, [page(judgement, pairs, lines_in(sample.folder), __version__)], "--html")


def _record_folder(folder: str | None) -> str:
    """The folder for records, empty for one that is not kept. Raises Trouble for one that holds something."""
    if folder is None:
        return ""
    try:
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):
            raise Trouble(f"--record: {folder} is not empty; name a new folder")
    except OSError as error:
        raise Trouble(f"--record: {folder} cannot be used: {error.strerror}") from None
    return os.path.realpath(folder)


def _experiment(
    sample: Sample,
    findings: Sequence[Finding],
    chosen: frozenset[str],
    suspected: frozenset[str],
    shown: Tell,
    trials: Wanted,
) -> Experiment:
    from torchdet_lint.verify import accelerator
    from torchdet_lint.verify.experiment import NothingToCompare, ProgramFailed, failures, perform
    from torchdet_lint.verify.record import RecordError
    from torchdet_lint.verify.running import execute

    run: Execute = partial(execute, sample)
    try:
        experiment = perform(run, chosen, suspected, shown, trials)
        experiment = accelerator.perform(run, experiment, findings, sample.accelerator, shown)
    except ProgramFailed as failed:
        raise _own_failure(failed.run) from None
    except (NothingToCompare, RecordError) as error:
        raise Trouble(str(error)) from None
    except OSError as error:
        raise Trouble(f"the program cannot be run: {error}") from None
    for line in (*experiment.runs[0].outcome.notes, *failures(experiment.runs)):
        say(line)
    return experiment


def _own_failure(run: Run) -> Trouble:
    """Shows what the program itself said, and makes the line for it."""
    said = run.outcome.stderr
    if "No module named 'torch'" in said:
        return Trouble("the command's Python has no torch: install it there, or run the Python that has it")
    if said.strip():
        print(said[-20_000:], file=sys.stderr, end="" if said.endswith("\n") else "\n")
    why = (
        "its own words stand above" if said.strip() else "it said nothing",
        *(["it wants a GPU that torch does not find here"] if _NO_GPU.search(said) else ()),
        *run.outcome.notes,
    )
    return Trouble(f"the program failed by itself ({_status(run.outcome.status)}); {'; '.join(why)}")


def _status(status: int | None) -> str:
    """`status 1`, or the signal that ended it."""
    import signal

    names = {one.value: one.name for one in signal.Signals}
    return names.get(-status, f"signal {-status}") if status is not None and status < 0 else f"status {status}"


_NO_GPU = re.compile(
    "Torch not compiled with CUDA enabled|No CUDA GPUs are available|Found no NVIDIA driver|no CUDA-capable device"
    "|on a CUDA device but torch.cuda.is_available|not linked with support for|only supported with GPUs"
    "|the MPS backend is (?:supported|not)"
    r"|(?i:\b(?:cuda|gpus?)\b[^\n]{0,40}\b(?:required|needed|not (?:available|found|detected)|unavailable))"
)
"""What torch says where a program asks for an accelerator that it does not have (`torch/cuda/__init__.py`,
`torch/serialization.py`, `c10/core/impl`, `ProcessGroupNCCL.cpp`), and what programs say themselves.
"""
