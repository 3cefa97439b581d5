"""`torchdet-lint init`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint import __version__
from torchdet_lint.cli.failures import CLEAN, TROUBLE, Trouble, say
from torchdet_lint.cli.output import write_out
from torchdet_lint.cli.progress import progress
from torchdet_lint.cli.shared import engine_options, options, settings_for
from torchdet_lint.report.model import count

if TYPE_CHECKING:
    from torchdet_lint.setup.configuration import Known
    from torchdet_lint.setup.step import Step


@click.command()
@click.argument("folder", default=".", metavar="[FOLDER]")
@options(
    click.option("--config", "config", is_flag=True, help="Only the configuration (and what else is named)."),
    click.option("--pre-commit", is_flag=True, help="Only the hook for pre-commit (and what else is named)."),
    click.option("--workflow", is_flag=True, help="Only the workflow for CI (and what else is named)."),
    click.option(
        "--forge", type=click.Choice(("github", "gitlab")), help="Whose workflow, if the project does not tell."
    ),
    click.option(
        "--package",
        metavar="REQUIREMENT",
        default=f"torchdet-lint=={__version__}",
        show_default=True,
        help="What pip installs in hooks and workflows.",
    ),
    click.option("--diff", is_flag=True, help="Show what would be written, and stop."),
    click.option("-y", "--yes", is_flag=True, help="Write without asking."),
)
def init(folder: str, **given: Any) -> int:
    """Put torchdet-lint into a project: a configuration, a hook for pre-commit, a workflow.

    Shows what it would write, and asks. What is there already is left as it is.
    """
    from torchdet_lint.engine.scope import root_of

    if not os.path.isdir(folder):
        raise Trouble(f"no such folder: {folder}")
    if not given["package"] or not given["package"].isprintable() or set(given["package"]) & set("\"'\\$` "):
        raise Trouble("--package: one requirement without blanks and quotes, such as torchdet-lint==0.1.0")
    root = root_of(os.path.abspath(folder), ["."])
    steps = tuple(_steps(root, given))
    for each in steps:
        if each.note:
            say(f"{each.name} {each.note}" + ("" if each.refused else "; left as it is"))
    changed = [each for each in steps if each.after is not None]
    refused = TROUBLE if any(each.refused for each in steps) else CLEAN
    if not changed:
        say("nothing to write")
        return refused
    write_out(piece for each in changed for piece in _diff(each))
    if given["diff"]:
        return refused
    if not given["yes"] and not _agreed(len(changed), root):
        say("nothing was written")
        return refused
    return max(refused, _written(changed))


def _steps(root: str, given: dict[str, Any]) -> Iterator[Step]:
    """What is to be done, part by part. Raises Trouble."""
    from torchdet_lint.setup import configuration, hooks, workflows
    from torchdet_lint.setup.step import repository

    top = repository(root)
    every = not (given["config"] or given["pre_commit"] or given["workflow"])
    if every or given["config"]:
        yield _planned(root, lambda: configuration.step(root, _known(root)))
    if every or given["pre_commit"]:
        yield _planned(top, lambda: hooks.step(top, given["package"]))
    if every or given["workflow"]:
        forge = given["forge"] or workflows.forge_of(top)
        if forge is not None:
            yield _planned(top, lambda: workflows.step(top, forge, given["package"]))
        elif given["workflow"]:
            raise Trouble("where the project is kept is not to be seen; name it: --forge github or --forge gitlab")
        else:
            say("no workflow: the project is in no repository of GitHub or GitLab; --forge chooses one")


def _planned(root: str, make: Callable[[], Step]) -> Step:
    """What `make` plans. A file that cannot be read is in the way of its own part only."""
    from torchdet_lint.setup.step import Step

    try:
        return make()
    except OSError as error:
        path = str(error.filename)
        why = f"cannot be read: {error.strerror}"
        return Step(os.path.relpath(path, root), path, None, None, why, refused=True)


def _known(root: str) -> Known:
    """What the project tells about itself: the programs that are found need no word in its configuration."""
    from torchdet_lint import engine
    from torchdet_lint.setup.configuration import known

    chosen: dict[str, Any] = {"no_cache": True, "cache_dir": None}
    settings = settings_for((root,), (), True, chosen, root)
    run = engine_options((root,), None, settings, chosen)
    files = engine.files(run).files
    with progress(False) as shown:
        cards = engine.programs(run, shown).cards if files else ()
    return known(root, frozenset(files), frozenset(card.path for card in cards))


def _diff(step: Step) -> Iterator[str]:
    from torchdet_lint.cli.fixing import unified

    before, after = ((data or b"").decode("utf-8", "replace") for data in (step.before, step.after))
    return unified(before, after, "/dev/null" if step.before is None else step.name, step.name)


def _agreed(number: int, root: str) -> bool:
    """Whether the user says yes. Raises Trouble where nobody can be asked."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise Trouble("nothing was written: there is nobody to ask; --yes writes, --diff only shows")
    return click.confirm(f"Write {count(number, 'file')} in {root}?", err=True)


def _written(steps: list[Step]) -> int:
    troubles = {each.name: _write(each) for each in steps}
    for name, why in troubles.items():
        say(f"{name} {why}" if why else f"wrote {name}")
    return TROUBLE if any(troubles.values()) else CLEAN


def _write(step: Step) -> str:
    """Why a file could not be written; "" when it was."""
    from torchdet_lint.engine import writing

    assert step.after is not None
    try:
        if step.before is None:
            os.makedirs(os.path.dirname(step.path), exist_ok=True)
            writing.create(step.path, step.after)
        else:
            writing.replace(step.path, step.before, step.after)
    except writing.WriteError as error:
        return str(error)
    except OSError as error:
        return f"cannot be written: {error.strerror}"
    return ""
