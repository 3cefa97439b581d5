"""The catalogue: what is known of every rule, read from one TOML file a rule.

A rule file has two parts. The head (everything before the line `[docs]`) is what findings need, and is all that a run
reads; the page behind it (reasons, references, examples) is read by `torchdet_lint.catalog.page`. Parsing heads only
halves the time, and the whole catalogue loads in a few milliseconds without any generated form of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from torchdet_lint import disk
from torchdet_lint.catalog.compiled import compiled
from torchdet_lint.catalog.errors import CatalogError, suggest
from torchdet_lint.catalog.match import Match, read_match
from torchdet_lint.catalog.messages import Variant, check_name, read_variants
from torchdet_lint.catalog.tables import Table, parse_toml
from torchdet_lint.finding import CONFIDENCES, EFFECTS, SAFETIES, SEVERITIES

SCOPES = ("site", "program")
PROJECT_FAMILY = "project"
"""The family of the rules that a project adds itself."""

_PAGE = re.compile(r"^\[docs\]\s*$", re.MULTILINE)
_BUILTIN_CODE = re.compile(r"TDL\d{3}")
_PROJECT_CODE = re.compile(r"[A-Z]{2,10}\d{1,5}")


class Family(NamedTuple):
    """A group of rules; its codes start with `prefix`."""

    name: str
    prefix: str
    title: str
    intro: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `severity`, `confidence` and `effect` hold where the message variant says nothing else.

    `effects` are all effects that the rule can have, the usual one first; it is empty for rules about the linting
    itself. `scope` is "site" (a finding for each place) or "program" (one for each program and family of random
    numbers). `fixes` are the safeties that fixes of its findings can have; it is empty where there are none. `source` is the
    path of the rule file.
    """

    code: str
    name: str
    family: str
    summary: str
    severity: str
    confidence: str
    effects: tuple[str, ...]
    scope: str
    default: bool
    since: str
    variants: Mapping[str, Variant] = field(hash=False)
    match: Match | None
    source: str
    fixes: tuple[str, ...] = ()

    @property
    def effect(self) -> str:
        return self.effects[0] if self.effects else ""

    @property
    def page(self) -> str:
        """The path of the rule's page below the documentation folder."""
        return f"rules/{self.code}.md"

    def variant(self, name: str = "default") -> Variant:
        """The message variant of that name; asking for one that the rule file does not have is a `CatalogError`."""
        if name not in self.variants:
            raise CatalogError(f"{self.source}: no message `{name}`{suggest(name, self.variants)}")
        return self.variants[name]


@dataclass(frozen=True, slots=True)
class Catalog:
    """All rules, by code, and the families that they belong to."""

    rules: tuple[Rule, ...]
    families: tuple[Family, ...]

    def find(self, code_or_name: str) -> Rule | None:
        """The rule with exactly this code (in any case) or name."""
        code = code_or_name.upper()
        return next((rule for rule in self.rules if code_or_name == rule.name or code == rule.code), None)

    def get(self, code_or_name: str) -> Rule:
        """The rule with this code or name; raises `CatalogError` with the nearest one when there is none."""
        rule = self.find(code_or_name)
        if rule is None:
            known = [word for rule in self.rules for word in (rule.code, rule.name)]
            raise CatalogError(f'no rule "{code_or_name}"{suggest(code_or_name, known)}')
        return rule

    def family(self, name: str) -> Family:
        return next(family for family in self.families if family.name == name)

    def load_extra(self, paths: Iterable[str | os.PathLike[str]]) -> Catalog:
        """This catalogue with the rules of a project's own files added; raises `CatalogError`."""
        extra = tuple(_read_rule(_document(Path(path)), Path(path), None) for path in paths)
        if not extra:
            return self
        project = Family(PROJECT_FAMILY, "", "Rules of this project", "Rules that the project's configuration adds.")
        families = (*[family for family in self.families if family.name != PROJECT_FAMILY], project)
        return _catalog((*self.rules, *extra), families)


@cache
def load_rules() -> Catalog:
    """The rules that torchdet-lint brings; raises `CatalogError` when their files are missing or damaged."""
    folder = rules_folder()
    documents = compiled("rules", lambda: _documents(folder))
    return read_catalog(folder, lambda path: Table(documents[str(path)], str(path)))


def rules_folder() -> Path:
    """Where the rule files are: `rules/` beside the package in a checkout, else `_rules` inside the package.

    An editable install finds the checkout; a wheel brings its copy along.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package.parent / "rules", package / "_rules"):
        if (folder / "_families.toml").is_file():
            return folder
    raise CatalogError("the rule files of torchdet-lint are missing; install it again")


def read_catalog(folder: Path, document: Callable[[Path], Table] | None = None) -> Catalog:
    """The catalogue in `folder`: `_families.toml`, and `<family>/<code>-<name>.toml` for every rule.

    `document` gives the contents of a file, where they need not be parsed.
    """
    read = document or _document
    families = _read_families(read(folder / "_families.toml"))
    rules = []
    for family in families:
        if (folder / family.name).is_dir():
            names = sorted(name for name in os.listdir(folder / family.name) if name.endswith(".toml"))
            paths = [folder / family.name / name for name in names]
            rules += [_read_rule(read(path), path, family) for path in paths]
    return _catalog(tuple(rules), families)


def _documents(folder: Path) -> dict[str, dict[str, Any]]:
    """What the files of a catalogue hold, by their paths. Raises what `read_catalog` raises."""
    found = {}

    def document(path: Path) -> Table:
        table = _document(path)
        found[str(path)] = table.data
        return table

    read_catalog(folder, document)
    return found


def _document(path: Path) -> Table:
    """What a file of the catalogue holds, without the page of a rule."""
    text = read_text(path)
    page = _PAGE.search(text)
    return parse_toml(text[: page.start()] if page else text, str(path))


def _catalog(rules: tuple[Rule, ...], families: tuple[Family, ...]) -> Catalog:
    seen: dict[str, Rule] = {}
    for rule in rules:
        for word in (rule.code, rule.name):
            if word in seen:
                raise CatalogError(f"{rule.source}: `{word}` is taken already, by {seen[word].source}")
            seen[word] = rule
        if any(rule.name == family.name for family in families):
            raise CatalogError(f"{rule.source}: `{rule.name}` is the name of a family; choose another name")
    return Catalog(tuple(sorted(rules, key=lambda rule: rule.code)), families)


def _read_families(document: Table) -> tuple[Family, ...]:
    families = []
    for table in document.tables("families"):
        family = Family(table.line("name"), table.line("prefix"), table.line("title"), table.text("intro").strip())
        table.finish()
        families.append(family)
    document.finish()
    return tuple(families)


def _read_rule(table: Table, path: Path, family: Family | None) -> Rule:
    """The rule in a file: a built-in one of `family`, or one of the project's own when that is None."""
    rule = _builtin_rule(table, path, family) if family else _project_rule(table, path)
    table.finish()
    return rule


def _builtin_rule(table: Table, path: Path, family: Family) -> Rule:
    code, name = table.line("code"), check_name(table, "name")
    if not _BUILTIN_CODE.fullmatch(code) or not code.startswith(family.prefix):
        raise table.error("code", f'is "{code}", but codes of the family {family.name} look like {family.prefix}nn')
    if path.name != f"{code}-{name}.toml":
        raise table.error("name", f"and the file name differ; call the file {code}-{name}.toml")
    severity, confidence = table.choice("severity", SEVERITIES), table.choice("confidence", CONFIDENCES)
    effects = _effects(table, ())
    match = read_match(table.table("match")) if "match" in table else None
    return Rule(
        code=code,
        name=name,
        family=family.name,
        summary=table.line("summary"),
        severity=severity,
        confidence=confidence,
        effects=effects,
        scope=table.choice("scope", SCOPES),
        default=table.flag("default"),
        since=table.line("since"),
        variants=read_variants(table, severity, confidence, effects),
        match=match,
        source=str(path),
        fixes=_fixes(table),
    )


def _project_rule(table: Table, path: Path) -> Rule:
    code, name = table.line("code"), check_name(table, "name")
    if not _PROJECT_CODE.fullmatch(code) or code.startswith("TDL"):
        raise table.error("code", f'is "{code}", but must be capitals and digits such as "LAB001", and not TDL')
    if "match" not in table:
        raise CatalogError(f"{path}: missing table [match]; it says which calls the rule speaks about")
    severity = table.choice("severity", SEVERITIES, "warning")
    confidence = table.choice("confidence", CONFIDENCES, "high")
    effects = _effects(table, ("run",))
    variants = read_variants(table, severity, confidence, effects)
    if set(variants) != {"default"}:
        raise table.error("message", "is what a rule with a [match] table says; it has no other messages")
    return Rule(
        code=code,
        name=name,
        family=PROJECT_FAMILY,
        summary=table.line("summary", variants["default"].template),
        severity=severity,
        confidence=confidence,
        effects=effects,
        scope="site",
        default=table.flag("default", True),
        since="",
        variants=variants,
        match=read_match(table.table("match")),
        source=str(path),
    )


def _effects(table: Table, default: tuple[str, ...]) -> tuple[str, ...]:
    effects = table.texts("effect", default)
    for effect in effects:
        if effect not in EFFECTS:
            listed = ", ".join(EFFECTS)
            raise table.error("effect", f'is "{effect}", but must be one of {listed}{suggest(effect, EFFECTS)}')
    return effects


def _fixes(table: Table) -> tuple[str, ...]:
    fixes = table.texts("fix", ())
    for fix in fixes:
        if fix not in SAFETIES:
            listed = ", ".join(SAFETIES)
            raise table.error("fix", f'is "{fix}", but must be one of {listed}{suggest(fix, SAFETIES)}')
    return tuple(sorted(fixes, key=SAFETIES.index))


def read_text(path: Path) -> str:
    try:
        return disk.read(str(path)).decode().replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise CatalogError(f"{path}: no such file") from error
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CatalogError(f"{path}: not UTF-8 (byte {error.start}); TOML files must be") from error
