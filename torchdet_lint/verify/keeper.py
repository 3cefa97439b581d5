"""The process between torchdet-lint and the program that it runs: starts it in its box, watches it, leaves nothing of it behind.

It runs alone (`python -I -S`, standard library only). Its standard input brings the length of the `Spec` as JSON, the JSON, and
later perhaps a reason to stop; when the input ends, torchdet-lint is gone and the program is ended. What has happened is told on
another pipe at the end. Standard output and error belong to the program.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from torchdet_lint.verify import landlock, network, processes
from torchdet_lint.verify.limits import Limits, Watch

_TICK = 0.05  # seconds between two looks
_URGENT = ("memory", "processes")  # what gets worse while one waits
_STUCK = 10.0  # seconds after which processes that do not die are given up


class Spec(NamedTuple):
    """What is run, and how. `places` are where it may write; `temporary` is one of them that goes with the program, if not ""."""

    command: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    seconds: float
    places: Sequence[str]
    network: bool
    temporary: str
    limits: Limits


class End(NamedTuple):
    """`status` as that of a subprocess; None when the program did not end by itself. `left`: daemons that it had left running;
    `stuck`: processes that could not be ended.
    """

    status: int | None
    stopped: str
    seconds: float
    left: int = 0
    stuck: int = 0


def main(report: int) -> None:
    """Keeps one program; the file descriptor `report` is the pipe on which the outcome is told."""
    fields = json.loads(_exactly(0, int(_line(0))))
    spec = Spec(*fields)._replace(limits=Limits(*fields[-1]))
    notes, end = keep(spec, 0)
    os.write(report, (json.dumps({"notes": notes, "end": end}) + "\n").encode())


def keep(spec: Spec, commands: int) -> tuple[list[str], End]:
    """Runs the program to its end; `commands` is the file descriptor on which a reason to stop can come."""
    notes: list[str] = []
    adopted = processes.adopt_orphans()
    if not adopted:
        notes.append("processes that leave the program's group cannot be followed on this system, and may go on")
    lock = locks(spec, notes)
    wake = _wake_on_children()
    start = time.monotonic()
    child, fault = _start(spec, lock)
    if fault:
        return [*notes, fault], End(None, "start", time.monotonic() - start)
    status, stopped = _wait(spec, child, commands, wake)
    seconds = time.monotonic() - start
    left = [process for process in processes.below(os.getpid()) if process.session != child] if not stopped else []
    if stopped or processes.below(os.getpid()):
        _ask_to_end(0.0 if stopped in _URGENT else spec.limits.grace)
    if not adopted:
        processes.send(
            -child, signal.SIGKILL
        )  # who has lost its parent is still in the program's group, if it has not left that
    stuck = processes.end_all(os.getpid(), _reap_all, _STUCK)
    if spec.temporary:  # here, since whoever has made it may be gone
        shutil.rmtree(spec.temporary, ignore_errors=True)
    return notes, End(None if stopped else status, stopped, seconds, len(left), stuck)


class _Lock(NamedTuple):
    """Which restrictions the program gets."""

    files: bool
    loopback: bool
    tcp: bool


def locks(spec: Spec, notes: list[str]) -> _Lock:
    """What this kernel offers of what is wanted; what it does not is told."""
    version = landlock.abi()
    if version == 0:
        notes.append("this system cannot keep a program from writing outside of its copy (no Landlock)")
    elif version < 3:
        notes.append("this kernel keeps a program from writing outside of its copy, but not from cutting files short")
    if spec.network:
        return _Lock(version > 0, loopback=False, tcp=True)
    loopback = sys.platform == "linux" and network.loopback_works()
    if not loopback and version < 4:
        notes.append("this system cannot keep a program from using the network")
    return _Lock(version > 0, loopback, tcp=loopback)


def _start(spec: Spec, lock: _Lock) -> tuple[int, str]:
    """The program's process id, or what kept it from starting. From here on its output is its own."""
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        _become(spec, lock, told)
    os.close(told)
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    fault = _all(ready).decode(errors="replace")
    if fault:
        os.waitpid(child, 0)
    return child, fault


def _become(spec: Spec, lock: _Lock, told: int) -> NoReturn:
    """Turns this fresh process into the program, in its own session, restricted."""
    doing = "cannot prepare"
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number in (signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.chdir(spec.cwd)
        _limit_resources(spec.limits)
        env = dict(spec.env) if spec.network else {**network.OFFLINE, **spec.env}
        if lock.loopback:
            network.loopback_only()
            env = {**network.LOOPBACK, **env}
        if lock.files:
            landlock.restrict(spec.places, tcp=lock.tcp)
        processes.die_with_parent()
        doing = "cannot run"
        os.execvpe(spec.command[0], list(spec.command), env)  # noqa: S606 (running it is the purpose)
    except FileNotFoundError as error:
        missing = "command not found" if doing == "cannot run" else str(error)
        os.write(told, f"{spec.command[0]}: {missing}".encode(errors="replace"))
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        os.write(told, f"{doing} {spec.command[0]}: {reason}".encode(errors="replace"))
    finally:
        os._exit(127)  # the keeper's own exit handlers are not this process's


def _limit_resources(limits: Limits) -> None:
    import resource

    for kind, wanted in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, limits.disk)):
        _, most = resource.getrlimit(kind)
        value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(kind, (value, value))


def _wait(spec: Spec, child: int, commands: int, wake: int) -> tuple[int | None, str]:
    """The program's status or, if that comes first, why it has to be stopped."""
    watch = Watch(os.getpid(), spec.limits, spec.places, spec.seconds)
    while True:
        ready, _, _ = select.select([commands, wake], [], [], _TICK)
        if wake in ready:
            os.read(wake, 4096)
        status = _reap(child)
        if status is not None:
            return status, ""
        reason = watch.exceeded()
        if commands in ready:
            reason = os.read(commands, 100).decode(errors="replace").strip() or "abandoned"
        if reason:
            return None, reason


def _reap(child: int) -> int | None:
    """Collects every process that has ended; the status of `child` when it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            found = os.waitstatus_to_exitcode(status)


def _reap_all() -> None:
    _reap(0)


def _ask_to_end(grace: float) -> None:
    """Lets every process know that it should end, and gives it the time to."""
    me = os.getpid()
    for process in processes.below(me):
        processes.send(process.pid, signal.SIGTERM)
        processes.send(process.pid, signal.SIGCONT)
    deadline = time.monotonic() + grace
    while processes.below(me) and time.monotonic() < deadline:
        _reap_all()
        time.sleep(0.02)


def _wake_on_children() -> int:
    """A file descriptor that can be read when a child has ended."""
    wake, written = os.pipe()
    for end in (wake, written):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    return wake


def _line(descriptor: int) -> bytes:
    """One line, and not a byte more."""
    parts = []
    while (part := os.read(descriptor, 1)) not in (b"", b"\n"):
        parts.append(part)
    return b"".join(parts)


def _exactly(descriptor: int, count: int) -> bytes:
    parts = []
    while count > 0 and (part := os.read(descriptor, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 4096):
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts)
