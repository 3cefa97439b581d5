"""Fingerprints: names of findings that stay the same while the code around them changes."""

from __future__ import annotations

import re
from _blake2 import blake2b  # `hashlib` would give the same function, and load OpenSSL for it
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from torchdet_lint.engine.places import offset, span
from torchdet_lint.finding import Finding
from torchdet_lint.source import SourceFile

_HEADER = re.compile(r"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_INDENT = re.compile(r"[ \t]*")


def fingerprinted(findings: Iterable[Finding], sources: Mapping[str, SourceFile]) -> Iterator[Finding]:
    """The findings with their fingerprints; paths are still those from the root, and the order is that of places.

    A fingerprint is made of the rule, the path, the functions and classes around the place, the code at the place
    with its white space collapsed, and a number where all of these are equal. So it survives what happens elsewhere in the
    file, the formatter, and another working directory, and changes when the code that it is about does.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    scopes: dict[str, Scopes] = {}
    for finding in findings:
        path = finding.location.path
        source = sources.get(path)
        if source is None:
            around, code = "", finding.message
        else:
            if path not in scopes:
                scopes[path] = Scopes(source)
            start, end = span(source, finding.location)
            around, code = scopes[path].around(offset(source, finding.location)), _collapsed(source, start, end)
        parts = (finding.code, path, around, code)
        seen[parts] += 1
        text = "\0".join((*parts, str(seen[parts])))
        yield replace(finding, fingerprint=blake2b(text.encode(errors="replace"), digest_size=16).hexdigest())


def _collapsed(source: SourceFile, start: int, end: int) -> str:
    """The code of a span on one line; where that is nothing, the first line of its statement."""
    text = " ".join(source.text[start:end].split())
    if text:
        return text
    first, _ = source.statement_lines(start)
    begin = source.line_starts[first - 1]
    return " ".join(source.text[begin:].partition("\n")[0].split())


class Scopes:
    """The functions and classes of a file, found by indentation."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        found = list(_HEADER.finditer(source.text))
        self._starts = [header.start() for header in found]
        self._headers = [(len(header[1].expandtabs()), header[2]) for header in found]

    def around(self, at: int) -> str:
        """The dotted name of what the statement at an offset stands in; "" at the top level."""
        first, _ = self._source.statement_lines(at)
        start = self._source.line_starts[first - 1]
        blank = _INDENT.match(self._source.text, start)
        indent = len(blank[0].expandtabs()) if blank else 0
        names: list[str] = []
        index = bisect_right(self._starts, start - 1) - 1
        while indent > 0 and index >= 0:
            depth, name = self._headers[index]
            if depth < indent:
                names.append(name)
                indent = depth
            index -= 1
        return ".".join(reversed(names))
