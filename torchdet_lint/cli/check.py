"""`torchdet-lint check`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint.cache.folder import prepare
from torchdet_lint.cli.evidence import asks, evidence_options, with_evidence
from torchdet_lint.cli.failures import CLEAN, FINDINGS, TROUBLE, Trouble, say
from torchdet_lint.cli.fixing import Mode, add_ignores, carried_out, fix_options, list_of_fixes
from torchdet_lint.cli.output import stdout_style, write_err, write_file, write_out
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
from torchdet_lint.config import OUTPUT_FORMATS
from torchdet_lint.finding import SEVERITIES
from torchdet_lint.report import WITH_CARDS, WITH_RULES
from torchdet_lint.report.model import count

if TYPE_CHECKING:
    from torchdet_lint.cli.replay import Session
    from torchdet_lint.config import Settings, SettingsFor
    from torchdet_lint.engine.baseline import Entry
    from torchdet_lint.engine.options import Options, Result
    from torchdet_lint.finding import Finding
    from torchdet_lint.report.model import Report
    from torchdet_lint.report.style import Style

_report_options = options(
    click.option("--fail-on", type=click.Choice(SEVERITIES), help="The least severity that makes the exit status 1."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings."),
    click.option(
        "--output-format",
        type=click.Choice(OUTPUT_FORMATS),
        metavar="FORMAT",
        help=f"The form of the report: {', '.join(OUTPUT_FORMATS)}.",
    ),
    click.option(
        "--output",
        multiple=True,
        metavar="FORMAT[=FILE]",
        help="Write a further report to a file; without FILE, to stdout.",
    ),
    click.option("--baseline", metavar="FILE", help="Leave out the findings that this file holds."),
    click.option("--statistics", is_flag=True, help="Show how often each rule speaks instead of the findings."),
    click.option("--no-suppressions", is_flag=True, help="Show findings that comments suppress."),
    click.option("--show-files", is_flag=True, help="List the files that would be checked, and stop."),
    click.option("--show-settings", is_flag=True, help="Show every setting and who set it, and stop."),
    click.option("--stdin-filename", metavar="PATH", help="The path that `-` (standard input) is taken for."),
)


class _Check(click.Command):
    """`--add-ignore` takes its reason after an equals sign only, so that a path may follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--add-ignore=" if arg == "--add-ignore" else arg for arg in args])


@click.command(cls=_Check)
@paths_argument
@selection_options
@_report_options
@evidence_options
@fix_options
@project_options
@run_options
@click.pass_obj
def check(session: Session | None, /, paths: tuple[str, ...], **given: Any) -> int:
    """Check files and folders (default: the current folder); `-` reads standard input."""
    outputs = _outputs(given["output"])
    on_stdout = _on_stdout(outputs, given["output_format"])
    paths = checked_paths(paths, given["stdin_filename"])
    about = (given["stdin_filename"] or ".",) if paths == ("-",) else paths
    settings = settings_for(about, given["config"], given["isolated"], given)
    if given["show_settings"]:
        write_out(_settings_pages(settings, about))
        return CLEAN
    mode = Mode.of(given)
    on_stdout = on_stdout or settings.project.output_format
    formats = {on_stdout, *(name for name, _ in outputs)}
    run_options = engine_options(paths, given["stdin_filename"], settings, given)
    if not formats.isdisjoint(WITH_CARDS):
        run_options = replace(run_options, cards=True)
    if given["show_files"]:
        return _show_files(run_options)
    known = _baseline(given["baseline"])
    cache = None if session is None or _leaves_more(outputs, paths, mode, given) else _cache(run_options)
    if session is not None and cache is not None and (found := session.known_in(cache)) is not None:
        write_out([found[1]])
        return found[0]
    if cache is not None:
        prepare(cache)  # now, so that it is no change to the folder that it lies in
    start = time.perf_counter()
    result, done, status = carried_out(run_options, settings.project, mode, given, known)
    if given["add_ignore"] is not None:
        return add_ignores(run_options, result, given["add_ignore"], given["quiet"])
    if mode.diff:
        return TROUBLE if tell_problems(result.problems) else status
    if asks(given):
        tried = with_evidence(result.findings, settings.project, given, stdin=run_options.stdin)
        result = replace(result, findings=tried.findings, problems=(*result.problems, *tried.problems))
    report = _report(run_options, result, given, start, done, with_rules=not formats.isdisjoint(WITH_RULES))
    _write_files(outputs, report)
    for notice in settings.notices:
        say(notice)
    if given["verbose"]:
        say(f"the project is {_root(run_options)}")
    text = "".join(_pieces(on_stdout, report, given, mode, stdout_style(given["color"])))
    # Where standard input is fixed, the source is what stands on standard output.
    (write_err if mode.active and run_options.stdin is not None else write_out)([text])
    if mode.only:
        return max(status, TROUBLE if tell_problems(result.problems) else CLEAN)
    status = max(status, _status(result, settings.project, given["exit_zero"]))
    if session is not None and cache is not None and status != TROUBLE and result.files and not settings.notices:
        session.keep(cache, status, text)
    return status


def _write_files(outputs: list[tuple[str, str | None]], report: Report) -> None:
    """The reports that go to files."""
    for name, file in outputs:
        if file is not None:
            from torchdet_lint.report import render
            from torchdet_lint.report.style import PLAIN

            write_file(file, render(name, report, PLAIN))


def _leaves_more(
    outputs: list[tuple[str, str | None]], paths: tuple[str, ...], mode: Mode, given: dict[str, Any]
) -> bool:
    """Whether a run depends on, or leaves, more than a text on standard output that files decide."""
    changes = mode.active or given["add_ignore"] is not None or asks(given)
    return changes or given["verbose"] or paths == ("-",) or any(file is not None for _, file in outputs)


def _root(run_options: Options) -> str:
    """The folder that was read."""
    from torchdet_lint.engine.scope import root_of

    stdin = run_options.stdin
    return root_of(run_options.cwd, run_options.paths if stdin is None else (stdin.filename,))


def _cache(run_options: Options) -> str | None:
    """The folder of the cache of a run, if it has one."""
    from torchdet_lint.cache.folder import default_folder
    from torchdet_lint.engine.scope import root_of

    if not run_options.cache:
        return None
    return run_options.cache_dir or default_folder(root_of(run_options.cwd, run_options.paths))


def _baseline(file: str | None) -> tuple[Entry, ...]:
    """The findings that are put off. Raises Trouble."""
    if file is None:
        return ()
    from torchdet_lint.engine.baseline import BaselineError, read

    try:
        return read(file)
    except BaselineError as error:
        raise Trouble(f"--baseline: {error}") from None


def _outputs(texts: Iterable[str]) -> list[tuple[str, str | None]]:
    """What `--output` asks for. Raises Trouble, also where one report would replace another."""
    found = [_output(text) for text in texts]
    files = [file for _, file in found if file is not None]
    for number, file in enumerate(files):
        if file in files[:number]:
            raise Trouble(f"--output: two reports for {file}, which can hold one")
    return found


def _output(text: str) -> tuple[str, str | None]:
    """`--output FORMAT[=FILE]` as its parts; FILE None or `-` is standard output."""
    name, equals, file = text.partition("=")
    if name not in OUTPUT_FORMATS:
        raise Trouble(f"--output: unknown format {name or text}; known are {', '.join(OUTPUT_FORMATS)}")
    if equals and not file:  # an empty variable, as a rule
        raise Trouble(f"--output: {text} names no file; give {name}=FILE, or {name} for standard output")
    return name, file if file and file != "-" else None


def _on_stdout(outputs: list[tuple[str, str | None]], chosen: str | None) -> str | None:
    """The format on standard output that the command line asks for, if it does."""
    names = [name for name, file in outputs if file is None] + ([chosen] if chosen else [])
    if len(set(names)) > 1:
        raise Trouble(
            f"one report fits on standard output, not {' and '.join(names)}; write the others to files: {names[0]}=FILE"
        )
    return names[0] if names else None


def _report(
    run_options: Options,
    result: Result,
    given: dict[str, Any],
    start: float,
    done: tuple[Finding, ...],
    with_rules: bool,
) -> Report:
    from torchdet_lint import __version__
    from torchdet_lint.config.policy import catalog_for
    from torchdet_lint.report.model import Report

    if not result.files and not result.problems and not given["quiet"]:
        say("no Python files or notebooks to check")
    rules = catalog_for(run_options.settings.project).rules if with_rules else ()
    return Report(
        findings=result.findings,
        files_checked=len(result.files),
        rules={rule.code: rule for rule in rules},
        excerpt=result.excerpt,
        problems=result.problems,
        suppressed=result.suppressed,
        programs=result.programs,
        version=__version__,
        elapsed=time.perf_counter() - start if given["verbose"] else None,
        work=result.work if given["verbose"] else None,
        fixed=done,
        known=result.known,
        cards=result.cards,
        files=result.files,
        excused=result.excused,
    )


def _pieces(output_format: str, report: Report, given: dict[str, Any], mode: Mode, style: Style) -> Iterator[str]:
    """What goes to standard output."""
    from torchdet_lint.report import TEXT_FORMATS, render

    readable = output_format in TEXT_FORMATS
    if mode.only:
        if readable and given["show_fixes"]:
            yield from list_of_fixes(report.fixed)
        elif readable and report.fixed and not given["quiet"]:
            yield f"{count(len(report.fixed), 'finding')} fixed\n"
        return
    if given["statistics"] and readable:
        from torchdet_lint.report.statistics_table import statistics_table

        yield from statistics_table(report, style)
    else:
        yield from render(output_format, report, style)
    if readable and given["show_fixes"]:
        yield from list_of_fixes(report.fixed)
    if readable and not given["quiet"]:
        from torchdet_lint.report.summary import summary

        yield summary(report, style)


def _status(result: Result, project: Settings, exit_zero: bool) -> int:
    if tell_problems(result.problems):
        return TROUBLE
    least = SEVERITIES.index(project.fail_on)
    failing = any(SEVERITIES.index(finding.severity) >= least for finding in result.findings)
    return FINDINGS if failing and not exit_zero else CLEAN


def _show_files(run_options: Options) -> int:
    from torchdet_lint.engine import files

    found = files(run_options)
    write_out(f"{path}\n" for path in found.files)
    return TROUBLE if tell_problems(found.problems) else CLEAN


def _settings_pages(settings: SettingsFor, paths: tuple[str, ...]) -> Iterator[str]:
    """The settings for each path, once for each configuration file."""
    from torchdet_lint.config import show

    seen: set[str | None] = set()
    for path in paths:
        found = settings(path)
        if found.config_file not in seen:
            yield ("\n" if seen else "") + f"# {path}: {found.config_file or 'no configuration file'}\n" + show(found)
        seen.add(found.config_file)
