"""Writing reports: to standard output, which may be closed early, and to files, which are replaced as a whole."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than a run that is known already
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torchdet_lint.report.style import Style

_CODE = (".py", ".pyi", ".ipynb")
"""A path that follows `--output html=` by mistake may be one that is to be checked."""


def stdout_style(when: str) -> Style:
    """The style of standard output under `--color WHEN`."""
    from torchdet_lint.report.style import Style, wants_colour

    return Style(wants_colour(when, sys.stdout is not None and sys.stdout.isatty(), os.environ))


def write_out(pieces: Iterable[str]) -> None:
    """Writes to standard output, which may be closed. A reader that has gone (`| head`) ends the output quietly; the exit
    status stays. Raises Trouble.
    """
    if sys.stdout is None:
        return
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except OSError as error:
        _give_up(error)


def fitted(pieces: Iterable[str]) -> Iterator[str]:
    """Lines folded to the width of the terminal, or to `COLUMNS`. Into a pipe without that they go as they are."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else 0
    if not width and sys.stdout is not None and sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    for piece in pieces:
        yield "".join(_folded(line, max(width, _LEAST)) for line in piece.splitlines(keepends=True)) if width else piece


_LEAST = 40
"""Columns below which folding makes nothing easier to read."""


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    from textwrap import fill

    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    return fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def write_err(pieces: Iterable[str]) -> None:
    """Writes to standard error, which may be closed."""
    try:
        if sys.stderr is not None:
            sys.stderr.writelines(pieces)
            sys.stderr.flush()
    except (OSError, ValueError):
        pass


def write_bytes(data: bytes) -> None:
    """The same for bytes that are passed on as they are."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        _give_up(error)


def _give_up(error: OSError) -> None:
    """Standard output cannot be written: quietly where its reader has gone, else Trouble."""
    from torchdet_lint.cli.failures import Trouble, drop_output

    drop_output()
    if not isinstance(error, BrokenPipeError):
        raise Trouble(f"standard output cannot be written: {error.strerror}") from None


def spare_code(path: str, option: str) -> None:
    """Raises Trouble where what is to be written would replace code."""
    if path.endswith(_CODE) and os.path.isfile(path):
        from torchdet_lint.cli.failures import Trouble

        raise Trouble(f"{option}: {path} is code and stays as it is; name another file")


def is_stdout(path: str) -> bool:
    """Whether a path leads to where standard output goes."""
    try:
        return sys.stdout is not None and os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # nothing there, or standard output is no file
        return False


def write_file(path: str, pieces: Iterable[str], option: str = "--output") -> None:
    """Writes a file beside its place and then moves it there, so that nobody ever reads a half of it. Links are followed,
    and what is no regular file (a pipe, a device) is written as it is. The file that standard output goes to must not be
    replaced: what is written there (`/dev/stdout`) is standard output. Code that is there is never replaced. Raises
    Trouble, which names the option.
    """
    if is_stdout(path):
        write_out(pieces)
        return
    named, path = path, os.path.realpath(path)
    spare_code(path, option)
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
                stream.writelines(pieces)
            return
        with open(beside, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
        os.replace(beside, path)
    except OSError as error:
        if os.path.exists(beside):
            os.unlink(beside)
        from torchdet_lint.cli.failures import Trouble

        raise Trouble(f"{option}: {named} cannot be written: {error.strerror}") from None
