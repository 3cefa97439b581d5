"""Files of the user, replaced as a whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile


class WriteError(Exception):
    """A file that was left as it was: why, in one line."""


def read(path: str) -> bytes:
    """The bytes of a file. Raises WriteError."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        raise WriteError(f"cannot be read: {error.strerror or error}") from None


def replace(path: str, before: bytes, after: bytes) -> None:
    """Puts `after` in the place of `before`: written beside it and moved there, so that nobody ever sees a half of it.

    Links are followed and the mode is kept. A file that holds something else by now, or that nobody may write to, is left
    alone. Raises WriteError.
    """
    real = os.path.realpath(path)
    if read(real) != before:
        raise WriteError("changed while it was being fixed; nothing was written, run again")
    try:
        mode = stat.S_IMODE(os.stat(real).st_mode)
        if not mode & 0o222 or not os.access(real, os.W_OK):
            raise WriteError("is read-only; nothing was written")
        _move_there(real, after, mode)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror or error}") from None


def create(path: str, data: bytes) -> None:
    """Writes a file of our own, which may be there already. Raises WriteError."""
    real = os.path.realpath(path)
    try:
        if os.path.exists(real) and not os.path.isfile(real):
            raise WriteError("is no regular file")
        mode = stat.S_IMODE(os.stat(real).st_mode) if os.path.exists(real) else 0o666 & ~_umask()
        _move_there(real, data, mode)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror or error}") from None


def _move_there(real: str, data: bytes, mode: int) -> None:
    handle, beside = tempfile.mkstemp(
        prefix=f".{os.path.basename(real)[:40]}.", suffix=".tmp", dir=os.path.dirname(real)
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(beside, mode)
        os.replace(beside, real)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
