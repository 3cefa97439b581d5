"""Which lines of a file make up one statement, for comments that speak about statements."""

from __future__ import annotations

from bisect import bisect_right

from torchdet_lint.source.lexer import blank_comments, lex
from torchdet_lint.source.lines import logical_lines


class Statements:
    """The logical lines of a text. Where the lexer is not certain of the text, each line counts as a statement."""

    __slots__ = ("_decorators", "_ends", "_mask", "_starts", "_text", "starts")

    def __init__(self, text: str, starts: tuple[int, ...]) -> None:
        lexed = lex(text)
        self.starts = starts
        self._text = text
        self._mask = lexed.mask if lexed else blank_comments(text)
        spans = list(logical_lines(self._mask)) if lexed else self._physical_lines()
        self._starts = [bisect_right(starts, start) for start, _ in spans]
        self._ends = [bisect_right(starts, max(end - 1, start)) for start, end in spans]
        self._decorators = [self._mask[start:end].lstrip(" \t\f").startswith("@") for start, end in spans]

    def _physical_lines(self) -> list[tuple[int, int]]:
        spans = zip(self.starts, [*self.starts[1:], len(self._mask)], strict=True)
        return [(start, end) for start, end in spans if self._mask[start:end].strip()]

    def lines(self, offset: int) -> tuple[int, int]:
        """First and last line of the statement that holds the offset; of a compound statement, of its header."""
        line = bisect_right(self.starts, offset)
        index = bisect_right(self._starts, line) - 1
        if index < 0 or self._ends[index] < line:
            return line, line
        return self._starts[index], self._ends[index]

    def alone(self, offset: int) -> bool:
        """Whether nothing but blanks stands before the offset in its line."""
        line = bisect_right(self.starts, offset)
        return not self._mask[self.starts[line - 1] : offset].strip()

    def first_lines_below(self, line: int) -> list[int]:
        """The first lines of the statements for which a comment speaks that stands alone on the line.

        That is the statement right below, other comments apart; where it is a decorator, also what it decorates.
        """
        index = bisect_right(self._starts, line)
        if (index > 0 and self._ends[index - 1] >= line) or index == len(self._starts):
            return []
        between = range(line, self._starts[index] - 1)
        if not all(self._text[self.starts[each] : self.starts[each + 1]].strip() for each in between):
            return []
        lines = [self._starts[index]]
        while self._decorators[index] and index + 1 < len(self._starts):
            index += 1
            lines.append(self._starts[index])
        return lines
