"""How a difference grows, as a drawing: powers of ten upwards, optimizer steps to the right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torchdet_lint.report.html.markup import Content, Markup, tag
from torchdet_lint.report.html.shapes import drawing
from torchdet_lint.verify.page.sides import Grown

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 640, 250, 64, 40, 14, 16
_MOST_MARKS = 60


def plot(growth: Sequence[Grown]) -> Markup | None:
    """The drawing; None where no step differs by a number. Steps without a difference lie on the ground line."""
    known = [each for each in growth if each.apart is not None]
    differing = [each.apart for each in known if each.apart]
    if not differing:
        return None
    low = math.floor(math.log10(min(differing)))
    high = max(math.ceil(math.log10(max(differing))), low + 1)
    scale = _Scale(known[-1].step, low, high)
    points = [scale.point(each.step, each.apart or 0.0) for each in known]
    line = tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_="curve")
    marks = [_dot(each, *point) for each, point in zip(known, points, strict=True)]
    label = f"The difference after each step, from {_number(known[0].apart or 0)} to {_number(known[-1].apart or 0)}"
    shown = marks if len(marks) <= _MOST_MARKS else []
    return drawing(_WIDTH, _HEIGHT, label, scale.axes(), line, shown, class_="plot")


def _dot(each: Grown, x: float, y: float) -> Markup:
    said = tag("title", f"step {each.step}: {_number(each.apart or 0)}")
    return tag("circle", said, cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, class_="dot")


def _number(value: float) -> str:
    return "no difference" if not value else f"{value:.1e}"


class _Scale:
    """Where steps and differences lie. The ground line stands for no difference, one power of ten below the least."""

    def __init__(self, steps: int, low: int, high: int) -> None:
        self._steps, self._low, self._high = max(steps, 2), low - 1, high

    def point(self, step: int, value: float) -> tuple[float, float]:
        power = math.log10(value) if value else self._low
        return self._x(step), self._y(power)

    def _x(self, step: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (step - 1) / (self._steps - 1)

    def _y(self, power: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * (power - self._low) / (self._high - self._low)

    def axes(self) -> list[Content]:
        """Grid lines with their labels."""
        drawn: list[Content] = []
        every = math.ceil((self._high - self._low) / 6)
        for power in range(self._low, self._high + 1):
            if (power - self._low) % every == 0:
                y = f"{self._y(power):.1f}"
                said = "equal" if power == self._low else f"1e{power}"
                drawn.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="grid"))
                drawn.append(tag("text", said, x=_LEFT - 8, y=f"{float(y) + 4:.1f}", class_="tick left"))
        stride = max(1, math.ceil(self._steps / 8))
        below = _HEIGHT - _BOTTOM + 18
        numbers = [
            tag("text", step, x=f"{self._x(step):.1f}", y=below, class_="tick")
            for step in range(1, self._steps + 1, stride)
        ]
        middle = (_LEFT + _WIDTH - _RIGHT) // 2
        return [*drawn, *numbers, tag("text", "optimizer step", x=middle, y=_HEIGHT - 4, class_="tick")]
