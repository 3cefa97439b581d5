"""A suggestion that a reader of a review clicks is the fix that `--fix` would make, to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.review.conftest import CLEAN, Ran, Repo
from torchdet_lint.config import SettingsFor
from torchdet_lint.engine import fixing, run
from torchdet_lint.engine.options import Options, silent

Review = Callable[..., Ran]

LISTING = """\
import os


def classes(root):
    names = [name for name in os.listdir(root) if not name.startswith(".")]
    return {name: index for index, name in enumerate(names)}


def files(root):
    return {each: at for at, each in enumerate(
        os.listdir(
            root,
        )
    )}
"""
TRAIN = """\
import torch


def main():
    model = torch.nn.Linear(2, 2)  # é🎲
    model(torch.ones(1, 2)).sum().backward()


if __name__ == "__main__":
    main()
"""
BENCHMARK = "import torch\n\n\ndef fast():\n\ttorch.backends.cudnn.benchmark = True  # ```\n"
LOADING = """\
import torch
from torch.utils.data import DataLoader


def load(data):
    return DataLoader(
        data,
        shuffle=True,
    )
"""
UNUSED = "def f(x):\n    return x  # tdl: ignore[TDL105] long gone\n"


def clicked_on_github(text: str, comment: dict[str, Any]) -> str | None:
    """The file after a click: the lines that the comment stands on are replaced by the lines of its block."""
    block = re.search(r"(?ms)^(`{3,})suggestion\n(.*?)^\1$", comment["body"])
    if block is None:
        return None
    lines = text.splitlines(keepends=True)
    first, last = comment.get("start_line", comment["line"]), comment["line"]
    return "".join((*lines[: first - 1], block[2], *lines[last:]))


def clicked_on_gitlab(text: str, body: str, line: int) -> str | None:
    """The same where a block says how many lines around that of the thread it replaces."""
    block = re.search(r"(?ms)^(`{3,})suggestion:-(\d+)\+(\d+)\n(.*?)^\1$", body)
    if block is None:
        return None
    lines = text.splitlines(keepends=True)
    return "".join((*lines[: line - 1 - int(block[2])], block[4], *lines[line + int(block[3]) :]))


def fixed_one_by_one(repo: Repo) -> dict[str, list[str]]:
    """What each fix alone makes of its file, by file and code of the finding."""
    options = Options(paths=(".",), settings=SettingsFor(str(repo.path), (".",)), jobs=1, cwd=str(repo.path))
    found: dict[str, list[str]] = {}
    for finding in run(options).findings:
        mark = finding.fingerprint
        fixed = fixing.fix(
            options, silent, lambda each, mark=mark: each.fingerprint == mark and each.fix.safety != "display", run
        )  # type: ignore[misc, union-attr]
        for file in fixed.files:
            found.setdefault(f"{file.display} {finding.code}", []).append(file.after.decode())
    return found


@pytest.mark.parametrize(
    "text", [LISTING, TRAIN, BENCHMARK, LOADING, UNUSED], ids=["listing", "train", "benchmark", "loading", "unused"]
)
def test_a_click_makes_the_fix(text: str, repo: Repo, review: Review) -> None:
    repo.commit({"old.py": CLEAN})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": text})
    expected = fixed_one_by_one(repo)
    comments = json.loads(review("--base", "main", "--format", "github-review").out)["comments"]
    threads = json.loads(review("--base", "main", "--format", "gitlab").out)["discussions"]
    assert len(comments) == len(threads) > 0
    suggested = 0
    for comment, thread in zip(comments, threads, strict=True):
        code = re.search(r"TDL\d{3}", comment["body"])
        assert code is not None
        after = clicked_on_github(text, comment)
        assert clicked_on_gitlab(text, thread["body"], thread["position"]["new_line"]) == after
        if after is None:
            continue
        suggested += 1
        assert after in expected[f"new.py {code[0]}"]
        before = len(
            [
                each
                for each in json.loads(review("--base", "main", "--format", "json").out)["new"]
                if each["code"] == code[0]
            ]
        )
        repo.write({"new.py": after})
        left = [
            each
            for each in json.loads(review("--base", "main", "--format", "json").out)["new"]
            if each["code"] == code[0]
        ]
        assert len(left) == before - 1
        repo.write({"new.py": text})
    assert suggested >= 1
