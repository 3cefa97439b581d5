"""What a review cannot do."""

from __future__ import annotations


class ReviewError(Exception):
    """Trouble in one line: what, where, what to do."""


class RefusedError(ReviewError):
    """The server does not let this token write here, as it does not let the tokens of pull requests from forks."""
