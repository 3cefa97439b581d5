"""The order of seeding and drawing along paths: branches, loops, exceptions, code that is not reached."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

CASES = [
    (
        "a constant that is false",
        "",
        """\
        DEBUG = False
        if DEBUG:
            torch.save(torch.rand(2), "f")
        print(len("abc"))
        for i in range(3): pass
        """,
    ),
    (
        "a helper that leaves early in one of several arms",
        "TDL003",
        """\
        def init(args):
            if "RANK" in os.environ:
                args.rank = 1
            elif "SLURM" in os.environ:
                args.rank = 2
            else:
                args.alone = True
                return
            args.alone = False
        class Args: pass
        args = Args()
        init(args)
        if args.alone:
            torch.save(random.random(), "f")
        """,
    ),
    (
        "if False",
        "",
        """\
        if False:
            torch.save(torch.rand(2), "f")
        for i in range(3): pass
        """,
    ),
    (
        "a constant that is true",
        "",
        """\
        REPRODUCIBLE = True
        if REPRODUCIBLE:
            torch.manual_seed(0)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "too late",
        "TDL006",
        """\
        m = nn.Linear(2, 2)
        torch.manual_seed(0)
        torch.save(m, "f")
        """,
    ),
    (
        "fork_rng draws inside seeded",
        "TDL001",
        """\
        with torch.random.fork_rng():
            torch.manual_seed(0)
            x = torch.rand(2)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "generator functions",
        "TDL001",
        """\
        def noise():
            while True:
                yield torch.rand(2)
        for x in noise():
            torch.save(x, "f")
            break
        """,
    ),
    (
        "generator created before the seed",
        "",
        """\
        def noise():
            while True:
                yield torch.rand(2)
        g = noise()
        torch.manual_seed(0)
        torch.save(next(g), "f")
        """,
    ),
    (
        "cuda seed only",
        "TDL001",
        """\
        torch.cuda.manual_seed_all(0)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "all three families",
        "TDL001 TDL002 TDL003",
        """\
        torch.save((torch.rand(2), np.random.rand(2), random.random()), "f")
        """,
    ),
    (
        "once for many draws",
        "TDL001",
        """\
        torch.save(torch.rand(2), "f")
        torch.save(torch.rand(2), "f")
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "generator argument",
        "",
        """\
        g = torch.Generator().manual_seed(0)
        torch.save(torch.rand(2, generator=g), "f")
        """,
    ),
    (
        "numpy Generator",
        "",
        """\
        r = np.random.default_rng(0)
        np.save("f", r.normal(size=3))
        """,
    ),
    (
        "python Random",
        "",
        """\
        r = random.Random(0)
        print(r.random(), file=open("f", "w"))
        """,
    ),
    (
        "function never called",
        "",
        """\
        def unused():
            return torch.rand(2)
        for i in range(3): print(i)
        """,
    ),
    (
        "after an exception",
        "",
        """\
        def main():
            raise SystemExit
            torch.rand(2)
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "the only other branch raises",
        "",
        """\
        def build(kind):
            if kind == "a":
                return nn.Linear(2, 2)
            raise ValueError(kind)
        torch.manual_seed(0)
        torch.save(build("a"), "f")
        """,
    ),
    (
        "literal arg rules out branch",
        "",
        """\
        def build(kind):
            if kind == "a":
                return nn.Identity()
            return nn.Linear(2, 2)
        torch.save(build("a"), "f")
        """,
    ),
    (
        "literal arg picks branch",
        "TDL001",
        """\
        def build(kind):
            if kind == "a":
                return nn.Identity()
            return nn.Linear(2, 2)
        torch.save(build("b"), "f")
        """,
    ),
    (
        "literal in dict of args",
        "TDL001",
        """\
        def build(kind="a", **options):
            if options.get("random", False):
                return nn.Linear(2, 2)
            return nn.Identity()
        torch.save(build(random=True), "f")
        """,
    ),
    (
        "seeding in a later loop only",
        "TDL006",
        """\
        m = nn.Linear(2, 2)
        for trial in range(3):
            torch.manual_seed(trial)
            torch.save((m, torch.rand(2)), "f")
        """,
    ),
    (
        "seeding where there is an accelerator",
        "",
        """\
        if torch.cuda.is_available():
            torch.manual_seed(0)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "try/finally",
        "TDL006",
        """\
        try:
            x = torch.rand(2)
        finally:
            torch.manual_seed(0)
        torch.save(x, "f")
        """,
    ),
    (
        "save and restore state",
        "",
        """\
        torch.manual_seed(0)
        s = torch.get_rng_state()
        x = torch.rand(2)
        torch.set_rng_state(s)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "restore the state of a checkpoint",
        "",
        """\
        torch.set_rng_state(torch.load("c")["rng"])
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "save and restore a state that nobody seeded",
        "TDL001 TDL002 TDL003",
        """\
        s, n, p = torch.get_rng_state(), np.random.get_state(), random.getstate()
        x = torch.rand(2) + random.random() + np.random.rand()
        random.setstate(p)
        np.random.set_state(n)
        torch.set_rng_state(s)
        torch.save(x, "f")
        """,
    ),
    (
        "restore a state that nobody seeded",
        "TDL001",
        """\
        s = torch.get_rng_state()
        torch.set_rng_state(s)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "uuid name",
        "",
        """\
        import uuid
        run = f"run-{uuid.uuid4()}"
        torch.manual_seed(0)
        torch.save(torch.rand(2), run)
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("test", "given", "expected"),
    [
        ("len(name) > 0", "", ""),
        ("name is not None and len(name) > 0", "", ""),
        ("len(name) > 0", "'a'", "TDL001"),
        ("len(name)", "sys.argv[1]", "TDL001"),
        ("isinstance(name, str)", "None", ""),
        ("isinstance(name, str)", "'a'", "TDL001"),
        ("isinstance(name, (int, float))", "'a'", ""),
        ("isinstance(name, (int, str))", "'a'", "TDL001"),
        ("isinstance(name, int)", "True", "TDL001"),
        ("isinstance(name, Other)", "None", ""),
        ("isinstance(name, Other)", "Other()", "TDL001"),
        ("isinstance(name, str)", "sys.argv[1]", "TDL001"),
    ],
)
def test_what_arguments_are_rules_branches_out(test: str, given: str, expected: str) -> None:
    program = f"""
        class Other:
            pass
        class Holder:
            def __init__(self, name=""):
                self.layer = None
                if {test}:
                    self.layer = nn.Linear(2, 2)
        torch.save(Holder({given}).layer, "f")
    """
    assert codes(program, "TDL0") == expected


NONE_OR_NOT = """
    import importlib.util, shutil
    from torch.utils.data import get_worker_info
    import foo
    found = {call}
    if found {test}:
        print("as usual")
    else:
        raise RuntimeError(found)
    torch.save(nn.Linear(2, 2), "f")
"""


@pytest.mark.parametrize("test", ["is None", "is not None"])
@pytest.mark.parametrize(
    "call",
    [
        "os.environ.get('RANK')",
        "os.getenv('RANK')",
        "importlib.util.find_spec('apex')",
        "shutil.which('git')",
        "get_worker_info()",
        "foo.last_checkpoint('runs')",
    ],
)
def test_a_call_out_of_sight_may_find_nothing(call: str, test: str) -> None:
    assert codes(NONE_OR_NOT.format(call=call, test=test), "TDL0") == "TDL001"


@pytest.mark.parametrize("call", ["foo.Settings()", "torch.zeros(2)", "np.zeros(2)"])
def test_what_makes_something_gives_something(call: str) -> None:
    assert codes(NONE_OR_NOT.format(call=call, test="is not None"), "TDL0") == "TDL001"
    assert codes(NONE_OR_NOT.format(call=call, test="is None"), "TDL0") == ""


RAISING = """
    ON = os.environ.get("OFF") is None
    try:
        {body}
    except {caught}:
        {handler}
    torch.save(nn.Linear(2, 2), "f")
"""


@pytest.mark.parametrize(
    ("body", "caught", "handler", "expected"),
    [
        ("raise ImportError", "ImportError", "ON = False", "TDL001"),
        ("import xformers\n        raise ImportError", "ImportError", "ON = False", "TDL001"),
        (
            "if ON:\n            raise ImportError\n        else:\n            raise ValueError",
            "Exception",
            "pass",
            "TDL001",
        ),
        ("with open('f') as f:\n            raise ImportError(f)", "ImportError", "ON = False", "TDL001"),
        ("raise ImportError", "ImportError", "raise", ""),
        ("raise ImportError", "ImportError", "sys.exit(1)", ""),
        ("torch.manual_seed(0)\n        raise ImportError", "ImportError", "ON = False", ""),
    ],
)
def test_who_catches_what_is_raised_goes_on(body: str, caught: str, handler: str, expected: str) -> None:
    assert codes(RAISING.format(body=body, caught=caught, handler=handler), "TDL0") == expected
