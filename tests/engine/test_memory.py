"""What a process that runs again and again remembers, and what of it gets onto the disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.conftest import Tree, options
from torchdet_lint.engine import kept, run
from torchdet_lint.engine.kept import Memory
from torchdet_lint.engine.options import Options, Result

TRAIN = "import torch\nfrom lib import seed\nseed()\nmodel = torch.nn.Linear(2, 2)\nmodel(torch.ones(1, 2)).sum().backward()\n"
LIB = "import torch\n\n\ndef seed():\n    torch.manual_seed(0)\n"
OTHER = "import torch\nx = torch.nn.Linear(1, 1)\nx(torch.ones(1, 1)).sum().backward()\n"


@pytest.fixture
def base(tree: Tree) -> Options:
    tree({"pyproject.toml": "", "train.py": TRAIN, "lib.py": LIB, "other.py": OTHER})
    return options()


def codes(found: Result) -> list[str]:
    return [f"{each.location.path}:{each.location.line} {each.code}" for each in found.findings]


def shelves(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.glob("cache/shelves/*")}


def test_only_what_has_changed_is_judged_again(base: Options) -> None:
    held = replace(base, memory=Memory(None))
    assert codes(run(held)) == ["other.py:2 TDL001"]
    again = run(held)
    assert (again.work.files_known, again.work.parts_known, again.work.parsed) == (3, 2, 0)
    broken = LIB.replace("torch.manual_seed(0)", "pass").encode()
    edited = run(replace(held, contents={str(Path("lib.py").absolute()): broken}, lasting=False))
    assert codes(edited) == ["other.py:2 TDL001", "train.py:4 TDL001"]
    assert (edited.work.files_known, edited.work.parts_known) == (2, 1)
    assert codes(run(held)) == ["other.py:2 TDL001"]


def test_only_lasting_runs_are_kept_on_the_disk(base: Options) -> None:
    folder, root = str(Path("cache").absolute()), Path.cwd()
    held = replace(base, memory=Memory(folder))
    run(held)
    first = shelves(root)
    assert first
    typed = replace(held, contents={str(root / "lib.py"): b"x = 1\n"}, lasting=False)
    run(typed)
    assert shelves(root) == first
    (root / "lib.py").write_text("x = 1\n")
    run(held)
    assert shelves(root) != first
    fresh = run(replace(base, memory=Memory(folder)))
    assert (fresh.work.files_known, fresh.work.parts_known) == (3, 2)
    plain = run(replace(base, cache=True, cache_dir=folder))
    assert (plain.work.files_known, plain.work.parts_known) == (3, 2)
    assert codes(plain) == codes(fresh) == codes(run(base))


def test_what_nobody_asks_for_is_forgotten(base: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RUNS", 3)
    held = replace(base, memory=Memory(None))
    typed = replace(held, contents={str(Path("lib.py").absolute()): b"x = 1\n"}, lasting=False)
    run(typed)
    for _ in range(2):
        run(held)
    assert run(typed).work.files_known == 3
    for _ in range(4):
        run(held)
    assert run(typed).work.files_known == 2


def test_who_listens_can_end_a_run(base: Options) -> None:
    class StopError(BaseException):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        if stage.startswith("analysing"):
            raise StopError

    with pytest.raises(StopError):
        run(base, stop)
    assert codes(run(base)) == ["other.py:2 TDL001"]
