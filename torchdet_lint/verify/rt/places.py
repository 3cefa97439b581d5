"""Which line of the user's code is at work: the nearest frame that belongs to neither Python, a library, nor us."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from types import CodeType, FrameType

USER, STANDARD, LIBRARY, IMPORT, OWN, TRANSFER = range(6)
"""Whose code a file is. TRANSFER is what moves tensors between processes."""

_OWN = os.path.dirname(os.path.abspath(__file__))
_TRANSFER = os.path.join("multiprocessing", "reductions.py")
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


_folder = os.getcwd
"""The function itself: what stands in `os` later asks who asks, and would ask for ever."""

_KERNEL = re.compile(r"ipykernel_\d+")
"""Cells of notebooks are files in a folder with the number of the process, which no two runs share."""


def _absolute(file: str) -> str:
    """Code may be compiled under a relative path."""
    return os.path.normpath(os.path.join(_folder(), file))


class Places:
    """Answers for one process. A place is `path:line:function`, the path relative to a root with forward slashes."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self._roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)
        self._standard = tuple(
            {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
        )
        self._owners: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._places: dict[tuple[int, int], str] = {}
        self._codes: list[CodeType] = []

    def owner(self, file: str) -> int:
        """Whose code a file is."""
        known = self._owners.get(file)
        if known is None:
            known = self._owners[file] = self._judge(file)
        return known

    def _judge(self, file: str) -> int:
        if file.startswith("<"):
            return IMPORT if "importlib" in file else STANDARD
        if file.startswith(_OWN):
            return OWN
        if any(folder in file for folder in _LIBRARIES):
            return TRANSFER if file.endswith(_TRANSFER) else LIBRARY
        if file.startswith(self._standard):
            return STANDARD
        # What installers write into `bin/` is nobody's line.
        return LIBRARY if os.path.dirname(_absolute(file)) == os.path.dirname(sys.executable) else USER

    def name(self, file: str) -> str:
        """The path that a report shows."""
        known = self._names.get(file)
        if known is None:
            real = os.path.realpath(_absolute(file))
            root = next((root for root in self._roots if real.startswith(root)), "")
            name = _KERNEL.sub("ipykernel", real[len(root) :])
            known = self._names[file] = name.replace(os.sep, "/").replace("\t", " ").replace("\n", " ")
        return known

    def _place(self, frame: FrameType) -> str:
        code = frame.f_code
        key = (id(code), frame.f_lasti)  # a line number costs a walk through a table
        known = self._places.get(key)
        if known is None:
            self._codes.append(code)  # as long as it lives, its id is its own
            function = getattr(code, "co_qualname", code.co_name)
            known = self._places[key] = f"{self.name(code.co_filename)}:{frame.f_lineno}:{function}"
        return known

    def nearest(self, frame: FrameType | None) -> str:
        """The user line that an operation belongs to: empty where there is none, `!` where tensors move between processes."""
        owner_of = self._owners.get
        while frame is not None:
            file = frame.f_code.co_filename
            owner = owner_of(file)
            if owner is None:
                owner = self.owner(file)
            if owner == USER:
                return self._place(frame)
            if owner == TRANSFER:
                return "!"
            frame = frame.f_back
        return ""

    def asking(self, frame: FrameType | None, through: tuple[str, ...] = (), libraries: bool = False) -> str:
        """The user line that asks for a source, or empty. Only standard modules whose path contains one of `through` may stand
        between (and libraries if so said), and never the import machinery.
        """
        while frame is not None:
            file = frame.f_code.co_filename
            owner = self.owner(file)
            if owner == USER:
                return self._place(frame)
            if owner in (IMPORT, TRANSFER) or (owner == LIBRARY and not libraries):
                return ""
            if owner == STANDARD and not file.startswith("<") and not any(part in file for part in through):
                return ""
            frame = frame.f_back
        return ""
