from __future__ import annotations

from typing import Any

import pytest

from torchdet_lint.config import OPTIONS, Anchored, ConfigError, Settings, layer
from torchdet_lint.config.files import parse
from torchdet_lint.config.settings import DEFAULTS


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_every_example_is_valid_and_says_something_else_than_the_default(option: Any) -> None:
    read = layer("x.toml", "/project", parse(option.example, "example"))
    assert list(read.values) == [option.key]
    assert read.values[option.key] != DEFAULTS[option.key]
    assert option.doc.endswith(".")
    assert option.scope in ("file", "project")


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
@pytest.mark.parametrize("wrong", [-1, 1.5, object()])
def test_no_key_takes_a_value_of_a_wrong_kind(option: Any, wrong: object) -> None:
    with pytest.raises(ConfigError, match=rf"^x\.toml: `{option.name}` must be .*; write {option.name}"[:40]):
        layer("x.toml", "/", {option.name: wrong})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('slect = ["TDL1"]', "f: unknown key `slect`; did you mean `select`?"),
        ("zzz = 1", "f: unknown key `zzz`"),
        ('extend_select = ["TDL1"]', "f: unknown key `extend_select`; did you mean `extend-select`?"),
        (
            'fail-on = "eror"',
            'f: `fail-on` must be one of "note", "warning", "error", not "eror"; write fail-on = "error"',
        ),
        ("ignore = [1]", 'f: `ignore` must be a list of strings, not 1; write ignore = ["TDL403"]'),
        ('ignore = "TDL1"', 'f: `ignore` must be a list of strings, not "TDL1"; write ignore = ["TDL403"]'),
        ("jobs = true", "f: `jobs` must be a whole number from 0, not true or false; write jobs = 4"),
        (
            "target-torch = 2.4",
            'f: `target-torch` must be a version in quotes, such as "2.6" or "2.6.1", not 2.4; write target-torch = "2.6"',
        ),
        (
            'entry-points = ["a.b:c d"]',
            "f: `entry-points` must be a list of globs or `package.module:function`, not "
            '"a.b:c d"; write entry-points = ["jobs/*.py", "mypkg.cli:train"]',
        ),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        layer("f", "/", parse(text, "text"))
    assert str(raised.value) == message


def test_severities_are_checked_one_by_one() -> None:
    assert layer("f", "/", {"severity": {"TDL101": "note"}}).values == {"severity": (("TDL101", "note"),)}
    with pytest.raises(ConfigError, match=r"`severity` must be one of"):
        layer("f", "/", {"severity": {"TDL101": "fatal"}})


def test_paths_and_globs_remember_their_folder() -> None:
    values = layer("f", "/p", {"exclude": ["gen"], "per-file-ignores": {"t/*": ["ALL"]}}).values
    assert values["exclude"] == (Anchored("/p", "gen"),)
    assert values["per_file_ignores"][0].glob == Anchored("/p", "t/*")


def test_absolute_paths_below_the_folder_are_taken_from_there() -> None:
    given = ["/p/gen", "/p/s*/x", "/gen", "/elsewhere/p/gen", "/p"]
    values = layer("f", "/p", {"exclude": given}).values
    assert [each.text for each in values["exclude"]] == ["/gen", "/s*/x", "/gen", "/elsewhere/p/gen", "/p"]


def test_settings_hash_and_compare_by_value() -> None:
    assert hash(Settings()) == hash(Settings())
    assert Settings() == Settings()
