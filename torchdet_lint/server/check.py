"""The engine under an editor: what is open, with its texts in place of what is on the disk, and what is found in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from torchdet_lint import engine
from torchdet_lint.cache.folder import default_folder, obstacle
from torchdet_lint.catalog.errors import CatalogError, SelectionError, VersionError
from torchdet_lint.config import ConfigError, Layer, SettingsFor, layer
from torchdet_lint.engine.kept import Memory
from torchdet_lint.engine.options import Options, Progress, Result
from torchdet_lint.engine.reading import Reading
from torchdet_lint.engine.scope import MARKERS, display_of, project_root
from torchdet_lint.finding import Finding, Location
from torchdet_lint.server.typed import Texts, fault_of, lines_of

if TYPE_CHECKING:
    from torchdet_lint.engine.fixing import Fixed

USER_ERRORS = (ConfigError, CatalogError, SelectionError, VersionError)
"""What the configuration has wrong, said in one line."""

EDITOR = "the editor's settings"


class Given(NamedTuple):
    """What the command line says: it holds in every folder. `cache_dir` replaces the projects' own caches."""

    config_file: str | None = None
    isolated: bool = False
    overrides: tuple[Layer, ...] = ()
    cache: bool = True
    cache_dir: str | None = None


class Stopped(BaseException):
    """Ends a run that nobody waits for any more. No `Exception`, so that nothing takes it for trouble."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A run in the folder `cwd`: what it was asked, and what came out. `held` are open files of which another text than their
    own was analysed, so that places in them say nothing.
    """

    cwd: str
    options: Options
    result: Result
    held: Mapping[str, Reading] = field(default_factory=dict)

    def path(self, shown: str) -> str:
        """The absolute path of a file as the run shows it."""
        return self.result.paths.get(shown) or os.path.normpath(os.path.join(self.cwd, shown))

    def excerpt(self, place: Location) -> tuple[str, ...]:
        held = self.held.get(self.path(place.path))
        return self.result.excerpt(place) if held is None else lines_of(held, place)


class Found(NamedTuple):
    """What is found in one file, by which run."""

    findings: tuple[Finding, ...]
    by: Checked


@dataclass
class Checker:
    """Runs the engine, and remembers between runs what it can use again."""

    given: Given
    editor: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the configuration that the editor sets."""
    _texts: Texts = field(default_factory=Texts)
    _memories: dict[str, Memory] = field(default_factory=dict)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)
    """Runs set the recursion limit of the process and share memories."""

    def check(self, cwd: str, paths: Iterable[str], contents: Mapping[str, bytes], progress: Progress) -> Checked:
        """Checks files, under the settings that hold in the folder `cwd`; `contents` are the texts of what is open there.

        Raises ConfigError, CatalogError, SelectionError and VersionError.
        """
        named = tuple(sorted(paths))
        texts, held = self._texts.sort(contents)
        overlay = {path: data for path, data in texts.items() if not _is_on_disk(path, data)}
        settings = self._settings(cwd, named)
        options = Options(
            paths=tuple(path for path in named if path not in held),
            settings=settings,
            jobs=settings.project.jobs,
            cwd=cwd,
            contents=overlay,
            memory=self._memory(cwd, named, settings),
            lasting=not overlay,
        )
        result = Result(())
        if options.paths:
            with self._one_at_a_time:
                result = engine.run(options, progress)
        here = {path: held[path] for path in named if path in held}
        return Checked(cwd, options, _with_faults(result, here, options), held)

    def fix(self, checked: Checked, path: str, progress: Progress) -> Fixed:
        """Makes the safe fixes for findings in one file, in memory. Raises what `check` raises."""
        from torchdet_lint.engine import fixing

        def wanted(finding: Finding) -> bool:
            here = checked.path(finding.location.path) == path
            return here and finding.fix is not None and finding.fix.safety in fixing.SAFE

        with self._one_at_a_time:
            return fixing.fix(replace(checked.options, lasting=False), progress, wanted, engine.run)

    def _settings(self, cwd: str, paths: tuple[str, ...]) -> SettingsFor:
        """What is excluded is not checked, though it is named: the editor opens it, not its reader."""
        layers = [*self.given.overrides, layer(EDITOR, cwd, {"force-exclude": True})]
        if self.editor:
            layers.append(layer(EDITOR, cwd, self.editor))
        given = self.given
        return SettingsFor(cwd, paths, config_file=given.config_file, isolated=given.isolated, overrides=tuple(layers))

    def _memory(self, cwd: str, paths: tuple[str, ...], settings: SettingsFor) -> Memory:
        if cwd not in self._memories:
            self._memories[cwd] = Memory(self._cache(cwd, paths, settings) if self.given.cache else None)
        return self._memories[cwd]

    def _cache(self, cwd: str, paths: tuple[str, ...], settings: SettingsFor) -> str | None:
        """The folder of the cache. A file that is in no project leaves nothing beside itself. Raises ConfigError."""
        configured = settings.project.cache_dir
        chosen = self.given.cache_dir or (configured.path if configured is not None else None)
        if chosen is None:
            root, is_project = project_root(cwd, paths)
            return default_folder(root) if is_project else None
        if why := obstacle(chosen):
            raise ConfigError(
                f"the cache cannot be in {chosen}: it {why}; name a folder that is empty or not there yet"
            )
        return chosen


def _with_faults(result: Result, held: Mapping[str, Reading], options: Options) -> Result:
    """A result with what is wrong with the syntax of the files that are held back, unless they are excluded."""
    if not held:
        return result
    wanted = engine.files(replace(options, paths=tuple(held), contents=dict.fromkeys(held, b""))).files
    shown = {display_of(path, options.cwd): path for path in held}
    faults = [
        fault
        for display, path in shown.items()
        if display in wanted and (fault := fault_of(display, path, held[path], options.settings(path))) is not None
    ]
    return replace(result, findings=(*result.findings, *faults), paths={**result.paths, **shown})


def folder_of(path: str, folders: Iterable[str]) -> str:
    """The folder in which a file is checked: the editor's folder that it is in, the innermost of several; else the project
    around it, or where it lies.
    """
    around = [each for each in folders if path.startswith(os.path.join(each, ""))]
    return max(around, key=len) if around else _project(os.path.dirname(path))


def _project(folder: str) -> str:
    home, at = os.path.expanduser("~"), folder
    while at != home and os.path.dirname(at) != at:
        if any(os.path.lexists(os.path.join(at, marker)) for marker in MARKERS):
            return at
        at = os.path.dirname(at)
    return folder


def _is_on_disk(path: str, data: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read() == data
    except OSError:
        return False
