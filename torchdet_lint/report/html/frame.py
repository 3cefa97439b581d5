"""The frame of a page: its head, its style and script within it, and the rule that nothing else is loaded or run.

The content security policy names the very style and script of the page by their digests (https://www.w3.org/TR/CSP3/), so a
name or message that got past the escaping would still not run, and no request leaves the page.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from torchdet_lint.report.html.markup import Content, Markup, join, tag

_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath d='M8 1l7 7-7 7-7-7z' fill='%2320703c'/%3E%3C/svg%3E"
)


def page(title: str, lead: Content, body: Content, *, styles: tuple[str, ...] = ()) -> str:
    """A whole page, pure ASCII so that it survives any console. `lead` stands beside the button that changes the theme;
    `styles` are further style sheets, as text.
    """
    style = "\n".join((asset("style.css"), *styles))
    script = asset("script.js")
    head = (
        Markup('<meta charset="utf-8">\n'),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href=_ICON),
        Markup(f"<style>{style}</style>"),
    )
    theme = tag("button", "Dark theme", id="theme", type="button", hidden=True)
    rest = tag("body", tag("header", lead, theme, class_="top"), tag("main", body, id="main"), _script(script))
    whole = f'<!DOCTYPE html>\n<html lang="en">\n{tag("head", *head)}\n{rest}\n</html>\n'
    return whole.encode("ascii", "xmlcharrefreplace").decode("ascii")


def section(title: str, anchor: str, *content: Content, count: int | None = None) -> Markup:
    """A part of a page under a heading, which is its label."""
    heading = tag("h2", title, None if count is None else tag("span", f"{count:,}", class_="count"), id=anchor)
    return tag("section", heading, *content, aria_labelledby=anchor)


def alert(lines: tuple[str, ...]) -> Content:
    """What kept a part from being looked at."""
    if not lines:
        return None
    return tag("div", tag("ul", [tag("li", line) for line in lines]), class_="alert", role="note")


def asset(name: str) -> str:
    """A file that belongs to the pages."""
    return (Path(__file__).parent / name).read_text(encoding="ascii")


def _script(text: str) -> Markup:
    return join((Markup("\n<script>"), Markup(text), Markup("</script>")))


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src {_digest(style)}; script-src {_digest(script)}"
    )


def _digest(text: str) -> str:
    from hashlib import sha256

    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
