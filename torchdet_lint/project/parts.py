"""The parts that a project falls into: groups of files that no import connects, so that nothing in one can depend on another."""

from __future__ import annotations

from torchdet_lint.project.modules import Project
from torchdet_lint.project.programs import imports_of


def parts(project: Project) -> tuple[tuple[str, ...], ...]:
    """The paths of each part, sorted, and the parts in the order of their first path. In nearly linear time."""
    above: dict[str, str] = {path: path for path in project.modules}

    def top(path: str) -> str:
        while above[path] != path:
            above[path] = path = above[above[path]]
        return path

    for path in project.modules:
        for other in imports_of(project, path):
            one, two = sorted((top(path), top(other)))
            above[two] = one
    found: dict[str, list[str]] = {}
    for path in sorted(project.modules):
        found.setdefault(top(path), []).append(path)
    return tuple(map(tuple, found.values()))
