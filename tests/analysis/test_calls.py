"""What calls what: functions as values, decorators, registries, classes, closures, arguments of all kinds."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes, findings

CASES = [
    (
        "lambda",
        "TDL001",
        """\
        make = lambda: nn.Linear(2, 2)
        torch.save(make(), "f")
        """,
    ),
    (
        "partial",
        "TDL001",
        """\
        make = functools.partial(nn.Linear, 2)
        torch.save(make(2), "f")
        """,
    ),
    (
        "partial of a project function",
        "TDL001",
        """\
        def build(n, m):
            return nn.Linear(n, m)
        make = functools.partial(build, 2)
        torch.save(make(2), "f")
        """,
    ),
    (
        "decorator",
        "",
        """\
        def seeded(function):
            @functools.wraps(function)
            def inner(*args, **kwargs):
                torch.manual_seed(0)
                return function(*args, **kwargs)
            return inner
        @seeded
        def main():
            torch.save(torch.rand(2), "f")
        main()
        """,
    ),
    (
        "registry",
        "TDL001",
        """\
        MODELS = {}
        def register(cls):
            MODELS[cls.__name__] = cls
            return cls
        @register
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 2)
        def main(name):
            torch.save(MODELS[name](), "f")
        if __name__ == "__main__":
            main("Net")
        """,
    ),
    (
        "getattr string",
        "TDL001",
        """\
        import nets
        if __name__ == "__main__":
            torch.save(getattr(nn, "Linear")(2, 2), "f")
        """,
    ),
    (
        "dispatch dict",
        "TDL001",
        """\
        def small(): return nn.Linear(2, 2)
        def large(): return nn.Linear(8, 8)
        BUILD = {"small": small, "large": large}
        if __name__ == "__main__":
            torch.save(BUILD[sys.argv[1]](), "f")
        """,
    ),
    (
        "hierarchy super",
        "TDL001",
        """\
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.build()
            def build(self):
                pass
        class Net(Base):
            def build(self):
                self.fc = nn.Linear(2, 2)
        torch.save(Net(), "f")
        """,
    ),
    (
        "mixin",
        "TDL002",
        """\
        class Mixin:
            def noise(self):
                return np.random.rand(2)
        class Base:
            pass
        class Data(Mixin, Base):
            def __len__(self): return 3
        np.save("f", Data().noise())
        """,
    ),
    (
        "property",
        "TDL002",
        """\
        class Data:
            @property
            def sample(self):
                return np.random.rand(2)
        np.save("f", Data().sample)
        """,
    ),
    (
        "dataclass default_factory",
        "TDL002",
        """\
        @dataclass
        class Config:
            noise: object = field(default_factory=lambda: np.random.rand(2))
        if __name__ == "__main__":
            np.save("f", Config().noise)
        """,
    ),
    (
        "post_init",
        "",
        """\
        @dataclass
        class Config:
            seed: int = 0
            def __post_init__(self):
                torch.manual_seed(self.seed)
        if __name__ == "__main__":
            c = Config()
            torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "closure",
        "",
        """\
        def outer(seed):
            def inner():
                torch.manual_seed(seed)
            return inner
        outer(0)()
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "recursion",
        "TDL001",
        """\
        def tree(depth):
            if depth == 0:
                return nn.Linear(2, 2)
            return nn.Sequential(tree(depth - 1), tree(depth - 1))
        torch.save(tree(3), "f")
        """,
    ),
    (
        "context manager class",
        "",
        """\
        class Seeded:
            def __enter__(self):
                torch.manual_seed(0)
            def __exit__(self, *exc):
                return False
        with Seeded():
            torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "contextmanager function",
        "",
        """\
        from contextlib import contextmanager
        @contextmanager
        def seeded(n):
            torch.manual_seed(n)
            yield
        with seeded(0):
            torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "star args",
        "",
        """\
        def seed_all(*seeds):
            torch.manual_seed(seeds[0])
        args = (1, 2)
        seed_all(*args)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "reading kwargs",
        "",
        """\
        def seed_all(**options):
            torch.manual_seed(options["seed"])
        seed_all(seed=3)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "kwargs get None",
        "TDL001",
        """\
        def seed_all(**options):
            if options.get("seed") is not None:
                torch.manual_seed(options["seed"])
        seed_all()
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "typer.run",
        "TDL001",
        """\
        import typer
        def main(n: int = typer.Option(3)):
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            typer.run(main)
        """,
    ),
    (
        "callable class",
        "TDL001",
        """\
        class Noise:
            def __call__(self, x):
                return x + torch.rand(2)
        torch.save(Noise()(1), "f")
        """,
    ),
    (
        "bound method stored",
        "TDL002",
        """\
        class A:
            def draw(self):
                return np.random.rand(2)
        f = A().draw
        np.save("f", f())
        """,
    ),
    (
        "map with function",
        "TDL002",
        """\
        def draw(i):
            return np.random.rand(2)
        np.save("f", list(map(draw, range(3))))
        """,
    ),
    (
        "classmethod constructor",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 2)
            @classmethod
            def make(cls):
                return cls()
        torch.save(Net.make(), "f")
        """,
    ),
    (
        "staticmethod seed",
        "",
        """\
        class Tools:
            @staticmethod
            def seed():
                torch.manual_seed(0)
        Tools.seed()
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "global statement",
        "",
        """\
        SEED = None
        def configure():
            global SEED
            SEED = 3
        configure()
        if SEED is not None:
            torch.manual_seed(SEED)
        torch.save(torch.rand(2), "f")
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected


def test_an_argument_that_only_some_paths_give_is_else_the_default() -> None:
    text = """\
        settings = {}
        if len(sys.argv) > 1:
            settings["seed"] = 3
        def f(seed=7):
            return random.Random(seed).random()
        torch.save(f(**settings), "f")
    """
    assert codes(text) == ""
    assert codes(text.replace("seed=7", "seed=None")) == "tdl004"


def test_a_default_is_quoted_from_where_the_function_stands() -> None:
    program = """
        def main(seed: int = int(time.time())):
            torch.manual_seed(seed)
        x = 1
        if __name__ == "__main__":
            main()
    """
    [found] = [each for each in findings(program) if each.code == "TDL005"]
    assert "is seeded with `time.time()`, the clock" in found.message


REGISTRY = """
    STEPS = {{}}
    def register(cls):
        STEPS[cls.__name__] = cls
        return cls
    class Plain:
        def __call__(self, x): return x
    {steps}
    step = STEPS[sys.argv[1]]()
    {before}
    torch.save(step(torch.ones(2)), "f")
    {after}
"""
STEP = "@register\n    class {name}:\n        def __call__(self, x): return x + {drawn}\n"


def registry(drawing: int, count: int, before: str = "", after: str = "") -> str:
    steps = [
        STEP.format(name=f"Step{index}", drawn="np.random.rand()" if index < drawing else "1") for index in range(count)
    ]
    return codes(REGISTRY.format(steps="\n    ".join(steps), before=before, after=after), "TDL0")


@pytest.mark.parametrize(
    ("drawing", "count", "expected"),
    [
        (1, 1, "TDL002"),
        (1, 3, "TDL002"),
        (1, 5, "TDL002"),
        (1, 6, ""),
        (1, 9, ""),
        (2, 9, ""),
        (4, 9, ""),
        (5, 9, "TDL002"),
        (9, 9, "TDL002"),
    ],
)
def test_what_few_of_many_callees_draw_is_not_expected(drawing: int, count: int, expected: str) -> None:
    assert registry(drawing, count) == expected


def test_what_is_drawn_for_sure_is_told_also_after_what_is_not_expected() -> None:
    draw = "torch.save(np.random.rand(), 'g')"
    assert registry(1, 9, after=draw) == "TDL002"
    assert registry(1, 9, before=draw) == "TDL002"
