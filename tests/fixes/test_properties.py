"""What holds for every fix, whatever the file looks like."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixes.conftest import makeable, options
from torchdet_lint import engine
from torchdet_lint.catalog.page import load_page
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.engine import fixing
from torchdet_lint.engine.fixing import Fixed
from torchdet_lint.engine.options import silent

MARK = re.compile(r"[ \t]*# expect: [^\n]*")
EXAMPLES = sorted(
    (rule.code, MARK.sub("", text))
    for rule in load_rules().rules
    if rule.fixes
    for example in load_page(rule).examples
    for path, text in example.files.items()
    if example.kind == "bad" and path.endswith(".py")
)
ON = ('extend-select=["TDL209"]',)

HEADS = (
    "",
    "#!/usr/bin/env python\n# é a comment\n",
    '"""Docs.\n\nMore.\n"""\n',
    "from __future__ import annotations\n\n",
)
TAILS = ("", "# the end\n", "\x0c\nEND = '✓ \\x00'\n", "TEXT = '''\n  kept   \n'''\n")

shapes = st.tuples(
    st.sampled_from(EXAMPLES),
    st.sampled_from(HEADS),
    st.sampled_from(TAILS),
    st.sampled_from(("\n", "\r\n")),
    st.booleans(),  # tabs
    st.sampled_from(("utf-8", "utf-8-sig")),
    st.booleans(),  # a last line end
)
quick = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@contextmanager
def project(data: bytes) -> Iterator[Path]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".git").mkdir()
        (Path(folder) / "a.py").write_bytes(data)
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


def fixed_in(folder: Path) -> Fixed:
    return fixing.fix(options(folder, *ON), silent, makeable, engine.run)


def shaped(example: str, head: str, tail: str, newline: str, tabs: bool, encoding: str, ended: bool) -> bytes:
    if head and example.startswith(('"""', "from __future__")):
        head = ""
    text = head + example.lstrip("\n") + tail
    if tabs:
        text = re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text, flags=re.MULTILINE)
    text = text if ended else text.rstrip("\n")
    return text.replace("\n", newline).encode(encoding)


@quick
@given(shapes)
def test_every_fix(shape: tuple[tuple[str, str], str, str, str, bool, str, bool]) -> None:
    (_, example), *rest = shape
    data = shaped(example, *rest)  # type: ignore[arg-type]
    newline, tabs, encoding = rest[2].encode(), rest[3], rest[4]
    with project(data) as folder:
        fixed = fixed_in(folder)
        assert fixed.problems == ()
        assert fixed.result.problems == ()
        after = fixed.files[0].after if fixed.files else data
        # It parses, and keeps its encoding, line ends and indentation.
        compile(after, "a.py", "exec")
        assert after.startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
        after.decode("utf-8")
        assert after.replace(newline, b"").count(b"\n") == 0 or newline == b"\n"
        assert b"\r" not in after.replace(b"\r\n", b"")
        assert newline == b"\r\n" or b"\r" not in after
        if tabs:
            assert not re.search(rb"^ +\S", strip_strings(after), re.MULTILINE) or re.search(
                rb"^ +\S", strip_strings(data), re.MULTILINE
            )
        # Nothing is left to do, and a second run does nothing.
        assert not [each for each in fixed.result.findings if makeable(each)]
        assert fixing.write(fixed) == (fixed, ())
        assert fixed_in(folder).files == ()
        # What is not touched stays byte for byte.
        assert untouched(data, after)


def strip_strings(data: bytes) -> bytes:
    return re.sub(rb"'''.*?'''|\"\"\".*?\"\"\"", b"", data, flags=re.DOTALL)


def untouched(before: bytes, after: bytes) -> bool:
    """Whether the lines of the head and tail, which no rule speaks of, are still there as they were."""
    kept = [
        line for line in before.splitlines(keepends=True) if b"\xc3\xa9" in line or b"kept" in line or b"END" in line
    ]
    return all(line.rstrip(b"\r\n") in after for line in kept)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6), st.text("ab\n", max_size=4)), max_size=8))
def test_merged_edits_never_overlap(spans: list[tuple[int, int, str]]) -> None:
    from tests.fixes.test_rounds import edit, proposal
    from torchdet_lint.fixes.merge import merge
    from torchdet_lint.source.rewrite import Change, edited

    text = "".join(chr(ord("A") + index % 26) for index in range(40))
    merged = merge(proposal(edit(start, start + length, new)) for start, length, new in spans)
    edits = merged.edits.get("a.py", ())
    assert all(one.end <= other.start for one, other in pairwise(edits))
    changed = edited(text, [Change(each.start, each.end, each.text) for each in edits])
    gone = sum(each.end - each.start for each in edits)
    assert len(changed) == len(text) - gone + sum(len(each.text) for each in edits)
    left = "".join(
        text[a:b] for a, b in zip([0, *(e.end for e in edits)], [*(e.start for e in edits), len(text)], strict=True)
    )
    assert [char for char in changed if char.isupper()] == list(left)
