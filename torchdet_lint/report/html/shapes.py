"""Small drawings: a shape for each kind of thing, so that colour is never the only sign."""

from __future__ import annotations

from torchdet_lint.report.html.markup import Content, Markup, tag

RADIUS = 9


def shape(kind: str, x: float, y: float, look: str, number: int | None = None, title: str = "") -> Markup:
    """A shape around a point, with a number in it: "seed" a diamond, "draw" a circle, "loader" a square, "mode" a hexagon.
    `look` is "good", "bad", "open" or "faint".
    """
    inside = None if number is None else tag("text", number, x=_n(x), y=_n(y + 3.6), class_="number")
    return tag("g", tag("title", title) if title else None, _outline(kind, x, y), inside, class_=f"shape {look}")


def _outline(kind: str, x: float, y: float) -> Markup:
    r = RADIUS
    if kind == "draw":
        return tag("circle", cx=_n(x), cy=_n(y), r=r)
    corners = {
        "seed": ((0, -r - 2), (r + 2, 0), (0, r + 2), (-r - 2, 0)),
        "loader": ((-r, -r + 1), (r, -r + 1), (r, r - 1), (-r, r - 1)),
        "mode": ((-r / 2, -r), (r / 2, -r), (r, 0), (r / 2, r), (-r / 2, r), (-r, 0)),
    }[kind]
    return tag("polygon", points=" ".join(f"{_n(x + dx)},{_n(y + dy)}" for dx, dy in corners))


def drawing(width: float, height: float, label: str, *content: Content, class_: str = "") -> Markup:
    """A drawing in its own size; `label` says what it shows."""
    size = {"width": _n(width), "height": _n(height), "viewBox": f"0 0 {_n(width)} {_n(height)}"}
    return tag("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=label, class_=class_, **size)


def _n(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.1f}".rstrip("0").rstrip(".")
