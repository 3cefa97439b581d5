from __future__ import annotations

from dataclasses import replace

import pytest

from torchdet_lint.engine.options import no_excerpt
from torchdet_lint.finding import Evidence, Finding, Location, Related
from torchdet_lint.review.comments import Comment, marked, planned, summary
from torchdet_lint.review.compare import Noted, Side, compared
from torchdet_lint.review.diff import Change, parse, whole
from torchdet_lint.review.posting import Posted, plan

AT = Location("a.py", 3, 1, 3, 9)
FINDING = Finding(
    "TDL001", "unseeded-torch-rng", "error", "high", "run", "`@cached` draws; ask @somebody <b>", AT, fingerprint="f1",
    help="seed it", related=(Related(Location("b`c.py", 1, 1, 1, 2), "drawn | here"),), url="https://example.org/TDL001",
)  # fmt: skip
CHANGE = Change({"a.py": whole("a.py", 40)})


def body(finding: Finding = FINDING, new: bool = True) -> str:
    (comment,) = planned([Noted(finding, new)], CHANGE, no_excerpt).comments
    return comment.body()


def test_a_comment_says_all_and_marks_up_nothing_of_the_code() -> None:
    text = body()
    assert text.startswith(
        "🔴 **[TDL001](https://example.org/TDL001)** `@cached` draws; ask @\N{ZERO WIDTH SPACE}somebody \\<b\\>\n"
    )
    assert "*Help*: seed it" in text
    assert "- `b'c.py:1:1`: drawn \\| here" in text
    assert "it was there before this change" in body(new=False)


def test_nothing_of_a_comment_is_endless() -> None:
    long = replace(FINDING, message="x" * 100_000, help="y" * 100_000, related=(Related(AT, "z" * 100_000),) * 9)
    assert len(body(long)) < 6000
    noted = [Noted(replace(long, fingerprint=f"{number:x}"), True) for number in range(500)]
    text = summary(noted, noted)
    assert len(text) < 60_000
    assert "… and 450 findings more" in text


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("x\n\n<!-- torchdet-lint finding=0af1 -->", ("finding", "0af1")),
        ("x\r\n\r\n<!-- torchdet-lint summary=0 -->\r\n", ("summary", "0")),
        ("> <!-- torchdet-lint finding=0af1 -->\n\nWhat does this mean?", None),
        ("x", None),
    ],
)
def test_a_mark_counts_at_the_end_only(text: str, known: tuple[str, str] | None) -> None:
    assert marked(text) == known


def test_a_long_finding_marks_its_first_line_only() -> None:
    assert [(each.first, each.last) for each in planned([Noted(replace(FINDING, location=Location("a.py", 2, 1, 39, 2)), True)], CHANGE, no_excerpt).comments] == [(2, 2)]  # fmt: skip
    assert [(each.first, each.last) for each in planned([Noted(replace(FINDING, location=Location("a.py", 2, 1, 5, 2)), True)], CHANGE, no_excerpt).comments] == [(2, 5)]  # fmt: skip


def comment(name: str, line: int) -> Comment:
    return Comment("a.py", "a.py", line, line, None, "text", name)


def there(name: str, line: int | None, answered: bool = False, ref: int = 1) -> Posted:
    return Posted(ref, name, comment(name, line or 1).body(), "a.py", line, answered)


def test_of_two_comments_about_one_finding_one_stays() -> None:
    todo = plan([comment("a", 3)], [there("a", 3, ref=1), there("a", 3, ref=2)])
    assert (todo.create, [each.ref for each in todo.delete], todo.kept) == ((), [2], 1)


def test_room_is_what_kept_comments_leave() -> None:
    wanted = [comment(f"{number:x}", number) for number in range(1, 6)]
    todo = plan(wanted, [there("1", 1)], most=3)
    assert [each.fingerprint for each in todo.create] == ["2", "3"]
    assert todo.unsaid == {"4", "5"}


def test_an_edit_pairs_as_many_findings_as_were_there() -> None:
    """Two of a rule where one was, in one piece of the diff: one of them is new."""
    change = parse("--- a/a.py\n+++ b/a.py\n@@ -3 +3,2 @@\n-old()\n+new()\n+more()\n")
    before = replace(FINDING, fingerprint="b")
    now = [replace(FINDING, fingerprint=f"n{line}", location=Location("a.py", line, 1, line, 9)) for line in (3, 4)]
    text = {3: "new()", 4: "more()"}
    noted = compared(Side([before], lambda _: ("old()",)), Side(now, lambda at: (text[at.line],)), change)
    assert [each.new for each in noted] == [False, True]


def test_another_rule_or_another_piece_of_the_diff_pairs_nothing() -> None:
    change = parse("--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-old()\n+new()\n@@ -30 +30 @@\n-x\n+far()\n")
    before = Side([replace(FINDING, fingerprint="b")], lambda _: ("old()",))
    other = replace(FINDING, code="TDL002", fingerprint="n")
    far = replace(FINDING, fingerprint="n", location=Location("a.py", 30, 1, 30, 6))
    assert [each.new for each in compared(before, Side([other], lambda _: ("new()",)), change)] == [True]
    assert [each.new for each in compared(before, Side([far], lambda _: ("far()",)), change)] == [True]


def test_what_was_seen_of_a_finding_is_said() -> None:
    seen = replace(FINDING, evidence=Evidence("confirmed", "two processes of @me differ", "entropy"))
    assert "*Evidence*: confirmed (entropy): two processes of @\N{ZERO WIDTH SPACE}me differ\n" in body(seen)
    assert "Evidence" not in body()
