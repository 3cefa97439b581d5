"""Seeds that a helper takes as None, one or many: what it makes of None happens only where no seed is given."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

HELPERS = {
    "one": """
        def seed_all(n, seed=None):
            if seed is None:
                s = None
            else:
                s = seed + 1
            np.random.seed(s)
        """,
    "many": """
        def seed_all(n, seed=None):
            if seed is None:
                seeds = [None, None]
            else:
                seeds = [seed + i for i in range(2)]
            for each in seeds:
                np.random.seed(each)
        """,
    "as many as there are": """
        def seed_all(n, seed=None):
            if seed is None:
                seeds = [seed] * n
            elif isinstance(seed, int):
                seeds = [seed + i for i in range(n)]
            else:
                seeds = seed
            for each in seeds:
                np.random.seed(each)
        """,
}
MAIN = """
        parser = argparse.ArgumentParser()
        parser.add_argument("--seed", type=int{default})
        parser.add_argument("--n", type=int, default=3)
        args = parser.parse_args()
        seed_all(args.n, {seed})
        print(np.random.rand())
"""


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
@pytest.mark.parametrize(
    ("default", "seed", "expected"), [(", default=3", "args.seed", ""), ("", "None", "TDL005"), ("", "7", "")]
)
def test_none_is_only_for_who_gives_no_seed(helper: str, default: str, seed: str, expected: str) -> None:
    assert codes(helper + MAIN.format(default=default, seed=seed), "TDL00") == expected
