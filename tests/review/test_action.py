"""`action.yml` and the GitLab template: their structure, and their scripts run by bash with a stand-in for the command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text()
STEPS = re.split(r"(?m)^    - name: ", ACTION)[1:]
BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash")


def script(name: str) -> str:
    """The script of a step."""
    (step,) = [each for each in STEPS if each.startswith(f"{name}\n")]
    text = step.partition("      run: ")[2]
    return "\n".join(line[8:] for line in text.splitlines()[1:]) if text.startswith("|") else text.strip()


def test_no_expression_stands_in_a_script() -> None:
    names = [step.partition("\n")[0] for step in STEPS]
    assert names == [
        "Set up Python",
        "Install torchdet-lint",
        "Check",
        "Upload to code scanning",
        "Review",
        "Pass the exit status on",
    ]
    assert all("${{" not in script(name) for name in names if "run:" in STEPS[names.index(name)])


def test_other_actions_are_pinned_to_commits() -> None:
    used = re.findall(
        r"uses: (.*)",
        ACTION + (ROOT / "docs" / "review.md").read_text().replace("OWNER/torchdet-lint@A-COMMIT-OF-IT", ""),
    )
    assert len(used) >= 3
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used if each.strip())


def test_every_input_is_used_and_every_one_that_is_used_is_declared() -> None:
    declared = set(re.findall(r"(?m)^  ([a-z-]+):\n    description", ACTION.partition("outputs:")[0]))
    assert declared == set(re.findall(r"inputs\.([a-z-]+)", ACTION))


def test_both_files_are_yaml() -> None:
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load(ACTION)
    assert action["runs"]["using"] == "composite"
    assert all(each.get("shell") == "bash" for each in action["runs"]["steps"] if "run" in each)
    job = yaml.safe_load((ROOT / "templates" / "torchdet-lint.gitlab-ci.yml").read_text())["torchdet-lint"]
    assert job["artifacts"]["reports"] == {"codequality": "gl-code-quality-report.json"}


class Runner:
    """Runs the scripts of the action in a folder; the command notes its arguments and exits as told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command = folder / "torchdet-lint"
        self.command.write_text(
            '#!/bin/sh\nfor each in "$@"; do printf "%s\\n" "$each" >> arguments; done\nexit ${STATUS:-0}\n'
        )
        self.command.chmod(0o755)

    def run(self, text: str, **variables: str) -> int:
        given = {
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_STEP_SUMMARY": "summary.md",
            "GITHUB_OUTPUT": "output",
            "GITHUB_ENV": "env",
            "GITHUB_ACTION_PATH": "/action",
            "TDL_COMMAND": str(self.command),
            "TDL_ARGS": "",
            "TDL_FAIL_ON": "",
            "TDL_SARIF": "false",
            "TDL_PATHS": ".",
        }
        assert BASH is not None
        return subprocess.run((BASH, "-c", text), cwd=self.folder, env=given | variables, check=False).returncode

    def read(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


HOSTILE = "$(touch pwned) `touch pwned`; touch pwned\n--config=evil.toml\n\n* && touch pwned"


@needs_bash
@pytest.mark.parametrize(("step", "command"), [("Check", "check"), ("Review", "review")])
def test_inputs_are_arguments_and_never_code(step: str, command: str, runner: Runner) -> None:
    assert runner.run(script(step), TDL_PATHS=HOSTILE, TDL_ARGS="--select=TDL1\n--quiet", TDL_FAIL_ON="error") == 0
    arguments = runner.read("arguments")
    dashes = arguments.index("--")
    assert arguments[0] == command
    assert arguments[dashes - 3 : dashes] == ["--fail-on=error", "--select=TDL1", "--quiet"]
    assert arguments[dashes + 1 :] == [
        "$(touch pwned) `touch pwned`; touch pwned",
        "--config=evil.toml",
        "* && touch pwned",
    ]
    assert not (runner.folder / "pwned").exists()
    assert runner.read("output") == ["exit-code=0"]


@needs_bash
@pytest.mark.parametrize("status", ["0", "1", "2"])
def test_the_exit_status_is_passed_on(status: str, runner: Runner) -> None:
    assert runner.run(script("Check"), STATUS=status) == 0
    assert runner.read("output") == [f"exit-code={status}"]
    assert runner.run(script("Pass the exit status on"), TDL_STATUS=status) == int(status)


@needs_bash
def test_sarif_is_written_on_request_only(runner: Runner) -> None:
    runner.run(script("Check"), TDL_SARIF="true")
    assert f"--output=sarif={runner.folder}/temp/torchdet-lint.sarif" in runner.read("arguments")
    assert runner.read("output")[0] == f"sarif-file={runner.folder}/temp/torchdet-lint.sarif"


@needs_bash
@pytest.mark.parametrize("version", ["1.0; touch pwned", "1.0 --index-url=x", "latest", "==1", "$(touch pwned)"])
def test_what_is_no_version_is_not_installed(version: str, runner: Runner) -> None:
    assert runner.run(script("Install torchdet-lint"), TDL_VERSION=version, TDL_PYTHON="false") == 2
    assert not (runner.folder / "pwned").exists()


@needs_bash
@pytest.mark.parametrize(
    ("version", "package"), [("", "/action"), ("0.1.0", "torchdet-lint==0.1.0"), ("1.0rc1", "torchdet-lint==1.0rc1")]
)
def test_what_is_installed(version: str, package: str, runner: Runner) -> None:
    scripts = runner.folder / "temp" / "torchdet-lint" / "bin"
    scripts.mkdir(parents=True)
    shutil.copy(runner.command, scripts / "python")
    assert runner.run(script("Install torchdet-lint"), TDL_VERSION=version, TDL_PYTHON="true") == 0
    assert runner.read("arguments")[-2:] == ["--", package]
    assert runner.read("env") == [f"TDL_COMMAND={scripts}/torchdet-lint"]
