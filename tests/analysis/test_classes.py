"""What a class is made of, at the time when it is asked for."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes


@pytest.mark.parametrize(
    ("first", "second", "expected"), [("Quiet", "Loud", "TDL003"), ("Loud", "Quiet", "TDL003"), ("Quiet", "Quiet", "")]
)
def test_a_class_that_is_made_again_has_the_bases_that_it_has_then(first: str, second: str, expected: str) -> None:
    program = f"""
        class Quiet:
            def __init__(self):
                self.x = 1
        class Loud:
            def __init__(self):
                self.x = random.random()
        def make(base):
            class Made(base):
                pass
            return Made()
        print(make({first}).x)
        print(make({second}).x)
    """
    assert codes(program) == expected
