"""The box of a system without `fork`: time and output are limited, nothing else; it says so."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from typing import IO

from torchdet_lint.verify.keeper import End, Spec
from torchdet_lint.verify.output import Output

_TICK = 0.05
UNGUARDED = (
    "on this system a program cannot be kept from writing outside of its copy, nor from using the network; "
    "its memory is not limited, and processes that leave it may go on"
)


def run(spec: Spec, output_limit: int, endless: int) -> tuple[Output, Output, list[str], End]:
    """Runs the program; both streams, what is to be told, and the end. A stream longer than `endless` stops it."""
    out, err = Output(output_limit), Output(output_limit)
    start = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603 (running what the user asks for is the purpose)
            list(spec.command),
            cwd=spec.cwd,
            env=dict(spec.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        return out, err, [f"cannot run {spec.command[0]}: {error.strerror or error}"], End(None, "start", 0.0)
    readers = [_reader(process.stdout, out), _reader(process.stderr, err)]
    try:
        stopped = _wait(process, start + spec.seconds, (out, err), endless)
    finally:
        _end(process)
    for reader in readers:
        reader.join(1.0)
    status = None if stopped else process.returncode
    return out, err, [UNGUARDED], End(status, stopped, time.monotonic() - start)


def _wait(process: subprocess.Popen[bytes], deadline: float, streams: tuple[Output, ...], endless: int) -> str:
    while process.poll() is None:
        if time.monotonic() > deadline:
            return "time"
        if max(stream.size for stream in streams) > endless:
            return "output"
        time.sleep(_TICK)
    return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process with those that it has started, if it still runs."""
    if process.poll() is None:
        if os.name == "nt":
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)  # noqa: S603, S607
        process.kill()
    process.wait()


def _reader(stream: IO[bytes] | None, output: Output) -> threading.Thread:
    assert stream is not None

    def read() -> None:
        with stream:
            while data := os.read(stream.fileno(), 1 << 16):
                output.add(data)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread
