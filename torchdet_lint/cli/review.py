"""`torchdet-lint review`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint.cli.evidence import asks, evidence_options, with_evidence
from torchdet_lint.cli.failures import CLEAN, FINDINGS, TROUBLE, Trouble, say
from torchdet_lint.cli.output import write_file, write_out
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import (
    checked_paths,
    colourless_run_options,
    engine_options,
    options,
    paths_argument,
    project_options,
    selection_options,
    settings_for,
    tell_problems,
)
from torchdet_lint.finding import SEVERITIES

if TYPE_CHECKING:
    from torchdet_lint.engine.options import Options
    from torchdet_lint.finding import Finding
    from torchdet_lint.review.environment import Given
    from torchdet_lint.review.run import Folder, Review, Tried

_FORMATS = ("markdown", "github-review", "gitlab", "json")

_review_options = options(
    click.option("--base", metavar="REV", help="What the change is made to; in CI, that of the pull or merge request."),
    click.option("--head", metavar="REV", help="The change; without it, the work tree as it is."),
    click.option("--diff", metavar="FILE", help="Instead of --base: a unified diff of the change; `-` reads it from stdin."),
    click.option("--format", "form", type=click.Choice(_FORMATS), help="What to print (default: markdown, with --post nothing)."),
    click.option("--output", multiple=True, metavar="FORMAT=FILE", help="Write it to a file too, in any of these formats."),
    click.option("--fail-on", type=click.Choice(SEVERITIES), help="The least severity of new findings that makes the status 1."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are new findings."),
    click.option("--post", is_flag=True, help="Comment on the pull or merge request; the token comes from the environment."),
    click.option("--forge", type=click.Choice(("github", "gitlab")), help="Where to post, if the environment does not tell."),
    click.option("--repository", metavar="NAME", help="OWNER/NAME on GitHub, a project's path or number on GitLab."),
    click.option("--number", type=click.IntRange(min=1), help="The number of the pull or merge request."),
    click.option("--api-url", metavar="URL", help="The address of the API, such as https://github.example.org/api/v3."),
)  # fmt: skip


@click.command()
@paths_argument
@_review_options
@evidence_options
@selection_options
@project_options
@colourless_run_options
def review(paths: tuple[str, ...], **given: Any) -> int:
    """Say what a change introduces: findings that its base does not have, and those on changed lines.

    The exit status is 1 for new findings only.
    """
    from torchdet_lint.review.errors import ReviewError

    outputs = [_output(text) for text in given["output"]]
    try:
        found = _reviewed(paths, given)
        return _told(found, outputs, given)
    except ReviewError as error:
        raise Trouble(str(error)) from None


def _reviewed(paths: tuple[str, ...], given: dict[str, Any]) -> Review:
    from torchdet_lint.review import environment, git
    from torchdet_lint.review.run import reviewed, reviewed_diff

    if given["diff"] is not None and (given["base"] or given["head"]):
        raise Trouble("--diff stands for --base and --head; leave out the one or the others")
    if not given["head"]:
        checked_paths(paths)
    cwd = _cwd()
    if given["post"]:
        environment.target(_given(given), os.environ)  # before the work, what it could not be used for
    named = tuple(os.path.relpath(path, cwd) if os.path.isabs(path) else path for path in paths) or (".",)
    options_for, tried = _options_for(cwd, named, given), _tried(named, given)
    with progress(given["quiet"]) as shown:
        if given["diff"] is not None:
            source = "stdin" if given["diff"] == "-" else given["diff"]
            return reviewed_diff(_diff(given["diff"]), source, cwd, options_for, named, shown, tried)
        known = environment.revisions(os.environ) if given["post"] or not given["base"] else environment.Revisions()
        base, head = given["base"] or known.base, given["head"] or known.head or None
        if not base:
            raise Trouble("nothing to compare with: give --base REV (such as origin/main) or --diff FILE")
        repo = git.repository(cwd)
        if head is not None and not given["head"] and git.commit(repo, head) == git.commit(repo, "HEAD"):
            head = None
        if head is None and given["post"] and git.is_dirty(repo):
            head = "HEAD"  # what is not committed is not in the pull request
        return reviewed(repo, base, head, options_for, named, shown, tried)


def _tried(named: tuple[str, ...], given: dict[str, Any]) -> Tried:
    """Gives findings the evidence that the command line asks for."""
    from torchdet_lint.review.run import untried

    if not asks(given):
        return untried
    project = settings_for(named, given["config"], given["isolated"], given).project

    def tried(findings: Sequence[Finding], top: str) -> Sequence[Finding]:
        found = with_evidence(findings, project, given, top)
        for problem in found.problems:
            say(problem)
        return found.findings

    return tried


def _options_for(
    cwd: str, named: tuple[str, ...], given: dict[str, Any]
) -> Callable[[Folder, tuple[str, ...]], Options]:
    """Makes the engine's options for a side of the change. Both share the cache of the work tree."""
    from torchdet_lint.cache.folder import default_folder
    from torchdet_lint.engine.scope import root_of

    settings = settings_for(named, given["config"], given["isolated"], given)
    for notice in settings.notices:
        say(notice)
    ours = engine_options(named, None, settings, given)
    cache = ours.cache_dir or default_folder(root_of(cwd, named))

    def made(folder: Folder, paths: tuple[str, ...]) -> Options:
        config = [folder.at(os.path.abspath(text)) if os.path.isfile(text) else text for text in given["config"]]
        there = settings_for(paths, config, given["isolated"], given, folder.cwd)
        return replace(engine_options(paths, None, there, given), cache_dir=cache)

    return made


def _told(found: Review, outputs: list[tuple[str, str]], given: dict[str, Any]) -> int:
    from torchdet_lint.review.compare import at_or_above
    from torchdet_lint.review.formats import FORMATS

    for name, file in outputs:
        write_file(file, FORMATS[name](found))
    if given["form"] is not None or not given["post"]:
        write_out(FORMATS[given["form"] or "markdown"](found))
    if given["post"]:
        _post(found, given)
    if tell_problems(found.problems):
        return TROUBLE
    fail_on = given["fail_on"] or (found.options.settings.project.fail_on if found.options is not None else "warning")
    return FINDINGS if at_or_above(found.noted, fail_on) and not given["exit_zero"] else CLEAN


def _post(found: Review, given: dict[str, Any]) -> None:
    """Posts; where the token may not write, as in pull requests from forks, the log says it instead."""
    from torchdet_lint.report import render
    from torchdet_lint.report.style import PLAIN
    from torchdet_lint.review import environment, github, gitlab
    from torchdet_lint.review.comments import planned
    from torchdet_lint.review.errors import RefusedError
    from torchdet_lint.review.formats import report_of
    from torchdet_lint.review.transport import over_http

    target = environment.target(_given(given), os.environ)
    said = planned(found.noted, found.change, found.excerpt)
    try:
        if target.forge == "github":
            done = github.post(github.client(target, over_http()), target, said, found.noted, found.head)
        else:
            done = gitlab.post(gitlab.client(target, over_http()), target, said, found.noted, found.head)
    except RefusedError as error:
        say(f"{error}; this token may not comment there, so the log says it")
        write_out(render("github" if target.forge == "github" else "concise", report_of(found), PLAIN))
        return
    if not given["quiet"]:
        say(f"comments: {done.created} posted, {done.kept} there already, {done.deleted} outdated ones deleted")


def _given(given: dict[str, Any]) -> Given:
    from torchdet_lint.review.environment import Given

    return Given(given["forge"], given["repository"], given["number"], given["api_url"])


def _output(text: str) -> tuple[str, str]:
    name, _, file = text.partition("=")
    if name not in _FORMATS or not file:
        raise Trouble(f"--output: write FORMAT=FILE, with a format of {', '.join(_FORMATS)}, not {text}")
    return name, file


def _diff(file: str) -> str:
    try:
        if file != "-":
            with open(file, "rb") as stream:
                data = stream.read()
        elif sys.stdin is None:
            raise Trouble("`--diff -` reads standard input, which is closed")
        else:
            data = sys.stdin.buffer.read()
    except OSError as error:
        raise Trouble(f"--diff: {file} cannot be read: {error.strerror}") from None
    return data.decode("utf-8", "surrogateescape")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise Trouble("the working directory is gone; change to one that exists") from None
