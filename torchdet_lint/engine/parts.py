"""The parts of a project judged one by one: here, in several processes, or from what an earlier run has kept."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from torchdet_lint.engine import handover
from torchdet_lint.engine.kept import key_of
from torchdet_lint.engine.load import Loaded
from torchdet_lint.engine.options import Progress
from torchdet_lint.engine.verdict import Verdict, dump, undump, verdict_of
from torchdet_lint.engine.workers import Crew
from torchdet_lint.project.context import Context


@dataclass(frozen=True)
class Judge:
    """Judges parts of one project. `whole` is what the checks need for all of it, `policy` names everything besides the code
    of a part that its verdict depends on; `cards` asks for those of the programs. `crew` are the processes that wait for parts,
    None where all is judged here.
    """

    whole: Context
    loaded: Loaded
    policy: str
    cards: bool = False
    crew: Crew | None = None
    counts: Counter[str] = field(default_factory=Counter)
    """How many parts there were to judge ("parts"), and how many of them an earlier run had judged ("known")."""

    def verdicts(self, parts: Sequence[tuple[str, ...]], jobs: int, progress: Progress) -> Iterator[Verdict]:
        """The verdict of every part that holds a reported file, in the order of the parts."""
        wanted = [part for part in parts if any(map(self.whole.wants, part))]
        keys = [self._key(part) for part in wanted] if self.loaded.kept.keeps else []
        known = {at: blob for at, key in enumerate(keys) if (blob := self.loaded.kept.parts.get(key)) is not None}
        fresh = [at for at in range(len(wanted)) if at not in known]
        self.counts.update(parts=len(wanted), known=len(known))
        found: dict[int, Verdict] = {}
        for index, verdict in self._judged([wanted[at] for at in fresh], jobs, progress):
            at = fresh[index]
            found[at] = verdict
            if keys and not verdict.troubles:
                self.loaded.kept.parts.put(keys[at], dump(verdict))
        for at in range(len(wanted)):
            yield found[at] if at in found else undump(known[at])

    def context(self, part: Sequence[str]) -> Context:
        """What the checks need for one part that is judged here."""
        context = handover.of_part(self.whole, part)
        for module in context.project.modules.values():
            module.source = module.source.unpacked()
        return context

    def _judged(self, parts: Sequence[tuple[str, ...]], jobs: int, progress: Progress) -> Iterator[tuple[int, Verdict]]:
        if self.crew is None or len(parts) == 1:
            for index, part in enumerate(parts):
                several = len(parts) > 1
                if several:
                    progress("analysing", index, len(parts))
                shown = _same(progress, index, len(parts)) if several else progress
                yield index, verdict_of(self.context(part), self.loaded, shown, cards=self.cards)
            return
        largest_first = sorted(
            range(len(parts)), key=lambda index: -self._extent(parts[index])
        )  # nobody is left with it
        batches = [[(index, parts[index])] for index in largest_first]
        for done, (index, data, trouble) in enumerate(
            self.crew.run(batches, jobs, self._pack, self.whole.project.layout), 1
        ):
            progress("analysing", done, len(parts))
            yield index, handover.hand_back(data, self.loaded) if not trouble else _lost(parts[index], trouble)

    def _pack(self, part: Sequence[str]) -> list[bytes]:
        return handover.hand_over(handover.of_part(self.whole, part), self.loaded)

    def _extent(self, part: Sequence[str]) -> int:
        """About how long the code of a part is, in characters."""
        return sum(units[-1].end for path in part if (units := self.loaded.sources[path].units))

    def _key(self, part: Sequence[str]) -> bytes:
        sources = self.loaded.sources
        files = [(path, sources[path].digest, self.whole.wants(path)) for path in part]
        versions = [self.whole.versions_of(path) for path in _one_a_folder(part)]
        return key_of(self.policy, repr(files), repr(versions), *(["cards"] if self.cards else []))


def _same(progress: Progress, done: int, total: int) -> Progress:
    """For the steps of one part of several: nothing new is shown, and whoever listens can still end the run."""
    return lambda _stage, _done, _total: progress("analysing", done, total)


def _one_a_folder(paths: Sequence[str]) -> list[str]:
    """A file of each folder: versions are those of folders."""
    return list({os.path.dirname(path): path for path in paths}.values())


def _lost(part: Sequence[str], why: str) -> Verdict:
    """The verdict where the process that worked at it died, twice."""
    others = f" and {len(part) - 1} files connected with it" if len(part) > 1 else ""
    return Verdict((), {}, (f"{part[0]}{others} could not be analysed: {why}; findings are missing",), ())
