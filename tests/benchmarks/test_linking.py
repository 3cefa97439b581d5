from __future__ import annotations

from benchmarks.linking import NEAR, PACKAGE, link, modules
from torchdet_lint.source import load


def test_packages_that_import_each_other_are_one_part() -> None:
    count = 2 * NEAR * PACKAGE
    sources = [load(path, text.encode()) for path, text in modules(count)]
    assert len(sources) == 1 + count + 2 * NEAR
    assert link(sources) == 1  # through the package above all
    apart = [source for source in sources if source.path != "org/__init__.py"]
    assert link(apart) == 2


def test_the_made_up_project_is_always_the_same() -> None:
    assert list(modules(100)) == list(modules(100))
