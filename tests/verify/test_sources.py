"""What a program asks of the outside: seen, and held. These programs need no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from torchdet_lint.verify.factors import BY_NAME, Setting, asked_for, pinned
from torchdet_lint.verify.running import Run

Ran = Callable[..., Run]

ASKS = """
import glob, os, pathlib, random, secrets, tempfile, time, uuid
print(time.time(), os.getpid())
print(os.urandom(4).hex(), uuid.uuid4(), secrets.token_hex(4), random.Random().random(), random.random())
print(os.listdir("."), [e.name for e in os.scandir(".")], glob.glob("*"), sorted(p.name for p in pathlib.Path(".").iterdir()))
print(sorted(next(os.walk("."))[2]))
os.getcwd()
tempfile.mkdtemp()
random.seed(3)
print(random.random())
"""


def events(run: Run) -> list[tuple[str, str, int]]:
    return [
        (one.kind, one.name, int(one.place.split(":")[1]))
        for one in run.record.streams["rank0"].events
        if one.kind not in ("END", "OUT")
    ]


def test_questions_are_credited_to_user_lines(ran: Ran) -> None:
    asked = events(ran(ASKS))
    # By which function `pathlib` and `glob` list a folder changes from one Python to the next.
    assert {line for kind, _, line in asked if kind == "FS"} == {5, 6}
    assert [each for each in asked if each[0] != "FS"] == [
        ("TIME", "time.time", 3),
        ("PID", "os.getpid", 3),
        *[("ENT", "os.urandom", 4)] * 3,
        ("ENT", "random.Random", 4),
        ("RNGPY", "random.random", 4),
        ("CWD", "os.getcwd", 7),
        ("SEED", "random.seed", 9),
        ("RNGPY", "random.random", 10),
    ]


def test_pinned_runs_agree_and_a_release_shows(ran: Ran, sample: Callable[..., object]) -> None:
    from torchdet_lint.verify.running import execute

    what = sample(ASKS)
    first, second = (execute(what, pinned(name)).outcome.stdout for name in ("a", "b"))  # type: ignore[arg-type]
    assert first == second
    for name in ("os", "python", "clock", "pid", "listing"):
        setting = Setting(name, {**pinned("").pins, name: 1}, pinned("").env, still=True)
        assert execute(what, setting).outcome.stdout != first, name  # type: ignore[arg-type]


def test_a_source_is_released_on_one_line_alone(sample: Callable[..., object]) -> None:
    from torchdet_lint.verify.factors import released
    from torchdet_lint.verify.running import execute

    what = sample("import os\nprint(os.urandom(2).hex())\nprint(os.urandom(2).hex())\n")
    held = execute(what, pinned("a")).outcome.stdout.split()  # type: ignore[arg-type]
    setting = replace(released((BY_NAME["os"],), 0), only=("train.py:3",))
    alone = execute(what, setting).outcome.stdout.split()  # type: ignore[arg-type]
    assert (alone[0] == held[0], alone[1] == held[1]) == (True, False)


NUMPY = """
import numpy as np
from numpy.random import rand
def draw():
    return rand()
print(draw(), np.random.normal(size=2), np.random.default_rng().random(), np.random.RandomState().rand())
np.random.seed(3)
print(draw(), np.random.permutation(5))
"""


def test_numpy(ran: Ran, sample: Callable[..., object]) -> None:
    pytest.importorskip("numpy")
    from torchdet_lint.verify.running import execute

    what = sample(NUMPY)
    run = execute(what, pinned("a"))  # type: ignore[arg-type]
    assert run.outcome.stdout == execute(what, pinned("b")).outcome.stdout  # type: ignore[arg-type]
    assert [(kind, line) for kind, _, line in events(run)] == [
        ("RNGNP", 5), ("RNGNP", 6), ("ENT", 6), ("ENT", 6), ("SEED", 7), ("RNGNP", 5), ("RNGNP", 8),
    ]  # fmt: skip
    assert {(draw.place, draw.seeded, draw.times) for draw in run.record.ledger.draws} == {
        ("train.py:5:draw", "", 1),
        ("train.py:5:draw", "train.py:7:<module>", 1),
        ("train.py:6:<module>", "", 1),
        ("train.py:8:<module>", "train.py:7:<module>", 1),
    }


def test_lines_that_run_are_reached(sample: Callable[..., object]) -> None:
    from torchdet_lint.verify.factors import natural
    from torchdet_lint.verify.running import execute

    source = "def f():\n    return 1\ndef g():\n    return 2\nf()\n"
    run = execute(sample(source, lines={"train.py": (2, 4, 5)}), natural("natural-1"))  # type: ignore[arg-type]
    assert run.record.ledger.reached == {"train.py": frozenset({2, 5})}


@pytest.mark.parametrize("flag", ["-E", "-I", "-S"])
def test_a_python_that_ignores_the_path_leaves_no_beacon(ran: Ran, flag: str) -> None:
    assert ran("print(1)\n", flags=(flag,)).record.processes == 0


def test_a_shadowed_sitecustomize_still_runs(
    sample: Callable[..., object], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchdet_lint.verify.factors import natural
    from torchdet_lint.verify.running import execute

    other = tmp_path_factory.mktemp("other")
    (other / "sitecustomize.py").write_text("import sys\nsys.mine = 7\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(other))
    run = execute(sample("import sys, sitecustomize\nprint(sys.mine)\n"), natural("natural-1"))  # type: ignore[arg-type]
    assert (run.outcome.stdout, run.record.processes) == ("7\n", 1)


def test_the_users_folder_is_only_copied(ran: Ran, tmp_path_factory: pytest.TempPathFactory) -> None:
    run = ran("import os\nopen('made-by-the-sample', 'w').close()\nos.unlink('pyproject.toml')\n")
    assert run.outcome.status == 0
    root = tmp_path_factory.getbasetemp()
    assert not list(root.glob("**/made-by-the-sample"))


LAUNCHER = """
import random, subprocess, sys
subprocess.run([sys.executable, "-c", "import random; random.random()"], check=True)
random.random()
"""


def test_code_of_a_relative_path(ran: Ran) -> None:
    run = ran("import time\nexec(compile('time.time()', 'part.py', 'exec'))\n")
    assert (run.outcome.status, run.outcome.stderr) == (0, "")
    assert [event.place for event in run.record.streams["rank0"].events if event.kind == "TIME"] == [
        "part.py:1:<module>"
    ]


def test_commands_that_a_program_starts_are_not_taken_for_it(ran: Ran) -> None:
    streams = ran(LAUNCHER).record.streams
    assert [event.kind for event in streams["rank0"].events] == ["RNGPY", "END"]
    assert [event.kind for event in streams["rank0/command"].events] == ["RNGPY", "END"]


AGAIN = """
import os, random, sys
if "AGAIN" not in os.environ:
    os.environ["AGAIN"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])
random.random()
"""


def test_a_program_that_starts_itself_anew_is_the_same(ran: Ran) -> None:
    streams = ran(AGAIN).record.streams
    assert [[event.kind for event in stream.events] for stream in streams.values()] == [["RNGPY", "END"]]
    assert [stream.main for stream in streams.values()] == [True]


POOLS = """
import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from multiprocessing import Pool
from multiprocessing.pool import ThreadPool

def task(k):
    random.random()
    return k

if __name__ == "__main__":
    for pool in (ThreadPoolExecutor, ProcessPoolExecutor):
        with pool(3) as workers:
            print([done.result() for done in as_completed([workers.submit(task, k) for k in range(3)])])
            print(list(workers.map(task, range(4))))
    for pool in (ThreadPool, Pool):
        with pool(3) as workers:
            print(list(workers.imap_unordered(task, range(3))))
            print(workers.map(task, range(4)))
"""


def test_pools_work_and_their_tasks_have_streams(sample: Callable[..., object]) -> None:
    from torchdet_lint.verify.factors import natural, released
    from torchdet_lint.verify.running import execute

    what = sample(POOLS)
    run = execute(what, natural("natural-1"))  # type: ignore[arg-type]
    assert (run.outcome.status, run.outcome.stderr) == (0, "")
    assert run.outcome.stdout.splitlines()[1::2] == ["[0, 1, 2, 3]"] * 4
    assert asked_for(BY_NAME["completion"], run.record.ledger)
    assert {"rank0/task1", "rank0/task7", "rank0/pool/task1"} <= set(run.record.streams)
    reverse = execute(what, released((BY_NAME["completion"],), 0)).outcome.stdout.splitlines()  # type: ignore[arg-type]
    assert reverse[1::2] == ["[0, 1, 2, 3]"] * 4
    assert "[2, 1, 0]" in reverse[::2]


def test_what_stands_in_for_builtins_does_not_become_a_method(ran: Ran) -> None:
    code = """
import os, pickle, time
class Timer:
    clock, folder, number, names = time.time, os.getcwd, os.getpid, os.listdir
    def __init__(self):
        self.took = (self.clock(), self.folder(), self.number(), len(self.names(".")))
print(len(Timer().took))
for function in (time.time, os.getpid, os.listdir, os.urandom):
    assert pickle.loads(pickle.dumps(function)) == function, function
    print(function.__name__)
"""
    run = ran(code)
    assert (run.outcome.status, run.outcome.stdout.split()) == (0, ["4", "time", "getpid", "listdir", "urandom"]), run
