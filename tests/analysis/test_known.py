"""What is answered wrongly today, and why. A case that fails here because it is right now belongs to its own table."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

KNOWN = [
    # methods of a `SystemRandom` object
    (
        "known-miss SystemRandom in program",
        "",
        "TDL008",
        """\
        r = random.SystemRandom()
        np.save("f", r.random())
        """,
    ),
    # a logged value is a log line
    (
        "known-false-alarm logging draw",
        "TDL003",
        "",
        """\
        import logging
        logging.info("x %s", random.random())
        for i in range(2): pass
        """,
    ),
    # `set_start_method` decides whether `Process` inherits the seed
    (
        "known-miss multiprocessing start method spawn Process",
        "",
        "TDL001",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            mp.set_start_method("spawn")
            torch.manual_seed(0)
            p = mp.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
    # a context decides whether `Process` inherits the seed
    (
        "known-miss get_context spawn",
        "",
        "TDL001",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            ctx = mp.get_context("spawn")
            torch.manual_seed(0)
            p = ctx.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
    # an environment variable is text, and "0" is true; instead the seeding is optional
    (
        "known-false-alarm env var",
        "TDL011",
        "tdl007",
        """\
        seed = os.environ.get("SEED")
        if seed:
            torch.manual_seed(int(seed))
        torch.save(torch.rand(2), "f")
        """,
    ),
]


@pytest.mark.parametrize(("today", "right", "text"), [case[1:] for case in KNOWN], ids=[case[0] for case in KNOWN])
def test_known_wrong_answers(text: str, today: str, right: str) -> None:
    found = codes(text)
    assert found != right, "answered rightly now: move the case to the table that it belongs to"
    assert found == today
