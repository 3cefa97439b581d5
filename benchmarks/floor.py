"""What cannot be had for less: `libcst.parse_module` alone over the files that torchdet-lint lowers something of.

`python -m benchmarks.floor list FOLDER FILE` lints FOLDER and writes the paths of those files to FILE;
`python -m benchmarks.floor parse FILE` parses them and does nothing else.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any


def main(argv: list[str]) -> None:
    match argv:
        case ["list", folder, target]:
            Path(target).write_text("\n".join(lowered(folder)))
        case ["parse", source]:
            parse(Path(source).read_text().splitlines())
        case _:
            sys.exit(__doc__)


def lowered(folder: str) -> list[str]:
    """The Python files below a folder of which a run asks for the IR of some unit, because a rule's trigger stands in it or
    because a program reaches it.
    """
    import importlib
    import os

    from torchdet_lint.cli import main as lint

    pipeline: Any = importlib.import_module("torchdet_lint.engine.pipeline")
    load_all = pipeline.load_all
    wanted: set[str] = set()

    def noting(entries: Any, *rest: Any) -> Any:
        paths = {entry.key: entry.path for entry in entries}
        loaded = load_all(entries, *rest)
        lower = loaded.lower

        def noted(source: Any, unit: Any) -> Any:
            wanted.add(os.path.abspath(paths[source.path]))
            return lower(source, unit)

        loaded.lower = noted
        return loaded

    pipeline.load_all = noting
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        try:
            status = lint(["check", "--isolated", "--no-cache", "-j1", "--exit-zero", "--quiet", folder])
        finally:
            pipeline.load_all = load_all
    if status:
        sys.exit(f"torchdet-lint ended with status {status}")
    return sorted(path for path in wanted if path.endswith(".py"))


def parse(paths: list[str]) -> None:
    import libcst

    for path in paths:
        with contextlib.suppress(libcst.ParserSyntaxError, UnicodeDecodeError):
            libcst.parse_module(Path(path).read_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
