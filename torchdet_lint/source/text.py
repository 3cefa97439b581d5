"""Bytes to text, by the rules of Python source files (PEP 263), with a place for whatever cannot be read."""

from __future__ import annotations

import codecs
import re

from torchdet_lint.source.lines import line_starts, position


class SourceError(Exception):
    """A file that cannot be read as source (rule TDL999): where, from 1, and why in one line.

    `line` and `column` are those of the raw file; a column counts code points where the text before it could be
    decoded, else bytes.
    """

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.path = path
        self.line = line
        self.column = column
        self.message = message


_LINE = rb"[^\r\n]*(?:\r\n?|\n)?"
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_NO_CODE = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n)?\Z")
_FIRST_LINES = re.compile(b"(" + _LINE + b")(" + _LINE + b")")
_UTF8 = frozenset(("utf-8", "utf-8-sig"))


def decode(data: bytes, path: str) -> str:
    """The text of a Python file: the byte order mark is dropped, line ends and all else are kept.

    Raises SourceError: an unknown or wrong encoding cookie is placed at the cookie, bytes that are not UTF-8 and null
    characters where they stand.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError(path, 1, 1, "the file is UTF-16; Python reads source as UTF-8, so save it as UTF-8")
    marked = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if marked else data
    cookie = _cookie(body)
    text = _decode_utf8(body, path) if cookie is None else _decode_as(cookie, body, marked, path)
    if "\0" in text:
        line, column = position(line_starts(text), text.index("\0"))
        raise SourceError(path, line, column, "a null character: this is no Python source text")
    return text


def encoding_of(data: bytes) -> str:
    """The encoding of the bytes of a Python file that `decode` takes, without a byte order mark."""
    cookie = _cookie(data.removeprefix(codecs.BOM_UTF8))
    known = "utf-8" if cookie is None else codecs.lookup(cookie[1].decode("ascii", "replace")).name
    return "utf-8" if known in _UTF8 else known


def _cookie(body: bytes) -> re.Match[bytes] | None:
    """The encoding cookie, which stands in a comment of the first line, or of the second where the first has no
    code.
    """
    first_two = _FIRST_LINES.match(body)
    if first_two is None or b"coding" not in first_two[0]:
        return None
    found = _COOKIE.match(body, 0, first_two.end(1))
    if found is None and _NO_CODE.match(first_two[1]):
        found = _COOKIE.match(body, first_two.start(2), first_two.end(2))
    return found


def _decode_utf8(body: bytes, path: str) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(body, error.start)
        message = f"byte 0x{body[error.start]:02x} is not UTF-8, and the file names no other encoding"
        raise SourceError(path, line, column, message) from None


def _decode_as(cookie: re.Match[bytes], body: bytes, marked: bool, path: str) -> str:
    name = cookie[1].decode("ascii", "replace")
    line, column = _place(body, cookie.start(1))
    try:
        known = codecs.lookup(name).name
        if marked and known not in _UTF8:
            raise SourceError(
                path, line, column, f"the encoding cookie says {name}, but the file has a UTF-8 byte order mark"
            )
        text = body.decode(name)
    except LookupError:
        raise SourceError(path, line, column, f"unknown encoding {name!r} in the encoding cookie") from None
    except UnicodeDecodeError as error:
        at = _place(body, error.start)[0]
        message = f"the encoding cookie says {name}, but line {at} has bytes that are not {name}"
        raise SourceError(path, line, column, message) from None
    except (UnicodeError, ValueError) as error:
        raise SourceError(path, line, column, f"the file cannot be decoded as {name}: {one_line(error)}") from None
    return without_surrogates(text)


def _place(body: bytes, offset: int) -> tuple[int, int]:
    """Line and column of a byte; latin-1 keeps one character a byte, so the lines are right whatever the encoding
    is.
    """
    before = body[:offset]
    line, column = position(line_starts(before.decode("latin-1")), offset)
    start = offset - (column - 1)
    return line, len(body[start:offset].decode("utf-8", "replace")) + 1


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which cannot be written anywhere, replaced one for one."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


_SURROGATE = re.compile("[\ud800-\udfff]")


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())
