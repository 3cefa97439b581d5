"""The values of number and string tokens.

`ast.literal_eval` would compile each token, which costs more than the rest of its lowering; only the rarest escape is
left to it.
"""

from __future__ import annotations

import re
from ast import literal_eval

_ESCAPE = re.compile(r"\\(?:\r\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[\s\S])")
_PLAIN_ESCAPES = {
    "\\\n": "", "\\\r": "", "\\\r\n": "", "\\\\": "\\", "\\'": "'", '\\"': '"', "\\a": "\a", "\\b": "\b", "\\f": "\f",
    "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\v": "\v",
}  # fmt: skip


def number(token: str) -> int | float | complex | str:
    """The value of a number token; one that Python will not convert (an int of very many digits) stays text."""
    try:
        if token[-1] in "jJ":
            return complex(token)
        if token[:2].lower() in ("0x", "0b", "0o") or token.replace("_", "").isdigit():
            return int(token, 0)
        return float(token)
    except ValueError:
        return token


def string(token: str) -> str | bytes:
    """The value of a string token, prefix and quotes included; one that Python does not accept stays as written."""
    quote = token[-1]
    start = token.index(quote)
    prefix = token[:start].lower()
    width = 3 if token.startswith(quote * 3, start) and len(token) >= start + 6 else 1
    body = token[start + width : -width]
    try:
        if "b" in prefix:
            return _bytes(body, raw="r" in prefix)
        return text(body, raw="r" in prefix)
    except (ValueError, OverflowError, SyntaxError):
        return token


def text(body: str, raw: bool) -> str:
    """The value of what stands between quotes; not of bytes. Raises ValueError, OverflowError or SyntaxError for a bad escape."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if raw or "\\" not in body:
        return body
    return _ESCAPE.sub(_unescape, body)


def _bytes(body: str, raw: bool) -> bytes:
    body.encode("ascii")
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if not raw and "\\" in body:
        body = _ESCAPE.sub(_unescape_byte, body)
    return body.encode("latin-1")


def _unescape(found: re.Match[str]) -> str:
    escape = found.group()
    plain = _PLAIN_ESCAPES.get(escape)
    if plain is not None:
        return plain
    kind = escape[1]
    if kind in "01234567":
        return chr(int(escape[1:], 8))
    if kind == "N":
        return str(literal_eval(f'"{escape}"'))
    if kind in "xuU":
        return chr(int(escape.lstrip("\\xuU"), 16))
    return escape


def _unescape_byte(found: re.Match[str]) -> str:
    escape = found.group()
    if escape[1] in "uUN":
        return escape
    return chr(ord(value) & 0xFF) if len(value := _unescape(found)) == 1 else value
