"""The factors: what can make two runs differ, how each is held and released, and which rules suggest it. A table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torchdet_lint.verify.record import Ledger


@dataclass(frozen=True)
class Factor:
    """One thing that is held in pinned runs.

    `kinds` are the sources that show it. `pins` and `env` are what a release sets, a mapping for each variant that is tried until
    one makes a difference. `rules` are prefixes of the codes that suspect it. `machine`: it differs between machines rather than
    between runs. `told`: a difference is told and fails nothing.
    """

    name: str
    title: str
    kinds: tuple[str, ...] = ()
    pins: tuple[Mapping[str, int], ...] = ({},)
    env: tuple[Mapping[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    elsewhere: bool = False
    machine: bool = False
    told: bool = False

    @property
    def variants(self) -> int:
        """How many releases there are."""
        return max(len(self.pins), len(self.env))


def _env(name: str, *values: str) -> tuple[Mapping[str, str], ...]:
    return tuple({name: value} for value in values)


_PLACE = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "USER": "user", "LOGNAME": "user", "HOSTNAME": "host"}
_OTHER_PLACE = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "USER": "other", "LOGNAME": "other", "HOSTNAME": "elsewhere"}
"""What programs read from the environment that no two machines need to share; locales that every system has."""

_GLOBAL = ("TDL005", "TDL006", "TDL007", "TDL010", "TDL011")
"""Rules that are about any of the three global generators; TDL005 when a seed is drawn from one that nobody has seeded."""

FACTORS = (
    Factor("torch", "torch's unseeded generator", ("RNG",), ({"torch": 1},), rules=("TDL001", "TDL101", "TDL103", *_GLOBAL)),
    Factor("numpy", "NumPy's unseeded global generator", ("RNGNP",), ({"numpy": 1},), rules=("TDL002", "TDL102", *_GLOBAL)),
    Factor("python", "Python's unseeded global generator", ("RNGPY",), ({"python": 1},), rules=("TDL003", "TDL102", *_GLOBAL)),
    Factor(
        "os", "entropy of the operating system", ("ENT", "SEED"), ({"os": 1},),
        rules=("TDL004", "TDL005", "TDL008", "TDL010", "TDL102", "TDL104"),
    ),
    Factor("clock", "the clock", ("TIME", "SEED"), ({"clock": 1},), rules=("TDL005",)),
    Factor("pid", "the process number", ("PID", "SEED"), ({"pid": 1},), rules=("TDL005",)),
    Factor("listing", "the order of folder listings", ("FS",), ({"listing": 1}, {"listing": 2}), rules=("TDL105",), machine=True),
    Factor("cwd", "the working directory", ("CWD", "SEED"), elsewhere=True, machine=True),
    Factor("hash", "string hashes", ("SEED",), env=_env("PYTHONHASHSEED", "1", "2", "3"), rules=("TDL005", "TDL009", "TDL106")),
    Factor("address", "addresses of objects", (), ({"heap": 1}, {"heap": 2}, {"heap": 3}), rules=("TDL005", "TDL106")),
    Factor(
        "memory", "contents of uninitialised memory", ("MEM",), ({"memory": 1},), _env("MALLOC_PERTURB_", "170"),
        rules=("TDL206", "TDL501", "TDL502"),
    ),
    Factor(
        "environment", "locale, time zone and user name", ("SEED",), env=(_OTHER_PLACE,), machine=True,
    ),
    Factor("completion", "the order in which tasks finish", (), ({"completion": 1},), rules=("TDL107",)),
    Factor(
        "threads", "the number of threads", (), ({"threads": 2},),
        ({"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},), machine=True, told=True,
    ),
)  # fmt: skip
"""In the order in which they are tried."""

SCREENED = ("hash", "address", "memory", "environment", "completion", "cwd")
"""Factors that leave no trace where they are asked for: released together first, one by one only if that changes something."""

BY_LINE = ("os", "clock", "pid", "listing")
"""Factors that can be released on one line alone."""

BY_NAME: Mapping[str, Factor] = {factor.name: factor for factor in FACTORS}

GROUPS: Mapping[str, tuple[str, ...]] = {
    "all": tuple(BY_NAME),
    "entropy": ("torch", "numpy", "python", "os"),
    "none": (),
}
"""Names that stand for several factors in `--factors`."""

PINS: Mapping[str, int] = {
    "torch": 0, "numpy": 0, "python": 0, "os": 0, "clock": 0, "pid": 0, "listing": 0, "memory": 0, "completion": 0, "threads": 1,
}  # fmt: skip

ENVIRONMENT: Mapping[str, str] = {
    "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MALLOC_PERTURB_": "85", **_PLACE,
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What one run is given. With `still` the system's address randomisation is off; with `elsewhere` the working copy is in
    another folder. With `only`, sources are released on these user lines (`path:line`) alone. `more` are further arguments of the
    command. Functions that match `without` are left out of the record; with `until_saved` the sample ends after a checkpoint was
    saved, and what `goes_on` runs in the folder that the run before it has left.
    """

    name: str
    pins: Mapping[str, int] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    still: bool = False
    elsewhere: bool = False
    only: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    without: str = ""
    until_saved: bool = False
    goes_on: bool = False


def natural(name: str) -> Setting:
    """Nothing is held."""
    return Setting(name)


def pinned(name: str) -> Setting:
    """Everything is held."""
    return Setting(name, PINS, ENVIRONMENT, still=True)


def released(factors: tuple[Factor, ...], variant: int) -> Setting:
    """Everything is held but these factors; those with fewer variants are in their last."""
    pins, env = dict(PINS), dict(ENVIRONMENT)
    for factor in factors:
        pins.update(factor.pins[min(variant, len(factor.pins) - 1)])
        if factor.env:
            env.update(factor.env[min(variant, len(factor.env) - 1)])
    name = "+".join(factor.name for factor in factors)
    return Setting(f"{name}-{variant + 1}", pins, env, still=True, elsewhere=any(f.elsewhere for f in factors))


def asked_for(factor: Factor, ledger: Ledger) -> bool:
    """Whether the natural run gave any reason to release a factor: where its source was never asked for, it cannot matter."""
    if factor.name in ("torch", "numpy", "python"):
        return ledger.unseeded(factor.name)
    if factor.name == "completion":
        return bool(ledger.facts.get("tasks"))
    outside = tuple(kind for kind in factor.kinds if kind not in ("SEED", "MEM"))
    return not outside or any(ledger.asks(kind) for kind in outside)
