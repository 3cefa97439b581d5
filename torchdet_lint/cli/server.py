"""`torchdet-lint server`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from torchdet_lint.cache.folder import VARIABLE, obstacle
from torchdet_lint.cli.failures import Trouble, say
from torchdet_lint.cli.shared import options
from torchdet_lint.config import inline

if TYPE_CHECKING:
    from torchdet_lint.cli.replay import Session
    from torchdet_lint.server.check import Given


@click.command()
@options(
    click.option(
        "--config", multiple=True, metavar="FILE|KEY=VALUE", help="A configuration file to use, or a key to set (TOML)."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
    click.option("-n", "--no-cache", is_flag=True, help="Neither use nor keep results of earlier runs."),
    click.option("--cache-dir", metavar="FOLDER", help="Where results are kept between runs."),
    click.option("-v", "--verbose", is_flag=True, help="Write a log to standard error."),
)
@click.pass_obj
def server(session: Session | None, /, **given: Any) -> int:
    """Serve an editor on standard input and output (the Language Server Protocol).

    Editors start it; docs/editors.md says how. It needs the extra `lsp`: pip install "torchdet-lint[lsp]".
    """
    from torchdet_lint.server import missing

    lacking = missing()
    if lacking:
        raise Trouble(f'the server needs {lacking}, which is not installed: pip install "torchdet-lint[lsp]"')
    if session is not None:
        session.looks.stop()
    if sys.stdin is None or sys.stdout is None:
        raise Trouble("the server speaks through standard input and output, and one of them is closed")
    if sys.stdin.isatty():
        say("waiting for an editor on standard input; docs/editors.md says how editors start this")
    from torchdet_lint.server.app import serve

    return serve(_given(given), verbose=given["verbose"])


def _given(given: dict[str, Any]) -> Given:
    """What holds in every folder. Raises Trouble and ConfigError."""
    from torchdet_lint.server.check import Given

    cwd, file, overrides = os.getcwd(), None, []
    for text in given["config"]:
        if "=" in text and not os.path.isfile(text):
            overrides.append(inline(text, cwd))
        elif file is not None:
            raise Trouble(f"--config: one file only, not {file} and {text}; let one `extend` the other")
        else:
            file = text
    if file is not None and given["isolated"]:
        raise Trouble(f"--isolated reads no configuration file, and --config names {file}; leave one of them out")
    if file is not None and not os.path.isfile(file):
        raise Trouble(f"--config: {file}: no such configuration file")
    cache = given["cache_dir"] or os.environ.get(VARIABLE)
    folder = None if cache is None else os.path.abspath(os.path.expanduser(cache))
    if folder is not None and (why := obstacle(folder)):
        raise Trouble(f"the cache cannot be in {folder}: it {why}; name a folder that is empty or not there yet")
    return Given(
        None if file is None else os.path.abspath(file),
        given["isolated"],
        tuple(overrides),
        not given["no_cache"],
        folder,
    )
