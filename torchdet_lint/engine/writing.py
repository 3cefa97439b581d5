"""Files of the user, replaced as a whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile

from torchdet_lint.disk import content_digest


class WriteError(Exception):
    """A file that was left as it was: why, in one line."""


def read(path: str) -> bytes:
    """The bytes of a file. Raises WriteError."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        raise WriteError(f"cannot be read: {error.strerror or error}") from None


def read_again(path: str, digest: str | None) -> bytes:
    """The bytes of a file that has been analysed: places in it hold only for those. Raises WriteError where the file holds
    something else by now; without a digest it is not known.
    """
    data = read(path)
    if digest is not None and content_digest(data) != digest:
        raise WriteError("changed while it was being analysed; run again")
    return data


def replace(path: str, before: bytes, after: bytes) -> None:
    """Puts `after` in the place of `before`: written beside it and moved there, so that nobody ever sees a half of it.

    Links are followed and the mode is kept. A file that holds something else by now, or that nobody may write to, is left
    alone. Raises WriteError.
    """
    real = os.path.realpath(path)
    if read(real) != before:
        raise WriteError("changed while it was being fixed; nothing was written, run again")
    try:
        there = os.stat(real)
        if not there.st_mode & 0o222 or not os.access(real, os.W_OK):
            raise WriteError("is read-only; nothing was written")
        _move_there(real, after, there)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror or error}") from None


def create(path: str, data: bytes) -> None:
    """Writes a file of our own, which may be there already. Raises WriteError."""
    real = os.path.realpath(path)
    try:
        if os.path.exists(real) and not os.path.isfile(real):
            raise WriteError("is no regular file")
        _move_there(real, data, os.stat(real) if os.path.exists(real) else None)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror or error}") from None


def _move_there(real: str, data: bytes, there: os.stat_result | None) -> None:
    """Writes a file that takes the place of another one, with its mode and, as far as the system lets us, its owner."""
    handle, beside = tempfile.mkstemp(
        prefix=f".{os.path.basename(real)[:40]}.", suffix=".tmp", dir=os.path.dirname(real)
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        _give_to_owner(beside, there)
        os.chmod(beside, 0o666 & ~_umask() if there is None else stat.S_IMODE(there.st_mode))
        os.replace(beside, real)
    except BaseException:
        os.unlink(beside)
        raise


def _give_to_owner(path: str, there: os.stat_result | None) -> None:
    """Who runs this as another user (as root, in a container) still finds the files to be those of their owner."""
    if there is None or not hasattr(os, "chown"):
        return
    own = os.stat(path)
    if (own.st_uid, own.st_gid) != (there.st_uid, there.st_gid):
        try:
            os.chown(path, there.st_uid, there.st_gid)
        except OSError:
            pass  # only root may give files away; what matters is in the file


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
