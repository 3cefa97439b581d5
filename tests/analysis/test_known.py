"""What is answered wrongly today, and why. A case that fails here because it is right now belongs to its own table."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

KNOWN = [
    # a value that is only printed inside of an f-string is a log line
    (
        "known-false-alarm print f-string draw",
        "TDL003",
        "",
        """\
        torch.manual_seed(0)
        print(f"run-{random.randint(0, 9999)}")
        """,
    ),
    # the default of `typer.Option(None)` is not read
    (
        "known-miss typer",
        "",
        "tdl007",
        """\
        import typer
        def main(seed: int = typer.Option(None)):
            if seed is not None:
                torch.manual_seed(seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            typer.run(main)
        """,
    ),
    # commands of a `typer.Typer()` are not entered
    (
        "known-miss typer app Optional=None",
        "",
        "tdl007",
        """\
        import typer
        from typing import Optional
        app = typer.Typer()
        @app.command()
        def main(seed: Optional[int] = None):
            if seed is not None:
                torch.manual_seed(seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            app()
        """,
    ),
    # commands of a `typer.Typer()` are not entered
    (
        "known-miss typer app reached",
        "",
        "TDL001",
        """\
        import typer
        app = typer.Typer()
        @app.command()
        def main(n: int = 3):
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            app()
        """,
    ),
    # a loop that is left in its first turn repeats nothing
    (
        "known-false-alarm while True",
        "TDL012",
        "",
        """\
        while True:
            torch.manual_seed(0)
            break
        torch.save(torch.rand(2), "f")
        """,
    ),
    # `models.__dict__[name]` of torchvision may be any of its models, and all of them draw
    (
        "known-miss torchvision models.__dict__",
        "",
        "TDL001",
        """\
        import torchvision.models as models
        if __name__ == "__main__":
            torch.save(models.__dict__[sys.argv[1]](), "f")
        """,
    ),
    # `self.training` is false after `eval()`
    (
        "known-false-alarm functional dropout in eval",
        "TDL001",
        "",
        """\
        class Net(nn.Module):
            def forward(self, x):
                return nn.functional.dropout(x, 0.5, self.training)
        m = Net()
        m.eval()
        torch.save(m(torch.ones(2)), "f")
        """,
    ),
    # `device="meta"` draws nothing
    (
        'known-false-alarm device="meta" argument',
        "TDL001",
        "",
        """\
        m = nn.Linear(2, 2, device="meta")
        torch.save(m, "f")
        """,
    ),
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
    # `key=` is called by `sorted`
    (
        "known-miss sorted key",
        "",
        "TDL003",
        """\
        np.save("f", sorted([1, 2], key=lambda x: random.random()))
        """,
    ),
    # the turns call different functions
    (
        "known-false-alarm for loop over seeders",
        "TDL012",
        "",
        """\
        for seeder in (torch.manual_seed, np.random.seed, random.seed):
            seeder(0)
        torch.save((torch.rand(2), np.random.rand(2), random.random()), "f")
        """,
    ),
    # the turns call different functions
    (
        "known-false-alarm list of functions",
        "TDL012",
        "",
        """\
        seeders = [torch.manual_seed, np.random.seed]
        [f(0) for f in seeders]
        torch.save((torch.rand(2), np.random.rand(2)), "f")
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
