"""How time grows with size, as a picture."""

from __future__ import annotations

from collections.abc import Sequence

_FONT = 'font-family="sans-serif" font-size="12" fill="#57606a"'
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 560, 300, 56, 44, 16


def growth(points: Sequence[tuple[float, float]]) -> str:
    """An SVG of CPU seconds by megabytes of code, with the line that the largest size would lie on if time grew as size does."""
    most_mb, most_s = max(mb for mb, _ in points) * 1.05, max(seconds for _, seconds in points) * 1.1

    def place(mb: float, seconds: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - 16) * mb / most_mb
        return round(across, 1), round(_HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * seconds / most_s, 1)

    (x0, y0), (x1, _), (_, y1) = place(0, 0), place(most_mb, 0), place(0, most_s)
    straight = place(*max(points))
    marks = [place(mb, seconds) for mb, seconds in points]
    line = " ".join(f"{x},{y}" for x, y in marks)
    labels = [
        f'<text x="{x}" y="{y - 8}" text-anchor="end">{seconds:.1f} s</text>'
        f'<text x="{x}" y="{y0 + 16}" text-anchor="middle">{mb:.1f}</text>'
        for (x, y), (mb, seconds) in zip(marks, points, strict=True)
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
        "<title>CPU seconds by megabytes of code</title>",
        f'<path d="M{x0} {y1}V{y0}H{x1}" fill="none" stroke="#8c959f"/>',
        f'<path d="M{x0} {y0}L{straight[0]} {straight[1]}" fill="none" stroke="#8c959f" stroke-dasharray="4 4"/>',
        f'<polyline points="{line}" fill="none" stroke="#0969da" stroke-width="2"/>',
        *(f'<circle cx="{x}" cy="{y}" r="3.5" fill="#0969da"/>' for x, y in marks),
        *labels,
        f'<text x="{(x0 + x1) / 2}" y="{_HEIGHT - 8}" text-anchor="middle">MB of Python</text>',
        f'<text text-anchor="middle" transform="translate(14 {(y0 + y1) / 2}) rotate(-90)">CPU seconds, cold</text>',
        "</svg>",
        "",
    ])  # fmt: skip
