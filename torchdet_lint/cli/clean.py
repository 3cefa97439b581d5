"""`torchdet-lint clean`."""

from __future__ import annotations

import os
from typing import Any

import click

from torchdet_lint.cache import folder as folders
from torchdet_lint.cli.failures import CLEAN, Trouble, say
from torchdet_lint.cli.shared import cache_dir, checked_paths, options, paths_argument, settings_for


@click.command()
@paths_argument
@options(
    click.option("--cache-dir", metavar="FOLDER", help="The cache to delete, if it is not the project's usual one."),
    click.option("--config", multiple=True, metavar="FILE|KEY=VALUE", help="As for `check`."),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
)
def clean(paths: tuple[str, ...], **given: Any) -> int:
    """Delete what runs have kept for the project of these paths (default: the current folder)."""
    from torchdet_lint.engine.scope import root_of

    paths = checked_paths(paths)
    settings = settings_for(paths, given["config"], given["isolated"], given)
    folder = cache_dir(settings, given["cache_dir"])
    if folder is None:
        folder = folders.default_folder(root_of(settings.cwd, paths))
    if not folders.is_cache(folder):
        there = (
            f"{folder} is no cache of torchdet-lint" if os.path.lexists(folder) else f"there is no cache at {folder}"
        )
        say(f"nothing to delete: {there}")
        return CLEAN
    try:
        freed = folders.remove(folder)
    except OSError as error:
        raise Trouble(f"{folder} cannot be deleted: {error.strerror}") from None
    say(f"deleted {folder} ({freed / 1e6:.1f} MB)")
    return CLEAN
