"""What is left out before any parse: files in which no rule can have anything to say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_process import ENVIRONMENT
from torchdet_lint.analysis.triggers import can_matter
from torchdet_lint.catalog.apis import load_apis
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.project.modules import Project
from torchdet_lint.source import load

APIS = load_apis()
BAD = [
    (rule.code, example.title, example.files)
    for rule in load_rules().rules
    if rule.code not in ("TDL900", "TDL999")  # these are said by no analysis
    for example in load_page(rule).examples
    if example.kind == "bad"
]


def matters(files: dict[str, str]) -> bool:
    project = Project([load(path, text.encode()) for path, text in files.items()], lambda *_: ())
    return any(can_matter(project, path, APIS) for path in files)


@pytest.mark.parametrize(("code", "title", "files"), BAD, ids=[f"{code} {title}" for code, title, _ in BAD])
def test_every_example_of_a_rule_matters(code: str, title: str, files: dict[str, str]) -> None:
    assert matters(files)


PLAIN = {
    "a library of its own": "import json\n\n\ndef f(x):\n    return json.dumps(x)\n",
    "a script": "import sys\n\nfor line in sys.stdin:\n    print(line.upper())\n",
    "a command": "import argparse\n\nif __name__ == '__main__':\n    print(argparse.ArgumentParser().parse_args())\n",
}
TELLING = {
    "torch": "def f():\n    import torch.nn as nn\n    return nn\n",
    "numpy": "from numpy import *\n",
    "a library with its own generators": "import gym\n",
    "the random module": "import random as r\n",
    "an older name": "import pytorch_lightning\n",
    "a listing": "import os\n\n\ndef f(d):\n    return os.listdir(d)\n",
    "a listing by another name": "from os import listdir as ls\n\n\ndef f(d):\n    return ls(d)\n",
    "a set": "def f(d):\n    return list(set(d))\n",
    "a library that nobody knows": "import unheard_of\n",
    "a seed": "import argparse\n\n\ndef f(p):\n    p.add_argument('--seed')\n    return p.seed\n",
    "entropy": "from os import urandom as u\n",
    "the hash seed": "import os\n\nos.environ['PYTHONHASHSEED'] = '0'\n",
}


@pytest.mark.parametrize("what", PLAIN)
def test_plain_files_do_not(what: str) -> None:
    assert not matters({"a.py": PLAIN[what]})


@pytest.mark.parametrize("what", TELLING)
def test_what_rules_speak_of_does(what: str) -> None:
    assert matters({"a.py": TELLING[what]})


@pytest.mark.parametrize("what", PLAIN)
def test_no_parser_is_imported_for_them(what: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "a.py").write_text(PLAIN[what])
    code = (
        "import sys; from torchdet_lint.cli import main; main(['--no-cache', '-j', '1', 'a.py']);"
        " print({'libcst', 'torchdet_lint.checks'} & {*sys.modules})"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found, loaded = ran.stdout.splitlines()
    assert found.startswith("No findings in 1 file" + ("" if what == "a library of its own" else ", 1 program"))
    assert loaded == "set()"


def test_a_plain_program_beside_others_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "names.py").write_text("NAMES = ['a']\n")
    (tmp_path / "show.py").write_text("import names\n\nfor name in names.NAMES:\n    print(name)\n")
    (tmp_path / "train.py").write_text("import torch\nimport names\n\nprint(torch.rand(len(names.NAMES)))\n")
    ran = subprocess.run(
        [sys.executable, "-m", "torchdet_lint", "--verbose", "--exit-zero", "."],
        env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "2 programs" in ran.stdout
    assert re.search(r"\b2 statements parsed", ran.stdout), ran.stdout
