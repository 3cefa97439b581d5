"""What is known about the callables of libraries: the tables `rules/apis/*.toml` as frozen values.

A table file holds rows (`[[api]]`), aliases (`[aliases]`) and defaults for its rows (`[defaults]`):

    [defaults]
    source = 'https://...'

    [aliases]
    'pytorch_lightning' = 'lightning.pytorch'    # a prefix and its canonical spelling
    'torch.nn.modules.*' = 'torch.nn'            # any one lower-case module below a prefix

    [[api]]
    under = 'torch.nn.functional'                # optional; the names are below it, or below each of several
    names = 'dropout dropout1d dropout2d'        # a list is fine too; `*` stands for any part of one identifier
    role = 'draw'
    draws = 'torch'
    unless = 'training@2=False p@1=0'

Rows of one name add up. A row with `when` holds for some versions only and overlays the rows without; a name that has
only such rows is unknown where none of them holds. The keys are the fields of `Api`.

Users add rows of the same shape: `[tool.torchdet-lint.apis]` is read like a table file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from torchdet_lint.catalog.compiled import compiled
from torchdet_lint.catalog.errors import VersionError, suggest
from torchdet_lint.catalog.rules import read_text, rules_folder
from torchdet_lint.catalog.tables import Table, parse_toml
from torchdet_lint.catalog.versions import ANY, Interval

ROLES = (
    "attention", "backward", "calls", "clock", "completion", "compose", "context", "cuda", "dataset", "draw", "entropy", "env",
    "fit", "flash", "fork-rng", "generator", "init", "kernel", "layer", "listing", "loader", "matmul", "memory", "no-grad",
    "optimizer", "option", "pretrained", "recurrent", "restore", "returns-set", "rng", "rng-state", "sampler", "save", "sdpa",
    "sdpa-context", "seeded-sampler", "seeder", "sequential-sampler", "skip-init", "spawn", "split", "strict", "trainer",
    "transform", "wraps-loader",
)  # fmt: skip
"""What a callable is to the analyses.

- `seeder` fixes RNG families, or its receiver when `seeds` is empty; `draw` draws from `draws`, or from its receiver
  when that is empty; `fork-rng` puts the RNG state back when its `with` ends.
- `rng` and `generator` (`torch.Generator`) build a private RNG; `entropy` and `clock` return what two runs do not share.
- `layer`, `recurrent`, `attention` are module classes (or build one); `init` writes its first argument; `skip-init`
  builds without initialising; `pretrained` loads weights.
- `kernel` runs a kernel of an extension that differs from run to run, or makes a layer that does.
- `memory` allocates without writing; `matmul` reaches cuBLAS; `sdpa`, `flash` are attention calls; `sdpa-context`
  restricts their backends; `strict` sets modes (`Api.sets`); `cuda` is evidence of an accelerator; `no-grad`, `backward`.
- `loader`, `wraps-loader`, `sampler` (no seed of its own), `seeded-sampler`, `sequential-sampler`, `split`, `dataset`,
  `transform`, `compose`; `trainer` builds a training loop, `fit` runs it, `optimizer` begins
  one; `env` makes an environment.
- `listing` returns names in the order of the file system, `completion` results in the order in which they finish; `returns-set`.
- `save` writes its arguments to a file, `restore` reads one; `rng-state` reads the state of a generator (or saves it too).
- `spawn` calls its target in another process, `calls` in this one (`Api.callee`); with no marked parameter it is a
  decorator that hands the function through. `option` declares a command-line option; `context` is another `with`.
"""

MOST_ALIASES = 12
"""So often a name is replaced: aliases of somebody's own table may lead in a circle, or into themselves (`a` = `a.b`)."""

MISSING = (
    "entropy", "global", "constant", "keep", "default",
)  # fmt: skip
"""What no seed (or None) means: OS entropy; a draw from a global family; a fixed built-in state; nothing is changed; a
documented default seed."""

MODES = (
    "strict", "warn-only", "debug-mode", "cudnn.enabled", "cudnn.benchmark", "cudnn.deterministic",
    "cublas-workspace", "flash-deterministic", "fill", "tf32", "precision", "inductor-autotune",
    "sdp.flash", "sdp.efficient", "sdp.cudnn",
)  # fmt: skip
"""What `Api.sets` can name. An entry is `mode` (turned on), `!mode` (off), `mode=argument` (set to what is given, if it is)
or `mode=argument:True` (set to that when nothing is given)."""


class Callee(NamedTuple):
    """Which argument a callable calls and what it hands on; arguments are `name@position`, "" where there is none.

    `lead`: how many values of its own come first (the rank for `torch.multiprocessing.spawn`). `args`, `kwargs`: the
    arguments that hold positional and keyword arguments. `each`: iterables whose elements are handed on one by one.
    `rest`: the caller's remaining arguments are handed on.
    """

    target: str
    lead: int = 0
    args: str = ""
    kwargs: str = ""
    each: tuple[str, ...] = ()
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Api:
    """What the tables say about one function, class or method (`package.Class.method`).

    An *argument* is `name` or `name@position`; in conditions with `=value` behind it where only that literal counts
    (`training@2=False`). A family or class may stand under a condition, `numpy?auto_augment`: only where that argument is
    given and may be true.

    - `seeds`: RNG families that calling it fixes; "cuda-only" means the generators of the accelerators alone.
    - `draws`: families drawn from when it is called (a class: when it is built); "entropy" is what no seed fixes.
    - `calls`: families drawn from when an instance is called, iterated or fitted, only in training mode if `training`. Of a
      `compose`: the families of its parts that a seed of its own takes over.
    - `workers`: families that a loader seeds for its items by itself, or that a seeder fixes in the workers of all loaders.
    - `unless`: arguments that, given and not None, take the draw to a private generator or make it needless. Given when an
      instance is called they count too, by name.
    - `filled`: arguments that, known to be given, replace by weights from a file what was drawn; `anew`: those with which
      a part of it is drawn all the same (a head for other classes).
    - `needs`: arguments without which, or with a value that is false, nothing is drawn.
    - `seed`: the argument that carries the seed; `missing`: what its absence or None means (see `MISSING`).
    - `sets`: modes that calling it sets (see `MODES`).
    - `rng`: the kind of private RNG object that it makes.
    - `returns`: the class of the result, "self" for the receiver's; see `result`. `variants`: what it is instead under a
      condition; the last one that holds counts.
    - `yields`: the classes of what iterating the result gives, one for each part of a tuple.
    - `params`: the parameters in order, with the marks that `callee` reads; those after "*" are keyword-only. Of a loader also
      `is_training=shuffle`: the parameter means what `shuffle` means to torch's `DataLoader`.
    - `when`: the version condition under which this was chosen.
    - `note`: a remark for users; `source`: a URL, or a path in the library's package with `@version`.
    """

    name: str
    role: str = ""
    seeds: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    training: bool = False
    unless: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    seed: str = ""
    missing: str = ""
    sets: tuple[str, ...] = ()
    rng: str = ""
    returns: str = ""
    variants: tuple[str, ...] = ()
    yields: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    when: str = ""
    note: str = ""
    source: str = ""

    @property
    def result(self) -> str:
        """The class of what a call returns: `returns`, or the name itself where it is that of a class."""
        last = self.name.rpartition(".")[2]
        return self.returns or (self.name if last[:1].isupper() else "")

    @property
    def callee(self) -> Callee | None:
        """What `params` says about calling an argument, None when no parameter is marked.

        Marks: `fn!` is called (`fn!1` with one value of the caller's own first); `args*` and `kwargs**` hold its
        arguments; `items[]` is iterated for them; `...` stands for the rest of the call's arguments.
        """
        if not any("!" in param for param in self.params):
            return None
        found: dict[str, Any] = {"each": ()}
        position = 0
        for param in self.params:
            if param == "*":
                position = -1
                continue
            name, mark = _split(param)
            place = f"{name}@{position}" if position >= 0 else name
            if param == "...":
                found["rest"] = True
            elif mark.startswith("="):
                pass
            elif mark.startswith("!"):
                found["target"] = place
                found["lead"] = int(mark[1:] or 0)
            elif mark == "[]":
                found["each"] += (place,)
            elif mark:
                found["kwargs" if mark == "**" else "args"] = place
            position += position >= 0
        return Callee(**found)


class _Row(NamedTuple):
    """What one row of a table says: its version condition, "" for none, and the fields of `Api` that it sets."""

    when: str
    fields: Mapping[str, Any]


_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NAMES = re.compile(r"(?:[A-Za-z_*][\w*]*(?:\.[A-Za-z_*][\w*]*)*(?: |$))+")
_ALIAS = re.compile(_NAME.pattern + r"(?:\.\*)?")
_LIBRARY = re.compile(r"\s*([A-Za-z][\w.-]*)\s*[<>=!~^]")
_FAMILY = re.compile(r"[a-z][a-z0-9-]*")
_ARGUMENT = re.compile(r"[A-Za-z_]\w*(?:@\d+)?")
_CONDITION = re.compile(_ARGUMENT.pattern + r"(?:=[\w.-]+)?")
_IF = rf"(?:\?{_CONDITION.pattern})?"
_DRAWN = re.compile(_FAMILY.pattern + _IF)
_CLASS = re.compile(_NAME.pattern + _IF)
_PARAM = re.compile(r"([A-Za-z_]\w*)(!\d*|\*{1,2}|\[\]|=[a-z_]+)?|\*|\.\.\.")
_MODE = re.compile(rf"!?(?:{'|'.join(map(re.escape, MODES))})(?:={_ARGUMENT.pattern}(?::True)?)?")

_LISTS = {
    "seeds": (_FAMILY, "a family"),
    "draws": (_DRAWN, "a family, with ?argument behind it or not"),
    "calls": (_DRAWN, "a family, with ?argument behind it or not"),
    "workers": (_DRAWN, "a family, with ?argument behind it or not"),
    "unless": (_CONDITION, "an argument, name or name@position, with =value behind it or not"),
    "filled": (_CONDITION, "an argument, name or name@position, with =value behind it or not"),
    "anew": (_CONDITION, "an argument, name or name@position, with =value behind it or not"),
    "needs": (_CONDITION, "an argument, name or name@position, with =value behind it or not"),
    "sets": (_MODE, "a mode, mode, !mode or mode=argument"),
    "returns": (_CLASS, "a class, with ?argument behind it or not"),
    "yields": (_NAME, "a class"),
    "params": (_PARAM, "a parameter with its mark"),
}
_STRINGS = {
    "seed": (_ARGUMENT, "an argument, name or name@position"),
    "rng": (_FAMILY, "a kind of RNG"),
}
_CHOICES = {"role": ROLES, "missing": MISSING}
_LINES = ("note", "source")
_KEYS = (*_LISTS, *_STRINGS, *_CHOICES, *_LINES, "training", "when", "names", "under")


def _split(param: str) -> tuple[str, str]:
    """The name of a parameter and its mark."""
    found = _PARAM.fullmatch(param)
    return (found[1] or "", found[2] or "") if found else ("", "")


class Apis:
    """Everything the tables say; immutable, and made by `load_apis`."""

    def __init__(self, rows: Mapping[str, tuple[_Row, ...]], aliases: Mapping[str, str]) -> None:
        self._rows = rows
        self._aliases = aliases
        self._patterns = _by_library(name for name in rows if "*" in name)
        # Memos: the same few names are asked for again and again.
        self._canonical: dict[str, str] = {}
        self._timeless: dict[str, Api | None] = {}

    def __iter__(self) -> Iterator[str]:
        """The canonical names, those with a `*` in them included."""
        return iter(self._rows)

    def spellings(self) -> Iterator[str]:
        """Every name in the tables: the canonical ones, and those that are written for them."""
        yield from self._rows
        yield from self._aliases

    def canonical(self, dotted: str) -> str:
        """The one spelling of a dotted name that the tables use.

        Names in the tables stay as they are; of others the longest prefix that has an alias is replaced, again and again.
        """
        spelling = self._canonical.get(dotted)
        if spelling is None:
            spelling = self._canonical[dotted] = self._spell(dotted)
        return spelling

    def get(self, dotted: str, versions: Mapping[str, Interval] | None = None) -> Api | None:
        """What is known of a dotted name in any spelling, None when nothing is.

        `versions` are the known versions of distributions by normalised name; one that is not known counts as the newest.
        """
        name = self.canonical(dotted)
        if name in self._timeless:
            return self._timeless[name]
        rows = self._rows.get(name) or self._match(name)
        api = _merge(name, rows, versions or {})
        if not any(row.when for row in rows):
            self._timeless[name] = api
        return api

    def triggers(self, roles: Collection[str] | None = None) -> frozenset[str]:
        """The last identifiers of the names that have one of `roles`, for screening text without resolving names.

        None: of all names that have a role, seed, draw, set a mode or make an RNG.
        """
        return frozenset(
            last
            for name, rows in self._rows.items()
            if "*" not in (last := name.rpartition(".")[2]) and any(_triggers(row.fields, roles) for row in rows)
        )

    def having(self, roles: Collection[str]) -> frozenset[str]:
        """The canonical names that have one of these roles in some version."""
        return frozenset(n for n, rows in self._rows.items() if any(row.fields.get("role") in roles for row in rows))

    def seeders(self) -> frozenset[str]:
        """The canonical names of what fixes an RNG family in some version."""
        return frozenset(name for name, rows in self._rows.items() if any("seeds" in row.fields for row in rows))

    def families(self) -> frozenset[str]:
        """Every RNG family that the tables name, and "entropy", which is none."""
        found: set[str] = set()
        for rows in self._rows.values():
            for row in rows:
                found.update(*(row.fields.get(key, ()) for key in ("seeds", "draws", "calls", "workers")))
        return frozenset(family.partition("?")[0] for family in found)

    def _spell(self, dotted: str) -> str:
        for _ in range(MOST_ALIASES):
            if dotted in self._rows or (other := self._replace(dotted)) == dotted:
                break
            dotted = other
        return dotted

    def _replace(self, dotted: str) -> str:
        end = len(dotted)
        while end > 0:
            prefix, tail = dotted[:end], dotted[end:]
            target = self._aliases.get(prefix)
            parent, _, last = prefix.rpartition(".")
            if target is None and tail and last.islower():
                target = self._aliases.get(f"{parent}.*")
            if target is not None:
                return target + tail
            end = dotted.rfind(".", 0, end)
        return dotted

    def _match(self, name: str) -> tuple[_Row, ...]:
        """The rows of the longest pattern that a name matches."""
        for pattern in self._patterns.get(name.partition(".")[0], ()):
            if _shape(pattern).fullmatch(name):
                return self._rows[pattern]
        return ()


def load_apis(extra: Sequence[Path] = (), inline: Mapping[str, Any] = MappingProxyType({})) -> Apis:
    """The tables of the house, then the files `extra`, then the table `inline` of a configuration.

    What comes later adds to what came before, or overrides it field by field.
    Raises `CatalogError` with one line that names the file, the row and the key.
    """
    rows, aliases = _bundled()
    for path in extra:
        _read(parse_toml(read_text(path), str(path)), rows, aliases)
    if inline:
        _read(Table(dict(inline), "[tool.torchdet-lint.apis]"), rows, aliases)
    return Apis(rows, aliases)


def _bundled() -> tuple[dict[str, tuple[_Row, ...]], dict[str, str]]:
    """Rows and aliases of the tables of the house."""
    plain, aliases = compiled("apis", _read_bundled)
    return {name: tuple([_Row(*row) for row in rows]) for name, rows in plain.items()}, aliases


def _read_bundled() -> tuple[dict[str, Any], dict[str, str]]:
    rows: dict[str, tuple[_Row, ...]] = {}
    aliases: dict[str, str] = {}
    folder = rules_folder() / "apis"
    for name in sorted(os.listdir(folder)):
        if name.endswith(".toml"):
            _read(parse_toml(read_text(folder / name), str(folder / name)), rows, aliases)
    return {name: tuple(map(tuple, read)) for name, read in rows.items()}, aliases


def _read(table: Table, rows: dict[str, tuple[_Row, ...]], aliases: dict[str, str]) -> None:
    """Adds the rows and aliases of one file."""
    for spelling, target in table.mapping("aliases").items():
        if not _ALIAS.fullmatch(spelling) or not _NAME.fullmatch(target):
            raise table.error(f"aliases.{spelling}", "must be a dotted prefix with a dotted canonical spelling")
        aliases[spelling] = target
    defaults = _fields(table.table("defaults"))
    for row in table.tables("api"):
        names = _names(row)
        fields = {**defaults, **_fields(row)}
        read = _Row(fields.pop("when", ""), fields)
        for name in names:
            rows[name] = (*rows[name], read) if name in rows else (read,)
    table.finish()


def _names(row: Table) -> tuple[str, ...]:
    """The names of a row, below each prefix of `under`."""
    names = _words(row, "names")
    if not _NAMES.fullmatch(" ".join(names)):
        raise row.error("names", "must be dotted names, in a list or in one string with blanks between them")
    prefixes = _words(row, "under") if "under" in row else ()
    if not all(_NAME.fullmatch(prefix) for prefix in prefixes):
        raise row.error("under", "must be a dotted prefix or a list of them")
    if prefixes:
        names = tuple(f"{prefix}.{name}" for prefix in prefixes for name in names)
    if any(name.startswith("*") for name in names):
        raise row.error("names", "has a name that starts with `*`, but its first part must be that of a library")
    return names


def _words(row: Table, key: str) -> tuple[str, ...]:
    """A list of words, written as one or as a string with blanks between them."""
    return tuple(" ".join(row.texts(key)).split())


def _fields(row: Table) -> dict[str, Any]:
    """The other keys of a row, checked."""
    fields: dict[str, Any] = {}
    keys = row.keys()
    for key in keys:
        if key in _LISTS:
            fields[key] = _words(row, key)
            for value in fields[key]:
                _check(row, key, value, *_LISTS[key])
            if key == "returns":
                fields.update(_returns(row, fields[key]))
        elif key in _STRINGS:
            fields[key] = row.line(key)
            _check(row, key, fields[key], *_STRINGS[key])
        elif key in _CHOICES:
            fields[key] = row.choice(key, _CHOICES[key])
        elif key in _LINES:
            fields[key] = row.line(key)
        elif key == "training":
            fields[key] = row.flag(key)
        elif key == "when":
            fields[key] = _condition(row)
        elif key not in ("names", "under"):
            raise row.error(key, f"is not known in a row{suggest(key, _KEYS)}")
    return fields


def _returns(row: Table, classes: tuple[str, ...]) -> dict[str, Any]:
    """The class of the result, and what it is instead under conditions."""
    if not classes or "?" in classes[0] or not all("?" in other for other in classes[1:]):
        raise row.error("returns", "must be a class, and then perhaps others with ?argument behind them")
    return {"returns": classes[0], "variants": classes[1:]}


def _check(row: Table, key: str, value: str, shape: re.Pattern[str], words: str) -> None:
    if not shape.fullmatch(value):
        near = suggest(value.lstrip("!").partition("=")[0], MODES) if key == "sets" else ""
        raise row.error(key, f'has "{value}", which is not {words}{near}')


def _condition(row: Table) -> str:
    """A version condition that names its library."""
    condition = row.line("when")
    if not _LIBRARY.match(condition):
        raise row.error("when", f'is "{condition}", but must name a library and its versions, such as "torch>=1.9"')
    try:
        ANY.newest_satisfies(condition)
    except VersionError as error:
        raise row.error("when", f"is no version condition: {error}") from error
    return condition


def _merge(name: str, rows: tuple[_Row, ...], versions: Mapping[str, Interval]) -> Api | None:
    """The rows without a condition, then over them those whose condition holds."""
    held = [row for row in rows if row.when and _holds(row.when, versions)]
    chosen = [row for row in rows if not row.when] + held
    fields: dict[str, Any] = {}
    for row in chosen:
        fields.update(row.fields)
    return Api(name, when=", ".join(row.when for row in held), **fields) if chosen else None


def _holds(condition: str, versions: Mapping[str, Interval]) -> bool:
    """Whether the known versions of the library fulfil a condition; libraries go by their normalised names (PEP 503)."""
    library = _LIBRARY.match(condition)
    name = re.sub(r"[-_.]+", "-", library[1]).lower() if library else ""
    return versions.get(name, ANY).newest_satisfies(condition)


def _triggers(fields: Mapping[str, Any], roles: Collection[str] | None) -> bool:
    if roles is not None:
        return fields.get("role", "") in roles
    return any(key in fields for key in ("role", "seeds", "draws", "calls", "rng", "sets"))


def _by_library(patterns: Iterable[str]) -> dict[str, list[str]]:
    """The patterns below the first part of a name, the most specific (longest) first."""
    found: dict[str, list[str]] = {}
    for pattern in sorted(patterns, key=lambda pattern: (-len(pattern), pattern)):
        found.setdefault(pattern.partition(".")[0], []).append(pattern)
    return found


@cache
def _shape(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first asked for: most programs use few libraries."""
    return re.compile(re.escape(pattern).replace(r"\*", r"\w*"))
