"""A picture of a terminal in which the linter has just been run on an example: `python tools/terminal_svg.py [--check]`.

It writes docs/terminal.svg. With `--check` nothing is written; the exit code is 1 when the picture is not what a run shows today.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "terminal.svg"
FOLDER = ROOT / "examples" / "image_classifier"
RUNS = (("--select", "TDL006"), ("programs",))

COLUMNS, CELL, LINE, EDGE, BAR = 81, 8.4, 19, 22, 34
"""The picture's columns of text; the width of one and the height of a line, the margin, and the title bar, in pixels."""

LOOKS = {"1": "b", "2": "faint", "31": "red", "32": "green", "33": "yellow", "34": "blue", "36": "cyan"}
STYLE = """\
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #dfe3e8; white-space: pre }
.b { font-weight: 700; fill: #fff } .faint { fill: #8b949e } .prompt { fill: #8b949e }
.red { fill: #ff8f85 } .green { fill: #7fd09c } .yellow { fill: #ecb765 } .blue { fill: #8ec0f7 } .cyan { fill: #7fd0d0 }"""

_CODE = re.compile(r"\x1b\[([\d;]*)m")


def runs(line: str) -> Iterator[tuple[int, str, str]]:
    """The pieces of a line with colours: the column that each starts at, its classes, its text."""
    column, look = 0, ""
    for index, piece in enumerate(_CODE.split(line)):
        if index % 2:
            look = " ".join(LOOKS[code] for code in piece.split(";") if code in LOOKS)
        elif piece:
            yield column, look, piece
            column += len(piece)


def picture(lines: Sequence[str]) -> str:
    """The lines as an SVG; every piece of text is as wide as its columns, whatever the font."""
    width, height = round(COLUMNS * CELL) + 2 * EDGE, BAR + len(lines) * LINE + EDGE
    drawn = []
    for row, line in enumerate(lines):
        y = BAR + (row + 1) * LINE - 5
        for column, look, text in runs(line):
            start = len(text) - len(text.lstrip())
            shown = text.strip()
            if shown:
                x = EDGE + (column + start) * CELL
                size = f'textLength="{len(shown) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                drawn.append(f'<text x="{x:.1f}" y="{y}" {size} class="{look}">{escape(shown)}</text>')
    dots = [f'<circle cx="{EDGE + 4 + 18 * at}" cy="18" r="5" fill="#3d444d"/>' for at in range(3)]
    size = f'width="{width}" height="{height}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" role="img">',
        "<title>A terminal in which torchdet-lint has been run on an example</title>",
        f"<style>{STYLE}</style>",
        f'<rect {size} rx="8" fill="#16191d"/>',
        *dots,
        *drawn,
        "</svg>",
        "",
    ])  # fmt: skip


def shown() -> list[str]:
    """What the terminal holds."""
    lines = []
    for arguments in RUNS:
        command = [sys.executable, "-m", "torchdet_lint", *arguments, "--no-cache", "--color", "always"]
        found = subprocess.run(  # noqa: S603 (this Python, and arguments that stand above)
            command,
            cwd=FOLDER,
            env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode > 1:
            raise SystemExit(found.stderr)
        lines += [f"\x1b[2m$\x1b[0m \x1b[1mtorchdet-lint {' '.join(arguments)}\x1b[0m", *found.stdout.splitlines(), ""]
    return lines[:-1]


def main(arguments: Sequence[str]) -> int:
    """Writes the picture, or checks it."""
    wanted = picture(shown())
    if "--check" in arguments:
        if PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == wanted:
            return 0
        print(f"{PICTURE.relative_to(ROOT)} is outdated: python tools/terminal_svg.py")
        return 1
    PICTURE.write_text(wanted, encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
