"""Runs the code cells of a notebook in one process, as `jupyter execute` would run them in a kernel.

`python notebook.py PLAN`: a JSON file with the notebook's path from the current folder and its cells, each with its code and,
for each line of that, the line of the notebook's file in which it stands. So every place that is recorded, and every traceback,
names a line of the file that the user has.
"""

from __future__ import annotations

import ast
import asyncio
import json
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


def main(plan_file: str) -> None:
    """Runs the notebook of a plan in its own folder, in which a kernel starts too."""
    with open(plan_file, encoding="utf-8") as file:
        plan = json.load(file)
    notebook = os.path.abspath(plan["file"])
    folder = os.path.dirname(notebook)
    os.chdir(folder)
    sys.path[0] = folder
    sys.argv = [notebook]
    module = ModuleType("__main__")
    module.__dict__.update(display=print, get_ipython=Shell)
    sys.modules["__main__"] = module
    for cell in plan["cells"]:
        _run(compiled(cell["code"], cell["lines"], notebook), module.__dict__)


def _run(code: CodeType, names: dict[str, Any]) -> None:
    waits = eval(code, names)  # noqa: S307 (running the user's code is the purpose)
    if asyncio.iscoroutine(waits):
        asyncio.run(waits)


def compiled(code: str, lines: list[int], file: str) -> CodeType:
    """A cell's code with the line numbers of the file. Raises SyntaxError, which names the line of the file too."""
    try:
        tree = compile(code, file, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        error.lineno, error.end_lineno = _line(lines, error.lineno or 1), None
        raise
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias, ast.pattern)):
            # Several lines of a cell may be one of the file, where no end may stand before its start.
            node.lineno = node.end_lineno = _line(lines, node.lineno)
            node.end_col_offset = node.col_offset
    code_object: CodeType = compile(tree, file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return code_object


def _line(lines: list[int], line: int) -> int:
    return lines[min(line, len(lines)) - 1]


if __name__ == "__main__":
    main(sys.argv[1])
