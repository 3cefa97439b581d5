"""Running a command in a process group of its own, for a limited time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO


@dataclass(frozen=True)
class Outcome:
    """How a command ended. `status` is None where it was stopped; `stopped` says why: "", "time", "output"."""

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
) -> Outcome:
    """Runs it. Raises OSError where it cannot be started."""
    start = time.monotonic()
    process = subprocess.Popen(  # noqa: S603 (see above)
        list(command), cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    texts: list[list[bytes]] = [[], []]
    assert process.stdout is not None
    assert process.stderr is not None
    readers = [
        threading.Thread(target=_keep, args=(stream, kept, output_limit), daemon=True)
        for stream, kept in zip((process.stdout, process.stderr), texts, strict=True)
    ]
    for reader in readers:
        reader.start()
    stopped = ""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        stopped = "time"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    for reader in readers:
        reader.join(2)
    out, err = (b"".join(kept).decode("utf-8", "replace") for kept in texts)
    return Outcome(None if stopped else process.returncode, stopped, out, err, time.monotonic() - start)


def scratch_copy(folder: str, into: str) -> str:
    """A working copy of a folder, without version control and environments; returns its path, `into`."""
    skipped = shutil.ignore_patterns(".git", ".hg", ".venv", "venv", "__pycache__", "node_modules", ".tox")
    shutil.copytree(folder, into, symlinks=True, ignore=skipped, dirs_exist_ok=True)
    return into


def _keep(stream: IO[bytes], kept: list[bytes], limit: int) -> None:
    size = 0
    with stream:
        while chunk := stream.read1(65536):  # type: ignore[attr-defined]
            if size < limit:
                kept.append(chunk[: limit - size])
            size += len(chunk)
