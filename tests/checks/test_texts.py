"""How messages quote calls."""

from __future__ import annotations

import pytest

from torchdet_lint.checks.emit import LONGEST, shorten_call


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("torch.rand(3)", "torch.rand(...)"),
        ("f()", "f()"),
        ("nn.Linear(2, 3)(x)", "nn.Linear(2, 3)(...)"),
        (
            "Split(\n    edges=[('user', 'rates', 'movie')],\n    reverse=[('movie', 'rated', 'user')],\n)(graph)",
            "Split(...)(...)",
        ),
        (
            "chain(first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth).then().last(1)",
            "chain(...).then().last(...)",
        ),
    ],
)
def test_calls_are_short(call: str, text: str) -> None:
    assert shorten_call(call) == text


def test_a_long_callee_shows_its_end() -> None:
    text = shorten_call(f"{'a.' * LONGEST}rand(3)")
    assert text.startswith("…")
    assert text.endswith(".rand(...)")
