"""Pieces of the page about a pair of runs: what led to the difference, the streams side by side, how it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchdet_lint.finding import Finding
from torchdet_lint.report.html.markup import Content, Markup, tag
from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.page.plot import plot
from torchdet_lint.verify.page.sides import Row, Sides
from torchdet_lint.verify.record import Event
from torchdet_lint.verify.report import distance, shown_place, spoken
from torchdet_lint.verify.spoken import path_of

_MOST_SHOWN = 1
"""Values that are shown of an operation."""

Lines = Callable[[str, int], str]
"""The text of a line of a file, empty where it is not at hand."""


def chain(divergence: Divergence, lines: Lines, finding: Finding | None = None) -> Markup:
    """From the unequal sources to the first operation that differs, each with its line; before them a finding, where none of the
    sources stands on its line.
    """
    event = divergence.event
    steps = [_link("unequal source", source.name, source.place, lines) for source in divergence.sources]
    if finding is not None:
        places = {_line(place) for place in (event.place, event.forward, *(each.place for each in divergence.sources))}
        at = (path_of(finding.location), finding.location.line)
        if at not in places:
            steps.insert(0, _link("finding", finding.code, f"{at[0]}:{at[1]}:<module>", lines))
    if event.forward:
        steps.append(_link("forward line of the operation", event.name, event.forward, lines))
    steps.append(_link("first difference", spoken(event), event.place, lines))
    return tag("ol", steps, class_="chain")


def _link(word: str, name: str, place: str, lines: Lines) -> Markup:
    path, line = _line(place)
    text = lines(path, line).strip() if path else ""
    code = tag("pre", tag("span", text[:240], class_="line", data_n=line), class_="source") if text else None
    where = tag("span", shown_place(place), class_="place")
    return tag("li", tag("span", word, class_="soft"), " ", tag("b", name), " ", where, code)


def _line(place: str) -> tuple[str, int]:
    if not place:
        return "", 0
    path, line, _ = place.rsplit(":", 2)
    return path, int(line)


def told(divergence: Divergence) -> Markup:
    """When runs part, how far, and whether they stay apart."""
    when = f"in step {divergence.step + 1}" if divergence.step else "before the first step ends"
    said = [f"Operation {divergence.index + 1:,} of {divergence.stream}, {when}"]
    if divergence.apart is not None:
        said.append(f"apart: {distance(divergence.apart)}")
    if not divergence.lasting:
        said.append("the runs agree again later")
    return tag("p", "; ".join(said), ".", class_="soft")


def beside(pair: Sides) -> Markup:
    """The operations of both runs around the first difference."""
    head = tag(
        "thead",
        tag("tr", [tag("th", title, scope="col") for title in ("", "", "Operation", "Line", *pair.names)]),
    )
    rows = [tag("tr", _cells(row), class_=_look(row, pair), id=_anchor(row, pair)) for row in pair.rows]
    first, last = pair.rows[0].at, pair.rows[-1].at
    around = f"Operations {first + 1:,} to {last + 1:,} of {pair.total:,} in {pair.divergence.stream}."
    more = f" The {first:,} before them are the same in both runs." if first else ""
    if any(row.same and not row.left.values for row in pair.rows if row.left is not None):
        more += " Where no values stand, there are none to compare: a view has those of what it looks at."
    table = tag("table", head, tag("tbody", rows), class_="beside")
    return tag("figure", tag("div", table, class_="scroll", tabindex=0, role="group", aria_label="Both runs"),
               tag("figcaption", around, more))  # fmt: skip


def _look(row: Row, pair: Sides) -> str | None:
    if row.at == pair.divergence.index:
        return "first"
    return None if row.same else "differs"


def _anchor(row: Row, pair: Sides) -> str | None:
    return f"parted-{pair.names[1]}" if row.at == pair.divergence.index else None


def _cells(row: Row) -> Iterator[Markup]:
    event = row.left or row.right
    assert event is not None
    both = row.left is not None and row.right is not None and row.left.same_as[:3] == row.right.same_as[:3]
    yield tag("td", f"{row.at + 1:,}", class_="number")
    yield tag(
        "td", tag("span", "=" if row.same else "\N{NOT EQUAL TO}", class_=f"sign {'faint' if row.same else 'bad'}")
    )
    yield tag("td", spoken(event) if both else "different operations", class_=None if both else "soft")
    yield tag("td", shown_place(event.forward or event.place) if both else None, class_="place")
    shown = _telling(row)
    for side in (row.left, row.right):
        yield tag("td", _values(side, shown, named=not both), class_="values" if row.same else "values apart")


def _telling(row: Row) -> list[int]:
    """Which sampled values to show: those that differ, if any do."""
    ones, others = (side.values.split() if side is not None else [] for side in (row.left, row.right))
    differing = [at for at, (one, other) in enumerate(zip(ones, others, strict=False)) if one != other]
    return (differing or list(range(max(len(ones), len(others)))))[:_MOST_SHOWN]


def _values(event: Event | None, shown: list[int], *, named: bool) -> Content:
    if event is None:
        return tag("span", "has ended", class_="soft")
    values = event.values.split()
    said = " ".join(values[at] for at in shown if at < len(values))
    name = [spoken(event), " ", shown_place(event.place), tag("br")] if named else None
    return [name, said + (" \N{HORIZONTAL ELLIPSIS}" if len(values) > len(shown) else "")]


def growing(pair: Sides) -> Content:
    """The plot, and its numbers as a table for those who cannot see it."""
    drawn = plot(pair.growth)
    if drawn is None:
        said = (
            "The sampled parameters do not differ after any step."
            if pair.growth
            else "The sample takes no optimizer step."
        )
        return tag("p", said, class_="soft")
    rows = [
        tag(
            "tr",
            tag("td", each.step, class_="number"),
            tag("td", "unknown" if each.apart is None else f"{each.apart:.2e}"),
        )
        for each in pair.growth
    ]
    head = tag("thead", tag("tr", tag("th", "Step", scope="col"), tag("th", "Apart", scope="col")))
    numbers = tag("details", tag("summary", "As numbers"), tag("table", head, tag("tbody", rows)))
    caption = "The greatest relative difference among sampled parameters after each step."
    scroll = tag("div", drawn, class_="scroll", tabindex=0, role="group", aria_label="Plot")
    return [tag("figure", scroll, tag("figcaption", caption)), numbers]
