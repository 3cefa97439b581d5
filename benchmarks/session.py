"""One run of the benchmark: who runs on what, and which budget that fills."""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.corpora import MARK, Corpus
from benchmarks.measure import Contender, Failed, Outcome, compete, ratio, run
from benchmarks.rivals import RIVALS, Installed

OURS = "torchdet-lint"
FLOOR = "libcst.parse_module alone"
NOTHING = "python -c pass"
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


class Session:
    """Collects figures for budgets by their keys, reasons where there is none, and tables of runs."""

    def __init__(self, root: Path, home: Path, rivals: Mapping[str, Installed | str], rounds: int) -> None:
        self.figures: dict[str, float] = {}
        self.reasons: dict[str, str] = {}
        self.groups: list[tuple[str, Mapping[str, Outcome]]] = []
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
                group = [ours, Contender(NOTHING, (sys.executable, "-c", "pass")), *self._installed(file, "ruff")]
                outcomes = self._compete(title, group, self._rounds * HOOK_ROUNDS)
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
        if kind == "libraries":
            self.figures["memory/cold"] = outcomes[OURS].peak / 1e6
            self._growth(corpus, outcomes[OURS].cpu)

    def sample(self, corpus: Corpus) -> None:
        group = [self._ours(corpus.folder), *self._installed(corpus.folder, "torchfix")]
        outcomes = self._compete(f"Cold: {corpus.about}", group, self._rounds)
        self._fill("sample/torchfix", outcomes, "torchfix")

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

    def _ours(self, path: Path) -> Contender:
        options = ("check", "--isolated", "--no-cache", "--exit-zero", "--quiet")
        return Contender(OURS, (sys.executable, "-m", "torchdet_lint", *options, str(path)), self._env())

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
