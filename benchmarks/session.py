"""One run of the benchmark: who runs on what, and which budget that fills."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.corpora import MARK, Corpus, python_files
from benchmarks.measure import Contender, Failed, Outcome, compete, ratio, run
from benchmarks.rivals import RIVALS, Installed

OURS = "torchdet-lint"
FLOOR = "libcst.parse_module alone"
NOTHING = "python -c pass"
MANY = 20_000
"""Files that are linked."""
HOOK_ROUNDS = 5
"""So many times more rounds for what takes a tenth of a second."""

PLAIN_FILE = '''"""Counts words."""

from collections import Counter


def count(lines: list[str]) -> Counter[str]:
    return Counter(word for line in lines for word in line.split())
'''
TORCH_FILE = '''"""Trains a line."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def main(seed: int = 0) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    x = torch.randn(64, 1)
    loader = DataLoader(TensorDataset(x, 2 * x), batch_size=8, shuffle=True, num_workers=2)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
'''


class Edit:
    """Changes one function of a corpus whenever it is called: the last one of the file in the middle, which it adds itself."""

    def __init__(self, folder: Path) -> None:
        files = python_files(folder)
        self._file = Path(files[len(files) // 2])
        self._text = self._file.read_text(encoding="utf-8")
        self._count = 0

    def __call__(self) -> None:
        self._count += 1
        self._file.write_text(f"{self._text}\n\ndef edited(loss):\n    return loss + {self._count}\n", encoding="utf-8")


class Session:
    """Collects figures for budgets by their keys, reasons where there is none, and tables of runs."""

    def __init__(self, root: Path, home: Path, rivals: Mapping[str, Installed | str], rounds: int) -> None:
        self.figures: dict[str, float] = {}
        self.reasons: dict[str, str] = {}
        self.groups: list[tuple[str, Mapping[str, Outcome]]] = []
        self.curve: list[tuple[float, float]] = []
        """(megabytes, CPU seconds) of ever larger parts of the libraries."""
        self._root = root
        self._home = home
        self._rivals = rivals
        self._rounds = rounds
        self._start_up = 0.0

    def hooks(self) -> None:
        """One small file, as a pre-commit hook passes it."""
        for key, title, text in (
            ("hook/screened", "One file without a word of torch", PLAIN_FILE),
            ("hook/needed", "One file that libcst must parse", TORCH_FILE),
        ):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "pyproject.toml").write_text(MARK)
                file = Path(folder) / "file.py"
                file.write_text(text)
                ours = self._ours(file)
                self._try(ours)  # so that Python has compiled what it imports
                nothing = Contender(NOTHING, (sys.executable, "-c", "pass"))
                group = [ours, nothing, *self._installed(file, "ruff")]
                outcomes = self._compete(title, group, self._rounds * HOOK_ROUNDS)
                if key == "hook/needed":
                    warm = [*self._warm(file, Path(folder)), nothing]
                    self._fill(
                        "hook/unchanged",
                        self._compete("One file, nothing changed", warm, self._rounds * HOOK_ROUNDS),
                        NOTHING,
                    )
            self._fill(key, outcomes, NOTHING)
            if key == "hook/screened":
                self._start_up = outcomes[OURS].cpu

    def corpus(self, corpus: Corpus) -> None:
        """A corpus cold: scripts beside everyone, libraries beside those who can."""
        kind = "libraries" if corpus.name.startswith("libraries") else "scripts"
        names = ("ruff",) if kind == "libraries" else tuple(rival.name for rival in RIVALS)
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "files"
            parse = Contender(FLOOR, (*self._module("floor"), "parse", str(files)), self._env())
            self._try(Contender(OURS, (*self._module("floor"), "list", str(corpus.folder), str(files)), self._env()))
            floor = [parse] if files.exists() else []
            group = [self._ours(corpus.folder), *floor, *self._installed(corpus.folder, *names)]
            outcomes = self._compete(f"Cold: {corpus.about}", group, self._rounds)
            if floor:
                count = len(files.read_text(encoding="utf-8").splitlines())
                outcomes = {
                    f"{FLOOR}, {count} files" if name == FLOOR else name: each for name, each in outcomes.items()
                }
                self.groups[-1] = (self.groups[-1][0], outcomes)
                self._fill(f"{kind}/floor", outcomes, f"{FLOOR}, {count} files")
        for name in names:
            self._fill(f"{kind}/{name}", outcomes, name)
        self._again(corpus, kind)
        if kind == "libraries":
            self.figures["memory/cold"] = outcomes[OURS].peak / 1e6
            self._growth(corpus, outcomes[OURS].cpu)

    def _again(self, corpus: Corpus, kind: str) -> None:
        """The same corpus with what earlier runs have kept; libraries also with one function edited before every run."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "code"
            shutil.copytree(corpus.folder, copy)
            group = self._warm(copy, Path(folder))
            outcomes = self._compete(f"Warm: {corpus.about}", group, self._rounds * HOOK_ROUNDS)
            self._fill(f"warm/{kind}", outcomes, "ruff")
            if kind == "libraries":
                self.figures["memory/warm"] = outcomes[OURS].peak / 1e6
                edited = [replace(contender, before=Edit(copy)) for contender in group]
                outcomes = self._compete(f"One function edited: {corpus.about}", edited, self._rounds)
                self._fill("warm/edited", outcomes, "ruff")

    def _warm(self, path: Path, home: Path) -> list[Contender]:
        """Ours and ruff, each with a cache that holds what it found in a first run."""
        ours = self._ours(path, cache=home / "kept")
        ruff = self._rivals.get("ruff")
        theirs = [ruff.contender([path], home / "ruff")] if isinstance(ruff, Installed) else []
        group = [replace(contender, cwd=str(home)) for contender in (ours, *theirs)]
        for contender in (
            *group,
            group[0],
        ):  # ours once more, since ruff's cache has changed the folder that it runs in
            self._try(contender)
        return group

    def sample(self, corpus: Corpus) -> None:
        group = [self._ours(corpus.folder), *self._installed(corpus.folder, "torchfix")]
        outcomes = self._compete(f"Cold: {corpus.about}", group, self._rounds)
        self._fill("sample/torchfix", outcomes, "torchfix")

    def linking(self) -> None:
        """A made-up project of many small files, and one of a quarter of it."""
        print("Linking", file=sys.stderr)
        few, many = (self._linked(count) for count in (MANY // 4, MANY))
        self.figures["linking"] = many
        self.figures["linking/growth"] = many / few / 4

    def _linked(self, count: int) -> float:
        """In a process of its own: this one's memory would be the least that is measured of all others."""
        command = [*self._module("linking"), str(count)]
        env = {**os.environ, **self._env()}
        return float(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout)

    def versions(self) -> dict[str, str]:
        """Whose versions matter to the figures."""
        from torchdet_lint import __version__

        known = {name: rival.version for name, rival in self._rivals.items() if isinstance(rival, Installed)}
        return {OURS: __version__, "libcst": importlib.metadata.version("libcst"), **known}

    def _growth(self, corpus: Corpus, whole: float) -> None:
        """The libraries at once against the sum of each alone: the same bytes, so that only the size differs."""
        if not corpus.parts:
            self.reasons["growth"] = "a folder of one's own is not taken apart"
            return
        try:
            parts = [run(self._ours(part)).cpu for part in corpus.parts]
        except Failed as error:
            self.reasons["growth"] = str(error)
            return
        self.figures["growth"] = (whole - self._start_up) / (sum(parts) - self._start_up * len(parts))
        self._curve(corpus, parts[0], whole)

    def _curve(self, corpus: Corpus, first: float, whole: float) -> None:
        """What the first part takes, the first two, and so on up to all of them."""
        for count in range(1, len(corpus.parts) + 1):
            size = sum(os.path.getsize(path) for part in corpus.parts[:count] for path in python_files(part))
            known = {1: first, len(corpus.parts): whole}.get(count)
            seconds = run(self._ours(*corpus.parts[:count])).cpu if known is None else known
            self.curve.append((size / 1e6, seconds))

    def _compete(self, title: str, group: list[Contender], rounds: int) -> dict[str, Outcome]:
        print(f"{title}: {', '.join(contender.name for contender in group)}", file=sys.stderr)
        outcomes = compete(group, rounds)
        if outcomes[OURS].reason:
            sys.exit(f"{title}: torchdet-lint {outcomes[OURS].reason}")
        self.groups.append((title, outcomes))
        return outcomes

    def _fill(self, key: str, outcomes: Mapping[str, Outcome], other: str) -> None:
        """The ratio to another, or the reason why there is none."""
        rival = self._rivals.get(other)
        if other in outcomes and not outcomes[other].reason:
            self.figures[key] = ratio(outcomes[OURS], outcomes[other])
        else:
            self.reasons[key] = outcomes[other].reason if other in outcomes else str(rival or "left out")

    def _installed(self, path: Path, *names: str) -> list[Contender]:
        wanted = (self._rivals.get(name) for name in names)
        return [rival.contender([path]) for rival in wanted if isinstance(rival, Installed)]

    def _ours(self, *paths: Path, cache: Path | None = None) -> Contender:
        kept = ("--no-cache",) if cache is None else ("--cache-dir", str(cache))
        options = ("check", "--isolated", *kept, "--exit-zero", "--quiet")
        return Contender(OURS, (sys.executable, "-m", "torchdet_lint", *options, *map(str, paths)), self._env())

    def _module(self, name: str) -> tuple[str, ...]:
        return (sys.executable, "-m", f"benchmarks.{name}")

    def _env(self) -> dict[str, str]:
        return {"PYTHONPATH": str(self._root)}

    def _try(self, contender: Contender) -> None:
        """A run that is not measured."""
        try:
            run(contender)
        except Failed as error:
            print(f"  {contender.name} {error}", file=sys.stderr)
