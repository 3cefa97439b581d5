"""Options of the command line, configuration classes, and the conditions that they decide."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

CASES = [
    (
        "a default of a configuration that no model has",
        "TDL001",
        """\
        from yacs.config import CfgNode as CN
        cfg = CN()
        cfg.model = CN()
        cfg.model.name = "resnet"
        def build(name):
            if name not in ("mine", "yours"):
                raise KeyError(name)
            return nn.Linear(2, 2)
        cfg.merge_from_file(sys.argv[1])
        torch.save(build(cfg.model.name), "f")
        """,
    ),
    (
        "a seed that a configuration leaves out",
        "tdl007",
        """\
        from yacs.config import CfgNode
        cfg = CfgNode()
        cfg.SEED = -1
        cfg.merge_from_list(sys.argv[1:])
        if cfg.SEED >= 0:
            torch.manual_seed(cfg.SEED)
        torch.save(nn.Linear(2, 2), "f")
        """,
    ),
    (
        "argparse default None",
        "tdl007",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--seed", type=int, default=None)
        a = p.parse_args()
        if a.seed is not None:
            torch.manual_seed(a.seed)
        nn.Linear(2, 2)
        """,
    ),
    (
        "seeded",
        "",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--seed", type=int, default=0)
        a = p.parse_args()
        torch.manual_seed(a.seed)
        nn.Linear(2, 2)
        """,
    ),
    (
        "click",
        "tdl007",
        """\
        import click
        @click.command()
        @click.option("--seed", default=None, type=int)
        def main(seed):
            if seed is not None:
                torch.manual_seed(seed)
            print(torch.rand(2))
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "click default 3",
        "",
        """\
        import click
        @click.command()
        @click.option("--seed", default=3)
        def main(seed):
            if seed is not None:
                torch.manual_seed(seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "dataclass",
        "TDL001",
        """\
        @dataclass
        class Config:
            seed: int = None
        def main(c):
            if c.seed is not None:
                torch.manual_seed(c.seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            main(Config())
        """,
    ),
    (
        "dataclass default 0",
        "",
        """\
        @dataclass
        class Config:
            seed: int = 0
        def main(c):
            torch.manual_seed(c.seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            main(Config())
        """,
    ),
    (
        "HfArgumentParser",
        "tdl007",
        """\
        from transformers import HfArgumentParser
        from typing import Optional
        @dataclass
        class Args:
            seed: Optional[int] = field(default=None)
        def main():
            parser = HfArgumentParser(Args)
            (args,) = parser.parse_args_into_dataclasses()
            if args.seed is not None:
                torch.manual_seed(args.seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "seeded on both branches",
        "",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--det", action="store_true")
        a = p.parse_args()
        if a.det:
            torch.manual_seed(0)
        else:
            torch.manual_seed(1)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "early return",
        "TDL001",
        """\
        def seed_all(seed=None):
            if seed is None:
                return
            torch.manual_seed(seed)
        def main():
            seed_all()
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "early return given",
        "",
        """\
        def seed_all(seed=None):
            if seed is None:
                return
            torch.manual_seed(seed)
        def main():
            seed_all(3)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "try",
        "",
        """\
        try:
            torch.manual_seed(0)
        except RuntimeError:
            pass
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "match",
        "tdl007",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--mode", default="fast")
        a = p.parse_args()
        match a.mode:
            case "exact":
                torch.manual_seed(0)
            case _:
                pass
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "ternary seed",
        "",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--seed", type=int)
        a = p.parse_args()
        seed = a.seed if a.seed is not None else 0
        torch.manual_seed(seed)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "seed or default",
        "TDL011",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--seed", type=int)
        a = p.parse_args()
        torch.manual_seed(a.seed or 7)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "no-seed flag (on by default)",
        "",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--no-seed", action="store_true")
        a = p.parse_args()
        if not a.no_seed:
            torch.manual_seed(7)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "flag that is on by default",
        "",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--repeat", action="store_false")
        a = p.parse_args()
        if a.repeat:
            torch.manual_seed(7)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "seed kept in an attribute",
        "",
        """\
        class Runner:
            def __init__(self, seed=0):
                self.seed = seed
            def run(self):
                torch.manual_seed(self.seed)
                torch.save(torch.rand(2), "f")
        Runner().run()
        """,
    ),
    (
        "attribute None",
        "",
        """\
        class Runner:
            def __init__(self, seed=None):
                self.seed = seed
            def run(self):
                if self.seed is not None:
                    torch.manual_seed(self.seed)
                torch.save(torch.rand(2), "f")
        Runner(3).run()
        """,
    ),
    (
        "attribute None, not given",
        "TDL001",
        """\
        class Runner:
            def __init__(self, seed=None):
                self.seed = seed
            def run(self):
                if self.seed is not None:
                    torch.manual_seed(self.seed)
                torch.save(torch.rand(2), "f")
        Runner().run()
        """,
    ),
    (
        "namedtuple config",
        "",
        """\
        from typing import NamedTuple
        class Config(NamedTuple):
            seed: int = 3
        c = Config()
        if c.seed is not None:
            torch.manual_seed(c.seed)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "SimpleNamespace",
        "",
        """\
        from types import SimpleNamespace
        c = SimpleNamespace(seed=3)
        if c.seed is not None:
            torch.manual_seed(c.seed)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "dict config",
        "",
        """\
        c = {"seed": 3}
        if "seed" in c:
            torch.manual_seed(c["seed"])
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "unknown yaml config",
        "",
        """\
        import yaml
        c = yaml.safe_load(open("c.yaml"))
        torch.manual_seed(c["seed"])
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "unknown yaml config, optional",
        "",
        """\
        import yaml
        c = yaml.safe_load(open("c.yaml"))
        if c["seed"] is not None:
            torch.manual_seed(c["seed"])
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "walrus",
        "",
        """\
        if (seed := 3) is not None:
            torch.manual_seed(seed)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "environment variable with default",
        "",
        """\
        torch.manual_seed(int(os.environ.get("SEED", 0)))
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "typer.Option(None)",
        "tdl007",
        """\
        import typer
        def main(seed: int = typer.Option(None, help="the seed")):
            if seed is not None:
                torch.manual_seed(seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            typer.run(main)
        """,
    ),
    (
        "typer.Option(default=0)",
        "",
        """\
        import typer
        def main(seed: int = typer.Option(default=0)):
            if seed is not None:
                torch.manual_seed(seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            typer.run(main)
        """,
    ),
    (
        "typer.Option that must be given",
        "",
        """\
        import typer
        def main(seed: int = typer.Option(...), other: int = typer.Option(help="no default")):
            torch.manual_seed(seed)
            torch.save(torch.rand(2), "f")
        if __name__ == "__main__":
            typer.run(main)
        """,
    ),
    (
        "an environment variable is text, and 0 is true",
        "tdl007",
        """\
        seed = os.environ.get("SEED")
        if seed:
            torch.manual_seed(int(seed))
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "an environment variable with a default",
        "",
        """\
        torch.manual_seed(int(os.environ.get("SEED", "3")))
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "a logged draw is a log line",
        "",
        """\
        import logging
        logging.info("x %s", random.random())
        for i in range(2): pass
        """,
    ),
    (
        "a printed draw is a result",
        "TDL003",
        """\
        print(random.random())
        """,
    ),
    (
        "a seed that is drawn seeds several families",
        "TDL005",
        """\
        seed = random.randint(1, 9)
        random.seed(seed)
        torch.manual_seed(seed)
        torch.save((random.random(), torch.rand(1)), "f")
        """,
    ),
    (
        "a seed that torch draws",
        "TDL005",
        """\
        seed = int(torch.randint(1 << 31, size=[]))
        np.random.seed(seed)
        torch.manual_seed(seed)
        torch.save((np.random.rand(), torch.rand(1)), "f")
        """,
    ),
    (
        "a seed that a tensor is filled with",
        "TDL005",
        """\
        gen = torch.Generator()
        gen.manual_seed(torch.empty((), dtype=torch.int64).random_().item())
        torch.save(torch.rand(1, generator=gen), "f")
        """,
    ),
    (
        "a seed from the seeded stream",
        "",
        """\
        torch.manual_seed(0)
        np.random.seed(torch.randint(1 << 31, size=()).item())
        torch.save(np.random.rand(), "f")
        """,
    ),
    (
        "a number that torch draws",
        "TDL001",
        """\
        count = int(torch.randint(3, (1,)))
        torch.save([0] * count, "f")
        """,
    ),
    (
        "a draw that names a run",
        "",
        """\
        run = "".join(random.choice("ab") for _ in range(6))
        torch.save(torch.ones(1), f"runs/{run}.pt")
        """,
    ),
    (
        "a draw that names a run in a function",
        "",
        """\
        def main():
            run = random.randint(0, 9)
            torch.save(torch.ones(1), f"runs/{run}.pt")
        main()
        """,
    ),
    (
        "a draw that becomes text for a model",
        "TDL003",
        """\
        a = random.randint(0, 9)
        torch.save([f"{a} + 1 = {a + 1}."], "f")
        """,
    ),
    (
        "a draw that names a run and sizes a tensor",
        "TDL003",
        """\
        run = random.randint(1, 9)
        torch.save(torch.ones(run), f"runs/{run}.pt")
        """,
    ),
    (
        "a port in the environment",
        "",
        """\
        os.environ["MASTER_PORT"] = str(random.randint(10000, 20000))
        torch.save(torch.ones(1), "f")
        """,
    ),
    *(
        (
            f"a field of a configuration inside of another, {name}",
            found,
            f"""\
            import hydra, tyro
            @dataclass
            class Model:
                seed: int = 3
            @dataclass
            class Train:
                seed: int = {default}
            @dataclass
            class Config:
                train: Train = field(default_factory=Train)
                model: Model = field(default_factory=Model)
            def run(cfg):
                if cfg.train.seed is not None:
                    torch.manual_seed(cfg.train.seed)
                nn.Linear(2, 2)
            @hydra.main(version_base=None, config_name="config")
            def main(cfg: Config):
                run(cfg)
            if __name__ == "__main__":
                {call}
            """,
        )
        for name, default, call, found in (
            ("hydra", "None", "main()", "tdl007"),
            ("hydra, seeded", "0", "main()", ""),
            ("tyro", "None", "run(tyro.cli(Config))", "tdl007"),
            ("tyro, seeded", "0", "run(tyro.cli(Config))", ""),
            ("made by the program", "None", "run(Config())", "TDL001"),
            ("made by the program, seeded", "0", "run(Config())", ""),
        )
    ),
    *(
        (
            f"absl, {name}",
            found,
            f"""\
            from absl import app, flags
            FLAGS = flags.FLAGS
            _SEED = flags.DEFINE_integer("seed", {default}, "random seed")
            def main(argv):
                {seed}
                nn.Linear(2, 2)
            if __name__ == "__main__":
                app.run(main)
            """,
        )
        for name, default, seed, found in (
            ("default None", "None", "if FLAGS.seed is not None: torch.manual_seed(FLAGS.seed)", "tdl007"),
            ("default 0", "0", "if FLAGS.seed is not None: torch.manual_seed(FLAGS.seed)", ""),
            ("what defines it", "None", "if _SEED.value is not None: torch.manual_seed(_SEED.value)", "tdl007"),
            ("what defines it, default 0", "0", "torch.manual_seed(_SEED.value)", ""),
        )
    ),
    (
        "absl, a flag that nobody reads",
        "TDL011",
        """\
        from absl import flags
        FLAGS = flags.FLAGS
        flags.DEFINE_integer("seed", 0, "random seed")
        flags.DEFINE_integer("shuffle_seed", 0, "random seed")
        torch.manual_seed(0)
        print(torch.randperm(FLAGS.n, generator=torch.Generator().manual_seed(FLAGS.shuffle_seed)))
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected
