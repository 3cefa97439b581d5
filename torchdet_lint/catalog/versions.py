"""Versions and version conditions: as much of PEP 440 (and of conda's and poetry's spellings) as the tables need.

Versions are compared by their release numbers; local parts ("+cu118") and marks of pre-releases are dropped, so that
nightly and vendor builds count as the release that they lead to.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from torchdet_lint.catalog.errors import VersionError

Version: TypeAlias = tuple[int, ...]
"""Release numbers without trailing zeros, so that "2", "2.0" and "2.0.0" are equal."""

Cut: TypeAlias = tuple[Version, int]
"""A point between versions: just before a version (0) or just after it (1)."""

NEWEST_TORCH = "2.13"
"""The newest torch that the tables describe."""

_RELEASE = re.compile(r"v?(?:\d+!)?(\d+(?:\.\d+)*)")
_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|=|<|>|\^|~|)\s*v?((?:\d+(?:\.\d+)*)(?:\.\*|\*)?)\S*")
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*?)\s*(?:\[[^\]]*\])?\s*(?=$|[\s(=<>!~^;@#])(.*)", re.DOTALL)


def parse_version(text: str) -> Version:
    """The release numbers of a version such as "2.3.1+cu118"; raises `VersionError`."""
    found = _RELEASE.match(text.strip())
    if found is None:
        raise VersionError(f'"{text}" is no version; write one such as "2.3.1"')
    return _strip(tuple(int(part) for part in found[1].split(".")))


class Interval(NamedTuple):
    """The versions between two cuts; `high` None has no end.

    Conditions are asked in three ways, since a project may allow several versions: of all, of some, or of the newest.
    """

    low: Cut = ((), 0)
    high: Cut | None = None

    @property
    def empty(self) -> bool:
        return self.high is not None and self.low >= self.high

    def __and__(self, other: Interval) -> Interval:
        highs = [high for high in (self.high, other.high) if high is not None]
        return Interval(max(self.low, other.low), min(highs, default=None))

    def __or__(self, other: Interval) -> Interval:
        """The smallest interval around both."""
        highs = [high for high in (self.high, other.high) if high is not None]
        return Interval(min(self.low, other.low), max(highs) if len(highs) == 2 else None)

    def has(self, version: Version) -> bool:
        return not (self & exactly(version)).empty

    def newest_satisfies(self, spec: str) -> bool:
        """Whether the newest version of the interval fulfils the condition (">=1.4,<1.9" has some 1.8.x as newest)."""
        wanted = _parse_spec(spec)
        top = wanted.interval.high is None or (self.high is not None and self.high <= wanted.interval.high)
        common = self & wanted.interval
        return top and not common.empty and not any(common == exactly(version) for version in wanted.excluded)


ANY = Interval()


def exactly(version: Version) -> Interval:
    """The interval of one version."""
    return Interval((version, 0), (version, 1))


def series(text: str) -> Interval:
    """What a user means by "2.1" (any 2.1.x) or "2.1.3" (that one)."""
    version = parse_version(text)
    release = _RELEASE.match(text.strip())
    if release and release[1].count(".") >= 2:
        return exactly(version)
    return _prefix(tuple(int(part) for part in release[1].split("."))) if release else exactly(version)


class Spec(NamedTuple):
    """A condition: the versions of an interval without some of them."""

    interval: Interval
    excluded: tuple[Version, ...]


def parse_requirement(line: str) -> tuple[str, Interval] | None:
    """The distribution and the versions that a dependency line allows, such as "torch[extra] >= 1.9, < 2 ; marker".

    The name is normalised as in PEP 503. None when the line is no such thing (an option, a URL, nothing).
    """
    text = line.partition(" #")[0].strip()
    found = _REQUIREMENT.match(text)
    if found is None:
        return None
    name = re.sub(r"[-_.]+", "-", found[1]).lower()
    condition = re.split(r"[;#]", found[2])[0].strip().strip("()").strip()
    if condition.startswith("@"):
        return name, ANY
    try:
        return name, parse_interval(condition)
    except VersionError:
        return None


def parse_interval(condition: str) -> Interval:
    """The interval of a condition without a name; alternatives (`||`) give the interval around them.

    Raises `VersionError`.
    """
    parts = [_parse_spec(part).interval for part in condition.split("||")]
    interval = parts[0]
    for part in parts[1:]:
        interval |= part
    return interval


def _parse_spec(text: str) -> Spec:
    condition = text.strip()
    named = re.match(r"[A-Za-z][A-Za-z0-9._-]*", condition)
    if named and not re.match(r"v\d", condition):
        condition = condition[named.end() :].strip()
    interval, excluded = ANY, []
    for clause in re.split(r"[,|]|(?<=[\d*])\s+(?=[<>=!~^])", condition) if condition not in ("", "*") else ():
        found = _CLAUSE.fullmatch(clause.strip())
        if found is None:
            raise VersionError(f'"{text}" is no version condition; write one such as ">=1.9,<2.0"')
        if found[1] == "!=" and not found[2].endswith("*"):
            excluded.append(parse_version(found[2]))
        elif found[1] != "!=":
            interval &= _clause(found[1], found[2])
    return Spec(interval, tuple(excluded))


def _clause(operator: str, text: str) -> Interval:
    numbers = tuple(int(part) for part in text.removesuffix("*").removesuffix(".").split("."))
    version = _strip(numbers)
    if operator in ("==", "===", "=", "") and (text.endswith("*") or operator == "="):
        return _prefix(numbers)  # conda's single equals sign means "starts with"
    if operator in ("==", "===", ""):
        return exactly(version)
    if operator == "~=":
        return Interval((version, 0), (_next(numbers[:-1]), 0)) if len(numbers) > 1 else Interval((version, 0))
    if operator == "~":
        return Interval((version, 0), (_next(numbers[:2]), 0))
    if operator == "^":
        first = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
        return Interval((version, 0), (_next(numbers[: first + 1]), 0))
    return {
        ">=": Interval((version, 0)),
        ">": Interval((version, 1)),
        "<": Interval(high=(version, 0)),
        "<=": Interval(high=(version, 1)),
    }[operator]


def _prefix(numbers: tuple[int, ...]) -> Interval:
    return Interval((_strip(numbers), 0), (_next(numbers), 0))


def _next(numbers: tuple[int, ...]) -> Version:
    """The first version after all that start with these numbers."""
    return _strip((*numbers[:-1], numbers[-1] + 1))


def _strip(numbers: tuple[int, ...]) -> Version:
    end = len(numbers)
    while end and not numbers[end - 1]:
        end -= 1
    return numbers[:end]
