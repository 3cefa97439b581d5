from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import pytest

from tests.engine.conftest import Lint, Tree, brief
from torchdet_lint.engine.parts import Judge
from torchdet_lint.project.context import Context
from torchdet_lint.project.modules import Project

ORDERS = """import os
import torch


class Loaders:
    def __init__(self, root):
        self.names = os.listdir(root)

    def first(self):
        return self.names[0]


def buffer(n):
    for _ in range(n):
        kept = torch.empty(n)
        print(kept.sum())
"""


def test_a_part_that_is_judged_is_let_go(tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run collects no garbage, so that what an analysis remembers of a part would stay until the end."""
    tree({"pyproject.toml": "", "one/a.py": ORDERS, "two/b.py": ORDERS})
    seen: list[weakref.ref[Project]] = []
    whole = Judge.context

    def context(judge: Judge, part: Sequence[str]) -> Context:
        made = whole(judge, part)
        seen.append(weakref.ref(made.project))
        return made

    monkeypatch.setattr(Judge, "context", context)
    gc.collect()
    gc.disable()
    try:
        found = brief(lint("."))
        alive = [each for each in seen if each() is not None]
    finally:
        gc.enable()
    assert [each for each in found if "TDL105" in each or "TDL501" in each] == [
        "one/a.py:7 TDL105", "one/a.py:15 TDL501", "two/b.py:7 TDL105", "two/b.py:15 TDL501",
    ]  # fmt: skip
    assert len(seen) == 2
    assert not alive
