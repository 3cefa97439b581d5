"""Real code to lower, and a few ways to look at the result."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from torchdet_lint import ir

_STDLIB = Path(sysconfig.get_path("stdlib"))
_FILES = (
    "test/test_grammar.py test/test_fstring.py test/test_patma.py test/test_generators.py test/test_unpack_ex.py "
    "test/test_exception_group.py test/test_named_expressions.py test/test_positional_only_arg.py test/test_type_params.py "
    "abc.py asyncio/base_futures.py asyncio/locks.py bdb.py bisect.py calendar.py codeop.py "
    "colorsys.py contextlib.py copy.py csv.py filecmp.py opcode.py email/quoprimime.py "
    "fractions.py functools.py gettext.py heapq.py html/parser.py importlib/_bootstrap.py json/decoder.py keyword.py "
    "sched.py operator.py quopri.py random.py shlex.py sre_compile.py stat.py string.py tempfile.py this.py "
    "tokenize.py unittest/result.py"
).split()
_CORPUS = [name for name in _FILES if (_STDLIB / name).is_file()]


@pytest.fixture(scope="module", params=_CORPUS)
def source(request: pytest.FixtureRequest) -> str:
    """The text of one file of the standard library."""
    path: Path = _STDLIB / request.param
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def nodes() -> Callable[[Any], Iterator[Any]]:
    """All nodes of lowered code, outer ones first."""

    def walk(value: Any) -> Iterator[Any]:
        if isinstance(value, tuple):
            if hasattr(value, "_fields"):
                yield value
            for part in value:
                yield from walk(part)

    return walk


@pytest.fixture(scope="session")
def shifted() -> Callable[[Any, int], Any]:
    """Lowered code with its spans moved by an offset; `None` puts all of them at (0, 0)."""

    def shift(value: Any, offset: int | None) -> Any:
        if not isinstance(value, tuple):
            return value
        if not hasattr(value, "_fields"):
            return tuple(shift(part, offset) for part in value)
        parts = [
            moved(part, offset) if name in {"span", "name_span"} else shift(part, offset)
            for name, part in zip(value._fields, value, strict=True)
        ]
        return type(value)(*parts)

    def moved(span: ir.Span, offset: int | None) -> ir.Span:
        return (0, 0) if offset is None else (span[0] + offset, span[1] + offset)

    return shift
