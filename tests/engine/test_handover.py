"""A part is judged in another process as it is here, whatever that process knew before."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Lint, Tree, brief, options
from torchdet_lint.engine import pipeline, run, workers
from torchdet_lint.engine.options import Result, Work
from torchdet_lint.engine.parts import Judge
from torchdet_lint.project.layout import Layout
from torchdet_lint.project.parts import parts

pytestmark = pytest.mark.skipif(not workers.can_fork(), reason="needs fork")

SCRIPT = """import random
import torch
from {helper} import build

if __name__ == "__main__":
    build(random.random())  # noqa: TDL003
    torch.rand(3)
"""
HELPER = "import torch\n\n\ndef build(scale):\n    return torch.nn.Linear(2, 3), scale\n"
FILES = {
    "pyproject.toml": "[project]\nname = 'x'\n[project.scripts]\nrun = 'pkg.app:main'\n",
    "one/train.py": SCRIPT.format(helper="helper"),
    "one/helper.py": HELPER,
    "two/train.py": SCRIPT.format(helper="common.build"),
    "two/common/build.py": HELPER,  # a folder that is a namespace package
    "three/add.py": "import sys\nsys.path.append('lib')\nimport far\n\nfar.draw()\n",
    "three/lib/far.py": "import numpy as np\n\n\ndef draw():\n    return np.random.rand(3)\n",
    "pkg/__init__.py": "",
    "pkg/app.py": "import torch\n\n\ndef main():\n    torch.randn(2).sum()\n",
    "deep.py": f"import torch\nx = {'[' * 140}torch.rand(1){']' * 140}\n\ntorch.rand(2)\n",
    "broken.py": "import torch\ndef (\n",
    "old/requirements.txt": "torch==1.10.0\n",
    "old/train.py": "import torch\n\ntorch.manual_seed(0)\ny = torch.rand(3).scatter_add_(0, i, torch.rand(3)).cuda()\n",
    "latin.py": "# -*- coding: latin-1 -*-\nimport os\nnames = os.listdir('\xe9')\nfirst = names[:3]\nfor i, n in enumerate(names):\n    print(i, n)\n".encode(
        "latin-1"
    ),
}


def there(*paths: str, monkeypatch: pytest.MonkeyPatch, jobs: int = 2, **given: Any) -> Result:
    """Judged in other processes, however little there is to judge, and read in others still."""
    with monkeypatch.context() as patch:
        patch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
        patch.setattr("torchdet_lint.engine.load.FEW_FILES", 0)
        patch.setattr("torchdet_lint.engine.parts.verdict_of", None)  # it is not asked here
        return run(options(*paths, jobs=jobs, **given))


@pytest.mark.parametrize("jobs", [2, 3, 8])
@pytest.mark.parametrize("paths", [(".",), ("one/helper.py", "two", "deep.py"), ("one/train.py", "latin.py")])
def test_the_same_is_found(
    tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch, paths: tuple[str, ...], jobs: int
) -> None:
    tree(FILES)
    here = lint(*paths)
    found = there(*paths, monkeypatch=monkeypatch, jobs=jobs)
    assert replace(found, work=Work(), excerpt=here.excerpt) == replace(here, work=Work())
    assert [found.excerpt(each.location) for each in found.findings] == [
        here.excerpt(each.location) for each in here.findings
    ]
    assert here.findings


def test_every_kind_of_finding_is_among_them(tree: Tree, lint: Lint) -> None:
    tree(FILES)
    found = brief(lint("."))
    assert {
        "one/train.py:6 TDL001",
        "broken.py:2 TDL999",
        "deep.py:2 TDL999",
        "latin.py:3 TDL105",
        "three/add.py:5 TDL002",
    } <= set(found)
    assert "pkg/app.py:5 TDL001" in found, "a console script"
    assert not [each for each in found if "TDL003" in each], "a comment hides it"


def test_what_was_lowered_ahead_is_handed_over(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """No unit is parsed twice: once ahead, and the rest where the part is judged."""
    tree(FILES)
    assert there(".", monkeypatch=monkeypatch).work.parsed == run(options(".")).work.parsed


def test_memory_is_let_go_with_the_part(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(FILES)
    monkeypatch.setattr("torchdet_lint.engine.load.FEW_FILES", 0)
    state = pipeline.Run(options(".", jobs=2), lambda *_: None)
    with state.judge(jobs=2) as judge:
        assert all(isinstance(source.body, bytes) for source in judge.loaded.sources.values()), "texts wait deflated"
        assert judge.loaded._ahead
        found = [judge._pack(part) for part in parts(judge.whole.project)]
        assert not judge.loaded._ahead
        assert all(isinstance(source.body, bytes) for source in judge.loaded.sources.values())
    assert sum(map(len, found)) == len(FILES) - 2 + len(found), "a blob a file, and one about the part"


def test_nobody_waits_where_there_is_little(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise AssertionError("started a process")

    monkeypatch.setattr("torchdet_lint.engine.pipeline.Crew", fails)
    tree(FILES)
    run(options(".", jobs=4))
    monkeypatch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
    run(options(".", jobs=1))
    run(options("one/train.py", jobs=2))
    with pytest.raises(AssertionError, match="started"):
        run(options(".", jobs=2))


def test_who_waits_is_let_go_when_the_run_fails(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[int] = []
    monkeypatch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
    dismiss = workers.Crew.dismiss

    def noting(crew: workers.Crew) -> None:
        gone.append(len(crew._workers))
        dismiss(crew)

    monkeypatch.setattr(workers.Crew, "dismiss", noting)
    monkeypatch.setattr("torchdet_lint.engine.pipeline.load_all", lambda *_: {}["x"])
    tree(FILES)
    with pytest.raises(KeyError):
        run(options(".", jobs=3))
    assert gone == [3]


def test_a_single_part_is_judged_here(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """To send all that there is would take time and twice the memory."""
    monkeypatch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
    monkeypatch.setattr("torchdet_lint.engine.load.FEW_FILES", 0)
    monkeypatch.setattr(Judge, "_pack", None)
    tree({"pyproject.toml": "", "one/train.py": SCRIPT.format(helper="helper"), "one/helper.py": HELPER})
    assert "one/train.py:6 TDL001" in brief(run(options(".", jobs=2)))


def test_a_layout_means_the_same_elsewhere(tmp_path: Path) -> None:
    here = Layout(("a/train.py", "src/pkg/__init__.py", "src/pkg/x.py", "lib/far.py", "a/data/y.py"), ("lib",))
    here.add_roots(["a/../a/data"])
    asked = [("a/train.py", dotted, 0) for dotted in ("pkg", "pkg.x", "far", "y", "data.y", "torch", "nothing")]
    asked.append(("src/pkg/__init__.py", "x", 1))
    found = [here.find(*each) for each in asked]
    other = pickle.loads(pickle.dumps(here))
    assert [other.find(*each) for each in asked] == found
    assert found[:5] == ["src/pkg/__init__.py", "src/pkg/x.py", "lib/far.py", "a/data/y.py", "a/data/y.py"]
    assert other.has_folder("a/train.py", "data") is here.has_folder("a/train.py", "data") is True
