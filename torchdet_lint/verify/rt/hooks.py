"""Functions that are called when a module has been imported: the recorder waits for torch, it never imports it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Hook = Callable[[Any], None]


class Waiting:
    """A finder that stands first in `sys.meta_path` and finds nothing itself: it lets the others find, and watches the loader."""

    def __init__(self, hooks: dict[str, Hook], failed: Callable[[str, Exception], None]) -> None:
        self._hooks = hooks
        self._failed = failed

    def start(self) -> None:
        """Runs the hooks of modules that are there already, and waits for the others."""
        for name in list(self._hooks):
            module = sys.modules.get(name)
            if module is not None:
                self._run(name, module)
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec that the other finders give, watched; None for modules that nobody waits for."""
        if name not in self._hooks:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                self._watch(name, spec)
                return spec
        return None

    def _watch(self, name: str, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._run(name, module)

        try:
            loader.exec_module = exec_module
        except AttributeError as error:
            self._failed(name, error)

    def _run(self, name: str, module: ModuleType) -> None:
        hook = self._hooks.pop(name, None)
        if hook is None:
            return
        try:
            hook(module)
        except Exception as error:  # noqa: BLE001 (the program matters more than its record)
            self._failed(name, error)
