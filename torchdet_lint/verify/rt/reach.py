"""Which of the asked-for lines are executed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any

from .places import Places

_TOOL = 4
"""The identifier with `sys.monitoring`; 0 to 3 and 5 have names of their own."""


class Reach:
    """Watches lines of files; functions of other files run untouched."""

    def __init__(self, lines: Mapping[str, tuple[int, ...]], places: Places, reached: dict[str, set[int]]) -> None:
        self._lines = {path: frozenset(wanted) for path, wanted in lines.items()}
        self._places = places
        self._reached = reached
        self._files: dict[str, str] = {}

    def install(self) -> None:
        """From now on, in all threads. A debugger or a coverage tool that is there already is left alone."""
        if not self._lines:
            return
        monitoring: Any = getattr(sys, "monitoring", None)
        if monitoring is not None:
            if monitoring.get_tool(_TOOL) is None:
                monitoring.use_tool_id(_TOOL, "torchdet-lint")
                monitoring.register_callback(_TOOL, monitoring.events.LINE, self._line)
                monitoring.set_events(_TOOL, monitoring.events.LINE)
        elif sys.gettrace() is None:
            sys.settrace(self._call)
            threading.settrace(self._call)

    def _name(self, file: str) -> str:
        """The path of a file that is asked for, else empty."""
        name = self._files.get(file)
        if name is None:
            name = "" if file.startswith("<") else self._places.name(file)
            name = self._files[file] = name if name in self._lines else ""
        return name

    def _hit(self, file: str, line: int) -> None:
        name = self._name(file)
        if name and line in self._lines[name]:
            self._reached.setdefault(name, set()).add(line)

    def _call(self, frame: FrameType, event: str, _arg: Any) -> Any:
        name = self._name(frame.f_code.co_filename)
        if not name:
            return None
        self._reached.setdefault(name, set())
        self._hit(frame.f_code.co_filename, frame.f_lineno)
        return self._within

    def _within(self, frame: FrameType, event: str, _arg: Any) -> Any:
        if event == "line":
            self._hit(frame.f_code.co_filename, frame.f_lineno)
        return self._within

    def _line(self, code: CodeType, line: int) -> Any:
        name = self._name(code.co_filename)
        if name:
            self._reached.setdefault(name, set())
            self._hit(code.co_filename, line)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore]
