"""The world outside, as Python programs ask for it: entropy, clocks, process numbers, folders. Questions from user lines become
events, and are answered by a pin where one is set.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from types import MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from . import pins
from .digest import of_value
from .ledger import Ledger
from .places import Places
from .streams import Streams, process_name

if TYPE_CHECKING:
    from typing_extensions import Self

LOGGED = 64
"""Questions of one kind from one line that become events; further ones are only counted."""

_ENTROPY_MODULES = ("random.py", "secrets.py", "uuid.py")
_LISTING_MODULES = ("glob.py", "pathlib", "os.py")
_FOLDER_MODULES = ("posixpath.py", "ntpath.py", "pathlib", "os.py")


class Sources:
    """Wraps the functions of `os` and `time`. Calls from anywhere but user lines get what they always got."""

    def __init__(
        self, streams: Streams, ledger: Ledger, places: Places, held: dict[str, int], only: tuple[str, ...] = ()
    ) -> None:
        self._streams = streams
        self._ledger = ledger
        self._places = places
        self._held = held
        self._only = only
        self._entropy = {variant: pins.Entropy(variant) for variant in {0, held.get("os", 0)}}
        self._clock = {variant: pins.Clock(variant) for variant in {0, held.get("clock", 0)}}
        self._first_pid = os.getpid()

    def install(self) -> None:
        """Replaces the functions."""
        self._wrap_entropy()
        for name in ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns"):
            self._wrap_clock(name)
        self._wrap_pid()
        self._wrap_listings()
        self._wrap_cwd()

    def variant(self, factor: str, place: str) -> int | None:
        """The variant in which a factor is held for a user line, or None where it runs free."""
        held = self._held.get(factor)
        return 0 if held and self._only and place.rpartition(":")[0] not in self._only else held

    def note(self, kind: str, call: str, place: str, digest: str) -> None:
        """One question, and the digest of its answer."""
        if self._ledger.ask(kind, call, place) <= LOGGED:
            self._streams.current().event(kind, call, place, digest)

    def entropy(self, call: str, place: str, count: int) -> bytes | None:
        """Pinned bytes for a user line, or None where entropy runs free. The caller says by `note` what was answered."""
        variant = self.variant("os", place)
        return None if variant is None else self._entropy[variant].take(f"{call}|{place}", count)

    def asks_entropy(self, depth: int) -> str:
        """The user line that asks for entropy, from `depth` frames up."""
        frame = sys._getframe(depth + 1)
        # NumPy's generators ask through `secrets` wherever they are made, and they are made in libraries too.
        numpy = frame.f_code.co_filename.endswith("random.py")
        return self._places.asking(frame, _ENTROPY_MODULES, libraries=numpy)

    def _wrap_entropy(self) -> None:
        real = os.urandom

        def urandom(_: object, size: int, /) -> bytes:
            place = self.asks_entropy(1)
            if not place:
                return real(size)
            data = self.entropy("os.urandom", place, size)
            if data is None:
                data = real(size)
            self.note("ENT", "os.urandom", place, of_value(data))
            return data

        os.urandom = standing(urandom, os)
        if "random" in sys.modules:
            sys.modules["random"]._urandom = os.urandom  # type: ignore[attr-defined]

    def _wrap_clock(self, name: str) -> None:
        real = getattr(time, name)

        def clock(_: object) -> Any:
            place = self._places.asking(sys._getframe(1))
            if not place:
                return real()
            variant = self.variant("clock", place)
            if variant is None:
                value = real()
            else:
                seconds = self._clock[variant].seconds()
                value = int(seconds * 1e9) if name.endswith("_ns") else seconds
            self.note("TIME", f"time.{name}", place, of_value(value))
            return value

        clock.__name__ = clock.__qualname__ = name
        setattr(time, name, standing(clock, time))

    def on_datetime(self, module: Any) -> None:
        """After `import datetime`. `date.today` and `datetime.today` ask `time.time`; these two ask the system, inside of C."""
        methods = gc.get_referents(module.datetime.__dict__)[0]  # the type itself lets nobody change it
        for name in ("now", "utcnow"):
            self._wrap_now(module, methods, name)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(module.datetime))

    def _wrap_now(self, module: Any, methods: dict[str, Any], name: str) -> None:
        real = methods[name]

        def now(cls: Any, tz: Any = None) -> Any:
            place = self._places.asking(sys._getframe(1))
            variant = self.variant("clock", place) if place else None
            if variant is not None:
                zone = module.timezone.utc if name == "utcnow" else tz
                value = cls.fromtimestamp(self._clock[variant].seconds(), zone)
                value = value.replace(tzinfo=None) if name == "utcnow" else value
            else:
                value = real.__get__(None, cls)(*(() if tz is None else (tz,)))
            if place:
                self.note("TIME", f"datetime.{name}", place, of_value(value))
            return value

        now.__name__, now.__qualname__ = name, f"datetime.{name}"
        methods[name] = classmethod(now)

    def _wrap_pid(self) -> None:
        real = os.getpid

        def getpid(_: object) -> int:
            place = self._places.asking(sys._getframe(1))
            if not place:
                return real()
            variant = self.variant("pid", place)
            value = real() if variant is None else pins.pid(variant, real(), self._first_pid, process_name(False))
            self.note("PID", "os.getpid", place, of_value(value))
            return value

        os.getpid = standing(getpid, os)

    def _ordered(self, call: str, entries: list[Any], name: Callable[[Any], str]) -> list[Any]:
        place = self._places.asking(sys._getframe(2), _LISTING_MODULES)
        if not place:
            return entries
        variant = self.variant("listing", place)
        if variant is not None:
            entries = pins.ordered(entries, name, variant)
        self.note("FS", call, place, of_value([name(entry) for entry in entries]))
        return entries

    def _wrap_listings(self) -> None:
        real_list, real_scan = os.listdir, os.scandir

        def listdir(_: object, path: Any = ".") -> Any:
            return self._ordered("os.listdir", real_list(path), os.fsdecode)

        def scandir(_: object, path: Any = ".") -> Any:
            found = real_scan(path)
            if not self._places.asking(sys._getframe(1), _LISTING_MODULES):
                return found
            with found:
                entries = list(found)
            return Entries(self._ordered("os.scandir", entries, lambda entry: os.fsdecode(entry.name)))

        # What `os.walk` and the module's other functions call is looked up in their own module, so these reach them too.
        os.listdir, os.scandir = standing(listdir, os), standing(scandir, os)
        os.supports_fd.update((os.listdir, os.scandir))

    def _wrap_cwd(self) -> None:
        real = os.getcwd

        def getcwd(_: object) -> str:
            value = real()
            place = self._places.asking(sys._getframe(1), _FOLDER_MODULES)
            if place:
                self.note("CWD", "os.getcwd", place, of_value(value))
            return value

        os.getcwd = standing(getcwd, os)


class Module:
    """What a stand-in is a method of; it is written as the module itself where somebody pickles the stand-in."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.name,)


def standing(function: Callable[..., Any], module: ModuleType) -> Any:
    """The function as what stands in for a built-in one of a module. Like that, and unlike a function, it does not become a
    method where a class holds it, as `pathlib` of Python 3.10 holds `os.listdir`.
    """
    return MethodType(function, Module(module.__name__))


class Entries:
    """What `os.scandir` returns, over entries that are known."""

    def __init__(self, entries: list[Any]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is left open."""
        self._entries = iter(())
