"""What is kept between runs changes how long they take, and nothing else."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.conftest import brief, options
from torchdet_lint.cache.folder import NAME
from torchdet_lint.engine import programs, run, workers
from torchdet_lint.engine.load import Loaded
from torchdet_lint.engine.options import Progress, Result, Work
from torchdet_lint.engine.verdict import Verdict, verdict_of
from torchdet_lint.project.context import Context

HELPER = (
    "import torch\n\n\ndef build():\n    return torch.nn.Linear(2, 3)\n\n\ndef seed(n):\n    torch.manual_seed(n)\n"
)
FILES = {
    "pyproject.toml": "",
    "one/train.py": "import torch\nfrom one.helper import build, seed\n\n\ndef main():\n    build()\n\n\nmain()\n",
    "one/helper.py": HELPER,
    "two/train.py": "import os\nimport numpy as np\n\nfor name in os.listdir('d'):\n    names = [name]\nprint(np.random.rand(3))\n",
    "alone.py": "import torch\n\nx = torch.empty(3)\nprint(x.sum())\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        write(name, text)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)


def cached(*paths: str, jobs: int = 1) -> Result:
    return run(options(*paths, cache=True, jobs=jobs))


def same(one: Result, two: Result) -> bool:
    """Equal in all but what it took."""
    return replace(one, work=Work(), excerpt=two.excerpt) == replace(two, work=Work()) and all(
        one.excerpt(each.location) == two.excerpt(each.location) for each in one.findings
    )


def checked(*paths: str) -> Work:
    """Runs with the cache and without, and compares; what the first took."""
    found = cached(*paths)
    assert same(found, run(options(*paths)))
    return found.work


def test_the_second_run_parses_nothing(project: Path) -> None:
    first = checked()
    assert first.files_known == first.parts_known == 0
    assert first.parsed > 0
    second = checked()
    assert second == Work(files=4, files_known=4, parts=3, parts_known=3, parsed=0)


def test_the_cache_lies_in_the_root_and_hides_itself(project: Path) -> None:
    cached("one/train.py")
    assert (project / NAME / ".gitignore").exists()
    assert sorted(os.listdir(project)) == sorted([NAME, "alone.py", "one", "two", "pyproject.toml"])


def test_an_edited_function_is_parsed_again_and_nothing_else(project: Path) -> None:
    checked()
    write("one/helper.py", HELPER.replace("Linear(2, 3)", "Linear(2, 3).cuda()"))
    assert checked() == Work(files=4, files_known=3, parts=3, parts_known=2, parsed=1)


def test_a_comment_shifts_places_and_takes_no_parse(project: Path) -> None:
    before = cached()
    write("one/train.py", "# a comment\n" + FILES["one/train.py"])
    assert checked() == Work(files=4, files_known=3, parts=3, parts_known=2, parsed=0)
    assert {each.fingerprint for each in cached().findings} == {each.fingerprint for each in before.findings}


def test_a_seed_in_a_helper_changes_what_is_said_of_its_program(project: Path) -> None:
    assert "one/train.py:6 TDL001" in brief(cached())
    write("one/helper.py", HELPER.replace("    return", "    seed(1)\n    return"))
    checked()
    assert "one/train.py:6 TDL001" not in brief(cached())


EDITS: dict[str, Callable[[], object]] = {
    "a file renamed": lambda: os.rename("one/helper.py", "one/tools.py"),
    "a file deleted": lambda: os.unlink("one/helper.py"),
    "a file added that shadows": lambda: write("helper.py", "import torch\ntorch.manual_seed(0)\n"),
    "an import added between parts": lambda: write("alone.py", "import two.train\n" + FILES["alone.py"]),
    "a file broken": lambda: write("one/helper.py", "def ("),
    "a file emptied": lambda: write("alone.py", ""),
    "a rule switched off": lambda: write("pyproject.toml", "[tool.torchdet-lint]\nignore = ['TDL501']\n"),
    "a suppression": lambda: write(
        "alone.py", FILES["alone.py"].replace("sum())", "sum())  # tdl: ignore[TDL501] fine")
    ),
    "another torch": lambda: write("pyproject.toml", "[project]\nname = 'x'\ndependencies = ['torch==1.8']\n"),
    "a seeder of the project's own": lambda: write(
        "pyproject.toml",
        "[tool.torchdet-lint]\napis.api = [{ names = 'one.helper.build', role = 'seeder', seeds = ['torch'] }]\n",
    ),
    "a declared script": lambda: write("pyproject.toml", "[project]\nname = 'x'\nscripts.go = 'one.helper:build'\n"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_edits_are_seen_and_undone(project: Path, edit: Callable[[], object]) -> None:
    """As after a switch to another branch and back."""
    first = cached()
    edit()
    checked()
    checked("one")
    for name in ("one", "two", "alone.py", "helper.py"):
        path = Path(name)
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
    for name, text in FILES.items():
        write(name, text)
    again = cached()
    assert same(first, again)
    assert again.work == Work(files=4, files_known=4, parts=3, parts_known=3, parsed=0)


def test_which_files_are_passed_decides_only_what_is_reported(project: Path) -> None:
    whole = brief(cached())
    for path in ("one/train.py", "one/helper.py", "two", "alone.py"):
        assert brief(cached(path)) == [each for each in whole if each.startswith(path)]
        checked(path)


def test_several_processes_keep_the_same(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
    assert same(cached(jobs=3), run(options()))
    assert cached().work == Work(files=4, files_known=4, parts=3, parts_known=3, parsed=0)


def test_what_is_known_of_a_file_does_not_depend_on_whether_it_was_reported(project: Path) -> None:
    write("one/broken.py", "def (\n")
    assert brief(cached("two")) == brief(run(options("two")))
    whole = cached()
    assert whole.work.files_known == 5
    assert "one/broken.py:1 TDL999" in brief(whole)
    assert same(whole, run(options()))
    assert "TDL999" not in str(brief(cached("two")))


@pytest.mark.skipif(not workers.can_fork(), reason="needs fork")
def test_a_process_that_dies_costs_its_part_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = brief(cached())
    shutil.rmtree(project / NAME)

    def dies(context: Context, loaded: Loaded, progress: Progress, *, cards: bool) -> Verdict:
        if "two/train.py" in context.project.modules:
            os.kill(os.getpid(), signal.SIGKILL)
        return verdict_of(context, loaded, progress, cards=cards)

    with monkeypatch.context() as patch:
        patch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
        patch.setattr("torchdet_lint.engine.handover.verdict_of", dies)
        found = cached(jobs=2)
    assert brief(found) == [each for each in whole if not each.startswith("two/")]
    [problem] = found.problems
    assert problem == (
        "two/train.py could not be analysed: the process that read it was killed (SIGKILL); findings are missing"
    )
    assert brief(cached()) == whole  # what was lost is not kept


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 100])
def test_a_damaged_cache_is_made_again(project: Path, damage: bytes) -> None:
    first = cached()
    for path in (project / NAME / "shelves").iterdir():
        path.write_bytes(damage or path.read_bytes()[:-5])
    assert same(cached(), first)
    assert cached().work.parsed == 0


def test_another_tool_finds_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached()
    monkeypatch.setattr("torchdet_lint.engine.kept.stamp", lambda: b"another version.")
    found = cached()
    assert same(found, first)
    assert found.work.files_known == 0


def test_an_internal_error_is_not_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("torchdet_lint.checks.gather", lambda _context, _progress: {}["x"])
        assert cached().problems
    found = cached()
    assert not found.problems
    assert same(found, run(options()))


def test_cards_use_what_checks_have_lowered(project: Path) -> None:
    cached()
    assert programs(options(cache=True)).cards == programs(options()).cards


@pytest.mark.parametrize("jobs", [1, 2])
def test_cards_are_kept_as_they_were(project: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr("torchdet_lint.engine.pipeline.SMALL", 0)
    assert cached().cards == ()
    wanted = programs(options()).cards
    assert {card.path for card in wanted} >= {"one/train.py", "two/train.py"}
    assert any(card.order for card in wanted)
    for known in (0, 3):
        found = run(replace(options(cache=True, jobs=jobs), cards=True))
        assert found.cards == wanted
        assert found.work.parts_known == known, "what is kept without cards is no answer to a run with them"
