"""Which configuration holds where.

The values of scope "file" come from the configuration closest to each file. Those of scope "project" come from one
configuration for the whole run, so that what is found does not depend on which files of a project were passed: the
closest one seen from the working directory or, where none is or the paths lie elsewhere, from the folder that they share.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from torchdet_lint import disk
from torchdet_lint.config import files
from torchdet_lint.config.errors import ConfigError
from torchdet_lint.config.merge import for_project, merge
from torchdet_lint.config.settings import OPTIONS, Settings
from torchdet_lint.config.validate import Layer, layer


class SettingsFor:
    """`settings_for(path)` is what holds for a file; `settings_for.project` what holds for the run.

    `cwd` and `paths` (what the run is about) may be relative to the process's working directory. `config_file` replaces
    discovery; `isolated` reads no file; `overrides` (command-line options) lie above everything. Answers are cached by folder.
    Raises ConfigError when a configuration is first needed that cannot be used.
    """

    def __init__(
        self,
        cwd: str,
        paths: Sequence[str] = (),
        *,
        config_file: str | None = None,
        isolated: bool = False,
        overrides: tuple[Layer, ...] = (),
    ) -> None:
        self.cwd = os.path.abspath(cwd)
        self._overrides = overrides
        self._found: dict[str, str | None] = {}
        self.notices: list[str] = []
        """What configurations say in vain, a line each."""
        self._merged: dict[tuple[str | None, bool], Settings] = {}
        self._fixed = isolated or config_file is not None
        self._file = os.path.join(self.cwd, config_file) if config_file is not None else None
        if self._file is not None and not disk.is_file(self._file):
            raise ConfigError(f"{config_file}: no such configuration file")
        self.root = self.cwd
        """The folder that is the run's: where its configuration file stands, else the working directory or the shared folder."""
        self.project = self._project([os.path.join(self.cwd, path) for path in paths])

    def __call__(self, path: str) -> Settings:
        """The settings for a file, or for a folder's own files when `path` is a folder; relative paths are from `cwd`."""
        absolute = os.path.normpath(os.path.join(self.cwd, path))
        folder = absolute if disk.is_folder(absolute) else os.path.dirname(absolute)
        return self._settings(self._closest(folder))

    def _project(self, paths: list[str]) -> Settings:
        found = self._closest(self.cwd)
        outside = [path for path in paths if not _inside(path, self.cwd)]
        if paths and (outside or found is None):
            shared = _shared(paths)
            found, self.root = self._closest(shared), shared
        if found is not None and not self._fixed:
            self.root = os.path.dirname(found)
        return self._settings(found, whole=True)

    def _settings(self, found: str | None, whole: bool = False) -> Settings:
        if (found, whole) not in self._merged:
            layers = files.chain(found, self.cwd) if found is not None else ()
            settings = merge((*layers, *self._overrides), self.root, found)
            if not whole:
                self._note_ignored(settings)
                settings = for_project(settings, self.project)
            self._merged[found, whole] = settings
        return self._merged[found, whole]

    def _note_ignored(self, settings: Settings) -> None:
        """Tells of keys that only the configuration of the whole run can set."""
        ours = dict(self.project.origins)
        for key, origins in settings.origins:
            name = key.replace("_", "-")
            for origin in origins if OPTIONS[name].scope == "project" else ():
                if origin not in ours.get(key, ()):
                    used = self.project.config_file
                    whose = "the defaults" if used is None else files.shown(used, self.cwd)
                    self.notices.append(f"{origin}: `{name}` holds for whole runs; this one takes it from {whose}")

    def _closest(self, folder: str) -> str | None:
        if self._fixed:
            return self._file
        passed = []
        while folder not in self._found:
            passed.append(folder)
            found, parent = files.find(folder), os.path.dirname(folder)
            if found is not None or parent == folder:
                self._found[folder] = found
                break
            folder = parent
        for each in passed:
            self._found[each] = self._found[folder]
        return self._found[folder]


def inline(text: str, cwd: str) -> Layer:
    """The layer of `--config KEY=VALUE`, where VALUE is TOML. Raises ConfigError."""
    try:
        return layer(f"--config {text}", os.path.abspath(cwd), files.parse(text, "--config"))
    except ConfigError as error:
        key, _, value = text.partition("=")
        if "invalid TOML" in str(error) and value and value.strip()[0].isalpha():
            quoted = f'{key.strip()}="{value.strip()}"'
            raise ConfigError(
                f"--config {text}: VALUE is TOML, and strings need quotes; write --config '{quoted}'"
            ) from None
        if "invalid TOML" in str(error):
            raise ConfigError(f"--config {text}: {str(error).partition(': ')[2]}") from None
        raise


def _inside(path: str, folder: str) -> bool:
    return os.path.normpath(path) == folder or os.path.normpath(path).startswith(folder.rstrip(os.sep) + os.sep)


def _shared(paths: list[str]) -> str:
    folders = [path if disk.is_folder(path) else os.path.dirname(path) for path in map(os.path.normpath, paths)]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # on several drives
        return folders[0]
