"""The page of a verification, from records that are written here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.page import BAD_TEXT
from tests.report.test_html import Outline
from tests.verify.conftest import event, record, run_of, stream
from torchdet_lint.finding import Finding, Location
from torchdet_lint.verify.compare import compare
from torchdet_lint.verify.experiment import Experiment, Shown
from torchdet_lint.verify.factors import BY_NAME, natural, pinned, released
from torchdet_lint.verify.page.plot import plot
from torchdet_lint.verify.page.sides import AFTER, BEFORE, Grown, sides
from torchdet_lint.verify.page.sources import lines_in
from torchdet_lint.verify.page.stream import chain
from torchdet_lint.verify.page.whole import page
from torchdet_lint.verify.record import Draw, Event, Ledger, Record, read
from torchdet_lint.verify.report import shown_place
from torchdet_lint.verify.rt.streams import HEAD
from torchdet_lint.verify.verdict import Judgement, Unexplained, judge

FINDING = Finding(
    "TDL002",
    "unseeded-numpy-rng",
    "error",
    "high",
    "run",
    "`np.random.rand(...)` is never seeded",
    Location("train.py", 2, 1, 2, 9),
)


def events(noise: float, steps: int = 20) -> tuple[Event, ...]:
    """A run that draws once, at its tenth operation, and then trains."""
    made = [event("OP", "same", "train.py:1:<module>", values="1 2") for _ in range(9)]
    made.append(event("RNGNP", f"n{noise}", "train.py:2:<module>", "numpy.random.rand"))
    for step in range(steps):
        made.append(event("OP", f"{noise} {step}", "train.py:3:main", values=f"{1 + noise * (step + 1)} 5"))
        made.append(event("STEP", str(step), "train.py:4:main", "SGD", values=f"{1 + noise * 10.0 ** min(step, 3)}"))
    return tuple(made)


def written(folder: Path, name: str, made: tuple[Event, ...]) -> Record:
    """Leaves a record, and reads it."""
    (folder / name).mkdir()
    lines = ["\t".join((*each[:6], str(at))) + "\n" for at, each in enumerate((*made, event("END", "", "", "exit")))]
    (folder / name / "rank0.stream").write_text(HEAD + "".join(lines), encoding="utf-8")
    return read(str(folder / name))


def differing(folder: Path) -> Judgement:
    """Two plain runs that differ, and NumPy's generator to blame."""
    ledger = Ledger(
        (Draw("numpy", "train.py:2:<module>", "", 1),), facts={"torch": "2.13.0"}, reached={"train.py": frozenset((2,))}
    )
    one, other = (replace(written(folder, f"natural-{n}", events(0.001 * n)), ledger=ledger) for n in (1, 2))
    base, changed = (written(folder, name, events(noise)) for name, noise in (("pinned-1", 0.0), ("numpy-1", 1e-7)))
    shown = {name: Shown(factor, "not-asked") for name, factor in BY_NAME.items()}
    shown["numpy"] = Shown(BY_NAME["numpy"], "changes", compare(base, changed).first, "numpy-1")
    runs = (run_of(natural("natural-1"), one), run_of(natural("natural-2"), other.ends()), run_of(pinned("pinned-1"), base.ends()),
            run_of(released((BY_NAME["numpy"],), 0), changed.ends()))  # fmt: skip
    return judge([FINDING], Experiment(runs, compare(one, other), compare(base, base), shown))


def agreeing(judgement: Judgement) -> Judgement:
    experiment = judgement.experiment
    return judge([FINDING], replace(experiment, natural=compare(experiment.record, experiment.record)))


def test_two_plain_runs_are_laid_side_by_side(tmp_path: Path) -> None:
    [pair] = sides(differing(tmp_path), str(tmp_path))
    assert pair.names == ("natural-1", "natural-2")
    assert pair.divergence.index == 9
    assert [row.at for row in pair.rows] == list(range(9 - BEFORE, 9 + AFTER + 1))
    assert [row.same for row in pair.rows] == [row.at < 9 or (row.at - 9) % 2 == 1 for row in pair.rows]
    assert [each.step for each in pair.growth] == list(range(1, 21))
    grown = [each.apart or 0 for each in pair.growth[:4]]
    assert grown == sorted(grown)
    assert grown[0] < 0.01 < grown[3]


def test_where_plain_runs_agree_the_released_one_is_shown(tmp_path: Path) -> None:
    [pair] = sides(agreeing(differing(tmp_path)), str(tmp_path))
    assert pair.names == ("pinned-1", "numpy-1")
    assert "NumPy's unseeded global generator" in pair.title


def test_records_that_are_gone_leave_the_rest_of_the_page(tmp_path: Path) -> None:
    judgement = differing(tmp_path)
    assert sides(judgement, str(tmp_path / "elsewhere")) == ()
    assert "Verdicts" in page(judgement, (), lines_in(str(tmp_path)), "1.2.3")


def test_a_page_holds_what_the_other_reports_hold(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import numpy\nx = np.random.rand(3)\nloss = model(x)\nopt.step()\n", encoding="utf-8"
    )
    judgement = differing(tmp_path)
    text = page(judgement, sides(judgement, str(tmp_path)), lines_in(str(tmp_path)), "1.2.3")
    assert text.isascii()
    found = Outline(text)
    for said in (
        "Two plain runs differ", "20 optimizer steps", "on torch 2.13.0, 4 runs", "1 confirmed", "never that nothing is",
        "Operation 10 of rank0, before the first step ends", "numpy.random.rand", "x = np.random.rand(3)", "train.py:3 in main",
        "natural-1", "natural-2", "Operations 5 to 21 of 49 in rank0. The 4 before them are the same", "after each step",
        "np.random.rand(...) is never seeded", "natural-pair, numpy-1", "changes the result", "not asked for", "TDL002",
        "all is held but numpy = 1", "nothing is held", "numpy1", "never",
    ):  # fmt: skip
        assert said in found.text
    assert [given.get("id") for name, given in found.elements if given.get("class") == "first"] == ["parted-natural-2"]
    assert found.names().count("svg") == 1


@pytest.mark.parametrize(
    ("sampled", "read_as"),
    [
        ("f=0000803f00000040", "1 2"),
        ("f=0000803f d=0000000000000040 b=803f", "1 2 1"),
        ("f=0000803f d=00", ""),
        ("0.5 0.25", "0.5 0.25"),
        ("", ""),
    ],
)
def test_a_step_has_values_of_several_parameters(sampled: str, read_as: str, tmp_path: Path) -> None:
    made = event("STEP", "Adam", "train.py:4:main", "1")._replace(values=sampled)
    record = written(tmp_path, "natural-1", [made])
    assert next(each.values for _, each in record.streams["rank0"].effects) == read_as


def test_a_chain_begins_with_the_finding_where_no_source_stands_on_its_line(tmp_path: Path) -> None:
    parted = differing(tmp_path).experiment.natural.first
    assert parted is not None
    lines = lines_in(str(tmp_path))
    assert "TDL002" not in chain(parted, lines, FINDING)
    elsewhere = replace(FINDING, location=Location("lib/data.py", 7, 1, 7, 9))
    text = Outline(str(chain(parted, lines, elsewhere))).text
    assert text.startswith("finding TDL002 lib/data.py:7")
    assert text.index("TDL002") < text.index("numpy.random.rand") < text.index("first difference")


def test_two_runs_that_agree_make_a_short_page() -> None:
    one = record(stream("rank0", event("OP")))
    runs = (run_of(natural("natural-1"), one), run_of(natural("natural-2"), one))
    judgement = Judgement(Experiment(runs, compare(one, one), None, {}), (), ())
    found = Outline(page(judgement, sides(judgement, "nowhere"), lines_in("nowhere"), "1"))
    assert "Two plain runs agree" in found.text
    assert "No findings in the files of this sample." in found.text
    assert "svg" not in found.names()


def test_a_run_that_ends_and_one_that_does_something_else(tmp_path: Path) -> None:
    one = (*events(0.0, 2), event("OP", "x", "train.py:9:f", "aten.mul"))
    other = (*events(0.0, 2), event("OP", "x", "train.py:10:f", "aten.add"), event("OP", "y", "train.py:11:f"))
    left, right = written(tmp_path, "natural-1", one), written(tmp_path, "natural-2", other)
    runs = (run_of(natural("natural-1"), left), run_of(natural("natural-2"), right))
    judgement = Judgement(Experiment(runs, compare(left, right), None, {}), (), ())
    text = Outline(page(judgement, sides(judgement, str(tmp_path)), lines_in(str(tmp_path)), "1")).text
    for said in (
        "different operations",
        "aten.mul train.py:9 in f",
        "aten.add train.py:10 in f",
        "has ended",
        "do not differ after any",
    ):
        assert said in text


def test_nothing_of_a_program_becomes_markup(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"{BAD_TEXT}\n" * 9, encoding="utf-8")
    evil = tuple(each._replace(name=BAD_TEXT) for each in events(0.1))
    left, right = written(tmp_path, "natural-1", evil), written(tmp_path, "natural-2", events(0.2))
    runs = (run_of(natural("natural-1"), left), run_of(natural("natural-2"), right))
    parted = compare(left, right)
    assert parted.first is not None
    item = Unexplained("numpy", BAD_TEXT, f"{BAD_TEXT}:1:<b>", parted.first, ())
    judgement = Judgement(Experiment(runs, parted, None, {}), (), (item,))
    found = Outline(page(judgement, sides(judgement, str(tmp_path)), lines_in(str(tmp_path)), BAD_TEXT))
    assert found.names().count("script") == 1
    assert "img" not in found.names()
    assert "<script>window.hacked = 1</script>" in found.text


@pytest.mark.parametrize(
    ("apart", "labels"),
    [
        ((1e-6, 1e-3, 0.5), ("1e-5", "1e-1", "equal")),
        ((0.0, 0.0, 1e-7), ("1e-7", "1e-6", "equal")),
        ((1.0,), ("1e0", "1e1", "equal")),
    ],
)
def test_plots(apart: tuple[float, ...], labels: tuple[str, ...]) -> None:
    drawn = plot([Grown(step, value) for step, value in enumerate(apart, 1)])
    assert drawn is not None
    found = Outline(str(drawn))
    assert found.names().count("circle") == len(apart)
    assert all(label in found.text for label in labels)
    for name, given in found.elements:
        if name == "circle":
            assert 0 <= float(given["cx"] or -1) <= 640
            assert 0 <= float(given["cy"] or -1) <= 250


def test_no_plot_without_a_difference() -> None:
    assert plot([]) is None
    assert plot([Grown(1, 0.0), Grown(2, None)]) is None


@pytest.mark.parametrize("place", ["", "?"])
def test_a_seed_that_no_line_of_yours_gave_has_a_place_too(place: str) -> None:
    assert shown_place(place) == "outside of your code"


def test_lines_of_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = '\xff'\r\n")
    lines = lines_in(str(tmp_path))
    assert lines("a.py", 1) == "x = '\N{REPLACEMENT CHARACTER}'"
    assert (lines("a.py", 2), lines("a.py", 0), lines("b.py", 1), lines("a\0.py", 1), lines("a.txt", 1)) == ("",) * 5
