"""Probes that need no torch, and what they refuse."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.verify.probing import probed, said
from torchdet_lint.cli.probe import probe_command
from torchdet_lint.finding import VERDICTS, Evidence
from torchdet_lint.verify.probe.evidence import CONFIRMED, CUDA, HIDDEN, NOTHING, REFUTED, UNPROBED, Trial
from torchdet_lint.verify.probe.runs import judge_all
from torchdet_lint.verify.spoken import MEANING

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders are listed differently there")

PLAIN = """
import os
import random


SHUFFLER = random.Random()


def classes(root):
    return {name: index for index, name in enumerate(os.listdir(root))}


def words(rows):
    first = list({"a", "b", "c", "d", "e"})
    second = list(set(word for word in rows))
    return first, second, SHUFFLER.random()
"""


def test_what_takes_no_torch(tmp_path: Path) -> None:
    found = said(tmp_path, PLAIN, "TDL004", "TDL105", "TDL106")
    assert found[0] == ("TDL004", "confirmed", "entropy")
    assert found[1] in (("TDL105", "confirmed-hidden", "listing"), ("TDL105", "no-effect-seen", ""))
    assert found[2:] == [("TDL106", "confirmed", "hash-seed"), ("TDL106", "unprobed", "")]


def test_nothing_of_the_users_is_run(tmp_path: Path) -> None:
    text = f"open({str(tmp_path / 'ran')!r}, 'w')\nimport random\nprint(random.Random(), random.Random().random())\n"
    (tmp_path / "random.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert said(tmp_path, text, "TDL004")
    assert not (tmp_path / "ran").exists()


REFUSED = """
import time
import numpy as np
import random


def seeds(cfg, stamp):
    np.random.seed(cfg.offset + int(time.time()))
    random.seed(stamp(time.time()))
    np.random.seed(int(time.time()), *cfg.more)
    return random.Random(*cfg.args)
"""


def test_what_is_not_in_sight_gets_a_reason(tmp_path: Path) -> None:
    for _, evidence in probed(tmp_path, REFUSED, "TDL004", "TDL005"):
        assert evidence.verdict == "unprobed"
        assert any(word in evidence.text for word in ("not in sight", "does not take over"))


def test_rules_about_cuda_name_their_check(tmp_path: Path) -> None:
    text = "import torch\ntorch.backends.cudnn.benchmark = True\ntorch.nn.Conv2d(1, 1, 1).cuda()(torch.rand(1, 1, 2, 2)).sum().backward()\n"
    found = said(tmp_path, text, "TDL201", "TDL001")
    assert ("TDL201", "needs-cuda", "cudnn-benchmark") in found
    assert ("TDL001", "unprobed", "") in found


def test_an_interpreter_without_torch_is_told(tmp_path: Path) -> None:
    trial = Trial("return {}", ("no_such_module_here",), lambda one, other: Evidence("confirmed", ""))
    [found] = judge_all([trial], sys.executable, lambda _done, _total: None)
    assert found.verdict == "unprobed"
    assert found.text.startswith("the interpreter has no no_such_module_here: ")
    [found] = judge_all([trial], str(tmp_path / "missing"), lambda _done, _total: None)
    assert "command not found" in found.text


def test_a_trial_that_dies_costs_only_itself() -> None:
    def seen(one: object, other: object) -> Evidence:
        return Evidence("confirmed", repr((one, other)))

    bodies = [
        "return {'n': 1}",
        "import os\nprint('x', flush=True)\nos._exit(3)",
        "raise ValueError('no\\nmore')",
        "return {'n': 4}",
    ]
    found = judge_all([Trial(body, (), seen) for body in bodies], sys.executable, lambda _done, _total: None)
    assert [each.verdict for each in found] == ["confirmed", "unprobed", "unprobed", "confirmed"]
    assert found[1].text == "the probe failed: the process ended with status 3"
    assert found[2].text == "the probe failed: ValueError: no"
    assert found[3].text == "({'n': 4}, {'n': 4})"


def test_no_report_is_lost_among_many() -> None:
    trials = [
        Trial(f"return {{'n': {n}, 'long': 'x' * 8000}}", (), lambda one, _: Evidence("confirmed", str(one["n"])))
        for n in range(200)
    ]
    found = judge_all(trials, sys.executable, lambda _done, _total: None)
    assert [each.text for each in found] == [str(n) for n in range(200)]


def test_trials_share_no_state() -> None:
    body = "random.seed(5)\nreturn {'drawn': random.random()}"
    fresh = "return {'drawn': random.random()}"
    trials = [
        Trial(text, ("random",), lambda one, other: Evidence("confirmed", str(one["drawn"])))
        for text in (fresh, body, fresh)
    ]
    first, _, again = judge_all(trials, sys.executable, lambda _done, _total: None)
    assert first == again


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code.py").write_text("import random\nprint(random.Random().random())\n")
    arguments = ["code.py", "--isolated", "--no-cache", "--select", "TDL004", "--python", sys.executable]
    done = CliRunner().invoke(probe_command, arguments, standalone_mode=False)
    assert done.return_value == 1
    assert "code.py:2:7: TDL004" in done.output
    assert "! confirmed (entropy): `random.Random` made without a seed" in done.output
    assert "1 finding: 1 confirmed\n" in done.output
    done = CliRunner().invoke(probe_command, [*arguments, "--output-format", "json"], standalone_mode=False)
    document = json.loads(done.output)
    assert (document["schema"], document["evidence"][0]["verdict"]) == (1, "confirmed")
    (tmp_path / "code.py").write_text("print(1)\n")
    done = CliRunner().invoke(probe_command, arguments, standalone_mode=False)
    assert (done.return_value, done.output) == (0, "0 findings\n")
    done = CliRunner().invoke(probe_command, ["code.py", "--python", "no-such-python"], standalone_mode=False)
    assert str(done.exception) == "--python: no such program: no-such-python"


def test_verdicts_are_those_of_the_companion() -> None:
    assert set(MEANING) == set(VERDICTS)
    assert {CONFIRMED, HIDDEN, REFUTED, NOTHING, CUDA, UNPROBED} <= set(VERDICTS)


FOLLOWED = """
import os
import random
import time

STAMP = int(time.time())


def start(root):
    seed = STAMP % 1000
    random.seed(seed)
    with os.scandir(root) as entries:
        return {entry.name: index for index, entry in enumerate(entries)}
"""


def test_names_are_followed_to_what_they_are_bound_to(tmp_path: Path) -> None:
    found = said(tmp_path, FOLLOWED, "TDL005", "TDL105")
    assert found[0] == ("TDL005", "confirmed", "clock")
    assert found[1][1] in ("confirmed-hidden", "no-effect-seen")
