from __future__ import annotations

import math
import sys

import pytest

from benchmarks.measure import Contender, Failed, Outcome, Sample, compete, median, ratio, run


def outcome(*cpu: float) -> Outcome:
    return Outcome([Sample(seconds, 1000, seconds) for seconds in cpu])


def test_the_median_of_nothing_is_not_a_number() -> None:
    assert median([3.0, 1.0, 9.0]) == 3.0
    assert median([1.0, 2.0]) == 1.5
    assert math.isnan(median([]))


def test_a_ratio_is_the_median_of_the_rounds_not_the_ratio_of_medians() -> None:
    # Round by round: 1, 4, 2. The medians are 4 and 2, too.
    assert ratio(outcome(2.0, 4.0, 8.0), outcome(2.0, 1.0, 4.0)) == 2.0
    assert ratio(outcome(1.0, 100.0, 100.0), outcome(2.0, 1.0, 400.0)) == 0.5


def test_rounds_that_the_other_did_not_run_do_not_count() -> None:
    assert ratio(outcome(1.0, 5.0, 5.0), outcome(2.0)) == 0.5
    assert math.isnan(ratio(outcome(1.0), Outcome(reason="not there")))


def test_peaks_are_the_worst_of_all_rounds() -> None:
    assert Outcome([Sample(1.0, 5, 1.0), Sample(1.0, 9, 1.0), Sample(1.0, 7, 1.0)]).peak == 9
    assert Outcome().peak == 0


def test_a_run_counts_its_children() -> None:
    loop = "x = 0\nwhile __import__('time').process_time() < 0.2: x += 1"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {loop!r}], check=True)"
    assert run(Contender("child", (sys.executable, "-c", code))).cpu >= 0.2


def test_a_run_that_fails_says_how() -> None:
    with pytest.raises(Failed, match="ended with status 3: no luck"):
        run(Contender("it", (sys.executable, "-c", "import sys; print('no luck', file=sys.stderr); sys.exit(3)")))
    with pytest.raises(Failed, match="cannot be started"):
        run(Contender("it", ("/nowhere/at-all",)))
    fine = Contender("it", (sys.executable, "-c", "raise SystemExit(3)"), fine=frozenset((3,)))
    assert run(fine).cpu > 0


def test_a_run_that_takes_too_long_is_ended() -> None:
    with pytest.raises(Failed, match="took more than 0 s"):
        run(Contender("it", (sys.executable, "-c", "import time; time.sleep(60)")), limit=0.2)


def test_what_steers_python_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import os, sys; sys.exit(os.environ.get('PYTHONDONTWRITEBYTECODE') is not None or os.environ['GIVEN'] != 'yes')"
    run(Contender("it", (sys.executable, "-c", code), {"GIVEN": "yes"}))


def test_everyone_runs_in_turn_and_failures_are_kept_apart() -> None:
    good = Contender("good", (sys.executable, "-c", "pass"))
    bad = Contender("bad", (sys.executable, "-c", "raise SystemExit(5)"))
    once = Contender("once", (sys.executable, "-c", "pass"), once=True)
    outcomes = compete([good, bad, once], 2)
    assert [len(outcomes[name].samples) for name in ("good", "bad", "once")] == [2, 0, 1]
    assert outcomes["bad"].reason == "ended with status 5"
    assert not outcomes["good"].reason
