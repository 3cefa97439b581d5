"""A network that has nothing but loopback, so that ranks of one machine can meet and nothing else is reached."""

from __future__ import annotations

import ctypes
import os
import struct

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000  # linux/sched.h
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP_AND_RUNNING = 0x1 | 0x40

LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}
"""What libraries need to be told there, since they look for the interface of the host's name."""

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "WANDB_MODE": "offline",
    "NEPTUNE_MODE": "offline",
}
"""What tells hubs and loggers that there is no network, so that they use what they have and do not wait."""


def loopback_works() -> bool:
    """Whether `loopback_only` will succeed; tried in a process of its own, for the attempt cannot be taken back."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            loopback_only()
            status = 0
        finally:
            os._exit(status)  # no handler of the parent's may run here
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def loopback_only() -> None:
    """Moves this process into a network namespace with loopback up. Raises OSError where that is not permitted.

    Without the privilege for it a user namespace comes first, in which the process keeps its own user and group.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEW_NET) != 0:
        if libc.unshare(_NEW_USER | _NEW_NET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    _bring_up()


def _bring_up() -> None:
    import fcntl
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
