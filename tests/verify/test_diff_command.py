"""`torchdet-lint diff` on records in folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from torchdet_lint.cli.diff import diff_command
from torchdet_lint.verify.rt.streams import HEAD


def record(folder: Path, *digests: str) -> Path:
    folder.mkdir()
    lines = [f"OP\taten.add\ttrain.py:{at}:main\t{digest}\t\t1.0\t{at}\n" for at, digest in enumerate(digests, 3)]
    (folder / "rank0.stream").write_text(HEAD + "".join(lines))
    return folder


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(diff_command, list(map(str, arguments)), standalone_mode=False)


def test_equal_and_unequal_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "a", "1", "2", "3")
    record(tmp_path / "b", "1", "2", "4")
    same = run("a", "a")
    assert (same.return_value, same.output) == (0, "no difference: 3 operations in 1 stream are the same\n")
    other = run("a", "b")
    assert other.return_value == 1
    assert other.output.startswith("rank0: other values, at operation 2\n    a  aten.add at train.py:5:main\n")
    document = json.loads(run("a", "b", "--output-format", "json").output)
    assert (document["equal"], document["streams"][0]["first"]["index"]) == (False, 2)


def test_what_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no record" in str(run(tmp_path / "empty", tmp_path / "empty").exception)
    assert "cannot be read as a record" in str(run(tmp_path / "missing", tmp_path / "empty").exception)
    (tmp_path / "empty" / "rank0.stream").write_text("something else 9\n")
    assert "cannot be read as a record" in str(run(tmp_path / "empty", tmp_path / "empty").exception)
