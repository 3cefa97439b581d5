"""What settings mean for findings: which rules are on where, with which severity, and which findings are shown."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from dataclasses import dataclass, replace

from torchdet_lint import disk
from torchdet_lint.catalog.errors import SelectionError
from torchdet_lint.catalog.rules import Catalog, load_rules
from torchdet_lint.catalog.select import Selection, expand, resolve
from torchdet_lint.config.errors import ConfigError
from torchdet_lint.config.globs import Anchored
from torchdet_lint.config.settings import Settings
from torchdet_lint.finding import CONFIDENCES, SEVERITIES, Finding

UNREADABLE = "TDL999"
"""On whatever is selected, since a file that was not read must never look like one without findings; `ignore` turns it off."""


@dataclass(frozen=True, slots=True)
class Policy:
    """One configuration, with its selectors read against the catalogue.

    `codes` are the rules that are on, `severities` those that the configuration gives rules by code, `ignores` the codes that
    are off where a glob matches, `fixable` the rules whose findings may be fixed.
    """

    codes: frozenset[str]
    fixable: frozenset[str]
    severities: dict[str, str]
    ignores: tuple[tuple[Anchored, frozenset[str]], ...]
    min_severity: int
    min_confidence: int

    def codes_for(self, path: str) -> frozenset[str]:
        """The rules that are on in the file at an absolute path."""
        off = [codes for glob, codes in self.ignores if glob.matches(path)]
        return self.codes.difference(*off)

    def shown(self, finding: Finding, path: str) -> Finding | None:
        """The finding, at the absolute `path`, as it is reported, or None when it is not."""
        severity = self.severities.get(finding.code, finding.severity)
        if (
            SEVERITIES.index(severity) < self.min_severity
            or CONFIDENCES.index(finding.confidence) < self.min_confidence
        ):
            return None
        if finding.code not in self.codes_for(path):
            return None
        fix = finding.fix if finding.code in self.fixable else None
        same = severity == finding.severity and fix is finding.fix
        return finding if same else replace(finding, severity=severity, fix=fix)


def policy(settings: Settings, catalog: Catalog) -> Policy:
    """The policy of `settings`. Raises ConfigError for a selector that names nothing, saying where it stands."""

    def codes(key: str, selectors: Iterable[str]) -> list[frozenset[str]]:
        return [_expanded(settings, key, selector, catalog) for selector in selectors]

    codes("select", settings.select or ())
    codes("extend_select", settings.extend_select)
    ignored = codes("ignore", settings.ignore)
    on = resolve(catalog, Selection(settings.select, settings.ignore, settings.extend_select))
    fixable = frozenset[str]().union(*codes("fixable", settings.fixable))
    severities = [(codes("severity", [selector])[0], severity) for selector, severity in settings.severity]
    severities.sort(key=lambda pair: -len(pair[0]))  # so that the more specific selector has the last word
    return Policy(
        fixable=fixable.difference(*codes("unfixable", settings.unfixable)),
        codes=on if frozenset((UNREADABLE,)) in ignored else on | {UNREADABLE},
        severities={code: severity for covered, severity in severities for code in covered},
        ignores=tuple(
            (each.glob, frozenset[str]().union(*codes("per_file_ignores", each.selectors)))
            for each in settings.per_file_ignores
        ),
        min_severity=SEVERITIES.index(settings.min_severity),
        min_confidence=CONFIDENCES.index(settings.min_confidence),
    )


def catalog_for(settings: Settings) -> Catalog:
    """The bundled rules and those of the project's `extend-rules`.

    Raises ConfigError for a path or glob that matches no file, and CatalogError for a rule file that cannot be used.
    """
    return load_rules().load_extra(named_files(settings, "extend_rules"))


def named_files(settings: Settings, key: str) -> tuple[str, ...]:
    """The files that a list of paths and globs names, each once; `key` is the field of the settings.

    Raises ConfigError for a path or glob that matches no file.
    """
    paths: list[str] = []
    for each in getattr(settings, key):
        if set(each.path) & set("*?["):
            disk.untraceable()
        found = sorted(glob.glob(each.path, recursive=True))
        if not found:
            name = key.replace("_", "-")
            raise ConfigError(f"{settings.origin(key)}: `{name}` names {each.text}, and there is no such file")
        paths += found
    return tuple(dict.fromkeys(paths))


def _expanded(settings: Settings, key: str, selector: str, catalog: Catalog) -> frozenset[str]:
    try:
        return expand(catalog, selector)
    except SelectionError as error:
        raise ConfigError(f"{settings.origin(key)}: `{key.replace('_', '-')}`: {error}") from None
