from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.analysis.programs import lowered
from torchdet_lint.project.modules import Project
from torchdet_lint.source import load

Make = Callable[..., Project]


@pytest.fixture
def make() -> Make:
    """`make({"a.py": text, …}, roots=(…))`: a project of these files."""

    def make(files: Mapping[str, str], roots: tuple[str, ...] = ()) -> Project:
        return Project([load(path, text.encode()) for path, text in files.items()], lowered, roots)

    return make
