"""What is written about the configuration is what the configuration takes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from torchdet_lint.config import OPTIONS
from torchdet_lint.config.reference import main, page, schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS.keys())
def test_examples_fit_the_schema_and_stand_on_the_page(option: Any) -> None:
    jsonschema.validate(tomllib.loads(option.example), schema())
    assert f"## `{option.name}`\n\n{option.doc}\n" in page()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    "text",
    [
        "selekt = []",
        "select = 'TDL1'",
        "jobs = -1",
        "fail-on = 'never'",
        "target-torch = 2.6",
        "severity = {TDL1 = 'x'}",
    ],
)
def test_what_the_configuration_refuses_does_not_fit(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), schema())


def test_the_pages_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out
    assert main(["--wrong"]) == 2


def test_the_configuration_of_the_examples_is_linked() -> None:
    assert "docs/configuration.md" in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
