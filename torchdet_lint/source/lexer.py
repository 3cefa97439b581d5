"""The mask: source text in which strings and comments are blanked, so that what is left can be searched as code.

The mask has the length of the text and a newline wherever a physical line of *code* ends, so offsets are shared and a
line of the mask that starts in column 0 starts a statement, or continues brackets. Newlines inside of strings are gone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from torchdet_lint.source.strings import UNCERTAIN, formatted_end, opening, plain_end

EVIDENCE = ("cuda", "nccl", "gpu")
"""Words that count for a unit wherever one of its string literals contains them: device strings name accelerators."""

# Every alternative starts with a plain character, which lets `re` skip from one candidate to the next. The groups tell
# a string that is one dotted identifier (4, 5) and a bare opening, whose end is looked for elsewhere (2, 3, 6, 7);
# 1 is a comment.
_TOKEN = re.compile(
    r"""
      \#()[^\r\n]*
    | \"\"\"() | '''()
    | "([^\W\d][\w.]*)" | '([^\W\d][\w.]*)'
    | "[^"\\\r\n]*" | '[^'\\\r\n]*'
    | "() | '()
    """,
    re.VERBOSE,
)
_OPENINGS = frozenset((2, 3, 6, 7))
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_WORD = re.compile(r"\w+")
_END_OF_PREFIX = frozenset("fFtTrR")

# Braces that hold a quote or another brace, or are not closed: what looks like the closing quote may not be it.
_INTRICATE = re.compile(r"\{[^{}'\"]*(?:[{'\"]|\Z)")
_BETWEEN_BRACES = re.compile(r"\{([^{}]*)\}")

ANY_COMMENT = re.compile(r"#[^\r\n]*")
"""Comments where it is not certain what is inside of a string: rather one too many."""


class Lexed(NamedTuple):
    """What the lexer knows about a text.

    `mask`: see above; a string whose content is a dotted identifier is left as it is, so that it counts as a word.
    `comments`: their spans. `hidden`: the words of strings that the mask does not show, with the strings' offsets.
    """

    mask: str
    comments: tuple[tuple[int, int], ...]
    hidden: tuple[tuple[int, list[str]], ...]


def lex(text: str) -> Lexed | None:
    """The mask of the text, or None where a string does not end in a way that the lexer is certain of."""
    evidence = [word for word in EVIDENCE if word in text]
    pieces: list[str] = []
    comments: list[tuple[int, int]] = []
    hidden: list[tuple[int, list[str]]] = []
    copied = resume = 0
    while resume >= 0:
        at, resume = resume, UNCERTAIN
        for token in _TOKEN.finditer(text, at):
            start, end = token.span()
            group = token.lastindex
            filler = '"'
            if group == 1:
                filler = " "
                comments.append((start, end))
            elif text[start - 1 : start] in _END_OF_PREFIX and opening(text, start)[0]:
                if group in _OPENINGS or _INTRICATE.search(text, start + 1, end - 1):
                    inside: list[str] = []
                    end = resume = formatted_end(text, start, opening(text, start)[1], inside)
                else:
                    inside = _BETWEEN_BRACES.findall(text, start, end)
                hidden.append((start, _WORD.findall(" ".join(inside))))
            elif group in _OPENINGS:
                end = resume = plain_end(text, start)
                if end >= 0 and _DOTTED.fullmatch(text, start + 3, end - 3):
                    hidden.append((start, _WORD.findall(text, start, end)))
            elif group:
                if evidence:
                    hidden += [(start, [word]) for word in evidence if word in token[group]]
                continue
            if end < 0:
                return None
            pieces += (text[copied:start], filler * (end - start))
            copied = end
            if resume >= 0:
                break
    pieces.append(text[copied:])
    mask = "".join(pieces)
    for word in evidence:
        hidden += _inside_strings(word, text, mask)
    return Lexed(_plain_line_ends(mask), tuple(comments), tuple(sorted(hidden)))


def _inside_strings(word: str, text: str, mask: str) -> list[tuple[int, list[str]]]:
    """The places where the word stands in a string that the mask blanks."""
    places = []
    at = text.find(word)
    while at >= 0:
        if mask[at] == '"':
            places.append((at, [word]))
        at = text.find(word, at + len(word))
    return places


def _plain_line_ends(mask: str) -> str:
    """The mask with `\n` as the only line end, at the same length; a backslash stays beside the line end it escapes."""
    if "\r" not in mask:
        return mask
    return mask.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace("\r", "\n")


def blank_comments(text: str) -> str:
    """In place of a mask where there is none: the text with all that looks like a comment blanked."""
    return ANY_COMMENT.sub(lambda found: " " * len(found[0]), text)
