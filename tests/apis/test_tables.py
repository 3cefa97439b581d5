"""The tables themselves: each value that they hold makes sense beside the others."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torchdet_lint.catalog.apis import Api, Apis, load_apis
from torchdet_lint.catalog.rules import rules_folder
from torchdet_lint.catalog.tables import parse_toml
from torchdet_lint.catalog.versions import Interval, series

FILES = sorted((rules_folder() / "apis").glob("*.toml"))
FAMILIES = {
    "albumentations", "cuda-only", "cupy", "cv2", "dgl", "faker", "gym", "gym-space", "imgaug", "monai", "numpy", "python", "tensorflow",
    "torch",
}  # fmt: skip
WORLDS: dict[str, dict[str, Interval]] = {
    "newest": {},
    "old": {
        "torch": series("1.8"),
        "torchvision": series("0.7"),
        "albumentations": series("1.3"),
        "pytorch-lightning": series("1.5"),
    },
}


@pytest.fixture(scope="module")
def apis() -> Apis:
    return load_apis()


def every(apis: Apis, world: str = "newest") -> Iterator[Api]:
    for name in apis:
        api = apis.get(name, WORLDS[world])
        if api is not None:
            yield api


def document(path: Path) -> Any:
    table = parse_toml(path.read_text(encoding="utf-8"), path.name)
    return {key: table.anything(key) for key in table.keys()}  # noqa: SIM118 (a Table is not a mapping)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_aliases_lead_somewhere(apis: Apis, path: Path) -> None:
    for spelling, target in document(path).get("aliases", {}).items():
        assert spelling.removesuffix(".*") not in set(apis), f"{spelling} is an alias and a name of the tables"
        assert apis.canonical(target) in {target, apis.canonical(apis.canonical(target))}
        below = f"{spelling.removesuffix('*')}x.Thing" if spelling.endswith("*") else f"{spelling}.Thing"
        assert apis.canonical(below).endswith(".Thing")
        assert apis.canonical(apis.canonical(below)) == apis.canonical(below)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_row_has_a_source(path: Path) -> None:
    parts = document(path)
    default = parts.get("defaults", {}).get("source", "")
    for row in parts["api"]:
        source = row.get("source", default)
        assert re.match(r"https://\S+$|[\w./-]+@\d[\w.]*$", source), f"{row['names']} has no source"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_of_one_name_do_not_contradict_each_other(path: Path) -> None:
    said: dict[tuple[str, str, str], object] = {}
    for row in document(path)["api"]:
        under = row.get("under", "")
        prefixes = [f"{prefix}." for prefix in under.split()] or [""]
        for name in [prefix + name for prefix in prefixes for name in row["names"].split()]:
            for key in row.keys() - {"names", "under", "when", "source", "note"}:
                place = (name, key, row.get("when", ""))
                assert said.setdefault(place, row[key]) == row[key], f"{name} has two values for {key}"


@pytest.mark.parametrize("world", WORLDS)
def test_arguments_stand_where_the_parameters_say(apis: Apis, world: str) -> None:
    for api in every(apis, world):
        if not api.params or "..." in api.params:
            continue
        plain = [re.sub(r"(?<=\w)(!\d*|\*+|\[\])$", "", param) for param in api.params]
        positional = plain[: api.params.index("*")] if "*" in api.params else plain
        modes = [mode.partition("=")[2] for mode in api.sets]
        for argument in (*api.unless, *api.needs, api.seed, *modes):
            name, _, position = argument.partition("=")[0].partition("@")
            if position and name in plain:
                assert positional.index(name) == int(position), f"{api.name}: {argument}"
            elif position and int(position) < len(positional):
                pytest.fail(f"{api.name}: {argument} is not {positional[int(position)]}")


@pytest.mark.parametrize("world", WORLDS)
def test_values_fit_their_role(apis: Apis, world: str) -> None:
    for api in every(apis, world):
        if api.role == "draw" and not api.draws:
            owner = apis.get(api.name.rpartition(".")[0])
            assert owner is None or owner.rng or api.name.startswith("scipy.stats.qmc"), (
                f"{api.name} draws from nothing"
            )
        if api.role == "seeder":
            assert api.seed or api.missing, f"{api.name}: what does it seed with?"
        if api.role == "strict":
            assert api.sets, api.name
        if api.rng:
            assert api.seed or api.missing or api.params, api.name
        if api.training:
            assert api.calls, api.name
        if api.role == "spawn":
            assert api.callee is not None, api.name
        if api.needs or (api.unless and api.role != "loader"):
            assert api.draws or api.calls or api.rng or api.seeds or api.role == "skip-init", (
                f"{api.name}: nothing to keep it from"
            )
        if "cuda-only" in api.seeds:
            assert api.seeds == ("cuda-only",), api.name
        assert "cuda-only" not in (*api.draws, *api.calls)


def test_family_names_are_spelled_alike(apis: Apis) -> None:
    assert apis.families() == FAMILIES | {"entropy"}


def test_results_are_classes_that_something_is_known_of(apis: Apis) -> None:
    """A class that no row mentions again would be a spelling mistake, but for a few that only say what they are."""
    ends = {
        "numpy.ndarray", "datetime.datetime", "multiprocessing", "set", "str", "int", "tuple", "list", "os.DirEntry", "self",
        "argparse.Namespace", "torchvision.models.WeightsEnum", "torch.optim.State",
    }  # fmt: skip
    owners = {name.rpartition(".")[0] for name in apis} | set(apis)
    for api in every(apis):
        for kind in (api.returns, *api.yields):
            assert not kind or kind in ends or kind in owners, f"{api.name} returns {kind}"
            assert not kind or kind == "self" or apis.canonical(kind) == kind, f"{api.name} returns {kind}"


def test_every_name_is_its_own_canonical_spelling(apis: Apis) -> None:
    assert [name for name in apis if apis.canonical(name) != name] == []


def test_methods_are_found_below_the_spelling_of_their_class(apis: Apis) -> None:
    """Else a value that was built under one name would never meet its methods under another."""
    owners = {name.rpartition(".")[0] for name in apis if "*" not in name}
    classes = {owner for owner in owners if owner.rpartition(".")[2][:1].isupper()}
    assert {owner: apis.canonical(owner) for owner in classes if apis.canonical(owner) != owner} == {}


def test_the_tables_load_quickly() -> None:
    def seconds() -> float:
        start = time.process_time()
        load_apis()
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) < 0.06, "the tables take a noticeable part of every run"
