"""The loop: conflicts, oscillation, fixes that do not help, files that cannot be written."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixes.conftest import FixAll, text_of
from torchdet_lint import engine
from torchdet_lint.engine import fixing, writing
from torchdet_lint.engine.options import Options, Progress, Result
from torchdet_lint.finding import Edit, Finding, Fix, Location
from torchdet_lint.fixes.merge import Proposal, merge

PROGRAM = """\
import os
import torch
from torch import nn
from torch.utils.data import DataLoader


def main():
    files = os.listdir("d")
    model = nn.Linear(3, 1)
    for x in DataLoader(files, shuffle=True):
        print(model(x))


if __name__ == "__main__":
    main()
"""


def edit(start: int, end: int, text: str, path: str = "a.py") -> Edit:
    return Edit(Location(path, 1, start + 1, 1, end + 1), start, end, text)


def finding(code: str, fix: Fix | None, line: int = 1, fingerprint: str = "x") -> Finding:
    at = Location("a.py", line, 1, line, 2)
    return Finding(code, "name", "warning", "high", "run", "message", at, fingerprint=fingerprint, fix=fix)


def proposal(*edits: Edit, imports: tuple[Edit, ...] = ()) -> Proposal:
    fix = Fix("t", "safe", edits, imports)
    return Proposal(finding("TDL105", fix), fix)


def test_overlapping_fixes_wait_for_the_next_round() -> None:
    first, second, third = proposal(edit(0, 4, "a")), proposal(edit(3, 6, "b")), proposal(edit(6, 8, "c"))
    assert merge([first, second, third]).taken == (first, third)
    before, at = proposal(edit(2, 2, "x")), proposal(edit(2, 2, "y"))
    assert merge([before, at]).taken == (before,)


def test_a_fix_that_two_findings_share_is_made_once() -> None:
    shared = proposal(edit(2, 2, "x"))
    other = Proposal(finding("TDL002", shared.fix, fingerprint="y"), shared.fix)
    merged = merge([shared, other])
    assert merged.taken == (shared, other)
    assert merged.edits == {"a.py": (edit(2, 2, "x"),)}


def test_imports_are_made_once_and_in_order() -> None:
    numpy, os_ = edit(9, 9, "\n\nimport numpy as np"), edit(9, 9, "\nimport os")
    random_ = edit(9, 9, "\n\nimport random")
    merged = merge(
        [proposal(edit(20, 20, "a"), imports=(random_, numpy)), proposal(edit(30, 30, "b"), imports=(os_, numpy))]
    )
    texts = [each.text for each in merged.edits["a.py"]]
    assert texts == ["\nimport os", "\n\nimport numpy as np", "\nimport random", "a", "b"]


def test_rounds_go_on_until_nothing_is_left(fix_all: FixAll) -> None:
    fixed = fix_all({"a.py": PROGRAM})
    assert fixed.problems == ()
    assert fixed.result.findings == ()
    assert [each.code for each in fixed.done] == ["TDL105", "TDL001", "TDL101"]
    assert "    torch.manual_seed(0)\n    files = sorted(os.listdir" in text_of(fixed)
    assert Path("a.py").read_text() == PROGRAM  # only in memory so far
    assert fixing.write(fixed) == (fixed, ())
    assert Path("a.py").read_text() == text_of(fixed)


def scripted(*rounds: tuple[Finding, ...]) -> tuple[list[Options], object]:
    """A run that says these findings one round after the other, and the last ones ever after."""
    asked: list[Options] = []

    def run(options: Options, progress: Progress) -> Result:
        found = rounds[min(len(asked), len(rounds) - 1)]
        asked.append(options)
        return Result(findings=found, files=("a.py",), paths={"a.py": os.path.abspath("a.py")})

    return asked, run


def test_a_fix_that_does_not_help_is_taken_back(fix_all: FixAll) -> None:
    useless = finding("TDL105", Fix("change it", "safe", (edit(0, 1, "y"),)))
    asked, run = scripted((useless,))
    fixed = fix_all({"a.py": "x = 1\n"}, run=run)  # type: ignore[arg-type]
    assert fixed.files == ()
    assert fixed.done == ()
    assert fixed.problems == ("a.py:1: TDL105: the fix (change it) does not make the finding go away; it was not made",)
    assert len(asked) <= 3


def test_a_fix_that_breaks_the_syntax_is_not_made_and_others_are(fix_all: FixAll) -> None:
    bad = finding("TDL105", Fix("break it", "safe", (edit(0, 1, "("),)), fingerprint="bad")
    good = finding("TDL106", Fix("mend it", "safe", (edit(4, 5, "2"),)), fingerprint="good")
    _, run = scripted((bad, good), (bad,))
    fixed = fix_all({"a.py": "x = 1\n"}, run=run)  # type: ignore[arg-type]
    assert text_of(fixed) == "x = 2\n"
    assert [each.fingerprint for each in fixed.done] == ["good"]
    assert fixed.problems == ("a.py:1: TDL105: the fix (break it) leaves code that does not parse; it was not made",)


def test_fixes_that_undo_each_other_end(fix_all: FixAll) -> None:
    there = finding("TDL105", Fix("to y", "safe", (edit(0, 1, "y"),)), fingerprint="there")
    back = finding("TDL106", Fix("to x", "safe", (edit(0, 1, "x"),)), fingerprint="back")
    asked, run = scripted((there,), (back,), (there,), (back,))
    fixed = fix_all({"a.py": "x = 1\n"}, run=run)  # type: ignore[arg-type]
    assert text_of(fixed) == "y = 1\n"
    assert fixed.problems == ("a.py:1: TDL106: the fix (to x) undoes another fix; it was not made",)
    assert len(asked) < 6


def test_fixes_that_never_end_are_bounded(fix_all: FixAll) -> None:
    calls = 0

    def run(options: Options, progress: Progress) -> Result:
        nonlocal calls
        calls += 1
        more = finding("TDL105", Fix("grow", "safe", (edit(0, 0, "x"),)), line=calls, fingerprint=str(calls))
        return Result(findings=(more,), files=("a.py",), paths={"a.py": os.path.abspath("a.py")})

    fixed = fix_all({"a.py": "x = 1\n"}, run=run)
    assert calls <= 2 * fixing.MOST_ROUNDS + 1
    assert "please report" in fixed.problems[-1]


def test_files_that_are_not_checked_are_not_changed(fix_all: FixAll) -> None:
    elsewhere = finding("TDL105", Fix("there", "safe", (edit(0, 1, "y", path="other.py"),)))
    _, run = scripted((elsewhere,))
    assert fix_all({"a.py": "x = 1\n"}, run=run).files == ()  # type: ignore[arg-type]


def test_a_file_that_changed_meanwhile_is_left_alone(fix_all: FixAll) -> None:
    fixed = fix_all({"a.py": PROGRAM})
    Path("a.py").write_text("# somebody else\n")
    written, (problem,) = fixing.write(fixed)
    assert written.done == written.files == ()
    assert problem == "a.py: changed while it was being fixed; nothing was written, run again"
    assert Path("a.py").read_text() == "# somebody else\n"


def test_a_read_only_file_is_left_alone(fix_all: FixAll) -> None:
    fixed = fix_all({"a.py": PROGRAM})
    Path("a.py").chmod(0o444)
    assert fixing.write(fixed)[1] == ("a.py: is read-only; nothing was written",)
    assert Path("a.py").read_text() == PROGRAM
    assert os.listdir(".") == sorted([".git", "a.py"], key=os.listdir(".").index)


def test_a_file_that_changed_while_it_was_analysed_is_left_alone(fix_all: FixAll) -> None:
    """Places are of the text that was analysed; in another text they are anywhere."""
    theirs = "import os, torch  # 0123456789\n" + PROGRAM

    def run(options: Options, progress: Progress) -> Result:
        result = engine.run(options, progress)
        Path("a.py").write_text(theirs)
        return result

    fixed = fix_all({"a.py": PROGRAM}, run=run)
    assert fixed.done == fixed.files == ()
    assert {problem.partition("cannot be made: ")[2] for problem in fixed.problems} == {
        "changed while it was being analysed; run again; it was not made"
    }
    assert Path("a.py").read_text() == theirs


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root has files of others to fix")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    """As in a container, where everything runs as root and the files are somebody's."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o640)
    os.chown(path, 4242, 4343)
    writing.replace(str(path), b"old", b"new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (4242, 4343, 0o640)


def test_mode_and_links_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_bytes(b"old")
    real.chmod(0o750)
    link.symlink_to(real)
    writing.replace(str(link), b"old", b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o750
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.py", "real.py"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a.py").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(writing.WriteError, match="No space left"):
        writing.replace(str(tmp_path / "a.py"), b"old", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]
    assert (tmp_path / "a.py").read_bytes() == b"old"


def test_unfixable_rules_and_safety(fix_all: FixAll) -> None:
    fixed = fix_all({"a.py": PROGRAM}, 'unfixable=["TDL0"]', 'fixable=["TDL1", "TDL001"]')
    assert [each.code for each in fixed.done] == ["TDL105", "TDL101"]
    assert [(each.code, each.fix) for each in fixed.result.findings] == [("TDL001", None)]
    assert engine.fix(replace(options_here()), unsafe=False).done == tuple(fixed.done[:1])


def options_here() -> Options:
    from tests.fixes.conftest import options

    return options(Path.cwd())
