"""Programs that misbehave: the user's files are untouched, no process is left, and a line says what happened."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from torchdet_lint.verify import landlock, network, processes
from torchdet_lint.verify.box import Outcome, StartError, run_boxed
from torchdet_lint.verify.limits import Limits
from torchdet_lint.verify.scratch import scratch_copy

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these programs speak POSIX")
guarded = pytest.mark.skipif(landlock.abi() < 3, reason="this kernel has no Landlock, or an early one")
followed = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us follow daemons")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user's folder, with a checkpoint."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "model.ckpt").write_text("precious")
    (folder / "data").mkdir()
    (folder / "data" / "a.txt").write_text("a")
    return folder


def boxed(home: Path, source: str, *, seconds: float = 20, limits: Limits | None = None, **options: object) -> Outcome:
    (home / "train.py").write_text(source)
    before = contents(home)
    place = scratch_copy(str(home), str(home.parent / "scratch"))
    outcome = run_boxed(
        [sys.executable, "train.py"], cwd=place, env=dict(os.environ), seconds=seconds, limits=limits, **options
    )  # type: ignore[arg-type]
    assert contents(home) == before
    return outcome


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def alive(marker: str) -> bool:
    """Whether a process whose command line holds the marker is running."""
    return any(marker.encode() in command_line(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


def command_line(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


def test_a_quiet_program(home: Path) -> None:
    outcome = boxed(home, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (outcome.status, outcome.stopped, outcome.stdout, outcome.stderr) == (3, "", "out\n", "err\n")


def test_what_it_writes_and_deletes_is_the_copy(home: Path) -> None:
    outcome = boxed(
        home, "import os, shutil; open('model.ckpt', 'w').write('x'); shutil.rmtree('data'); print(os.listdir())"
    )
    assert outcome.status == 0
    assert "data" not in outcome.stdout


@guarded
@pytest.mark.parametrize(
    "source",
    [
        "import shutil; shutil.rmtree({home!r})",
        "open({home!r} + '/model.ckpt', 'w').write('x')",
        "open({home!r} + '/model.ckpt', 'ab').write(b'x')",
        "import os; os.truncate({home!r} + '/model.ckpt', 0)",
        "import os; os.rename({home!r} + '/model.ckpt', {home!r} + '/other')",
        "import os; os.rename({home!r} + '/model.ckpt', 'mine')",
        "import os; os.link({home!r} + '/model.ckpt', 'mine'); open('mine', 'w').write('x')",
        "import os; os.symlink({home!r} + '/model.ckpt', 'mine'); open('mine', 'w').write('x')",
        "open({home!r} + '/new', 'w')",
        "import subprocess; subprocess.run(['rm', '-rf', {home!r}], check=True)",
    ],
)
def test_the_original_is_out_of_reach(home: Path, source: str) -> None:
    outcome = boxed(home, source.format(home=str(home)))
    assert outcome.status not in (0, None)
    if "subprocess" not in source and "os." not in source and "shutil" not in source:
        assert any("refused to write outside of its copy" in note and str(home) in note for note in outcome.notes)


def test_places_to_write_are_exactly_those_named(home: Path, tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.mkdir()
    outcome = run_boxed(
        [sys.executable, "-c", f"open({str(record / 'log')!r}, 'w').write('1'); open('here', 'w')"],
        cwd=str(home), env=dict(os.environ), seconds=20, write_only=(str(record),),
    )  # fmt: skip
    assert (record / "log").read_text() == "1"
    assert (outcome.status == 0) is (landlock.abi() == 0)


def test_temporary_files_have_a_place_that_is_gone_afterwards(home: Path) -> None:
    source = "import tempfile; f = tempfile.NamedTemporaryFile(delete=False); f.write(b'x'); f.close(); print(f.name)"
    outcome = boxed(home, source)
    assert outcome.status == 0
    assert not Path(outcome.stdout.strip()).exists()


@followed
def test_daemons_are_found_and_ended(home: Path) -> None:
    source = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)", "daemon-of-%s"])
    os._exit(0)
os.wait(); time.sleep(0.3)
"""
    outcome = boxed(home, source % home, limits=Limits(grace=0.2))
    assert outcome.status == 0
    assert outcome.notes == ("it left 1 process running in the background; they were ended",)
    assert not alive(f"daemon-of-{home}")


@pytest.mark.parametrize(
    "source",
    [
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
        "import time\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n    except BaseException: pass",
        "import sys, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nsys.exit(0)",
        "import time\nwhile True:\n    try:\n        raise SystemExit\n    except:\n        time.sleep(0.01)",
    ],
)
def test_what_never_ends_is_stopped(home: Path, source: str) -> None:
    start = time.monotonic()
    outcome = boxed(home, source, seconds=0.7, limits=Limits(grace=0.2))
    assert (outcome.status, outcome.stopped) == (None, "time")
    assert outcome.notes == ("it was stopped after 1 s, the time limit",)
    assert time.monotonic() - start < 40


def test_a_program_may_end_politely(home: Path) -> None:
    source = """
import signal, sys, time
def end(*_):
    print("saved"); sys.exit(0)
signal.signal(signal.SIGTERM, end)
time.sleep(60)
"""
    outcome = boxed(home, source, seconds=0.7)
    assert (outcome.stopped, outcome.stdout) == ("time", "saved\n")


def test_exits_that_run_no_handlers(home: Path) -> None:
    assert boxed(home, "import os; os._exit(5)").status == 5
    assert boxed(home, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)").status == -11


def test_much_output_is_cut_in_the_middle(home: Path) -> None:
    outcome = boxed(home, "print('first'); print('x' * 5000); print('last')", output_limit=1000)
    assert (outcome.status, outcome.stopped) == (0, "")
    assert outcome.stdout.startswith("first\n")
    assert outcome.stdout.endswith("last\n")
    assert len(outcome.stdout) < 1100
    assert any("4,012 bytes in the middle of its standard output were left out" in note for note in outcome.notes)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_stopped(home: Path, stream: str) -> None:
    outcome = boxed(home, f"import sys\nfor _ in range(1_000_000): sys.{stream}.write('x' * 1000)", output_limit=20_000)
    assert (outcome.status, outcome.stopped) == (None, "output")
    assert len(getattr(outcome, stream)) < 21_000


@followed
def test_memory_is_limited_over_all_processes(home: Path) -> None:
    source = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        kept = bytearray(os.urandom(1)) * 60_000_000
        time.sleep(60)
time.sleep(60)
"""
    outcome = boxed(home, source, limits=Limits(memory=120_000_000))
    assert (outcome.stopped, outcome.notes) == ("memory", ("it was stopped when it used more memory than the limit",))


@followed
def test_memory_that_is_shared_counts_once(home: Path) -> None:
    source = """
import os, time
kept = bytearray(os.urandom(1)) * 60_000_000
for _ in range(3):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
time.sleep(0.6)
"""
    assert boxed(home, source, limits=Limits(memory=150_000_000)).stopped == ""


@followed
def test_a_program_that_forks_all_the_time(home: Path) -> None:
    # It doubles faster than one can look, and then sleeps: what is awake would be felt by the whole machine.
    source = "import os, time\nfor _ in range(8): os.fork()\ntime.sleep(60)"
    outcome = boxed(home, source, limits=Limits(processes=60))
    assert (outcome.stopped, outcome.notes) == (
        "processes",
        ("it was stopped when it had started more than 60 processes",),
    )


@pytest.mark.parametrize(("dying", "left"), [(6, 0), (2, 4)])
def test_as_long_as_some_die_the_others_are_waited_for(monkeypatch: pytest.MonkeyPatch, dying: int, left: int) -> None:
    """Each takes three quarters of the patience; with four of them the patience of one is over several times."""
    now, rest = [0.0], [processes.Process(number, 1, number, number, 0) for number in range(1, 7)]

    def pass_time(_: float) -> None:
        now[0] += 0.75
        if len(rest) > 6 - dying:
            rest.pop()

    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=pass_time))
    monkeypatch.setattr(processes, "below", lambda _: list(rest))
    monkeypatch.setattr(processes, "send", lambda *_: None)
    assert processes.end_all(1, lambda: None, 1.0) == left


def test_one_file_has_a_size_limit(home: Path) -> None:
    outcome = boxed(home, "open('big', 'wb').write(b'x' * 2_000_000)", limits=Limits(disk=1_000_000))
    assert outcome.status != 0


def test_input_is_empty(home: Path) -> None:
    outcome = boxed(home, "input('name? ')")
    assert outcome.status == 1
    assert "it asks for input, and gets none here" in outcome.notes


@followed
def test_the_network_is_loopback_at_most(home: Path) -> None:
    source = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
print("loopback")
"""
    outcome = boxed(home, source)
    assert (outcome.stdout == "loopback\n") is network.loopback_works()
    outside = boxed(home, "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)")
    assert outside.status == 1
    if network.loopback_works():
        assert "it seems to need a network, and gets none here" in outside.notes


@guarded
@followed
def test_others_processes_cannot_be_signalled(home: Path) -> None:
    if landlock.abi() < 6:
        pytest.skip("this kernel's Landlock does not guard signals")
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as bystander:
        outcome = boxed(home, f"import os; os.kill({bystander.pid}, 9)")
        assert bystander.poll() is None
        bystander.kill()
    assert outcome.status == 1


@followed
def test_when_we_are_killed_the_program_ends(home: Path) -> None:
    code = "import sys; from torchdet_lint.verify.box import run_boxed; import os; run_boxed([sys.executable, '-c', "
    code += f"'import time; time.sleep(60)', 'orphan-of-{home}'], cwd={str(home)!r}, env=dict(os.environ), seconds=60)"
    root = str(Path(landlock.__file__).parents[2])
    temporary = home.parent / "temporary"
    temporary.mkdir()
    env = {**os.environ, "PYTHONPATH": root, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", code], env=env) as we:
        deadline = time.monotonic() + 60
        while not alive(f"time.sleep(60)\0orphan-of-{home}") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert alive(f"time.sleep(60)\0orphan-of-{home}")
        we.kill()
    deadline = time.monotonic() + 60
    while alive(f"time.sleep(60)\0orphan-of-{home}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(f"time.sleep(60)\0orphan-of-{home}")
    deadline = time.monotonic() + 60
    while list(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not list(temporary.iterdir())


def test_what_cannot_start(home: Path) -> None:
    with pytest.raises(StartError, match=r"^no-such-command-here: command not found$"):
        run_boxed(["no-such-command-here"], cwd=str(home), env=dict(os.environ), seconds=60)
    with pytest.raises(StartError, match=r"^cannot run \./model\.ckpt: Permission denied$"):
        run_boxed(["./model.ckpt"], cwd=str(home), env=dict(os.environ), seconds=60)
    with pytest.raises(ValueError, match="there is no such place"):
        run_boxed(["true"], cwd=str(home / "missing"), env={}, seconds=60)


def test_the_environment_is_exactly_that_which_is_given(home: Path) -> None:
    outcome = run_boxed(
        [sys.executable, "-c", "import os; print(sorted(os.environ))"], cwd=str(home), env={"A": "ü\udcff"}, seconds=60,
        allow_net=True,
    )  # fmt: skip
    assert set(eval(outcome.stdout)) - {"LC_CTYPE"} == {"A", "TMPDIR", "TEMP", "TMP"}


def test_a_system_without_landlock_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdet_lint.verify import keeper

    monkeypatch.setattr(landlock, "abi", lambda: 0)
    monkeypatch.setattr(network, "loopback_works", lambda: False)
    notes: list[str] = []
    spec = keeper.Spec((), "", {}, 1, (), network=False, temporary="", limits=Limits())
    assert keeper.locks(spec, notes) == (False, False, False)
    assert notes == [
        "this system cannot keep a program from writing outside of its copy (no Landlock)",
        "this system cannot keep a program from using the network",
    ]


def test_a_system_without_fork_limits_time_and_output(home: Path) -> None:
    from torchdet_lint.verify import keeper, portable

    def run(source: str, seconds: float = 20) -> tuple[str, keeper.End]:
        command = [sys.executable, "-c", source]
        spec = keeper.Spec(
            command, str(home), dict(os.environ), seconds, (), network=False, temporary="", limits=Limits()
        )
        out, _, notes, end = portable.run(spec, 1000, 100_000)
        assert notes == [portable.UNGUARDED]
        return out.text, end

    text, end = run("print('out')")
    assert (text, end.status, end.stopped) == ("out\n", 0, "")
    assert run("import time; time.sleep(60)", seconds=0.3)[1].stopped == "time"
    assert run("while True: print('x' * 1000)")[1].stopped == "output"


@guarded
def test_without_a_loopback_of_its_own_there_is_no_tcp(tmp_path: Path) -> None:
    if landlock.abi() < 4:
        pytest.skip("this kernel's Landlock does not guard the network")
    code = f"""
import socket
from torchdet_lint.verify import landlock
landlock.restrict([{str(tmp_path)!r}], tcp=False)
socket.create_server(("127.0.0.1", 0))
"""
    env = {**os.environ, "PYTHONPATH": str(Path(landlock.__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert "Permission denied" in done.stderr
