"""Answers that were wrong once."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

SETTLED = [
    (
        "loop over seeders",
        "",
        """\
        for seeder in (torch.manual_seed, np.random.seed, random.seed):
            seeder(0)
        torch.save((torch.rand(2), np.random.rand(2), random.random()), "f")
        """,
    ),
    (
        "loop over configurations",
        "",
        """\
        from models import build
        for n, k in ((16, 4), (8, 4)):
            torch.manual_seed(42)
            torch.save((torch.randn(n, 32), build(k)), "f")
        """,
    ),
    (
        "phases of an epoch",
        "TDL012",
        """\
        for epoch in range(9):
            for phase in ("train", "val"):
                torch.manual_seed(42)
                torch.save(torch.randn(2), "f")
        """,
    ),
    (
        "seeded right after it was made",
        "",
        """\
        class Stage:
            def __init__(self, seed=0):
                self.seed = seed
                self.rng = random.Random()
            def run(self, src):
                self.rng.seed(self.seed)
                return self.rng.sample(src, 2)
        json.dump(Stage().run([1, 2, 3]), open("f", "w"))
        """,
    ),
    (
        "seeded after it was drawn from",
        "TDL004",
        """\
        rng = random.Random()
        torch.save(rng.random(), "f")
        rng.seed(3)
        """,
    ),
    (
        "seeded with what may be none",
        "TDL004 TDL005",
        """\
        def f(seed=None):
            rng = random.Random()
            rng.seed(seed)
            return rng.random()
        torch.save(f(), "f")
        """,
    ),
    (
        "the base of environments draws nothing",
        "",
        """\
        import gymnasium as gym
        class Env(gym.Env):
            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                return np.zeros(3), {}
        torch.save(Env().reset(), "f")
        """,
    ),
    (
        "a wrapper resets what it holds",
        "TDL010",
        """\
        import gymnasium as gym
        class Once(gym.Wrapper):
            def reset(self, **kwargs):
                return super().reset(**kwargs)
        torch.save(Once(gym.make("CartPole-v1")).reset(), "f")
        """,
    ),
    (
        "whichever class it is, a checkpoint fills it",
        "",
        """\
        class A(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.out = nn.Linear(n, n)
        class B(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.out = nn.Linear(n, 1)
        model = {"a": A, "b": B}[sys.argv[1]](4).to("cpu")
        model.load_state_dict(torch.load("w.pt"))
        torch.save(model(torch.ones(4)), "f")
        """,
    ),
    (
        "the keyword tells which of them is called",
        "",
        """\
        def plain(x, size=3):
            return x
        def noisy(x):
            return x + torch.rand(2)
        transform = {"p": plain, "n": noisy}[sys.argv[1]]
        torch.save(transform(torch.ones(2), size=2), "f")
        """,
    ),
    (
        "any of them without a keyword",
        "TDL001",
        """\
        def plain(x, size=3):
            return x
        def noisy(x):
            return x + torch.rand(2)
        transform = {"p": plain, "n": noisy}[sys.argv[1]]
        torch.save(transform(torch.ones(2)), "f")
        """,
    ),
    (
        "a registry of many pairs",
        "TDL001",
        "def draw(n):\n    return torch.rand(n)\n"
        + "".join(f"class A{i}: pass\ndef e{i}():\n    return A{i}, draw\n" for i in range(14))
        + f"MAKERS = {{{', '.join(f'{i}: e{i}' for i in range(14))}}}\n"
        + "kind, sample = MAKERS[int(sys.argv[1])]()\ntorch.save(sample(3), 'f')\n",
    ),
]


@pytest.mark.parametrize(("title", "expected", "text"), SETTLED, ids=[case[0] for case in SETTLED])
def test_settled(title: str, expected: str, text: str) -> None:
    assert codes(text) == expected, title
