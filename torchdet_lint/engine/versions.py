"""Which versions of libraries the code of a file is written for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from posixpath import dirname

from torchdet_lint.catalog.bounds import bounds, torch_interval
from torchdet_lint.catalog.versions import Interval


def versions_by_file(root: str, target_torch: str | None) -> Callable[[str], Mapping[str, Interval]]:
    """A function from a file's path below `root` to the bounds of libraries that hold there, "torch" always among them.

    A bound comes from the nearest dependency file above the file; for torch, the configured target goes before it, and
    the installed torch, then the newest known, stand in where there is none.
    """

    @cache
    def of_folder(folder: str) -> Mapping[str, Interval]:
        found = bounds(os.path.join(root, folder), root)
        return {**found, "torch": torch_interval(target_torch, found)}

    return lambda path: of_folder(dirname(path))
