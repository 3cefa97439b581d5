"""Runs a command so that it can do no harm: it writes into given places only, reaches no network but its own loopback, ends in
time, and leaves no process behind.

A guard against accidents, not against attackers: see `docs/verify-safety.md` for what it does not cover.
"""

from __future__ import annotations

import glob
import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torchdet_lint.verify.keeper import End, Spec
from torchdet_lint.verify.limits import Limits
from torchdet_lint.verify.output import Output
from torchdet_lint.verify.scratch import scratch_copy

_ENDLESS = 100
"""A program is stopped once a stream is so many times longer than what is kept of it."""

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/shm", "/dev/nvidia*", "/dev/kfd", "/dev/dri")  # noqa: S108 (not for files)
"""Where every program may write: nowhere, shared memory (loader workers need it), and accelerators."""

_KEEPER = (
    "import sys; sys.path.insert(0, sys.argv[1]); from torchdet_lint.verify.keeper import main; main(int(sys.argv[2]))"
)

_SAID = {
    "time": "it was stopped after {seconds:.0f} s, the time limit",
    "memory": "it was stopped when it used more memory than the limit",
    "disk": "it was stopped when it had written more than the limit",
    "processes": "it was stopped when it had started more than {limits.processes} processes",
    "output": "it was stopped when it had printed {printed:,} bytes",
}


class StartError(OSError):
    """A command that cannot be run; the text is one line for people."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    `status` is the exit status, negative for the signal that ended it, None when it was stopped. `stopped` is "" when it ended
    by itself, else "time", "memory", "disk", "processes" or "output". `seconds` is wall time. `notes` are lines for people: what
    stopped it, what was refused, what this system cannot guard.
    """

    status: int | None
    stopped: str
    stdout: str
    stderr: str
    seconds: float
    notes: tuple[str, ...] = ()


def run_boxed(
    command: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    seconds: float,
    output_limit: int = 1_000_000,
    write_only: tuple[str, ...] = (),
    allow_net: bool = False,
    limits: Limits | None = None,
) -> Outcome:
    """Runs `command` in `cwd` with the environment `env` for at most `seconds`, its standard input empty.

    Where the kernel can do it, the program writes only below the places in `write_only` (`cwd` when there are none), in shared
    memory and in a temporary folder of its own (set as `TMPDIR` unless that lies in these places already); and it has no network
    but loopback unless `allow_net` (variables that tell well-known libraries so are added to the environment). Of each stream
    `output_limit` bytes are kept, the first and the last. Nothing is raised for what the program does. Raises StartError for a
    command that cannot be run, ValueError for a place that does not exist.
    """
    places = tuple(os.path.realpath(place) for place in write_only or (cwd,))
    for place in (cwd, *places):
        if not os.path.exists(place):
            raise ValueError(f"{place}: there is no such place")
    own = "" if _inside(env.get("TMPDIR", ""), places) else tempfile.mkdtemp(prefix="tdl-")
    try:
        full = {**env, "TMPDIR": own, "TEMP": own, "TMP": own} if own else dict(env)
        writable = (*places, *filter(None, [own]), *_devices())
        spec = Spec(tuple(command), cwd, full, seconds, writable, allow_net, own, limits or Limits())
        if os.name == "nt":
            from torchdet_lint.verify.portable import run

            return _outcome(spec, *run(spec, output_limit, _ENDLESS * output_limit), places)
        return _outcome(spec, *_run(spec, output_limit), places)
    finally:
        if own:
            shutil.rmtree(own, ignore_errors=True)


def _run(spec: Spec, output_limit: int) -> tuple[Output, Output, list[str], End]:
    """Runs the program below a keeper; both streams, what is to be told, and the end."""
    report, told = os.pipe()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    keeper = subprocess.Popen(  # noqa: S603 (running what the user asks for is the purpose)
        [sys.executable, "-I", "-S", "-c", _KEEPER, root, str(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(told,),
        start_new_session=True,  # Ctrl-C is for us; the keeper learns of it by the end of its input
    )
    os.close(told)
    try:
        text = json.dumps(spec).encode()
        _tell(keeper, b"%d\n%b" % (len(text), text))
        out, err, answer = _collect(keeper, report, output_limit)
    finally:
        if keeper.stdin is not None:
            keeper.stdin.close()
        keeper.wait()
        os.close(report)
        for stream in (keeper.stdout, keeper.stderr):
            if stream is not None:
                stream.close()
    if not answer:  # it was killed, or has failed; its own error is all there is
        last = err.text.strip().rpartition("\n")[2]
        return out, err, [f"the process that was to watch it died: {last}"], End(None, "start", 0.0)
    fields = json.loads(answer)
    return out, err, fields["notes"], End(*fields["end"])


def _collect(keeper: subprocess.Popen[bytes], report: int, limit: int) -> tuple[Output, Output, bytes]:
    """Reads until the keeper has told how it ended and nobody holds the streams any more."""
    assert keeper.stdout is not None
    assert keeper.stderr is not None
    out, err, answer = Output(limit), Output(limit), bytearray()
    sinks = {keeper.stdout.fileno(): out.add, keeper.stderr.fileno(): err.add, report: answer.extend}
    told = False
    with selectors.DefaultSelector() as selector:
        for descriptor in sinks:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            events = selector.select(1.0 if answer else None)
            if not events and answer:
                break  # something that could not be ended holds a stream
            for key, _ in events:
                data = os.read(key.fd, 1 << 16)
                if data:
                    sinks[key.fd](data)
                else:
                    selector.unregister(key.fd)
            if not told and max(out.size, err.size) > _ENDLESS * limit:
                told = True
                _tell(keeper, b"output\n")
    return out, err, bytes(answer)


def _tell(keeper: subprocess.Popen[bytes], data: bytes) -> None:
    assert keeper.stdin is not None
    try:
        keeper.stdin.write(data)
        keeper.stdin.flush()
    except OSError:
        pass  # it has ended already, and says why


def _outcome(spec: Spec, out: Output, err: Output, told: list[str], end: End, places: Sequence[str]) -> Outcome:
    if end.stopped == "start":
        raise StartError(told[-1])
    notes = (*told, *_notes(spec, end, out, err), *_refused(err.text, places))
    return Outcome(end.status, end.stopped, out.text, err.text, end.seconds, notes)


def _notes(spec: Spec, end: End, out: Output, err: Output) -> list[str]:
    """What the run's end and its output give to say."""
    notes = []
    if end.stopped:
        printed = max(out.size, err.size)
        said = _SAID.get(end.stopped, "it was stopped: {why}")
        notes.append(said.format(seconds=end.seconds, limits=spec.limits, printed=printed, why=end.stopped))
    if end.left:
        notes.append(
            f"it left {end.left} process{'es' if end.left > 1 else ''} running in the background; they were ended"
        )
    if end.stuck:
        notes.append(f"{end.stuck} of its processes could not be ended")
    for name, stream in (("standard output", out), ("standard error", err)):
        if stream.dropped:
            notes.append(f"{stream.dropped:,} bytes in the middle of its {name} were left out")
    return notes


_DENIED = re.compile(r"(?:PermissionError: \[Errno 13\] Permission denied|OSError: \[Errno 30\][^:]*): '([^'\n]+)'")
_NO_NETWORK = re.compile(
    r"Network is unreachable|Temporary failure in name resolution|ConnectError|Name or service not known"
)


def _refused(stderr: str, places: Sequence[str]) -> list[str]:
    """What the program says was refused to it, where the box is the likely reason."""
    notes = []
    outside = sorted({path for path in _DENIED.findall(stderr) if not _inside(path, places)})
    if outside:
        more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
        notes.append(f"it was refused to write outside of its copy: {outside[0]}{more}")
    elif "failed with strerror: Permission denied" in stderr:  # torch's own writer, which names no file
        notes.append("it was refused to write outside of its copy")
    if "EOFError: EOF when reading a line" in stderr:
        notes.append("it asks for input, and gets none here")
    if _NO_NETWORK.search(stderr):
        notes.append("it seems to need a network, and gets none here")
    return notes


def _inside(path: str, places: Sequence[str]) -> bool:
    """Whether an existing path leads into one of these places; a relative one never counts."""
    if not os.path.isabs(path):
        return False
    real = os.path.realpath(path)
    return any(real == place or real.startswith(os.path.join(place, "")) for place in places)


def _devices() -> list[str]:
    return [path for pattern in _DEVICES for path in sorted(glob.glob(pattern))]


__all__ = ["Limits", "Outcome", "StartError", "run_boxed", "scratch_copy"]
