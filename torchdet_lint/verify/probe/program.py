"""The program that runs trials: all of them in one process, each reported as soon as it is done."""

from __future__ import annotations

from collections.abc import Sequence

from torchdet_lint.verify.probe.evidence import Trial

MARK = "@torchdet-lint-probe "
"""Stands before each report, so that nothing which a trial prints is taken for one."""

_HEAD = '''\
import importlib, json, sys

MODULES = {modules!r}


class Indices:
    """A data set whose samples are their own indices."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index


class Drawing(Indices):
    """A data set that draws from everything for each sample."""

    def __init__(self, count, held="numpy.random.default_rng"):
        super().__init__(count)
        import random
        import numpy
        import torch

        if held == "torch.Generator":
            self.held = torch.Generator().manual_seed(7)
        else:
            makers = (numpy.random.default_rng, numpy.random.RandomState, random.Random)
            self.held = next(make for make in makers if held.endswith("." + make.__name__))(7)

    def __getitem__(self, index):
        import random
        import numpy
        import torch

        worker = torch.utils.data.get_worker_info()
        return dict(
            worker=worker.id if worker else -1, torch=torch.rand(1).item(), numpy=float(numpy.random.rand()),
            python=random.random(), held=self.draw(),
        )


    def draw(self):
        import torch

        if isinstance(self.held, torch.Generator):
            return torch.rand(1, generator=self.held).item()
        return float(getattr(self.held, "random", getattr(self.held, "random_sample", None))())


def state():
    """The global generators as this process found them, to be put back before each trial."""
    import random

    kept = [(random.setstate, random.getstate())]
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        kept.append((numpy.random.set_state, numpy.random.get_state()))
    if torch is not None:
        kept.append((torch.set_rng_state, torch.get_rng_state()))
    return kept


def main(wanted):
    missing = {{}}
    for name in MODULES:
        try:
            globals()[name.split(".")[0]] = importlib.import_module(name.split(".")[0])
            importlib.import_module(name)
        except Exception as error:
            missing[name] = str(error).splitlines()[0] if str(error) else type(error).__name__
    start = state()
    version = getattr(sys.modules.get("torch"), "__version__", "")
    for index in wanted:
        for restore, kept in start:
            restore(kept)
        needs, trial = TRIALS[index]
        lacking = [name for name in needs if name in missing]
        try:
            seen = {{"missing": lacking[0], "why": missing[lacking[0]]}} if lacking else trial()
        except Exception as error:
            seen = {{"error": type(error).__name__ + ": " + (str(error).splitlines() or [""])[0]}}
        print({mark!r} + json.dumps([index, version, seen]), flush=True)

'''

_FOOT = """

if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]])
"""


def program(trials: Sequence[Trial]) -> str:
    """The text of the program; its arguments are the numbers of the trials to run."""
    modules = tuple(dict.fromkeys(module for trial in trials for module in trial.modules))
    parts = [_HEAD.format(modules=modules, mark=MARK)]
    for number, trial in enumerate(trials):
        lines = "\n".join(f"    {line}" for line in trial.body.strip("\n").splitlines())
        parts.append(f"\ndef trial_{number}():\n{lines}\n\n")
    names = ", ".join(f"({trial.modules!r}, trial_{number})" for number, trial in enumerate(trials))
    parts.append(f"\nTRIALS = [{names}]\n")
    return "".join(parts) + _FOOT
