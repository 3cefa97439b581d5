"""What linking takes: which file each import means, which parts the project falls into, which files are programs.

`python -m benchmarks.linking 20000` makes a project of so many small modules in memory, 40 a package, each with four imports of
its own and of another package and five of libraries, and prints the CPU seconds of linking it: the least of three times.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Iterator

from torchdet_lint.project.modules import Project
from torchdet_lint.project.parts import parts
from torchdet_lint.project.programs import find_programs
from torchdet_lint.source import SourceFile, load

PACKAGE = 40
"""Modules a package."""

NEAR = 5
"""Packages that import each other: what lies further apart is not connected."""

BODY = """
def one(x):
    return x + 1


class Net(nn.Module):
    def forward(self, x):
        return one(x)
"""


def modules(count: int) -> Iterator[tuple[str, str]]:
    """The paths and texts of a made-up project, the same for the same `count`."""
    draws = random.Random(1)
    yield "org/__init__.py", ""
    for index in range(count):
        package, module = divmod(index, PACKAGE)
        if not module:
            yield f"org/pkg{package}/__init__.py", ""
        other = package // NEAR * NEAR + draws.randrange(NEAR)
        near = "".join(f"from .mod{draws.randrange(PACKAGE)} import one as one{number}\n" for number in range(2))
        head = "import os\nimport numpy as np\nimport torch\nfrom torch import nn\nfrom typing import Any\n"
        far = f"from org.pkg{other}.mod{draws.randrange(PACKAGE)} import Net, one\n"
        whole = f"import org.pkg{package}.mod{draws.randrange(PACKAGE)} as other\n"
        yield f"org/pkg{package}/mod{module}.py", f"{head}{near}{far}{whole}{BODY}"


def link(sources: list[SourceFile]) -> int:
    """Links a project; the number of its parts. Nothing is lowered for it."""
    project = Project(sources, lambda _source, _unit: ())
    find_programs(project)
    return len(parts(project))


def seconds(count: int) -> float:
    """CPU seconds of linking so many modules, the least of three times."""
    sources = [load(path, text.encode()) for path, text in modules(count)]
    gc.collect()
    gc.disable()  # as in a run
    taken = []
    for _ in range(3):
        start = time.process_time()
        link(sources)
        taken.append(time.process_time() - start)
    return min(taken)


if __name__ == "__main__":
    print(seconds(int(sys.argv[1])))
