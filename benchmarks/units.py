"""Whether statements lowered one by one give what the whole file gives: `python -m benchmarks.units [FOLDER ...]`.

Files are taken apart and lowered as a run does it, and once more in one piece; trees, names, words and places must be the same.
Without folders it takes the standard library and the wheels of the benchmarks, some 4,000 files, and a quarter of an hour. It is
no measurement of time: it exits with 1 where any file differs.
"""

from __future__ import annotations

import sys
import sysconfig
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.corpora import FULL_LIBRARIES, SCRIPTS, Unavailable, prepare, python_files
from torchdet_lint import ir
from torchdet_lint.lowering import LoweringError, lower
from torchdet_lint.source import SourceError, SourceFile, load

HOME = Path(__file__).resolve().parents[1] / ".bench"


def main() -> int:
    folders = [Path(text) for text in sys.argv[1:]] or _folders()
    told: Counter[str] = Counter()
    sys.setrecursionlimit(6000)
    for folder in folders:
        paths = [path for path in python_files(folder) if "site-packages" not in path]
        for path in paths:
            answer = compare(path)
            told[answer] += 1
            if answer == "differs":
                print(f"{path}: units and the whole file differ")
        print(f"{folder}: {len(paths)} files; so far {dict(told)}", file=sys.stderr)
    print(", ".join(f"{count} {answer}" for answer, count in sorted(told.items())))
    return 1 if told["differs"] else 0


def compare(path: str) -> str:
    """What comes out for one file: "same", "differs", "one unit" where nothing was taken apart, "unreadable"."""
    try:
        source = load(path, Path(path).read_bytes(), path)
        whole = lower(source.text)
    except (SourceError, LoweringError):
        return "unreadable"
    if len(source.units) == 1 and source.units[0].kind == "file":
        return "one unit"
    try:
        pieces = [each for unit in source.units for each in shifted(lower(source.unit_text(unit)), unit.start)]
    except LoweringError:
        return "differs"
    same = ir.encode(tuple(pieces)) == ir.encode(whole) and _covers(source)
    return "same" if same else "differs"


def shifted(value: Any, by: int) -> Any:
    """IR whose spans start `by` characters later."""
    if not isinstance(value, tuple):
        return value
    if not hasattr(value, "_fields"):
        return tuple(shifted(each, by) for each in value)
    parts = [
        (part[0] + by, part[1] + by) if name in ("span", "name_span") else shifted(part, by)
        for name, part in zip(value._fields, value, strict=True)
    ]
    return type(value)(*parts)


def _covers(source: SourceFile) -> bool:
    """Whether units are in order, apart, and start in the lines that they say."""
    end = 0
    for unit in source.units:
        if unit.start < end or source.text.count("\n", 0, unit.start) + 1 != unit.line:
            return False
        end = unit.end
    return True


def _folders() -> list[Path]:
    try:
        corpus = prepare("units", (*SCRIPTS, *FULL_LIBRARIES), HOME)
    except Unavailable as error:
        sys.exit(f"nothing to compare: {error}")
    return [Path(sysconfig.get_path("stdlib")), *corpus.parts]


if __name__ == "__main__":
    sys.exit(main())
