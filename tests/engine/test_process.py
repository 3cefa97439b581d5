"""What only a real process shows: Ctrl-C, closed pipes, exit statuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engine.conftest import Tree

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}

SLOW = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background of a shell
import torchdet_lint.engine.load as load
import torchdet_lint.engine.reading as reading

def slow(entry):
    Path("started").touch()
    time.sleep(60)

reading.read = load.read = slow
load.FEW_FILES = {few}
from torchdet_lint.cli import main
sys.exit(main(["-j", "3", "."]))
"""


def start(*args: str, **given: object) -> subprocess.Popen[bytes]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *args], env=ENVIRONMENT, **{**pipes, **given})  # type: ignore[call-overload]


@pytest.mark.skipif(not hasattr(os, "killpg") or sys.platform == "darwin", reason="needs process groups and forks")
@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("whole_group", [True, False])
def test_an_interruption_ends_everything_at_once(tree: Tree, few: int, whole_group: bool) -> None:
    root = tree({f"{at}.py": "x = 1\n" * 50_000 for at in range(6)})
    process = start("-c", SLOW.format(few=few), start_new_session=True)
    deadline = time.monotonic() + 30
    while not (root / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    interrupted = time.monotonic()
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - interrupted < 20  # the workers sleep for a minute
    assert (process.returncode, out, err.strip()) == (130, b"", b"torchdet-lint: interrupted")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # no orphans


@pytest.mark.skipif(sys.platform != "linux", reason="counts the processes of a session")
def test_workers_end_when_the_main_process_is_killed(tree: Tree) -> None:
    root = tree({f"{at}.py": "x = 1\n" for at in range(6)})
    process = start("-c", SLOW.format(few=0).replace("sleep(60)", "sleep(1)"), start_new_session=True)
    while not (root / "started").exists():
        time.sleep(0.02)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("workers outlive the main process")


@pytest.mark.skipif(not hasattr(os, "pipe2"), reason="needs POSIX pipes")
def test_a_reader_that_leaves_early(tree: Tree) -> None:
    tree({"a.py": "import os\n" + "".join(f"def f{at}(d):\n    return list(os.listdir(d))\n" for at in range(600))})
    process = start("-m", "torchdet_lint", "--output-format", "concise")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"a.py:3:")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.parametrize(
    ("args", "status", "out", "err"),
    [
        (("good.py",), 0, "No findings in 1 file\n", ""),
        (("listing.py", "-q", "--output-format", "concise"), 1, "listing.py:2:", ""),
        (("broken.py", "-q", "--output-format", "concise"), 1, "broken.py:1:5: TDL999 error this file cannot be parsed: ", ""),
        (("nope.py",), 2, "", "torchdet-lint: no such file or folder: nope.py\n"),
        (("--show-files",), 0, "broken.py\ngood.py\nlisting.py\n", ""),
        (("--config", 'entry-points=["nope.py"]'), 2, "", "torchdet-lint: --config entry-points="),
        (("programs", "good.py"), 0, "", "torchdet-lint: no programs found\n"),
    ],
)  # fmt: skip
def test_exit_statuses(tree: Tree, args: tuple[str, ...], status: int, out: str, err: str) -> None:
    tree(
        {
            "good.py": "x = 1\n",
            "broken.py": "x = (\n",
            "listing.py": "import os\ndef f(d): return list(os.listdir(d))\n",
        }
    )
    process = start("-m", "torchdet_lint", *args)
    found = [text.decode() for text in process.communicate()]
    assert process.returncode == status
    assert found[0].startswith(out)
    assert found[1].startswith(err)
    assert not err or found[1].count("\n") == 1
