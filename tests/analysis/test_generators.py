"""Generators of the program itself, seeds that cannot repeat, seeds that change nothing."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

CASES = [
    (
        "generator without a seed",
        "TDL004",
        """\
        r = np.random.default_rng()
        np.save("f", r.random(3))
        """,
    ),
    (
        "rng seed param default None, passes",
        "",
        """\
        def f(seed=None):
            return np.random.default_rng(seed)
        if __name__ == "__main__":
            np.save("f", f(3).random(2))
        """,
    ),
    (
        "rng seed param default None, no caller",
        "tdl004",
        """\
        def f(seed=None):
            return np.random.default_rng(seed)
        """,
    ),
    (
        "rng seed param, caller passes none",
        "tdl004",
        """\
        def f(seed=None):
            return np.random.default_rng(seed)
        if __name__ == "__main__":
            np.save("f", f().random(2))
        """,
    ),
    (
        "random.Random()",
        "TDL004",
        """\
        r = random.Random()
        print(r.random())
        """,
    ),
    (
        "clock",
        "TDL005",
        """\
        torch.manual_seed(int(time.time()))
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "random.seed()",
        "TDL005",
        """\
        random.seed()
        np.save("f", random.random())
        """,
    ),
    (
        "text seed",
        "",
        """\
        random.seed("text")
        np.save("f", random.random())
        """,
    ),
    (
        "draw as seed",
        "TDL005",
        """\
        s = random.randint(1, 10000)
        print("seed", s)
        random.seed(s)
        torch.manual_seed(s)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "draw as seed from seeded",
        "",
        """\
        random.seed(0)
        torch.manual_seed(random.randint(1, 10000))
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "drawn where the option is missing",
        "TDL005",
        """\
        p = argparse.ArgumentParser()
        p.add_argument("--manualSeed", type=int)
        a = p.parse_args()
        if a.manualSeed is None:
            a.manualSeed = random.randint(1, 10000)
        random.seed(a.manualSeed)
        torch.manual_seed(a.manualSeed)
        torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "hash",
        "TDL005",
        """\
        random.seed(hash("abc"))
        np.save("f", random.random())
        """,
    ),
    (
        "hash of ints",
        "",
        """\
        random.seed(hash((1, 2)))
        np.save("f", random.random())
        """,
    ),
    (
        "hash of a seed and an epoch",
        "",
        """\
        def order(seed, epoch, *more_seeds):
            np.random.seed(int(hash((seed, epoch, self.index, *more_seeds)) % 1e6))
            np.save("f", np.random.rand())
        order(1, 2)
        """,
    ),
    (
        "hash of a seed and a name",
        "TDL005",
        """\
        def order(seed, name):
            np.random.seed(int(hash((seed, name)) % 1e6))
            np.save("f", np.random.rand())
        order(1, sys.argv[1])
        """,
    ),
    (
        "PYTHONHASHSEED",
        "tdl009",
        """\
        os.environ["PYTHONHASHSEED"] = "0"
        for i in range(3): print(i)
        """,
    ),
    (
        "gym",
        "TDL010",
        """\
        import gymnasium as gym
        env = gym.make("CartPole-v1")
        obs, info = env.reset()
        a = env.action_space.sample()
        env.step(a)
        """,
    ),
    (
        "gym seeded",
        "",
        """\
        import gymnasium as gym
        env = gym.make("CartPole-v1")
        env.reset(seed=0)
        env.action_space.seed(0)
        env.step(env.action_space.sample())
        """,
    ),
    (
        "seed ignored",
        "TDL011",
        """\
        def train(model, seed=0):
            return model
        train(1, seed=3)
        for i in range(2): pass
        """,
    ),
    (
        "if seed:",
        "TDL011",
        """\
        def train(model, seed=0):
            if seed:
                torch.manual_seed(seed)
            return torch.rand(2)
        torch.save(train(1, seed=3), "f")
        """,
    ),
    (
        "reseeded in loop",
        "TDL012",
        """\
        for epoch in range(10):
            torch.manual_seed(0)
            torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "reseeded with epoch",
        "",
        """\
        for epoch in range(10):
            torch.manual_seed(epoch)
            torch.save(torch.rand(2), "f")
        """,
    ),
    (
        "trials rebuild",
        "",
        """\
        for trial in range(10):
            torch.manual_seed(0)
            m = nn.Linear(2, 2)
            torch.save(m, "f")
        """,
    ),
    (
        "generator never seeded",
        "tdl013",
        """\
        torch.manual_seed(0)
        g = torch.Generator()
        torch.save(torch.randperm(3, generator=g), "f")
        """,
    ),
    (
        "generator=torch.manual_seed(0)",
        "TDL013",
        """\
        g = torch.manual_seed(0)
        torch.save(torch.randperm(3, generator=torch.manual_seed(0)), "f")
        """,
    ),
    (
        "generator seed()",
        "TDL005",
        """\
        g = torch.Generator()
        g.seed()
        torch.save(torch.randperm(3, generator=g), "f")
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected
