"""What lowering costs on top of parsing: `python -m benchmarks.lowering [folder]`, by default the standard library's files.

Times are CPU milliseconds a thousand lines, the best of three rounds in one process, file by file. `lower` switches garbage
collection off for each unit; the parser alone is measured with collection off as well, and once more with it on.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

from torchdet_lint.lowering import LoweringError, accelerate, lower

ROUNDS = 3
MOST_LINES = 30_000


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("stdlib"))
    started = time.process_time()
    accelerate.load()
    import libcst

    imported = time.process_time() - started
    texts = _texts(folder)
    if not texts:
        sys.exit(f"no Python file under {folder} that can be lowered")
    klines = sum(text.count("\n") + 1 for text in texts) / 1000
    off, on, whole = _measure(texts, libcst.parse_module, lower)
    tree_nodes = sum(_tree_nodes(libcst.parse_module(text)) for text in texts)
    nodes = sum(_nodes(lower(text)) for text in texts)
    accelerated = os.environ.get(accelerate.PLAIN, "") in {"", "0"}
    print(f"{len(texts)} files, {klines:.1f} thousand lines; libcst {'accelerated' if accelerated else 'plain'}")
    print(f"import libcst                 {imported * 1000:7.1f} ms")
    print(f"parse_module, collection on   {on * 1000 / klines:7.2f} ms a thousand lines")
    print(f"parse_module, collection off  {off * 1000 / klines:7.2f}")
    print(f"lower                         {whole * 1000 / klines:7.2f}")
    print(f"lower - parse_module          {(whole - off) * 1000 / klines:7.2f}")
    print(f"lower / parse_module          {whole / off:7.2f}")
    print(
        f"nodes: {nodes} of {tree_nodes} in libcst's trees ({nodes / tree_nodes:.1%}, {nodes / klines / 1000:.1f} a line)"
    )


def _texts(folder: Path) -> list[str]:
    """Files that libcst accepts, spread over the folder, up to `MOST_LINES`."""
    paths = sorted(path for path in folder.rglob("*.py") if "site-packages" not in path.parts)
    texts: list[str] = []
    lines = 0
    for path in [path for step in range(7) for path in paths[step::7]]:
        if lines > MOST_LINES:
            break
        try:
            text = path.read_text(encoding="utf-8")
            lower(text)
        except (LoweringError, UnicodeDecodeError):
            continue
        texts.append(text)
        lines += text.count("\n") + 1
    return texts


def _measure(texts: list[str], parse: Any, lower: Any) -> tuple[float, float, float]:
    """Seconds for all texts: parsing with collection off, parsing with it on, lowering."""
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        spent = [0.0, 0.0, 0.0]
        for text in texts:
            gc.disable()
            spent[0] += _time(_parse, parse, text)
            gc.enable()
            spent[1] += _time(parse, text)
            spent[2] += _time(lower, text)
        best = [min(pair) for pair in zip(best, spent, strict=True)]
    return best[0], best[1], best[2]


def _parse(parse: Any, text: str) -> None:
    """Parse as `lower` does, without the validation of nodes where libcst is accelerated."""
    accelerate.begin_parse()
    try:
        parse(text)
    finally:
        accelerate.end_parse()


def _time(function: Any, *args: Any) -> float:
    started = time.process_time()
    function(*args)
    return time.process_time() - started


def _nodes(value: Any) -> int:
    if not isinstance(value, tuple):
        return 0
    return hasattr(value, "_fields") + sum(_nodes(part) for part in value)


def _tree_nodes(node: Any) -> int:
    if isinstance(node, (list, tuple)):
        return sum(_tree_nodes(part) for part in node)
    if not dataclasses.is_dataclass(node):
        return 0
    return 1 + sum(_tree_nodes(getattr(node, field.name)) for field in dataclasses.fields(node))


if __name__ == "__main__":
    main()
