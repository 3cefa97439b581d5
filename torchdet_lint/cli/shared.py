"""The options that several commands have, and the engine's options made from them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from torchdet_lint import disk
from torchdet_lint.cache.folder import VARIABLE, obstacle
from torchdet_lint.cli.failures import Trouble, say
from torchdet_lint.config import OPTIONS, Layer, SettingsFor, inline, layer
from torchdet_lint.finding import CONFIDENCES, SEVERITIES
from torchdet_lint.report.style import WHEN

if TYPE_CHECKING:
    from torchdet_lint.engine.options import Options

F = TypeVar("F", bound=Callable[..., Any])

_LISTS = ("select", "extend-select", "ignore", "exclude")
_KEYS = {"exclude": "extend-exclude"}
"""Command-line options that set a key of another name: nobody who excludes a folder means to include `.venv` again."""

_ORDER = (
    "select", "extend-select", "ignore", "min-severity", "min-confidence", "fail-on", "exclude", "force-exclude",
    "target-torch", "output-format", "cache-dir", "jobs",
)  # fmt: skip


def options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several decorators as one, the first one outermost (and first in `--help`)."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


paths_argument: Callable[[F], F] = click.argument("paths", nargs=-1, metavar="[PATHS]...")

selection_options: Callable[[F], F] = options(
    click.option(
        "--select", multiple=True, metavar="RULES", help="Run these rules: codes, prefixes, families, names, ALL."
    ),
    click.option("--extend-select", multiple=True, metavar="RULES", help="Run these rules too."),
    click.option("--ignore", multiple=True, metavar="RULES", help="Do not run these rules."),
    click.option("--min-severity", type=click.Choice(SEVERITIES), help="Show findings from this severity on."),
    click.option("--min-confidence", type=click.Choice(CONFIDENCES), help="Show findings from this confidence on."),
)

project_options: Callable[[F], F] = options(
    click.option("--target-torch", metavar="VERSION", help="The torch version that the code runs on, such as 2.6."),
    click.option(
        "--exclude", multiple=True, metavar="GLOBS", help="Do not look into these, besides what is configured."
    ),
    click.option("--force-exclude", is_flag=True, help="Exclude files that are named on the command line too."),
    click.option(
        "--config", multiple=True, metavar="FILE|KEY=VALUE", help="A configuration file to use, or a key to set (TOML)."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
)

_cache_options: Callable[[F], F] = options(
    click.option("-n", "--no-cache", is_flag=True, help="Neither use nor keep results of earlier runs."),
    click.option("--cache-dir", metavar="FOLDER", help="Where results are kept between runs."),
    click.option("-j", "--jobs", type=click.IntRange(min=0), help="Worker processes; 0: one for each processor."),
)

_talk_options: Callable[[F], F] = options(
    click.option("-q", "--quiet", is_flag=True, help="Findings only: no summary, no progress."),
    click.option("-v", "--verbose", is_flag=True, help="Say more: time taken, tracebacks of internal errors."),
)

run_options: Callable[[F], F] = options(
    _cache_options,
    click.option("--color", type=click.Choice(WHEN), default="auto", help="When to colour the output."),
    _talk_options,
)

colourless_run_options: Callable[[F], F] = options(_cache_options, _talk_options)
"""For commands that write nothing but Markdown and JSON."""


def settings_for(
    paths: Iterable[str], config: Iterable[str], isolated: bool, given: dict[str, Any], cwd: str | None = None
) -> SettingsFor:
    """The settings under the options of a command line; `given` holds the parameters of the command by name, `cwd` is the
    folder that they hold in, if it is not the working directory.

    Raises Trouble and ConfigError.
    """
    try:
        cwd = os.getcwd() if cwd is None else cwd
    except OSError:
        raise Trouble("the working directory is gone; change to one that exists") from None
    file, overrides = None, []
    for text in config:
        if "=" in text and not disk.is_file(text):
            overrides.append(inline(text, cwd))
        elif file is not None:
            raise Trouble(f"--config: one file only, not {file} and {text}; let one `extend` the other")
        elif isolated:
            raise Trouble(f"--isolated reads no configuration file, and --config names {text}; leave one of them out")
        else:
            file = text
    overrides += _layers(given, cwd)
    return SettingsFor(cwd, tuple(paths), config_file=file, isolated=isolated, overrides=tuple(overrides))


def engine_options(
    paths: tuple[str, ...], stdin_filename: str | None, settings: SettingsFor, given: dict[str, Any]
) -> Options:
    """The engine's options. Raises Trouble for paths that are not there, and for a cache where something else is."""
    from torchdet_lint.engine.options import Options, Stdin

    cache = cache_dir(settings, given["cache_dir"])
    if cache is not None and (why := obstacle(cache)):
        raise Trouble(f"the cache cannot be in {cache}: it {why}; name a folder that is empty or not there yet")

    stdin = None
    if paths == ("-",):
        if sys.stdin is None:
            raise Trouble("`-` reads standard input, which is closed")
        stdin, paths = Stdin(stdin_filename or "<stdin>", sys.stdin.buffer.read()), ()
    return Options(
        paths=paths,
        settings=settings,
        stdin=stdin,
        jobs=settings.project.jobs,
        cache=not given["no_cache"],
        cache_dir=cache,
        suppressions=not given.get("no_suppressions", False),
        cwd=settings.cwd,
    )


def cache_dir(settings: SettingsFor, named: str | None) -> str | None:
    """The cache folder that somebody has chosen: on the command line, in the environment or in the configuration."""
    configured = settings.project.cache_dir
    if named is None and (chosen := os.environ.get(VARIABLE)):
        return os.path.abspath(os.path.expanduser(chosen))
    return None if configured is None else configured.path


def checked_paths(paths: tuple[str, ...], stdin_filename: str | None = None) -> tuple[str, ...]:
    """The paths of a command, `.` where none is given. Raises Trouble for those that are not there."""
    if "-" in paths and len(paths) > 1:
        raise Trouble("`-` (standard input) stands alone; leave out the other paths")
    if stdin_filename is not None and paths != ("-",):
        raise Trouble("--stdin-filename names what is read from standard input; give `-` as the path")
    for path in paths:
        if path != "-" and not disk.exists(path):
            raise Trouble(f"no such file or folder: {path}")
    return paths or (".",)


def tell_problems(problems: Iterable[str]) -> bool:
    """Says what kept parts of a project from being checked; whether there was anything."""
    told = False
    for problem in problems:
        say(problem)
        told = True
    return told


def _layers(given: dict[str, Any], cwd: str) -> list[Layer]:
    layers = []
    for name in _ORDER:
        value = given.get(name.replace("-", "_"))
        if name in _LISTS:
            if value and not any(item.strip(" ,") for item in value):
                raise Trouble(f"--{name}: names nothing; leave it out, or name something")
            value = [part.strip() for item in value or () for part in item.split(",") if part.strip()]
        if value not in (None, [], False) or (name == "jobs" and value is not None):
            key = _KEYS.get(name, name)
            layers.append(layer(f"--{name}", cwd, {OPTIONS[key].name: value}))
    return layers
