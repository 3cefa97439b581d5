"""Starts the recorder in a Python process; stands first on PYTHONPATH. A failure here is told and never stops the program."""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _shadowed() -> None:
    """Runs the `sitecustomize` that would have run without this one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    mine, module = sys.modules.get("sitecustomize"), module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    try:
        spec.loader.exec_module(module)
    finally:
        if mine is not None:
            sys.modules["sitecustomize"] = mine


def _start() -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    folder = os.path.dirname(_HERE)
    name = "_torchdet_rt"
    spec = spec_from_file_location(name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    from importlib import import_module

    import_module(f"{name}.boot").start(os.environ)


try:
    _shadowed()
finally:
    try:
        if os.environ.get("TORCHDET_RT"):
            _start()
    except Exception as error:  # noqa: BLE001 (the program matters more than its record)
        print(f"torchdet-lint: the recorder did not start: {type(error).__name__}: {error}", file=sys.stderr)
