"""The tables against the standard library and the installed numpy."""

from __future__ import annotations

import inspect
import random

import numpy as np
import pytest

from torchdet_lint.catalog.apis import Apis, load_apis

STATES = {"seed", "get_state", "set_state"}
CLASSES = {
    "Generator",
    "RandomState",
    "SeedSequence",
    "MT19937",
    "Philox",
    "PCG64",
    "PCG64DXSM",
    "SFC64",
    "BitGenerator",
}
GONE = {"numpy.random.ranf", "numpy.random.sample"}  # aliases that a later numpy may drop


@pytest.fixture(scope="module")
def apis() -> Apis:
    return load_apis()


def resolves(name: str) -> bool:
    first, *parts = name.split(".")
    value: object = {"numpy": np, "random": random}[first]
    for part in parts:
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def test_the_names_of_numpy_and_random_exist(apis: Apis) -> None:
    names = [name for name in apis if name.startswith(("numpy.", "random."))]
    newer = {"random.binomialvariate", "random.Random.binomialvariate"}  # since Python 3.12
    assert [name for name in names if not resolves(name) and name not in GONE | newer] == []
    assert len(names) > 150


def test_every_legacy_function_of_numpy_draws_from_its_global_stream(apis: Apis) -> None:
    for name in set(np.random.__all__) - STATES - CLASSES - {"default_rng"}:
        api = apis.get(f"numpy.random.{name}")
        assert api is not None, name
        assert (api.role, api.draws) == ("draw", ("numpy",)), name


@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
def test_every_method_of_a_numpy_generator_draws_from_it(apis: Apis, kind: str) -> None:
    for name in dir(getattr(np.random, kind)):
        if name.startswith("_") or name in STATES | {"spawn", "bit_generator"}:
            continue
        api = apis.get(f"numpy.random.{kind}.{name}")
        assert api is not None, name
        assert (api.role, api.draws) == ("draw", ()), name


def test_numpy_generators_without_a_seed_start_from_entropy(apis: Apis) -> None:
    for name in ("default_rng", "RandomState", "SeedSequence", "MT19937", "Philox", "PCG64", "PCG64DXSM", "SFC64"):
        api = apis.get(f"numpy.random.{name}")
        assert api is not None
        assert (api.role, api.missing) == ("rng", "entropy"), name
        first = inspect.signature(getattr(np.random, name)).parameters
        assert api.seed == f"{next(iter(first))}@0", name


def test_every_drawing_method_of_random_is_known(apis: Apis) -> None:
    for name, value in vars(random).items():
        if (
            name.startswith("_")
            or not callable(value)
            or inspect.isclass(value)
            or name in ("seed", "getstate", "setstate")
        ):
            continue
        if getattr(value, "__self__", None).__class__ is random.Random:
            api = apis.get(f"random.{name}")
            assert api is not None, name
            assert (api.role, api.draws) == ("draw", ("python",)), name
            method = apis.get(f"random.Random.{name}")
            assert method is not None, name
            assert (method.role, method.draws) == ("draw", ()), name


def test_listing_functions_exist(apis: Apis) -> None:
    import glob
    import os
    import pathlib

    for module in (os, glob, pathlib):
        for name in apis.triggers(["listing"]):
            full = f"{module.__name__}.{name}"
            api = apis.get(full)
            if api is not None and api.role == "listing" and full not in ("glob.glob0", "glob.glob1"):
                assert hasattr(module, name), full
