"""Bytes become text as Python would read them, and what cannot be read has a place."""

from __future__ import annotations

from contextlib import suppress

import pytest

from torchdet_lint.source.text import SourceError, decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("# é\n".encode(), "# é\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n"),
        (b"#!/usr/bin/python\n# -*- coding: cp1252 -*-\n\x80", "#!/usr/bin/python\n# -*- coding: cp1252 -*-\n€"),
        (b"\n# vim: set fileencoding=iso-8859-15 :\n\xa4", "\n# vim: set fileencoding=iso-8859-15 :\n€"),
        (b"#\r# coding: latin-1\r\xe9", "#\r# coding: latin-1\ré"),
        (b"\xef\xbb\xbf# coding: utf-8\nx", "# coding: utf-8\nx"),
        (b"a\r\n\x0cb\tc\r\x0bd", "a\r\n\x0cb\tc\r\x0bd"),
        (b"x = 1\n# coding: nonsense\n", "x = 1\n# coding: nonsense\n"),
        (b"x = 1  # coding: nonsense\n", "x = 1  # coding: nonsense\n"),
        (b"#\n#\n# coding: nonsense\n", "#\n#\n# coding: nonsense\n"),
    ],
)
def test_text(data: bytes, text: str) -> None:
    assert decode(data, "a.py") == text


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"x\r\ry = '\xff'\n", 3, 6, "byte 0xff is not UTF-8"),
        ("é = ".encode() + b"\xe9", 1, 5, "byte 0xe9"),
        (b"# -*- coding: ascii -*-\nx = 1\ny = '\xc3\xa9'\n", 1, 15, "line 3 has bytes that are not ascii"),
        (b"#\n# coding: no-such\n", 2, 11, "unknown encoding 'no-such'"),
        (b"# coding: hex\n", 1, 11, "unknown encoding 'hex'"),
        (b"# coding: utf-16\nx\n", 1, 11, "utf-16"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 11, "byte order mark"),
        (b"x = 1\ny\x00 = 2\n", 2, 2, "null character"),
        (b"\x7fELF\x02\x01\x00\x00\xff\xfe", 1, 9, "byte 0xff"),
        ("x = 1".encode("utf-16"), 1, 1, "UTF-16"),
    ],
)
def test_place_of_what_cannot_be_read(data: bytes, line: int, column: int, message: str) -> None:
    with pytest.raises(SourceError) as raised:
        decode(data, "a.py")
    error = raised.value
    assert (error.path, error.line, error.column) == ("a.py", line, column)
    assert message in error.message
    assert "\n" not in str(error)


def test_no_encoding_is_a_traceback() -> None:
    import encodings.aliases

    for name in sorted(set(encodings.aliases.aliases.values()) | {"undefined", "idna", "punycode", "unicode_escape"}):
        data = b"# coding: " + name.encode() + b"\nx = '\xe9\\ud800\\'\n"
        with suppress(SourceError):
            decode(data, "a.py").encode()
