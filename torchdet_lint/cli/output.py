"""Writing reports: to standard output, which may be closed early, and to files, which are replaced as a whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from torchdet_lint.cli.failures import Trouble
from torchdet_lint.report.style import Style, wants_colour


def stdout_style(when: str) -> Style:
    """The style of standard output under `--color WHEN`."""
    return Style(wants_colour(when, sys.stdout.isatty(), os.environ))


def write_out(pieces: Iterable[str]) -> None:
    """Writes to standard output. A reader that has gone (`| head`) ends the output quietly; the exit status stays."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered must not be written when the interpreter shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(path: str, pieces: Iterable[str]) -> None:
    """Writes a file beside its place and then moves it there, so that nobody ever reads a half of it. Raises Trouble."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
        os.replace(beside, path)
    except OSError as error:
        if os.path.exists(beside):
            os.unlink(beside)
        raise Trouble(f"--output: {path} cannot be written: {error.strerror}") from None
