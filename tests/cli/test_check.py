from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from torchdet_lint.card import ProgramCard
from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.config import OUTPUT_FORMATS, ConfigError
from torchdet_lint.engine.options import Result, Stdin, Work

if TYPE_CHECKING:
    from tests.cli.conftest import Engine, Ran

Lint = Callable[..., "Ran"]


def test_check_is_meant_when_no_command_is_named(lint: Lint, engine: Engine) -> None:
    assert lint() == lint("check") == lint("check", ".") == lint(".")
    assert engine.options.paths == (".",)
    assert lint("--isolated").status == 1
    assert engine.options.settings.root == os.getcwd()


@pytest.mark.parametrize(
    ("args", "left", "expected"),
    [
        ((), "EWN", 1),
        ((), "WN", 1),
        ((), "N", 0),
        ((), "", 0),
        (("--fail-on", "note"), "N", 1),
        (("--fail-on", "error"), "WN", 0),
        (("--fail-on", "error"), "EWN", 1),
        (("--exit-zero",), "EWN", 0),
        (("--config", 'fail-on="error"'), "WN", 0),
        (("--config", 'fail-on="error"', "--fail-on", "note"), "N", 1),
    ],
)
def test_exit_status(lint: Lint, engine: Engine, args: tuple[str, ...], left: str, expected: int) -> None:
    findings = tuple(finding for finding in engine.result.findings if finding.severity[0].upper() in left)
    engine.result = replace(engine.result, findings=findings)
    assert lint(*args).status == expected


def test_problems_are_trouble_whatever_is_found(lint: Lint, engine: Engine) -> None:
    engine.result = replace(engine.result, problems=("sub: permission denied",))
    for args in ((), ("--exit-zero",)):
        ran = lint(*args)
        assert ran.status == 2
        assert ran.err == "torchdet-lint: sub: permission denied\n"
        assert "TDL001" in ran.out


def test_output_formats(lint: Lint, tmp_path: Path) -> None:
    assert "error[TDL001]" in lint().out
    assert lint("--output-format", "concise").out.startswith("a.py:1:1: TDL001 error never seeded\n")
    assert lint("--output-format", "concise").out.endswith(
        "1 error, 1 warning, 1 note in 2 files, 1 program (1 suppressed)\n"
    )
    assert lint("--output-format", "concise", "-q").out.count("\n") == 3
    assert json.loads(lint("--output-format", "json").out)["summary"]["files"] == 2
    (tmp_path / "torchdet-lint.toml").write_text('output-format = "github"\n')
    assert lint().out.startswith("::error ")
    assert lint("--output-format", "concise").out.startswith("a.py:1:1:")


def test_several_outputs(lint: Lint, tmp_path: Path) -> None:
    ran = lint("--output", "sarif=out.sarif", "--output", "json=out=1.json", "--output", "github", "--color", "always")
    assert ran.out.startswith("::error ")
    run = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]
    assert len(run["results"]) == 3
    assert run["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == load_rules().get("TDL001").summary
    assert len(json.loads((tmp_path / "out=1.json").read_text())["findings"]) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.sarif", "out=1.json"]
    assert "error[TDL001]" in lint("--output", "concise=c.txt").out


def test_an_output_that_cannot_be_written_leaves_nothing_behind(lint: Lint, tmp_path: Path) -> None:
    ran = lint("--output", "json=none/out.json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "torchdet-lint: --output: none/out.json cannot be written: No such file or directory\n"
    (tmp_path / "folder").mkdir()
    assert lint("--output", "json=folder").status == 2
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("name", ["train.py", "stub.pyi", "book.ipynb", "link"])
@pytest.mark.parametrize(
    "args",
    [
        ("--output", "html={}"),
        ("baseline", "write", "--baseline", "{}"),
        ("verify", "--html", "{}", "--", "python", "{}"),
    ],
)
def test_no_report_replaces_code(lint: Lint, tmp_path: Path, name: str, args: tuple[str, ...]) -> None:
    (tmp_path / name).symlink_to("aim.py") if name == "link" else None
    (tmp_path / name).write_text("import torch\n")
    ran = lint(*(arg.format(name) for arg in args))
    assert (ran.status, ran.out) == (2, "")
    assert "is code and stays as it is" in ran.err
    assert (tmp_path / name).read_text() == "import torch\n"


def test_statistics_and_colour(lint: Lint) -> None:
    assert lint("--statistics").out.startswith("1  TDL001  unseeded-torch-rng  (error)\n")
    assert "\x1b[" not in lint().out
    assert "\x1b[1;31m" in lint("--color", "always").out


def test_verbose_says_what_it_took(lint: Lint, engine: Engine) -> None:
    engine.result = replace(engine.result, work=Work(12, 10, 3, 2, 40))
    assert lint("-v").out.endswith(" s (10 of 12 files and 2 of 3 parts known, 40 statements parsed)\n")
    assert "parsed" not in lint().out


def test_verbose_names_the_folder_that_is_read(lint: Lint, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "inside").mkdir()
    assert lint("-v", "inside").err == f"torchdet-lint: the project is {tmp_path}\n"
    assert lint("inside").err == ""


def test_what_reaches_the_engine(lint: Lint, engine: Engine) -> None:
    Path("a.py").touch()
    lint(
        *("a.py", "--select", "TDL1,TDL2", "--select", "TDL3", "--ignore", "TDL101", "--extend-select", "TDL5"),
        *("--min-severity", "warning", "--min-confidence", "high", "--target-torch", "2.4", "--exclude", "gen,old"),
        *("--force-exclude", "-j", "3", "--no-cache", "--no-suppressions"),
    )
    options, settings = engine.options, engine.options.settings("a.py")
    assert (options.paths, options.jobs, options.cache, options.suppressions) == (("a.py",), 3, False, False)
    assert (settings.select, settings.ignore, settings.extend_select) == (
        ("TDL1", "TDL2", "TDL3"),
        ("TDL101",),
        ("TDL5",),
    )
    assert (settings.min_severity, settings.min_confidence, settings.target_torch) == ("warning", "high", "2.4")
    assert [glob.text for glob in settings.extend_exclude] == ["gen", "old"]
    assert ".venv" in [glob.text for glob in settings.exclude]
    assert settings.force_exclude is True
    lint("a.py", "-j", "0", "--config", "jobs=5")
    assert (engine.options.jobs, engine.options.cache, engine.options.suppressions) == (0, True, True)


def test_standard_input(lint: Lint, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("torchdet-lint.toml").write_text("")
    Path("sub").mkdir()
    Path("sub/torchdet-lint.toml").write_text('ignore = ["TDL1"]\n')
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x = 1\n")))
    lint("-", "--stdin-filename", "sub/x.py")
    assert engine.options.stdin == Stdin("sub/x.py", b"x = 1\n")
    assert engine.options.paths == ()
    assert engine.options.settings("sub/x.py").ignore == ("TDL1",)


def test_show_files_and_settings(lint: Lint, engine: Engine) -> None:
    assert lint("--show-files").out == "a.py\nb.py\n"
    engine.asked = None
    Path("torchdet-lint.toml").write_text("jobs = 2\n")
    ran = lint("--show-settings", "--fail-on", "note")
    assert ran.status == 0
    assert "jobs = 2  # torchdet-lint.toml\n" in ran.out
    assert 'fail-on = "note"  # --fail-on\n' in ran.out
    assert "\nignore = []  # default\n" in ran.out
    assert "\nper-file-ignores = {}  # default\n" in ran.out
    assert engine.asked is None


def test_nothing_to_check_is_said(lint: Lint, engine: Engine) -> None:
    engine.result = Result(())
    ran = lint()
    assert (ran.status, ran.out) == (0, "No findings in 0 files\n")
    assert ran.err == "torchdet-lint: no Python files or notebooks to check\n"
    assert lint("-q").err == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nope.py",), "no such file or folder: nope.py"),
        (("-", "."), "`-` (standard input) stands alone; leave out the other paths"),
        (
            (".", "--stdin-filename", "x.py"),
            "--stdin-filename names what is read from standard input; give `-` as the path",
        ),
        (("--output", "yaml=x"), f"--output: unknown format yaml; known are {', '.join(OUTPUT_FORMATS)}"),
        (
            ("--output", "json", "--output-format", "sarif"),
            "one report fits on standard output, not json and sarif; write the others to files: json=FILE",
        ),
        (("--output", "html="), "--output: html= names no file; give html=FILE, or html for standard output"),
        (("--output", "html=a", "--output", "json=a"), "--output: two reports for a, which can hold one"),
        (("baseline",), "Missing command. (see `torchdet-lint baseline --help`)"),
        (("init", "--package", ""), None),
        (("--config", "a.toml"), "a.toml: no such configuration file"),
        (
            ("--config", "a.toml", "--config", "b.toml"),
            "--config: one file only, not a.toml and b.toml; let one `extend` the other",
        ),
        (("--config", "a.toml", "--isolated"), None),
        (("--target-torch", "new"), None),
        (("--fail-on", "never"), None),
        (("--no-such-option",), None),
        (("explain",), None),
        (("-j", "many"), None),
    ],
)
def test_trouble_is_one_line_and_status_2(lint: Lint, args: tuple[str, ...], message: str | None) -> None:
    ran = lint(*args)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("torchdet-lint: ")
    assert ran.err.count("\n") == 1
    assert message is None or ran.err == f"torchdet-lint: {message}\n"


@pytest.mark.parametrize(
    ("failure", "status", "message"),
    [
        (ConfigError("x: y"), 2, "x: y"),
        (CatalogError("x: y"), 2, "x: y"),
        (
            ZeroDivisionError("a\nb"),
            2,
            "internal error: ZeroDivisionError: a b (please report; --verbose shows the traceback)",
        ),
        (RecursionError(), 2, "internal error: RecursionError (please report; --verbose shows the traceback)"),
    ],
)
def test_failures_of_the_engine(lint: Lint, engine: Engine, failure: BaseException, status: int, message: str) -> None:
    engine.failure = failure
    assert lint() == (status, "", f"torchdet-lint: {message}\n")


def test_interruption_is_one_line(lint: Lint, engine: Engine) -> None:
    engine.failure = KeyboardInterrupt()
    ran = lint()
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.lstrip("\n") == "torchdet-lint: interrupted\n"  # click ends the terminal's `^C` line first


def test_verbose_shows_the_traceback_of_internal_errors(lint: Lint, engine: Engine) -> None:
    engine.failure = ZeroDivisionError("x")
    assert "Traceback" in lint("--verbose").err
    engine.failure = ConfigError("x")
    assert "Traceback" not in lint("--verbose").err


def test_only_a_page_asks_for_program_cards(engine: Engine, lint: Lint, tmp_path: Path) -> None:
    assert lint("check").status == 1
    assert not engine.options.cards
    engine.result = replace(engine.result, cards=(ProgramCard("a.py", "script", traits=("trains",)),))
    assert lint("check", "--output", "html=page.html").status == 1
    assert engine.options.cards
    page = (tmp_path / "page.html").read_text(encoding="ascii")
    assert page.startswith("<!DOCTYPE html>")
    for said in (
        "1 error, 1 warning, 1 note",
        "trains",
        "never seeded",
        "A shuffling data loader has no generator of its own",
        "b.py",
    ):
        assert said in page
    found = lint("check", "--output-format", "html")
    assert (found.status, found.out) == (1, page)
