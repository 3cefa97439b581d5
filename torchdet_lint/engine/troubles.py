"""Errors of our own, told in one line: the rest of a run is worth having."""

from __future__ import annotations

import os


def trouble(error: Exception, doing: str, lost: str = "findings are missing") -> str:
    """An error of our own as one line, with what is missing because of it."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" at {os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}" if frame else ""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"internal error while {doing}: {' '.join(text.split())}{where}; {lost} (please report this)"
