"""Answers that were wrong once."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

SETTLED = []


@pytest.mark.parametrize(("title", "expected", "text"), SETTLED, ids=[case[0] for case in SETTLED])
def test_settled(title: str, expected: str, text: str) -> None:
    assert codes(text) == expected, title
