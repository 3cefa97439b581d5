"""A project, and what else its judges have to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torchdet_lint.catalog.apis import Apis
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.catalog.versions import ANY, Interval
from torchdet_lint.project.modules import Project
from torchdet_lint.project.programs import Program, find_programs, import_closure

Versions = Mapping[str, Interval]


@dataclass(frozen=True)
class Context:
    """What checking a project needs besides the code.

    `versions_for(path)` gives the known bounds of libraries for a file, "torch" always among them. `codes` are the rules that
    somebody asked for. `scripts` are further entry points, as (file, function). `reported` are the files whose findings are
    wanted, None for all: what cannot reach them is not evaluated, and what is found in them is the same either way.
    """

    project: Project
    apis: Apis
    catalog: Catalog
    versions: Versions
    codes: frozenset[str]
    scripts: tuple[tuple[str, str], ...] = ()
    tests_are_programs: bool = False
    versions_for: Callable[[str], Versions] | None = None
    reported: frozenset[str] | None = None

    def wants(self, path: str) -> bool:
        """Whether findings in this file are asked for."""
        return self.reported is None or path in self.reported

    def programs(self) -> list[Program]:
        """The entry points that can run code of a file that is asked for."""
        found = find_programs(self.project, self.scripts, tests=self.tests_are_programs)
        return [program for program in found if self._reaches(program.path)]

    def _reaches(self, path: str) -> bool:
        if self.reported is None or path in self.reported:
            return True
        return not self.reported.isdisjoint(import_closure(self.project, path))

    def versions_of(self, path: str) -> Versions:
        """The known bounds of libraries for a file."""
        return self.versions_for(path) if self.versions_for is not None else self.versions

    def torch(self, path: str) -> Interval:
        """The torch versions that the file is written for."""
        return self.versions_of(path).get("torch", ANY)
