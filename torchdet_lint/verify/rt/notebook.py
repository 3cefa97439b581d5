"""Runs the code cells of a notebook in one process, as `jupyter execute` would run them in a kernel.

`python notebook.py PLAN [ARGS…]`: a JSON file with the notebook's path from the current folder and its cells, each with its
number and its code. Each cell is a file of its own to Python, `train.ipynb:cell 3`, so that every place that is recorded, and
every traceback, names a cell and a line in it, as notebooks show them.
"""

from __future__ import annotations

import ast
import asyncio
import io
import json
import linecache
import os
import sys
from types import CodeType, ModuleType
from typing import Any


class Shell:
    """What `get_ipython()` gives: whatever is asked of it does nothing. There is no front end, and magics are left out."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: None


def main(plan_file: str, arguments: list[str]) -> None:
    """Runs the notebook of a plan in its own folder, in which a kernel starts too."""
    with open(plan_file, encoding="utf-8") as file:
        plan = json.load(file)
    notebook = os.path.abspath(plan["file"])
    folder = os.path.dirname(notebook)
    os.chdir(folder)
    sys.path[0] = folder
    sys.argv = [notebook, *arguments]
    module = ModuleType("__main__")
    module.__dict__.update(display=print, get_ipython=Shell)
    sys.modules["__main__"] = module
    for cell in plan["cells"]:
        _run(compiled(cell["code"], f"{notebook}:cell {cell['number']}"), module.__dict__)


def _run(code: CodeType, names: dict[str, Any]) -> None:
    waits = eval(code, names)  # noqa: S307 (running the user's code is the purpose)
    if asyncio.iscoroutine(waits):
        asyncio.run(waits)


def compiled(code: str, file: str) -> CodeType:
    """A cell's code. Its text is kept for tracebacks and for those who ask for the source of a function (`torch.jit.script`)."""
    # Without a time the entry stays, though there is no such file (`linecache.checkcache`).
    linecache.cache[file] = (len(code), None, list(io.StringIO(code, None)), file)
    code_object: CodeType = compile(code, file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return code_object


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
