"""How trouble is told: one line on standard error, and an exit status."""

from __future__ import annotations

import errno
import os
import sys

import click

from torchdet_lint.catalog.errors import CatalogError, SelectionError, VersionError
from torchdet_lint.config import ConfigError

CLEAN, FINDINGS, TROUBLE, INTERRUPTED = 0, 1, 2, 130

_NO_OUTPUT = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG)
"""What is wrong with standard output when help texts, which click writes, cannot be written."""

_USER_ERRORS = (ConfigError, CatalogError, SelectionError, VersionError)


class Trouble(click.ClickException):
    """What a command cannot do, in one line."""

    exit_code = TROUBLE


def tell(error: BaseException, verbose: bool) -> int:
    """Says what went wrong, and returns the exit status for it."""
    if isinstance(error, click.UsageError):
        where = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
        return _line(f"{error.format_message()}{where}")
    if isinstance(error, click.ClickException):
        return _line(error.format_message())
    if isinstance(error, _USER_ERRORS):
        return _line(str(error))
    if isinstance(error, KeyboardInterrupt | click.Abort):
        _line("interrupted")
        return INTERRUPTED
    if isinstance(error, OSError) and error.errno in _NO_OUTPUT and error.filename is None:
        drop_output()
        return _line(f"the output cannot be written: {error.strerror}")
    return _internal(error, verbose)


def drop_output() -> None:
    """What is still buffered must not be written when the interpreter shuts down."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        pass  # it is closed, or replaced by something that is no file


def say(text: str) -> None:
    """One line on standard error, which may be closed."""
    try:
        print(f"torchdet-lint: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


def _line(text: str) -> int:
    say(" ".join(text.split()))
    return TROUBLE


def _internal(error: BaseException, verbose: bool) -> int:
    if verbose:
        import traceback

        traceback.print_exception(error)
    described = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _line(f"internal error: {described} (please report; --verbose shows the traceback)")
