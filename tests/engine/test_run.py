from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import torchdet_lint.checks
from tests.engine.conftest import Lint, Tree, brief, options
from torchdet_lint.engine import files, load, programs, reading, run
from torchdet_lint.engine.options import Files, Stdin, silent
from torchdet_lint.engine.scope import Entry
from torchdet_lint.finding import Location

SEEDED = "import torch\nfrom net import build\n\ntorch.manual_seed(0)\nprint(build())\n"
NET = "import numpy as np\n\n\ndef build():\n    return np.random.rand(3)\n"


def notebook(*cells: str) -> str:
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": code, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4})


def test_places_are_those_that_users_see(tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"pyproject.toml": "", "jobs/train.py": SEEDED, "jobs/net.py": NET})
    [found] = lint("jobs/train.py").findings
    assert (found.code, found.location, found.program) == (
        "TDL002", Location("jobs/train.py", 5, 7, 5, 14), "jobs/train.py",
    )  # fmt: skip
    assert [each.location.path for each in found.related] == ["jobs/net.py"]
    monkeypatch.chdir(root / "jobs")
    [here] = lint("train.py").findings
    assert (here.location.path, here.program, here.related[0].location.path) == ("train.py", "train.py", "net.py")
    assert here.message == found.message
    result = lint("train.py", "../jobs/net.py")
    assert result.files == ("net.py", "train.py")
    assert result.excerpt(here.location) == ("print(build())",)
    assert result.excerpt(here.related[0].location) == ("    return np.random.rand(3)",)
    assert result.excerpt(Location("nowhere.py", 1, 1, 2, 1)) == ()
    [card] = programs(options("train.py")).cards
    assert card.path == "train.py"
    assert {related.location.path for family in card.families for related in family.draws} == {"net.py"}


def test_findings_do_not_depend_on_what_is_passed(tree: Tree, lint: Lint) -> None:
    tree(
        {
            "pyproject.toml": "",
            "train.py": SEEDED,
            "net.py": NET,
            "pkg/a.py": "import os\ndef f(d): return list(os.listdir(d))\n",
        }
    )
    whole = lint()
    assert whole.programs >= 1
    apart = [finding for path in ("train.py", "net.py", "pkg") for finding in lint(path).findings]
    assert sorted(apart, key=lambda each: each.sort_key) == list(whole.findings)
    assert files(options("pkg", "net.py")) == Files(("net.py", "pkg/a.py"))


def test_configuration_decides_what_is_shown(tree: Tree, lint: Lint) -> None:
    tree(
        {
            "a/x.py": "import os\ndef f(d): return list(os.listdir(d))\n",
            "b/x.py": "import os\ndef f(d): return list(os.listdir(d))\n",
        }
    )
    tree({"torchdet-lint.toml": "", "b/torchdet-lint.toml": 'ignore = ["TDL105"]\n'})
    assert brief(lint()) == ["a/x.py:2 TDL105"]
    tree(
        {
            "torchdet-lint.toml": 'per-file-ignores = { "a" = ["TDL1"] }\n',
            "b/torchdet-lint.toml": 'severity = { TDL105 = "note" }\n',
        }
    )
    [found] = lint().findings
    assert (found.location.path, found.severity) == ("b/x.py", "note")
    assert lint(config=('min-severity="error"',)).findings == ()


def test_standard_input_is_seen_by_the_rest(tree: Tree, lint: Lint) -> None:
    tree({"pyproject.toml": "", "train.py": SEEDED, "net.py": NET})
    assert brief(lint(stdin=Stdin("train.py", b"import os\ndef f(d): return list(os.listdir(d))\n"))) == [
        "train.py:2 TDL105"
    ]
    assert (
        brief(
            lint(
                stdin=Stdin(
                    "train.py", SEEDED.replace("torch.m", "import numpy\nnumpy.random.seed(1)\ntorch.m").encode()
                )
            )
        )
        == []
    )
    result = lint(stdin=Stdin("<stdin>", SEEDED.encode()))
    assert (brief(result), result.files) == (["<stdin>:5 TDL002"], ("<stdin>",))


def test_progress_tells_the_stages(tree: Tree, lint: Lint) -> None:
    tree({"a.py": SEEDED, "net.py": NET})
    told: list[str] = []
    lint(progress=lambda stage, _done, _total: told.append(stage))
    assert list(dict.fromkeys(told))[:2] == ["reading", "linking"]
    assert any(stage.startswith("analysing") for stage in told)


def test_nothing_to_check(tree: Tree, lint: Lint) -> None:
    tree({"notes.txt": ""})
    result = lint()
    assert (result.findings, result.files, result.problems, result.programs) == ((), (), (), 0)


# What cannot be read, and what is odd


GOOD = "import os\ndef f(d): return list(os.listdir(d))\n"


@pytest.mark.parametrize(
    ("name", "data", "place", "message"),
    [
        ("bad.py", b"\x7fELF\x02\x01\x01\0\0\xff", (1, 10), "this file cannot be decoded: byte 0xff is not UTF-8"),
        ("bad.py", b"x = 1\ny = '\0'\n", (2, 6), "this file cannot be decoded: a null character"),
        ("bad.py", b"# coding: utf-9\n", (1, 11), "this file cannot be decoded: unknown encoding 'utf-9'"),
        ("bad.py", b"print 'hello'\n", (1, 1), "this file cannot be parsed: "),
        ("bad.py", b"x = [\n  f(1,\n", (2, 4), "this file cannot be parsed: '(' was never closed"),
        ("bad.py", b"if x:\n  y\n z\n", (3, None), "this file cannot be parsed: unindent"),
        (
            "bad.py",
            b"import os\n\n\nfiles = os.listdir('d')\nif __name__ == '__main__':\n\n    # os.listdir\n#    main()\n",
            (5, None),
            "this file cannot be parsed: expected an indented block after 'if' statement on line 5",
        ),
        ("bad.py", b"x = " + b"(" * 3000 + b")" * 3000, (1, None), "this file cannot be parsed: nested too deeply"),
        (
            "bad.py",
            b"def f():\n    x = " + b"-" * 50000 + b"1",
            (2, None),
            "this file cannot be parsed: nested too deeply",
        ),
        ("bad.ipynb", b'{"cells": [', (1, 12), "this notebook cannot be read: the notebook is not valid JSON"),
        ("bad.ipynb", b"[]", (1, 1), "this notebook cannot be read: not a Jupyter notebook"),
        (
            "bad.ipynb",
            notebook("x = 1\n", "y = (\n").encode(),
            (1, 5),
            "this file cannot be parsed: '(' was never closed",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_one_finding(
    tree: Tree, lint: Lint, name: str, data: bytes, place: tuple[int, int | None], message: str
) -> None:
    tree({name: data, "good.py": GOOD})
    result = lint(config=('select=["TDL105"]',))
    assert [each.code for each in result.findings] == ["TDL999", "TDL105"]
    found, at = result.findings[0], result.findings[0].location
    assert (at.path, at.line) == (name, place[0])
    assert place[1] in (None, at.column)
    assert found.message.startswith(message)
    assert "\n" not in found.message
    assert (found.severity, result.problems) == ("error", ())
    assert (at.file_line is not None) == name.endswith(".ipynb")
    assert at.cell == (2 if "parsed" in message else None) or not name.endswith(".ipynb")
    result.excerpt(at)
    assert brief(lint(config=('ignore=["TDL999"]',))) == ["good.py:2 TDL105"]
    assert len(programs(options()).problems) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions that hold")
def test_files_and_folders_without_permission(tree: Tree, lint: Lint) -> None:
    root = tree({"secret.py": GOOD, "sub/a.py": GOOD, "good.py": GOOD})
    (root / "secret.py").chmod(0)
    (root / "sub").chmod(0)
    try:
        result = lint()
        assert brief(result) == ["good.py:2 TDL105", "secret.py:1 TDL999"]
        assert result.findings[1].message == "this file cannot be read: Permission denied"
        assert result.problems == ("sub: cannot read the folder: Permission denied",)
    finally:
        (root / "sub").chmod(0o755)


def test_a_file_that_vanishes_while_it_is_checked(tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"a.py": GOOD, "b.py": GOOD})
    monkeypatch.setattr(load, "read", lambda entry: ((root / "b.py").unlink(missing_ok=True), reading.read(entry))[1])
    result = lint()
    assert brief(result) == ["a.py:2 TDL105", "b.py:1 TDL999"]
    assert result.findings[1].message == "this file cannot be read: No such file or directory"


def test_cyclic_imports_and_packages_that_import_themselves(tree: Tree, lint: Lint) -> None:
    tree({
        "a.py": "import torch\nfrom b import *\nfrom a import f\ndef f(): return g()\n"
        "if __name__ == '__main__':\n    print(torch.rand(1), f())\n",
        "b.py": "from a import *\nfrom b import g\nimport p\ndef g(): return f() + p.h()\n",
        "p/__init__.py": "from . import q\nfrom .q import h\nfrom p import p\n",
        "p/q.py": "from . import *\nfrom .. import a\nimport p.q as q\ndef h(): return q.h()\n",
        "c.py": GOOD,
    })  # fmt: skip
    result = lint()
    assert result.problems == ()
    assert brief(result) == ["a.py:6 TDL001", "c.py:2 TDL105"]


def test_a_very_long_file(tree: Tree, lint: Lint) -> None:
    body = "".join(f"def f{at}(x):\n    y = x + {at}\n    return [y, 'a']\n\n\n" for at in range(10_000))
    tree({"long.py": f"import torch\n{body}torch.rand(1)\nfor each in range(3):\n    print(torch.rand(3))\n"})
    result = lint()
    assert [each.code for each in result.findings] == ["TDL001"]
    assert result.findings[0].location.line > 50_000
    assert result.problems == ()


def test_names_that_are_no_text(tree: Tree, lint: Lint) -> None:
    root = tree({"a b'ü.py": GOOD})
    try:
        Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text(GOOD)
    except OSError:
        pytest.skip("this file system wants text")
    result = lint()
    assert brief(result) == ["\\xff.py:2 TDL105", "a b'ü.py:2 TDL105"]
    assert [result.excerpt(each.location) for each in result.findings] == [
        ("def f(d): return list(os.listdir(d))",)
    ] * 2


def test_a_second_place_in_a_notebook_is_not_told_by_a_line_that_nobody_sees(tree: Tree, lint: Lint) -> None:
    tree({"bad.ipynb": notebook("x = 1\n", "for y in x:\nz = 1\n").encode()})
    [found] = lint().findings
    assert found.message == "this file cannot be parsed: expected an indented block after 'for' statement"
    assert (found.location.cell, found.location.line) == (2, 2)


# Trouble of our own


def test_an_internal_error_of_a_check_costs_its_findings_only(
    tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_facts: Any) -> Iterator[Any]:
        yield from ()
        raise KeyError("oh\nno")

    tree({"a.py": GOOD, "broken.py": "("})
    checks = ((frozenset(("TDL101",)), broken), *torchdet_lint.checks.CHECKS)
    monkeypatch.setattr(torchdet_lint.checks, "CHECKS", checks)
    result = lint()
    assert brief(result) == ["a.py:2 TDL105", "broken.py:1 TDL999"]
    [problem] = result.problems
    assert problem.startswith("internal error while checking TDL101: KeyError: 'oh\\nno' at test_run.py:")


def test_an_internal_error_of_the_analysis_leaves_what_cannot_be_read(
    tree: Tree, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree({"a.py": GOOD, "broken.py": "("})
    monkeypatch.setattr(torchdet_lint.checks, "gather", lambda _context, _progress: {}["x"])
    result = lint()
    assert brief(result) == ["broken.py:1 TDL999"]
    assert result.problems[0].startswith("internal error while analysing a.py: KeyError: 'x'")


def die_at_b(entry: Entry, read: Callable[[Entry], reading.Reading] = reading.read) -> reading.Reading:
    if entry.key == "b.py":
        os._exit(1)
    return read(entry)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a spawned process would not know of the replaced function")
def test_a_dead_worker_costs_one_file(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree({f"{name}.py": GOOD for name in "abcdef"})
    alone = run(options(jobs=1), silent)
    monkeypatch.setattr(load, "FEW_FILES", 0)
    assert run(options(jobs=3), silent).findings == alone.findings
    monkeypatch.setattr(reading, "read", die_at_b)
    result = run(options(jobs=3), silent)
    assert [each.code for each in result.findings] == ["TDL105", "TDL999", *["TDL105"] * 4]
    assert result.findings[1].message == "this file cannot be read: the process that read it ended with status 1"
    assert result.problems == ()


def test_what_an_unrelated_program_reads_makes_no_option_alive(tree: Tree, lint: Lint) -> None:
    parser = (
        "import argparse\nimport torch\np = argparse.ArgumentParser()\np.add_argument('--seed', type=int, default=0)\n"
    )
    dead = parser + "args = p.parse_args()\ntorch.manual_seed(0)\nprint(torch.rand(2))\n"
    tree({"pyproject.toml": "", "one/train.py": dead, "two/train.py": dead + "print(args.seed)\n"})
    assert brief(lint()) == ["one/train.py:4 TDL011"]
    tree({"one/use.py": "import train\n\n\ndef show(args):\n    return args.seed\n"})
    assert brief(lint()) == []  # it could be handed the options
