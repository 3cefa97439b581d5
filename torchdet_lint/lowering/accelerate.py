"""Importing libcst, and making it build its trees faster where that is safe.

Three things cost libcst time that parsing does not need:

- every node class is a *frozen* dataclass, whose generated constructor sets each field by `object.__setattr__`, and for
  each a `__repr__` and an `__eq__` are generated, only to be thrown away. While libcst is imported,
  `dataclasses.dataclass` is wrapped so that node classes are plain dataclasses without those methods.
- every constructor ends in `CSTNode.__post_init__`, which validates the node. It is replaced by one that does so
  except between `begin_parse` and `end_parse`, because what the parser makes is valid.
- importing it imports all metadata providers, a fifth of the time, for the two modules of `libcst.metadata` that it names.
  While it is imported, that package is an empty one; whoever imports `libcst.metadata` later gets it whole.

Everything else of libcst works as it did, editing (`with_changes`, validation of nodes made by hand, frozen nodes of a
user's own) included; only the error on assigning to a node's field is gone. Where libcst is already imported, looks
other than expected, or TORCHDET_LINT_PLAIN_LIBCST is set, plain libcst is used.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import Any

PLAIN = "TORCHDET_LINT_PLAIN_LIBCST"
"""Name of the environment variable that switches the acceleration off when set to anything but an empty text or 0."""

_METADATA = "libcst.metadata"
_NODE = ("libcst._nodes.base", "CSTNode")


class _State:
    __slots__ = ("loaded", "validating")

    def __init__(self) -> None:
        self.loaded = False
        self.validating = True


_state = _State()


def load() -> None:
    """Import libcst, accelerated if that is possible; later calls do nothing."""
    if _state.loaded:
        return
    _state.loaded = True
    if os.environ.get(PLAIN, "") not in {"", "0"} or "libcst" in sys.modules:
        return
    try:
        _import_thawed()
    except Exception:  # noqa: BLE001 - whatever it is, the next import is of plain libcst, and says what is wrong
        for name in [name for name in sys.modules if name == "libcst" or name.startswith("libcst.")]:
            del sys.modules[name]


def begin_parse() -> None:
    """Nodes made from here on are the parser's, and are not validated."""
    _state.validating = False


def end_parse() -> None:
    """Nodes made from here on are anybody's."""
    _state.validating = True


def _import_thawed() -> None:
    original: Any = dataclasses.dataclass

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        def decorate(cls: Any) -> Any:
            if any((base.__module__, base.__name__) == _NODE for base in cls.__mro__):
                return original(cls, **{**options, "frozen": False, "repr": False, "eq": False})
            return original(cls, **options)

        return decorate if cls is None else decorate(cls)

    dataclasses.dataclass = dataclass
    try:
        with _without_providers():
            import libcst
    finally:
        dataclasses.dataclass = original
    _keep_subclassable(libcst.CSTNode)
    _skip_validation(libcst.CSTNode)
    _check(libcst)


@contextmanager
def _without_providers() -> Iterator[None]:
    """Lets `libcst.metadata` be an empty package, in which single modules are found, while libcst is imported."""
    found = find_spec("libcst")
    folder = (
        os.path.join(found.submodule_search_locations[0], "metadata")
        if found and found.submodule_search_locations
        else ""
    )
    spec = spec_from_file_location(_METADATA, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    if not os.path.isdir(folder) or spec is None:
        yield
        return
    empty = module_from_spec(spec)
    sys.modules[_METADATA] = empty
    try:
        yield
    finally:
        if sys.modules.get(_METADATA) is empty:
            del sys.modules[_METADATA]
        package = sys.modules.get("libcst")
        if package is not None and getattr(package, "metadata", None) is empty:
            del package.metadata


def _keep_subclassable(node: Any) -> None:
    """Let the classes still count as frozen, so that frozen dataclasses may derive from them as from plain libcst."""
    pending = [node]
    while pending:
        cls = pending.pop()
        if "__dataclass_params__" in cls.__dict__:
            cls.__dataclass_params__.frozen = True
        pending.extend(cls.__subclasses__())


def _skip_validation(node: Any) -> None:
    def post_init(self: Any) -> None:
        if _state.validating:
            self._validate()

    # A flag, and not a method that comes and goes: each change of a class empties CPython's caches for all below it.
    if not hasattr(node, "_validate") or node.__post_init__.__code__.co_argcount != 1:
        raise TypeError("CSTNode validates in an unknown way")
    node.__post_init__ = post_init


def _check(libcst: Any) -> None:
    """Raise unless a small tree can be made, edited and validated as with plain libcst."""
    source = "def f(a, *b):\n    return g(a)[0] + 1\n"
    tree = libcst.parse_module(source)
    edited = tree.body[0].with_changes(name=libcst.Name("h"))
    if tree.code != source or tree.with_changes(body=[edited]).code != source.replace("f(", "h("):
        raise TypeError("accelerated libcst does not round-trip")
    try:
        libcst.Name("")
    except libcst.CSTValidationError:
        return
    raise TypeError("accelerated libcst does not validate")
