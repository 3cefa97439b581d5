"""What the rules about CUDA claim, tried on the GPU of this machine, in less than ten minutes: a table with a line for each rule.

    python -m benchmarks.cuda_check --python PATH

PATH is an interpreter whose torch has CUDA; torchdet-lint itself needs none. Each program under `benchmarks/cuda-programs` is
linted and run under the companion with all checks of an accelerator. The table says what they saw; `--device cpu` goes the
same way on a CPU, where nothing should be seen.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from torchdet_lint.config import SettingsFor, layer
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, silent
from torchdet_lint.finding import CONFIRMING, VERDICTS, Finding
from torchdet_lint.verify.accelerator import perform as perform_checks
from torchdet_lint.verify.experiment import NothingToCompare, ProgramFailed, perform
from torchdet_lint.verify.running import Sample, by_path, execute
from torchdet_lint.verify.spoken import lines_of
from torchdet_lint.verify.verdict import Judgement, judge

PROGRAMS = Path(__file__).parent / "cuda-programs"
RULES = (
    "TDL201", "TDL202", "TDL203", "TDL204", "TDL205", "TDL207", "TDL208", "TDL209", "TDL301", "TDL302", "TDL303", "TDL304",
    "TDL401", "TDL402", "TDL403", "TDL404", "TDL405", "TDL503",
)  # fmt: skip
"""Those that need an accelerator."""


class Row(NamedTuple):
    """What was seen of one rule: its verdict, the reason, and how many of its findings have that verdict, of how many."""

    code: str
    verdict: str
    reason: str
    findings: int = 0
    of: int = 0


class Failed(Exception):
    """A program cannot be run here; the text says why, in one line."""


def main(argv: Sequence[str]) -> int:
    given = _parser().parse_args(argv)
    try:
        device = _device(given.python, given.device)
    except Failed as error:
        print(f"cuda_check: {error}", file=sys.stderr)
        return 2
    start = time.monotonic()
    print(f"{device}\n")
    judgements = []
    for path in sorted(PROGRAMS.glob("[a-z]*.py")):
        print(f"running {path.name} …", file=sys.stderr)
        try:
            judgements.append(_judged(path, given.python, given.device))
        except Failed as error:
            print(f"{path.name}: {error}", file=sys.stderr)
    print("".join(table(judgements)), end="")
    for judgement in judgements:
        print("".join(_sights(judgement)), end="")
    print(f"\n{time.monotonic() - start:.0f} s")
    return 0 if len(judgements) == len(list(PROGRAMS.glob("[a-z]*.py"))) else 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda_check", description=__doc__.split("\n\n", maxsplit=1)[0]
    )
    parser.add_argument("--python", default=sys.executable, help="the interpreter whose torch has CUDA")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="cpu: the same way without a GPU")
    return parser


def _device(python: str, device: str) -> str:
    """What there is to run on. Raises Failed."""
    code = "import torch; print(torch.__version__, torch.cuda.get_device_name() if torch.cuda.is_available() else '')"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{python} cannot be run: {error}") from None
    if done.returncode != 0:
        raise Failed(f"{python} has no torch that can be imported: {done.stderr.strip().splitlines()[-1]}")
    version, _, gpu = done.stdout.strip().partition(" ")
    if device == "cuda" and not gpu:
        raise Failed(f"torch {version} of {python} finds no GPU; `--device cpu` shows what would be run")
    return f"torch {version} on {gpu if device == 'cuda' else 'CPU'}"


def _judged(path: Path, python: str, device: str) -> Judgement:
    """One program linted, run, checked and judged. Raises Failed."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="torchdet-") as made:
        base = Path(os.path.realpath(made))
        folder = base / "project"
        folder.mkdir()
        (base / "runs").mkdir()
        (folder / "pyproject.toml").touch()
        (folder / path.name).write_text(text, encoding="utf-8")
        findings = _findings(folder)
        (folder / path.name).write_text(text.replace('"cuda"', f'"{device}"'), encoding="utf-8")
        sample = Sample(
            (python, path.name),
            str(folder),
            str(base / "runs"),
            lines=by_path(line for finding in findings for line in lines_of(finding)),
            accelerator=device,
        )
        execute_here = partial(execute, sample)
        try:
            plain = perform(execute_here, frozenset(), frozenset(), silent)
            return judge(findings, perform_checks(execute_here, plain, findings, device, silent))
        except ProgramFailed as failed:
            raise Failed(failed.run.outcome.stderr.strip().rpartition("\n")[2] or "it failed") from None
        except (NothingToCompare, OSError) as error:
            raise Failed(str(error)) from None


def _findings(folder: Path) -> tuple[Finding, ...]:
    """What the rules about CUDA say; all rules are on."""
    every = layer("cuda_check", str(folder), {"select": ["ALL"]})
    settings = SettingsFor(str(folder), (str(folder),), isolated=True, overrides=(every,))
    result = run(Options((str(folder),), settings, jobs=1, cwd=str(folder)), silent)
    return tuple(finding for finding in result.findings if finding.code in RULES)


def table(judgements: Sequence[Judgement]) -> Iterator[str]:
    """A line for each rule."""
    rows = _rows(judgements)
    yield f"{'rule':8}{'verdict':22}{'findings':10}what was seen\n"
    for code in RULES:
        row = rows.get(code)
        if row is None:
            why = "compiled regions are opaque" if code == "TDL207" else "no program here has a finding of it"
            row = Row(code, "not tried", why)
        count = f"{row.findings} of {row.of}" if row.of else "-"
        yield f"{row.code:8}{row.verdict:22}{count:10}{row.reason}\n"


def _rows(judgements: Sequence[Judgement]) -> Mapping[str, Row]:
    found: dict[str, list[tuple[str, str]]] = {}
    for judgement in judgements:
        for each in judgement.verdicts:
            found.setdefault(each.finding.code, []).append((each.verdict, each.reason))
    rows = {}
    for code, said in found.items():
        verdict, reason = min(said, key=lambda each: VERDICTS.index(each[0]))
        rows[code] = Row(code, verdict, reason, sum(each[0] == verdict for each in said), len(said))
    return rows


def _sights(judgement: Judgement) -> Iterator[str]:
    """What no finding was confirmed by: how rules learn."""
    seen = judgement.experiment.seen
    lines = {line for each in judgement.verdicts if each.verdict in CONFIRMING for line in lines_of(each.finding)}
    for sight in seen.sights if seen is not None else ():
        places = {(place.split(":")[0], int(place.split(":")[1])) for place in sight.places}
        if not places & lines:
            where = ", ".join(sight.places) or "outside of the program"
            yield f"no finding stands at {sight.check} of {sight.operation}, {where}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
