"""Measures what the recorder of `verify` costs a training loop, beside torch's own `DebugMode` with hashes in the same run.

`python -m benchmarks.overhead` runs each loop in fresh processes, one thread, everyone in turn, and prints a table;
`--write` puts it into `docs/benchmarks.md`. Times are CPU seconds of the process a step, the median step of the best round; all
must end with the same loss, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from torchdet_lint.verify.rt.orders import VARIABLE, Orders

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
LOOPS = Path(__file__).resolve().parent / "loops"
INJECT = ROOT / "torchdet_lint" / "verify" / "rt" / "inject"
BEGIN = "<!-- measured by python -m benchmarks.overhead: begin -->"
END = "<!-- measured by python -m benchmarks.overhead: end -->"


class Loop(NamedTuple):
    """A loop: its file, steps to take, and the most that recording may cost."""

    name: str
    file: str
    steps: int
    most: float


SMALL = (Loop("small CNN", "cnn.py", 40, 1.35), Loop("tiny transformer", "transformer.py", 120, 3.0))

MEMORY_MB = 50
"""The most that recording may add to peak memory."""

DEBUG = """
import runpy, sys
import torch
from torch.utils._debug_mode import DebugMode
class Hashing(DebugMode):
    pass
hook = DebugMode.log_tensor_hashes(hash_fn=["hash_tensor"])
with DebugMode(), hook:
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


class Figure(NamedTuple):
    """One process: CPU milliseconds of the median step, peak megabytes, operations a step, and the last loss as a hexadecimal."""

    milliseconds: float
    megabytes: float
    loss: str


def measured(python: str, loop: Loop, how: str) -> Figure | str:
    """One run of a loop `plain`, `recorded`, or under `DebugMode`; or why there is no figure."""
    command, env = [python], {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "STEPS": str(loop.steps)}
    with tempfile.TemporaryDirectory() as folder:
        if how == "recorded":
            env[VARIABLE] = Orders(folder, (str(LOOPS),), steps=10**6, ops=10**9, seconds=10**6).text()
            env["PYTHONPATH"] = str(INJECT)
        if how == "DebugMode":
            command += ["-c", DEBUG]
        done = subprocess.run(
            [*command, str(LOOPS / loop.file)], env=env, capture_output=True, text=True, check=False, timeout=600
        )
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return next(iter(reversed(done.stderr.splitlines())), "it failed")
    return Figure(**json.loads(lines[-1]))


def row(loop: Loop, rounds: dict[str, list[Figure]], reasons: dict[str, str]) -> str:
    """The line of a table; ratios are those of the best rounds."""
    best = {how: min(figure.milliseconds for figure in figures) for how, figures in rounds.items() if figures}
    plain = best["plain"]
    memory = min(f.megabytes for f in rounds["recorded"]) - min(f.megabytes for f in rounds["plain"])
    debug = f"{best['DebugMode'] / plain:.1f} ×" if "DebugMode" in best else f"– ({reasons.get('DebugMode', '')[:60]})"
    ratio = best["recorded"] / plain
    kept = "met" if ratio <= loop.most and memory <= MEMORY_MB else "**missed**"
    return (
        f"| {loop.name} | {plain:.1f} ms | {ratio:.2f} × | ≤ {loop.most:g} × | {memory:+.0f} MB | ≤ +{MEMORY_MB} MB | {debug} "
        f"| {kept} |"
    )


def table(python: str, rounds: int) -> list[str]:
    """Measures all loops. Exits where two ways of running give another loss."""
    lines = [
        "| loop | plain, a step | recorded | at most | memory | at most | DebugMode with hashes | |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for loop in SMALL:
        figures: dict[str, list[Figure]] = {"plain": [], "recorded": [], "DebugMode": []}
        reasons: dict[str, str] = {}
        for _ in range(rounds):
            for how, found in figures.items():
                one = measured(python, loop, how) if how not in reasons else reasons[how]
                if isinstance(one, str):
                    reasons[how] = one
                else:
                    found.append(one)
        for how in ("plain", "recorded"):
            if how in reasons:
                sys.exit(f"{loop.name}, {how}: {reasons[how]}")
        losses = {figure.loss for found in figures.values() for figure in found}
        if len(losses) > 1:
            sys.exit(f"{loop.name}: the losses differ: {', '.join(sorted(losses))}")
        lines.append(row(loop, figures, reasons))
        print(lines[-1], file=sys.stderr)
    return lines


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has torch")
    parser.add_argument("--rounds", type=int, default=5, help="how often everyone runs in turn (default 5)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    given = parser.parse_args(argv)
    said = "\n".join(table(given.python, given.rounds))
    print(said)
    if given.write:
        before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            sys.exit(f"{PAGE.name} has no {BEGIN} … {END}")
        PAGE.write_text(f"{before}{BEGIN}\n\n{said}\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
