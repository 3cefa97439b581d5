"""A user's own API tables, end to end: a file that the configuration names, read by the real program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import torchdet_lint
from torchdet_lint.catalog.apis import _KEYS, ROLES

TABLE = """\
[defaults]
source = 'https://acme.example/docs'

[aliases]
'acme.core.*' = 'acme'

[[api]]
names = 'acme.fix_seeds'
role = 'seeder'
seeds = 'torch numpy python'
seed = 'seed@0'

[[api]]
names = 'acme.seed_waves'
role = 'seeder'
seeds = 'acme-waves'
seed = 'seed@0'

[[api]]
names = 'acme.jitter'
role = 'draw'
draws = 'numpy torch?on_device'

[[api]]
names = 'acme.wave'
role = 'draw'
draws = 'acme-waves'

[[api]]
names = 'acme.Noise'
role = 'rng'
rng = 'acme'
seed = 'seed@0'
missing = 'entropy'

[[api]]
names = 'acme.list_shards'
role = 'listing'

[[api]]
names = 'acme.labels'
role = 'returns-set'

[[api]]
names = 'acme.Feeder'
role = 'loader'
calls = 'torch'
unless = 'generator'
params = 'records=dataset size mix=shuffle'

[[api]]
names = 'acme.open'
returns = 'acme.Stream acme.Table?eager'

[[api]]
names = 'acme.Table.shuffle'
role = 'draw'
draws = 'python'
returns = 'self'
"""

PROGRAM = """\
import acme
import torch
from acme.core import random as acme_random

acme_random.fix_seeds(1)
shifts = acme.jitter(3, on_device=True)
waves = acme.wave()
noise = acme.Noise()
shards = [torch.load(name) for name in acme.list_shards("data")]
names = list(acme.labels())
feeder = acme.Feeder(shards, 8, True)
for batch in feeder:
    torch.save((batch, shifts, waves, noise, names), "out")
"""


def lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(torchdet_lint.__file__).parent.parent)
    return subprocess.run(
        [sys.executable, "-m", "torchdet_lint", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": source, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def found(folder: Path, *arguments: str) -> list[tuple[int, str, str]]:
    done = lint(folder, "--output-format", "json", *arguments)
    assert done.stderr == ""
    return sorted((each["line"], each["code"], each["severity"]) for each in json.loads(done.stdout)["findings"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "lint").mkdir()
    (tmp_path / "lint" / "acme.toml").write_text(TABLE)
    (tmp_path / "torchdet-lint.toml").write_text('extend-apis = ["lint/*.toml"]\n')
    return tmp_path


def test_a_table_in_a_file_of_its_own(project: Path) -> None:
    assert found(project) == [
        (7, "TDL010", "warning"),
        (8, "TDL004", "error"),
        (9, "TDL105", "warning"),
        (10, "TDL106", "warning"),
        (11, "TDL101", "note"),
    ]


def test_without_the_table_nothing_is_known(project: Path) -> None:
    assert found(project, "--isolated") == []


def test_own_draws_and_own_seeders_meet(project: Path) -> None:
    seeded = PROGRAM.replace("waves =", "acme.seed_waves(2); waves =").replace("acme.Noise()", "acme.Noise(3)")
    (project / "train.py").write_text(seeded.replace("acme_random.fix_seeds(1)", "acme_random.other(1)"))
    assert [(line, code) for line, code, _ in found(project) if code < "TDL1"] == [(6, "TDL001"), (6, "TDL002")]
    (project / "train.py").write_text(
        "import acme\nacme.open('x').shuffle()\nprint(acme.open('x', eager=True).shuffle())\n"
    )
    assert [(line, code) for line, code, _ in found(project)] == [(3, "TDL003")]


def test_a_changed_table_counts_although_the_program_has_not_changed(project: Path) -> None:
    assert (8, "TDL004", "error") in found(project)
    (project / "lint" / "acme.toml").write_text(TABLE.replace("missing = 'entropy'", "missing = 'constant'"))
    assert (8, "TDL004", "error") not in found(project)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[[api]]\nnames = 'a.f'\nrole = 'seedr'\n", 'acme.toml: [[api]] number 1: `role` is "seedr", but must be one of '),
        ("[[api]]\nnames = 'a.f'\ncalls = 'torch?'\n", '`calls` has "torch?", which is not a family, with ?argument'),
        ("[[api]]\nnames = 'a.f'\nreturns = 'a.B?x a.C'\n", "`returns` must be a class, and then perhaps others with ?"),
        ("[[api]]\nnames = 'a.f'\nsets = 'strict=x:False'\n", '`sets` has "strict=x:False", which is not a mode'),
        ("[[api\n", "acme.toml: not valid TOML: "),
    ],
)  # fmt: skip
def test_a_wrong_table_is_one_line_and_status_2(project: Path, table: str, message: str) -> None:
    (project / "lint" / "acme.toml").write_text(table)
    done = lint(project)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_not_there(project: Path) -> None:
    done = lint(project, "--config", 'extend-apis=["none.toml"]')
    assert done.returncode == 2
    assert "`extend-apis` names none.toml, and there is no such file" in done.stderr


PAGE = Path(__file__).parents[2] / "docs" / "tables.md"


def examples() -> list[str]:
    return re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_the_page_can_be_read(tmp_path: Path) -> None:
    """All of them in one file, as a user might put them together; those for the configuration are read as such."""
    configured = [text for text in examples() if text.startswith("# pyproject.toml")]
    tables = [text for text in examples() if not text.startswith("# pyproject.toml")]
    assert (len(configured), len(tables) > 8) == (2, True)
    (tmp_path / "lint").mkdir()
    for number, text in enumerate(tables):
        (tmp_path / "lint" / f"{number}.toml").write_text(text)
    (tmp_path / "pyproject.toml").write_text(configured[0] + configured[1].replace("lint/apis.toml", "lint/*.toml"))
    (tmp_path / "train.py").write_text(
        "import mylib, torch\nmylib.seeds.fix_all(1)\nfeed = mylib.Feeder([], 2, True)\n"
        "for batch in feed:\n    torch.save((batch, mylib.noise()), 'f')\n"
    )
    assert found(tmp_path) == [(3, "TDL101", "note"), (5, "TDL010", "warning")]


def test_the_page_names_every_key_and_role_that_there_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    keys = set(re.findall(r"`([a-z]+)`", page.partition("## Keys")[2]))
    assert {key for key in _KEYS if key != "variants"} <= keys
    roles = set(re.findall(r"`([a-z-]+)`", page.partition("| `role` |")[2].partition("\n")[0]))
    assert roles <= set(ROLES)
