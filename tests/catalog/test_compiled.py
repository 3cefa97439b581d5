"""The bundled tables are kept in the form in which they are read fastest, and are never wrong because of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchdet_lint.catalog import compiled as module
from torchdet_lint.catalog.apis import _read_bundled, load_apis
from torchdet_lint.catalog.compiled import compiled
from torchdet_lint.catalog.operations import FILE, load_operations, read_operations
from torchdet_lint.catalog.rules import load_rules, read_catalog, rules_folder
from torchdet_lint.catalog.tables import parse_toml

VALUE = {"a": (("when", {"role": "draw", "draws": ("torch",)}),), "b": ()}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "_folder", lambda: str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def once() -> dict[str, object]:
    return dict(VALUE)


def never() -> dict[str, object]:
    raise AssertionError("made again")


def test_it_is_made_once(place: Path) -> None:
    assert compiled("things", once) == VALUE
    assert compiled("things", never) == VALUE
    assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_file_is_made_again(place: Path, damage: bytes | None) -> None:
    compiled("things", once)
    (file,) = place.iterdir()
    data = file.read_bytes()
    file.write_bytes(data[:-1] + b"?" if damage is None else damage)
    with pytest.raises(AssertionError, match="made again"):
        compiled("things", never)


def test_another_version_makes_its_own(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled("things", once)
    monkeypatch.setattr(module, "stamp", lambda: b"another version.")
    with pytest.raises(AssertionError, match="made again"):
        compiled("things", never)


def test_nothing_is_written_where_python_writes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert compiled("things", once) == VALUE
    assert not list(place.iterdir())


def test_a_place_that_is_not_there_is_not_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_folder", lambda: str(place / "gone"))
    assert compiled("things", once) == VALUE
    assert not list(place.iterdir())


def test_what_is_loaded_is_what_is_written() -> None:
    """Fresh from TOML and as loaded in this process, which may have been from the compiled form."""
    assert load_rules() == read_catalog(rules_folder())
    path = rules_folder() / FILE
    assert load_operations() == read_operations(parse_toml(path.read_text(encoding="utf-8"), str(path)))
    rows, _ = _read_bundled()
    assert list(load_apis()) == list(rows)
