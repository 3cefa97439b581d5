"""What only a real process shows: imports, closed pipes, progress on terminals."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchdet_lint.cli.progress import INTERVAL, PATIENCE, ProgressLine, progress

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}


def python(*args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args], env=ENVIRONMENT, capture_output=True, text=True, check=False, cwd=cwd
    )


def test_the_command_line_imports_nothing_heavy() -> None:
    code = "import sys, torchdet_lint.cli.check, torchdet_lint.cli.app; print(*sys.modules)"
    loaded = set(python("-c", code).stdout.split())
    assert "click" in loaded
    assert not {"libcst", "torch", "tomllib", "json", "asyncio", "unittest", "torchdet_lint.catalog.rules"} & loaded


def test_importing_main_imports_not_even_click() -> None:
    loaded = python("-c", "import sys; from torchdet_lint.cli import main; print(*sys.modules)").stdout.split()
    assert "click" not in loaded


DEEP = (
    "torchdet_lint.analysis.ordering.scopes", "torchdet_lint.analysis.memory.units", "torchdet_lint.fixes.ordering",
    "torchdet_lint.fixes.memory",
)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("import torch\ntorch.rand(2)\n", ()),
        ("import os\nlist(os.listdir('a'))\n", (0,)),
        ("import os\nopen(os.listdir('a')[0])\n", (0, 2)),
        ("import torch\nprint(torch.empty(2).zero_())\n", (1,)),
        ("import torch\nprint(torch.empty(2) + 1)\n", (1, 3)),
    ],
)
def test_analyses_and_fixes_are_imported_for_files_that_may_need_them(
    tmp_path: Path, source: str, wanted: tuple[int, ...]
) -> None:
    """Together they are a tenth of what a run on one file takes."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "a.py").write_text(source)
    code = "import sys; from torchdet_lint.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    ran = python("-c", code, "--isolated", "--no-cache", "--exit-zero", "-j", "1", "a.py", cwd=tmp_path)
    loaded = set(ran.stdout.splitlines()[-1].split())
    assert "torchdet_lint.checks" in loaded, ran
    assert [at for at, name in enumerate(DEEP) if name in loaded] == list(wanted)


@pytest.mark.skipif(not hasattr(os, "pipe2"), reason="needs POSIX pipes")
def test_a_reader_that_leaves_early_is_no_trouble(tmp_path: Path) -> None:
    code = (
        "import sys; from torchdet_lint.cli.output import write_out\n"
        "write_out('x' * 1000 + chr(10) for _ in range(1000)); sys.exit(1)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


def test_names_that_the_console_cannot_show_are_escaped() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "from torchdet_lint.cli.output import write_out; write_out(['caf\\udce9 \\u6f22\\n'])"],
        env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert ran.stdout == b"caf\\udce9 \\u6f22\n"


def test_progress_waits_draws_now_and_then_and_clears() -> None:
    now = [0.0]
    stream = io.StringIO()
    line = ProgressLine(stream, lambda: now[0])
    line("reading", 1, 100)
    assert stream.getvalue() == ""
    now[0] = PATIENCE
    line("reading", 50, 100)
    now[0] += INTERVAL / 2
    line("reading", 51, 100)
    assert stream.getvalue() == "\rreading 50/100"
    now[0] += INTERVAL
    line("linking", 0, 0)
    line.clear()
    shown = stream.getvalue().removeprefix("\rreading 50/100")
    assert shown.startswith("\rlinking" + " " * 7)
    assert shown.rstrip(" \r").endswith("linking")
    assert shown.endswith("\r")


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with progress(quiet=False) as shown:
        assert not isinstance(shown, ProgressLine)
    monkeypatch.setattr(stream, "isatty", lambda: True)
    with progress(quiet=False) as shown:
        assert isinstance(shown, ProgressLine)
    with progress(quiet=True) as shown:
        assert not isinstance(shown, ProgressLine)


def shell(script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**ENVIRONMENT, "LINT": f"{sys.executable} -m torchdet_lint"}
    return subprocess.run(["sh", "-c", script], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("$LINT train.py >&-", 1, ""),
        ("$LINT train.py 2>&-", 1, ""),
        ("$LINT - <&-", 2, "closed"),
        ("mkdir gone && cd gone && rmdir ../gone && $LINT .", 2, "working directory"),
        ("test -e /dev/full || exit 2; $LINT train.py > /dev/full", 2, ""),
        ("test -e /dev/full || exit 2; $LINT --help > /dev/full", 2, ""),
        ("test -e /dev/full || exit 2; $LINT --version > /dev/full", 2, ""),
    ],
)
def test_closed_and_full_streams(tmp_path: Path, script: str, status: int, said: str) -> None:
    (tmp_path / "train.py").write_text("import torch\ntorch.backends.cudnn.benchmark = True\n")
    found = shell(script, tmp_path)
    assert found.returncode == status, found.stderr
    assert said in found.stderr
    assert "internal error" not in found.stderr
    assert len(found.stderr.splitlines()) <= 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
def test_reports_go_through_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\ntorch.backends.cudnn.benchmark = True\n")
    (tmp_path / "link.json").symlink_to("real.json")
    os.mkfifo(tmp_path / "pipe")
    found = shell(
        "cat pipe > copy.json & $LINT train.py --output json=link.json --output json=pipe; wait; test -p pipe && cmp copy.json real.json",
        tmp_path,
    )
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "link.json").is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="standard output has no name")
def test_the_file_behind_standard_output_is_not_replaced(tmp_path: Path) -> None:
    """Put in its place, a report would leave all else that is written there in a file without a name."""
    (tmp_path / "train.py").write_text("import torch\ntorch.backends.cudnn.benchmark = True\n")
    lint = "$LINT train.py --output-format concise --output json-lines=/dev/stdout"
    found = shell(
        f"(echo before; {lint}; echo after) > log; $LINT baseline write --baseline /dev/stdout > log2", tmp_path
    )
    assert found.returncode == 2
    assert found.stderr == "torchdet-lint: --baseline: /dev/stdout is standard output, and no file to keep\n"
    first, *between, last = (tmp_path / "log").read_text().splitlines()
    assert (first, last) == ("before", "after")
    assert [line.split()[0] for line in between if "TDL201" in line] == ['{"code":', "train.py:2:1:"]


def test_modules_of_the_working_directory_are_not_taken_for_pythons(tmp_path: Path) -> None:
    for name in ("random", "tokenize", "json", "concurrent"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(77)\n")
    assert shell("$LINT .", tmp_path).returncode == 0


def test_an_inner_configuration_that_says_what_only_the_outer_can_is_told(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.torchdet-lint]\njobs = 1\n")
    (tmp_path / "sub" / "torchdet-lint.toml").write_text('exclude = ["x"]\n')
    (tmp_path / "sub" / "a.py").write_text("x = 1\n")
    for _ in range(2):  # also when the run is known
        done = python("-m", "torchdet_lint", ".", cwd=tmp_path)
        assert done.returncode == 0
        assert "sub/torchdet-lint.toml: `exclude` holds for whole runs" in done.stderr


def test_a_selection_of_nothing_is_a_mistake(tmp_path: Path) -> None:
    done = python("-m", "torchdet_lint", "--select", " , ", cwd=tmp_path)
    assert done.returncode == 2
    assert "--select: names nothing" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_shells_complete_commands(shell: str) -> None:
    done = python("-m", "torchdet_lint", "completion", shell)
    assert done.returncode == 0, done.stderr
    assert "_TORCHDET_LINT_COMPLETE" in done.stdout
    word = "pro" if shell == "fish" else "1"
    asked = {"_TORCHDET_LINT_COMPLETE": f"{shell}_complete", "COMP_WORDS": "torchdet-lint pro", "COMP_CWORD": word}
    code = f"import os, sys; os.environ.update({asked!r}); from torchdet_lint.cli import main; sys.exit(main([]))"
    found = python("-c", code)
    assert "programs" in found.stdout, found.stderr
    assert "probe" not in found.stdout
