"""Landlock: the kernel refuses this process, and all that it starts, to write outside of some places.

What is refused here is refused to every library, C++ ones too, which hooks inside of the interpreter do not see. The numbers are
those of `linux/landlock.h`; which of them a kernel knows follows from its ABI version
(https://docs.kernel.org/userspace-api/landlock.html).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_WRITE_FILE = 1 << 1
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << bit for bit in range(6, 13))
_REFER = 1 << 13  # rename and link between folders, since ABI 2 (always refused before)
_TRUNCATE = 1 << 14  # since ABI 3
_DEVICES = _MAKE_CHAR | _MAKE_BLOCK
_IN_FOLDERS = _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM
_TCP = 0b11  # bind and connect, since ABI 4
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1  # to processes outside, since ABI 6

_SAME_NUMBERS = ("x86_64", "aarch64", "riscv64", "ppc64le", "s390x", "loongarch64", "i686", "armv7l", "armv8l")
"""Machines on which the three system calls have the numbers above."""


def abi() -> int:
    """The version of Landlock that this kernel offers, 0 when it has none or has it switched off."""
    if sys.platform != "linux" or os.uname().machine not in _SAME_NUMBERS:
        return 0
    try:
        return max(0, _call(_CREATE_RULESET, None, 0, _ASK_VERSION))
    except OSError:
        return 0


def restrict(writable: Iterable[str], *, tcp: bool) -> None:
    """From now on this process can write only below `writable` (folders and files), and use TCP only if `tcp`.

    It can no longer send signals to processes that are not restricted with it (ABI 6), nor gain rights by running setuid
    programs. There is no way back. Raises OSError where the kernel refuses; places that do not exist are passed over.
    """
    version = abi()
    files = _WRITE_FILE | (_TRUNCATE if version >= 3 else 0)
    folders = files | _IN_FOLDERS | (_REFER if version >= 2 else 0)
    rules = _call(_CREATE_RULESET, *_attributes(version, folders | _DEVICES, tcp=tcp), 0)
    try:
        for path in writable:
            _allow(rules, path, folders, files)
        forgo_privileges()
        _call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def forgo_privileges() -> None:
    """No program that is started from here on gains rights from its file (`sudo` does not work). Raises OSError."""
    if _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _attributes(version: int, handled: int, *, tcp: bool) -> tuple[bytes, int]:
    """`struct landlock_ruleset_attr` of this version, and its size."""
    fields = [handled]
    if version >= 4:
        fields.append(0 if tcp else _TCP)
    if version >= 6:
        fields.append(_SIGNALS | (0 if tcp else _ABSTRACT_SOCKETS))
    return struct.pack(f"={len(fields)}Q", *fields), 8 * len(fields)


def _allow(rules: int, path: str, folders: int, files: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = folders if os.path.isdir(path) else files
        _call(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
    finally:
        os.close(place)


def _call(number: int, *args: int | bytes | None) -> int:
    result = int(_libc().syscall(ctypes.c_long(number), *(_argument(value) for value in args)))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"landlock: {os.strerror(ctypes.get_errno())}")
    return result


def _argument(value: int | bytes | None) -> object:
    return ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
