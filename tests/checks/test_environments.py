"""Environments of several agents: the environment has a generator, and so has the space of each agent."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

DEMO = """\
from {package} import {module}
env = {module}.{made}(max_cycles=5)
env.reset({seed})
{spaces}
for agent in env.agents:
    torch.save(torch.tensor(env.action_space(agent).sample()), 'f')
"""
SPACES = "for agent in env.possible_agents:\n    env.action_space(agent).seed(3)"
MADE = [
    ("pettingzoo.mpe", "simple_spread_v3", "parallel_env"),
    ("mpe2", "simple_spread_v3", "env"),
    ("pettingzoo.sisl", "waterworld_v4", "raw_env"),
    ("pettingzoo.butterfly", "pistonball_v6", "parallel_env"),
]


@pytest.mark.parametrize(("package", "module", "made"), MADE)
@pytest.mark.parametrize(
    ("seed", "spaces", "expected"),
    [("seed=1", "", 1), ("", SPACES, 1), ("", "", 2), ("seed=1", SPACES, 0), ("1", SPACES, 0)],
)
def test_environment_and_spaces(package: str, module: str, made: str, seed: str, spaces: str, expected: int) -> None:
    text = DEMO.format(package=package, module=module, made=made, seed=seed, spaces=spaces)
    assert codes(text, "TDL0") == ("TDL010" if expected else "")


def test_an_old_environment_is_seeded_by_its_own_method() -> None:
    text = DEMO.format(package="pettingzoo.mpe", module="simple_v2", made="parallel_env", seed="", spaces=SPACES)
    assert codes(text.replace("env.reset", "env.seed(1)\nenv.reset"), "TDL0") == ""


WRAPPED = """\
import gymnasium as gym
from minigrid.wrappers import FlatObsWrapper
from tianshou.env import SubprocVectorEnv
{made}
{seeded}
torch.save(env.step(env.reset({seed})[0]), 'f')
"""


@pytest.mark.parametrize(
    ("made", "by_seed"),
    [
        ("env = FlatObsWrapper(gym.make('MiniGrid-Empty-5x5-v0'))", "env.reset(seed=1)"),
        ("env = SubprocVectorEnv([lambda: gym.make('x') for _ in range(2)])", "env.seed([1, 2])"),
    ],
)
def test_environments_around_environments(made: str, by_seed: str) -> None:
    assert codes(WRAPPED.format(made=made, seeded="", seed=""), "TDL0") == "TDL010"
    assert codes(WRAPPED.format(made=made, seeded="", seed="seed=1"), "TDL0") == ""
    assert codes(WRAPPED.format(made=made, seeded=by_seed, seed=""), "TDL0") == ""


def test_board_games_have_nothing_random_but_the_agents() -> None:
    text = DEMO.format(package="pettingzoo.classic", module="chess_v6", made="env", seed="", spaces="{spaces}")
    assert codes(text.format(spaces=SPACES), "TDL0") == ""
    assert codes(text.format(spaces=""), "TDL0") == "TDL010"


@pytest.mark.parametrize(
    "seeder",
    ["env.reset(seed=0)", "env.seed(0)", "env.action_space.seed(0)", "env.single_action_space.seed(0)"],
)
def test_the_generator_of_an_environment_is_no_global_one(seeder: str) -> None:
    text = f"import gymnasium as gym\nenv = gym.make('x')\nfor i in range(3):\n    {seeder}\n    torch.save(env, 'f')\n"
    assert codes(text, "TDL012") == ""
    assert codes(text.replace(seeder, "np.random.seed(0)"), "TDL012") == "TDL012"
