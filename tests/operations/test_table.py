"""The table of operations: its shape, and torch's own list, as written down and as the installed torch has it."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torchdet_lint.catalog.apis import load_apis
from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.operations import Operation, load_operations, read_operations
from torchdet_lint.catalog.tables import parse_toml
from torchdet_lint.catalog.versions import NEWEST_TORCH, series

LISTS = Path(__file__).with_name("torch_lists.toml")
SCRIPT = Path(__file__).parents[2] / "tools" / "torch_lists.py"
HEAD = "[defaults]\nsource = 'x'\n[methods]\nambiguous = 'cumsum'\n"
ROW = "[[operation]]\nlisted = 'torch.x'\npass = 'forward'\nraises = '>=1.8'\nwhy = 'a'\ninstead = 'b'\ncalls = ['torch.x']\n"


def written() -> dict[str, Any]:
    table = parse_toml(LISTS.read_text(encoding="utf-8"), LISTS.name)
    return {key: table.anything(key) for key in table.keys()}  # noqa: SIM118 (a Table is not a mapping)


def listed(mode: str) -> Iterator[str]:
    """The names that the table has in a list of the newest torch, once for each row."""
    for row in load_operations().rows:
        spec = row.raises if mode == "raises" else row.replaced
        if spec and series(NEWEST_TORCH).newest_satisfies(spec) and row.where != "antialias":
            yield row.listed


@pytest.mark.parametrize("mode", ["raises", "replaced"])
def test_every_entry_of_the_list_has_its_row_and_every_row_its_entry(mode: str) -> None:
    entries = sorted(entry.split()[0] for entry in written()[mode])
    assert sorted(listed(mode)) == entries
    assert len(entries) > 20


def test_the_written_list_is_that_of_the_installed_torch() -> None:
    torch = pytest.importorskip("torch", reason="the list is compared with an installed torch")
    spec = importlib.util.spec_from_file_location("torch_lists", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.document(torch) == LISTS.read_text(encoding="utf-8"), "run tools/torch_lists.py, and mend the table"


def test_the_script_sees_an_entry_that_comes_and_one_that_goes() -> None:
    spec = importlib.util.spec_from_file_location("torch_lists", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    docstring = (
        "The following normally-nondeterministic operations will throw a\n    :class:`RuntimeError` when ``mode=True``:\n\n"
        "        * :class:`torch.nn.New` when called on CUDA and\n          tensors are given\n"
        "        * :func:`torch.resize` with modes:\n\n          - ``linear``\n          - ``cubic``\n\n    In addition, more\n"
    )
    assert list(script.entries(docstring, "raises")) == [
        "torch.nn.New when called on CUDA and tensors are given",
        "torch.resize with modes: linear",
        "torch.resize with modes: cubic",
    ]


def test_every_callee_exists_and_has_the_arguments_that_conditions_name() -> None:
    torch = pytest.importorskip("torch", reason="callees are looked up in an installed torch")
    gone = {"torch.nn.NLLLoss2d"}  # of versions before 2.0
    for callee, rows in load_operations().by_callee.items():
        value: object = torch
        for part in callee.split(".")[1:]:
            value = getattr(value, part, None)
        assert value is not None or callee in gone, callee
        names = parameters(value)
        for _, conditions in rows:
            for condition in conditions if names else ():
                if condition.name:
                    assert names.index(condition.name) == condition.position, (callee, condition)


def parameters(value: object) -> list[str]:
    """The parameters of a Python function or layer; none for what is not written in Python."""
    try:
        names = list(inspect.signature(value).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return []
    return [] if names[:1] == ["args"] or "kwargs" in names[:2] else [name for name in names if name != "self"]


def test_callees_are_spelt_as_the_other_tables_spell_them() -> None:
    apis = load_apis()
    assert [callee for callee in load_operations().by_callee if apis.canonical(callee) != callee] == []


def find(name: str, where: str = "") -> Operation:
    return next(row for row in load_operations().rows if row.listed == name and where in row.where)


@pytest.mark.parametrize(
    ("name", "where", "version", "mode"),
    [
        ("torch.Tensor.scatter_add_", "", "1.8.1", "raises"),
        ("torch.Tensor.scatter_add_", "", "1.13", "replaced"),
        ("torch.nn.functional.interpolate", "bilinear", "1.13.1", "raises"),
        ("torch.nn.functional.interpolate", "bilinear", "2.1", "replaced"),
        ("torch.nn.functional.interpolate", "bicubic", "2.13", "raises"),
        ("torch.nn.functional.interpolate", "trilinear", "2.8", "raises"),
        ("torch.nn.functional.interpolate", "trilinear", "2.9", "replaced"),
        ("torch.nn.MaxPool3d", "", "2.12", "raises"),
        ("torch.nn.MaxPool3d", "", "2.13", "replaced"),
        ("torch.kthvalue", "", "2.10", ""),
        ("torch.cumsum", "", "1.12", ""),
    ],
)
def test_the_version_decides_what_strict_mode_does(name: str, where: str, version: str, mode: str) -> None:
    assert find(name, where).strict(series(version)) == mode


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (ROW.replace("calls = ['torch.x']\n", ""), "calls"),
        (ROW.replace("torch.x'", "torch.x mode=3'"), "no condition"),
        (ROW.replace("raises = '>=1.8'\n", ""), "raises"),
        (ROW.replace(">=1.8", ">=one"), "raises"),
        (ROW + "colour = 'red'\n", "colour"),
        (ROW.replace("forward", "sideways"), "pass"),
    ],
)
def test_a_wrong_row_is_named(text: str, problem: str) -> None:
    with pytest.raises(CatalogError, match=problem):
        read_operations(parse_toml(HEAD + text, "table"))
