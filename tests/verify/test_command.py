"""`torchdet-lint verify` from the outside."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.verify.conftest import needs_torch
from torchdet_lint.cli import main

HAS_TORCH = importlib.util.find_spec("torch") is not None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(["verify", "-n", *args])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("--", "no-such-program", "x"), "command not found: no-such-program"),
        (("--", "train.py"), "command not found: train.py; write `python train.py`"),
        (("--factors", "moon", "--", sys.executable, "train.py"), "--factors: unknown factor moon; known are torch,"),
        (("--findings", "none.json", "--", sys.executable, "train.py"), "none.json cannot be read"),
        (("--record", ".", "--", sys.executable, "train.py"), "--record: . is not empty"),
        (
            ("--html", "none/page.html", "--", sys.executable, "train.py"),
            "--html: there is no folder for none/page.html",
        ),
        ((), "Missing argument '-- COMMAND...'"),
        (("--", sys.executable), "reads its program from standard input, which is empty here"),
        (("--", "a.ipynb"), "command not found: a.ipynb; write `python a.ipynb`"),
        (("--", sys.executable, "a.ipynb"), "a.ipynb cannot be read: No such file or directory"),
        (("--", sys.executable, "train.ipynb"), "train.ipynb:1: the notebook is not valid JSON"),
        (("--", sys.executable, "-"), "reads its program from standard input, which is empty here"),
    ],
)
def test_trouble_is_one_line(
    project: Path, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], text: str
) -> None:
    (project / "train.py").touch()
    if "train.ipynb" in args:
        (project / "train.ipynb").touch()
    if "a.ipynb" in args and sys.executable not in args:
        (project / "a.ipynb").touch()
    status, out, err = said(capsys, *args)
    assert (status, out) == (2, "")
    assert text in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("pass\n", "the program never imported torch: there is nothing to compare"),
        ("import torchdet_no_such\n", "the program failed by itself (status 1); its own words stand above"),
        ("raise ModuleNotFoundError(\"No module named 'torch'\")\n", "the command's Python has no torch"),
        ("input('name? ')\n", "its own words stand above; it asks for input, and gets none here"),
        (
            "raise AssertionError('Torch not compiled with CUDA enabled')\n",
            "its own words stand above; it wants a GPU that torch does not find here",
        ),
        ("import os; os._exit(0)\n", "the program never imported torch: there is nothing to compare"),
        ("import os; os._exit(3)\n", "the program failed by itself (status 3); it said nothing"),
        ("import ctypes; ctypes.string_at(0)\n", "the program failed by itself (SIGSEGV); it said nothing"),
        ("import sys; sys.exit('CUDA is required')\n", "above; it wants a GPU that torch does not find here"),
    ],
)
def test_programs_that_cannot_be_compared(
    project: Path, capsys: pytest.CaptureFixture[str], source: str, text: str
) -> None:
    (project / "train.py").write_text(source, encoding="utf-8")
    status, out, err = said(capsys, "--", sys.executable, "train.py")
    assert (status, out) == (2, "")
    assert text in err.splitlines()[-1]
    assert ("torchdet_no_such" in err) == ("torchdet_no_such" in source)  # the program's own traceback


def test_a_python_that_ignores_the_recorder_is_never_clean(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("print(1)\n", encoding="utf-8")
    status, _, err = said(capsys, "--", sys.executable, "-I", "train.py")
    assert status == 2
    assert "not instrumented" in err


BUGGY = """
import os
import numpy as np
import torch

torch.manual_seed(0)
names = os.listdir(".")
layer = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
for step in range(3):
    noise = float(np.random.rand())
    x = torch.full((1, 2), float(len(names[0]))) + noise
    loss = layer(x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


LISTS = """
import os, time
import random
print("took", time.time())
names = os.listdir("data")
random.Random(0).shuffle(names)
print(names)
"""


def test_of_a_program_without_torch_the_output_is_compared(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "split.py").write_text(LISTS, encoding="utf-8")
    (project / "data").mkdir()
    for name in "abc":
        (project / "data" / f"{name}.txt").touch()
    arguments = ("--select", "TDL105", "--factors", "listing,clock")
    status, out, err = said(capsys, *arguments, "--", sys.executable, "split.py")
    assert (status, err) == (1, "")
    assert "its main process does nothing in torch; the 2 lines that it prints were compared" in out
    assert (
        "split.py:5: TDL105 confirmed-hidden: another value of the order of folder listings changes the result" in out
    )
    assert "first difference: line 2 of what it prints" in out
    (project / "split.py").write_text(LISTS.replace("os.listdir(", "sorted(os.listdir(").replace('ta")', 'ta"))'))
    assert said(capsys, *arguments, "--", sys.executable, "split.py")[0] == 0  # the time that it prints fails nothing


@needs_torch
def test_findings_get_their_verdicts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(BUGGY, encoding="utf-8")
    status, out, err = said(
        capsys,
        "--factors",
        "numpy,listing",
        "--record",
        "kept",
        "--html",
        "page.html",
        "--output-format",
        "json",
        "--",
        sys.executable,
        "train.py",
    )
    assert status == 1, err
    found = json.loads(out)
    assert {(one["rule"], one["where"], one["verdict"], one["factor"]) for one in found["findings"]} == {
        ("TDL002", "train.py:11", "confirmed", "numpy"),
        ("TDL105", "train.py:7", "confirmed-hidden", "listing"),
    }
    assert found["natural"][0]["line"] == "train.py:12:<module>"
    assert found["natural"][0]["sources"][0]["line"] == "train.py:11:<module>"
    assert (project / "kept" / "natural-1" / "rank0.stream").exists()
    page = (project / "page.html").read_text(encoding="ascii")
    assert "<h3>Side by side</h3>" in page
    assert "Two plain runs differ" in page
    jsonschema = pytest.importorskip("jsonschema")
    schema = Path(__file__).parents[2] / "torchdet_lint" / "verify" / "schema-1.json"
    jsonschema.validate(found, json.loads(schema.read_text(encoding="utf-8")))


@needs_torch
def test_a_clean_program_is_clean(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = BUGGY.replace("np.random.rand()", "np.random.default_rng(3).random()").replace(
        "os.listdir", "sorted(os.listdir"
    )
    (project / "train.py").write_text(clean.replace('(".")', '("."))'), encoding="utf-8")
    status, out, err = said(capsys, "--factors", "none", "--", sys.executable, "train.py")
    assert (status, err) == (0, "")
    assert "two plain runs agree in every recorded operation" in out
    assert "never that nothing is" in out


@needs_torch
def test_a_notebook_is_run_by_its_cells(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [["%load_ext autoreload\n", "import torch"], ["noise = torch.rand(3)\n", "print(noise.sum())"]]
    code = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for cell in cells
    ]
    content = json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (project / "a.ipynb").write_text(content, encoding="utf-8")
    command = ("--factors", "none", "--html", "page.html", "--", sys.executable, "a.ipynb", "--lr", "3")
    status, out, err = said(capsys, "--output-format", "json", *command)
    assert (status, err) == (1, "")
    document = json.loads(out)
    found = [(one["rule"], one["where"], one["verdict"]) for one in document["findings"]]
    assert found == [("TDL001", "a.ipynb:cell 2:1", "confirmed")]
    assert document["natural"][0]["line"] == "a.ipynb:cell 2:1:<module>"
    page = (project / "page.html").read_text(encoding="utf-8")
    assert "a.ipynb:cell 2:1" in page
    assert "noise = torch.rand(3)" in page  # the line of the cell, not of the file
    for form in ("text", "markdown"):
        out = said(capsys, "--output-format", form, *command)[1]
        assert re.search(r"`?a\.ipynb:cell 2:1`?(:| \|) TDL001 ", out)
        assert not re.search(r"a\.ipynb:\d", out)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for what is left in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_who_is_asked_to_end_leaves_nothing(
    project: Path, tmp_path_factory: pytest.TempPathFactory, number: int
) -> None:
    (project / "train.py").write_text(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('started', 'w')\ntime.sleep(1000)\n",
        encoding="utf-8",
    )
    place = tmp_path_factory.mktemp("temporary")
    # In the background of a shell, or under `nohup`, the signal would be ignored.
    heard = "default_int_handler" if number == signal.SIGINT else "SIG_DFL"
    code = f"import signal, sys; signal.signal({number:d}, signal.{heard}); from torchdet_lint.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "verify", "--no-cache", "--", sys.executable, "train.py"]
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "TMPDIR": str(place), "PYTHONPATH": path}
    process = subprocess.Popen(command, cwd=project, env=env, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not [*place.glob("torchdet-*/**/started")]:
        time.sleep(0.05)
    process.send_signal(number)
    assert process.communicate(timeout=60)[1].strip() == "torchdet-lint: interrupted"
    assert process.returncode == 130
    assert not [*place.iterdir()]
