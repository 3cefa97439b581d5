"""`check --fix` and what belongs to it, `--add-ignore`, and baselines, with the engine."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, Protocol

import pytest

from torchdet_lint.cli import main

CODE = """\
import os

import torch


def main():
    names = [name for name in os.listdir("d")]
    torch.save((names, torch.rand(3)), "x.pt")


if __name__ == "__main__":
    main()
"""
SAFE = CODE.replace('os.listdir("d")', 'sorted(os.listdir("d"))')
ALL = SAFE.replace("def main():\n", "def main():\n    torch.manual_seed(0)\n")


class Ran(NamedTuple):
    status: int
    out: str
    err: str


class Run(Protocol):
    def __call__(self, *args: str) -> Ran: ...


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command line in a project of one file, `a.py`."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*args: str) -> Ran:
        status = main(args)
        return Ran(status, *capsys.readouterr())

    return run


def text() -> str:
    return Path("a.py").read_text()


def test_a_plain_check_says_what_can_be_fixed(run: Run) -> None:
    ran = run("check")
    assert ran.status == 1
    assert "= help: safe fix: sort it\n" in ran.out
    assert "= help: unsafe fix: seed torch with `0`\n" in ran.out
    assert ran.out.endswith("1 fixable with --fix, 1 more with --unsafe-fixes\n")
    assert text() == CODE


def test_fix_makes_safe_fixes_and_reports_the_rest(run: Run) -> None:
    ran = run("check", "--fix", "--output-format", "concise")
    assert text() == SAFE
    assert ran.status == 1
    assert ran.out.startswith("a.py:8:24: TDL001 error")
    assert ran.out.endswith("1 error in 1 file, 1 program (1 fixed)\n1 fixable with --fix --unsafe-fixes\n")


def test_unsafe_fixes(run: Run) -> None:
    ran = run("check", "--fix", "--unsafe-fixes")
    assert text() == ALL
    assert ran == (0, "No findings in 1 file, 1 program (2 fixed)\n", "")
    assert run("check", "--fix", "--unsafe-fixes") == (0, "No findings in 1 file, 1 program\n", "")


def test_unsafe_fixes_can_be_configured(run: Run) -> None:
    Path("torchdet-lint.toml").write_text('unsafe-fixes = true\nunfixable = ["TDL105"]\n')
    run("check", "--fix", "--no-unsafe-fixes")
    assert text() == CODE
    run("check", "--fix")
    assert text() == CODE.replace("def main():\n", "def main():\n    torch.manual_seed(0)\n")


@pytest.mark.parametrize(("args", "status"), [((), 0), (("--exit-non-zero-on-fix",), 1)])
def test_status_after_everything_was_fixed(run: Run, args: tuple[str, ...], status: int) -> None:
    assert run("check", "--fix", "--unsafe-fixes", *args).status == status
    assert run("check", "--fix", "--unsafe-fixes", *args).status == 0


def test_fix_only_is_silent_about_the_rest(run: Run) -> None:
    assert run("check", "--fix-only") == (0, "1 finding fixed\n", "")
    assert text() == SAFE
    assert run("check", "--fix-only") == (0, "", "")


def test_show_fixes(run: Run) -> None:
    ran = run("check", "--fix-only", "--unsafe-fixes", "--show-fixes")
    assert ran.out == (
        "Fixed 2 findings:\n- a.py:\n    1 × TDL001 (unseeded-torch-rng)\n    1 × TDL105 (unordered-file-listing)\n"
    )


def test_diff_changes_nothing_and_applies(run: Run) -> None:
    Path("a.py").write_bytes(CODE.rstrip("\n").replace("\n", "\r\n").encode())
    before = Path("a.py").read_bytes()
    ran = run("check", "--diff", "--unsafe-fixes")
    assert (ran.status, ran.err) == (1, "torchdet-lint: would fix 2 findings\n")
    assert Path("a.py").read_bytes() == before
    patch = Path("fix.patch")
    patch.write_bytes(ran.out.encode())
    subprocess.run(["patch", "--binary", "-s", "-p0", "-i", str(patch)], check=True)
    assert Path("a.py").read_bytes() == ALL.rstrip("\n").replace("\n", "\r\n").encode()
    assert run("check", "--diff", "--unsafe-fixes") == (0, "", "")


def test_standard_input_is_fixed_to_standard_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for args, expected in (((), SAFE), (("--unsafe-fixes",), ALL)):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(CODE.encode())))
        ran = run("check", "--fix", *args, "-q", "--output-format", "concise", "--stdin-filename", "b.py", "-")
        assert ran.out == expected
        assert ("TDL001" in ran.err) == (expected == SAFE)
        assert ran.status == (expected == SAFE)
    assert not Path("b.py").exists()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(CODE.encode())))
    assert run("check", "--diff", "-").out.startswith("--- <stdin>\n+++ <stdin>\n")


def test_a_read_only_file_is_trouble_and_reported_as_it_is(run: Run) -> None:
    Path("a.py").chmod(0o444)
    ran = run("check", "--fix", "--unsafe-fixes", "--output-format", "concise", "-q")
    assert ran.status == 2
    assert ran.err == "torchdet-lint: a.py: is read-only; nothing was written\n"
    assert [line.split()[1] for line in ran.out.splitlines()] == ["TDL105", "TDL001"]
    assert text() == CODE


def test_what_was_fixed_is_told_beside_what_could_not_be_written(run: Run) -> None:
    Path("b.py").write_text(CODE)
    Path("b.py").chmod(0o444)
    ran = run("check", "--fix", "--show-fixes", "--output-format", "concise")
    assert ran.status == 2
    assert ran.err == "torchdet-lint: b.py: is read-only; nothing was written\n"
    assert "Fixed 1 finding:\n- a.py:\n" in ran.out
    assert "- b.py" not in ran.out
    assert "(1 fixed)" in ran.out
    assert text() == SAFE


def test_a_file_that_changed_meanwhile_is_trouble(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdet_lint import engine

    real, theirs = engine.run, CODE.replace("3", "4")

    def slow(*args: object) -> object:
        result = real(*args)  # type: ignore[arg-type]
        Path("a.py").write_text(theirs)
        return result

    monkeypatch.setattr(engine, "run", slow)
    ran = run("check", "--fix", "--output-format", "concise", "-q")
    assert ran.status == 2
    assert "changed while it was being analysed; run again; it was not made" in ran.err
    assert text() == theirs


def test_reports_hold_fixes(run: Run) -> None:
    findings = json.loads(run("check", "--output-format", "json").out)["findings"]
    assert [each["fix"]["safety"] for each in findings] == ["safe", "unsafe"]
    (edit,) = findings[0]["fix"]["edits"]
    assert (edit["path"], edit["line"], edit["column"], edit["content"]) == ("a.py", 7, 31, 'sorted(os.listdir("d"))')
    result = json.loads(run("check", "--output-format", "sarif").out)["runs"][0]["results"][1]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"] == "    torch.manual_seed(0)\n"
    region = change["replacements"][0]["deletedRegion"]
    assert (region["startLine"], region["endLine"], region["startColumn"]) == (7, 7, 1)


def test_add_ignore(run: Run) -> None:
    Path("a.py").write_text(CODE.replace('listdir("d")]', 'listdir("d")]  # tdl: ignore[TDL106] kept'))
    ran = run("check", "--ignore", "TDL106", "--add-ignore=not yet", ".")
    assert ran == (0, "", "torchdet-lint: added comments for 2 findings in 1 file\n")
    assert "  # tdl: ignore[TDL106, TDL105] kept\n" in text()
    assert '"x.pt")  # tdl: ignore[TDL001] not yet\n' in text()
    assert run("check", "--ignore", "TDL106").out == "No findings in 1 file, 1 program (2 suppressed)\n"
    before = text()
    assert run("check", "--ignore", "TDL106", "--add-ignore", ".").status == 0
    assert text() == before


def test_a_file_that_changed_meanwhile_gets_no_comments(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdet_lint import engine

    real = engine.run

    def slow(*args: object) -> object:
        result = real(*args)  # type: ignore[arg-type]
        Path("a.py").write_text("x = 1\n")
        return result

    monkeypatch.setattr(engine, "run", slow)
    ran = run("check", "--add-ignore", "-q")
    assert ran == (2, "", "torchdet-lint: a.py: no comment added: changed while it was being analysed; run again\n")
    assert text() == "x = 1\n"


def test_a_comment_that_would_break_the_code_is_not_written(run: Run) -> None:
    """A cell that ends with a backslash is whole as long as nothing comes after it."""
    Path("a.py").unlink()
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["import torch\n", "print(torch.rand(2))\\"]}
    before = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    Path("a.ipynb").write_text(before)
    ran = run("check", "--add-ignore", "-q")
    assert ran == (2, "", "torchdet-lint: a.ipynb: no comment added: with it the code would not parse\n")
    assert Path("a.ipynb").read_text() == before


def test_add_ignore_to_statements_of_several_lines(run: Run) -> None:
    Path("a.py").write_text(CODE.replace("torch.save((names, ", "torch.save((  # why\n        names,\n        "))
    assert run("check", "--add-ignore").status == 0
    assert '"x.pt")  # tdl: ignore[TDL001]\n' in text()
    assert run("check").status == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--fix", "--add-ignore"), "--add-ignore takes findings as they are"),
        (("--add-ignore=a#b",), "one line without `#`"),
        (("--baseline", "nope.json"), "--baseline: nope.json: cannot be read: No such file"),
        (("--baseline", "a.py"), "--baseline: a.py: no baseline: Expecting value"),
    ],
)
def test_misuse(run: Run, args: tuple[str, ...], message: str) -> None:
    ran = run("check", *args)
    assert ran.status == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert text() == CODE


def test_baseline(run: Run) -> None:
    assert (
        run("baseline", "write", "--baseline", "known.json").err == "torchdet-lint: 2 findings written to known.json\n"
    )
    written = Path("known.json").read_text()
    assert [each["code"] for each in json.loads(written)["findings"]] == ["TDL001", "TDL105"]
    known = ("check", "--baseline", "known.json")
    assert run(*known) == (0, "No findings in 1 file, 1 program (2 in the baseline)\n", "")
    Path("a.py").write_text(
        "# moved\n\n\n" + CODE.replace('"x.pt"', '"y.pt"') + "\n\ndef more():\n    return torch.empty(2) + 1\n"
    )
    assert [line.split()[1] for line in run(*known, "-q", "--output-format", "concise").out.splitlines()] == ["TDL501"]
    run(*known, "--fix", "--unsafe-fixes")
    assert "torch.zeros(2)" in text()
    assert "sorted" not in text()
    run("baseline", "write", "--baseline", "again.json")
    assert Path("again.json").read_text() == written


def test_baseline_prune(run: Run) -> None:
    Path("b.py").write_text(CODE)
    run("baseline", "write")
    Path("a.py").write_text(SAFE)
    Path("b.py").unlink()
    ran = run("baseline", "prune", "a.py")
    assert ran.err == "torchdet-lint: 3 findings pruned from torchdet-lint-baseline.json, 1 left\n"
    assert run("check", "--baseline", "torchdet-lint-baseline.json").status == 0
    assert run("baseline", "prune").err.startswith("torchdet-lint: 0 findings pruned")


def test_pruning_leaves_what_was_not_looked_at(run: Run) -> None:
    Path("b.py").write_text(CODE)
    run("baseline", "write")
    before = Path("torchdet-lint-baseline.json").read_text()
    assert run("baseline", "prune", "a.py").status == 0
    assert Path("torchdet-lint-baseline.json").read_text() == before


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{}", "no baseline: it has no list of findings"),
        ('{"version": 2, "findings": []}', "version 2 of the format is not known, only 1"),
        ('{"version": 1, "findings": [{"path": "a.py"}]}', "entry 1 has not all of path, code, fingerprint, message"),
        ("[1", "no baseline: Expecting"),
    ],
)
def test_broken_baselines(run: Run, document: str, message: str) -> None:
    Path("known.json").write_text(document)
    for args in (("check", "--baseline", "known.json"), ("baseline", "prune", "--baseline", "known.json")):
        ran = run(*args)
        assert ran.status == 2
        assert message in ran.err
        assert ran.err.count("\n") == 1
    assert Path("known.json").read_text() == document


def test_fixes_are_the_same_from_the_cache(run: Run) -> None:
    cold = run("check", "--output-format", "json", "--no-cache")
    first = run("check", "--output-format", "json")
    warm = run("check", "--output-format", "json", "-q")  # other arguments, so that the outcome is not simply repeated
    assert cold.out == first.out == warm.out
    assert json.loads(warm.out)["summary"]["fixable"] == 1


def test_a_run_that_fixes_is_never_only_repeated(run: Run) -> None:
    assert run("check", "--fix-only").out == "1 finding fixed\n"
    Path("a.py").write_text(CODE)
    assert run("check", "--fix-only").out == "1 finding fixed\n"
    assert text() == SAFE
