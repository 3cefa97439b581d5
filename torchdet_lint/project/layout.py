"""Which file an import names: packages, src layouts, scripts beside modules, relative imports."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable
from copy import copy
from posixpath import dirname, join, normpath

OUTSIDE = frozenset(sys.stdlib_module_names) | {
    "torch",
    "torchvision",
    "numpy",
    "scipy",
    "pandas",
    "tqdm",
    "transformers",
}
"""Top-level names that only a module beside a script can shadow; elsewhere they always mean the library."""

LIBRARIES = frozenset(
    "triton timm einops flash_attn xformers apex deepspeed lightning accelerate peft sklearn matplotlib cv2 PIL jax tensorflow"
    " torchaudio wandb hydra omegaconf gym gymnasium ray optuna webdataset kornia monai jsonargparse diffusers".split()
)
"""Names that packages like to give to a part of their own, which keeps its full name: inside of `mypackage.ops.triton`, `triton`
is the library. At the top of a project the name means the project's package."""


class Layout:
    """The project's Python files, and what a dotted name means when it is imported from one of them.

    `files` are paths with forward slashes; `roots` are further folders that are on `sys.path` (from the configuration).
    """

    def __init__(self, files: Iterable[str], roots: Iterable[str] = ()) -> None:
        self.files = {normpath(path): path for path in files}
        self.roots = tuple(normpath(root) for root in roots)
        self.folders = _folders(self.files)
        self._names = _last_names((*self.files, *self.folders))
        self._found: dict[tuple[str, str, int], str | None] = {}
        self._homes: dict[str, str] = {}
        self._named: dict[tuple[str, str, int], bool] = {}
        self._paths: dict[str, tuple[tuple[str, bool], ...]] = {}
        self.visible: Container[str] | None = None
        """The files that imports find, all where it is None."""

    def __reduce__(self) -> tuple[type[Layout], tuple[tuple[str, ...], tuple[str, ...]]]:
        """Sent to another process without what it has found so far."""
        return Layout, (tuple(self.files.values()), self.roots)

    def within(self, paths: Container[str]) -> Layout:
        """The same layout, in which imports find only these files; what names mean is settled by all of them."""
        part = copy(self)
        part.visible = paths
        return part

    def add_roots(self, roots: Iterable[str]) -> None:
        """Further folders to look in, as programs add them to `sys.path`."""
        self.roots = tuple(dict.fromkeys((*self.roots, *(normpath(root) for root in roots))))

    def find(self, importer: str, dotted: str, level: int = 0) -> str | None:
        """The file that `import dotted` (or `from ..dotted import`) means in the file `importer`, or None when it is outside."""
        last = dotted.rpartition(".")[2]
        if last and last not in self._names:  # most imports are of libraries, or of what stands in a module
            return None
        folder = self._folder_of(importer)
        key = (folder, dotted, level)
        if key not in self._found:
            self._found[key] = self._relative(folder, dotted, level) if level else self._search(folder, dotted)
        found = self._found[key]
        if (
            found is not None and level == 0 and found == importer
        ):  # `model` in `utils/model.py`: nobody imports himself
            own = (importer, dotted, -1)
            if own not in self._found:
                self._found[own] = self._search(folder, dotted, importer)
            found = self._found[own]
        return found if self.visible is None or found in self.visible else None

    def _folder_of(self, path: str) -> str:
        if path not in self._homes:
            self._homes[path] = dirname(normpath(path))
        return self._homes[path]

    def _relative(self, folder: str, dotted: str, level: int) -> str | None:
        for _ in range(level - 1):
            folder = dirname(folder)
        return self._module_at(join(folder, dotted.replace(".", "/")) if dotted else folder)

    def is_package(self, folder: str) -> bool:
        return normpath(join(folder, "__init__.py")) in self.files

    def name_of(self, path: str) -> str:
        """The dotted name that the file has for its own package, `train` for a script."""
        path = normpath(path)
        stem, folder = path.rsplit("/", 1)[-1].rsplit(".", 1)[0], dirname(path)
        parts = [] if stem == "__init__" else [stem]
        while folder and self.is_package(folder):
            parts.insert(0, folder.rsplit("/", 1)[-1])
            folder = dirname(folder)
        return ".".join(parts) or stem

    def _search(self, folder: str, dotted: str, but: str = "") -> str | None:
        top, below = dotted.partition(".")[0], dotted.replace(".", "/")
        for root, beside in self._search_path(folder):
            if not beside and (top in OUTSIDE or (top in LIBRARIES and self.is_package(root))):
                continue
            found = self._module_at(join(root, below))
            if found and found != but:
                return found
        return self._vendored(folder, top, below)

    def _vendored(self, folder: str, top: str, below: str) -> str | None:
        """A module of another project that lies in this one as a whole (`fairseq/fairseq/__init__.py`), and is installed."""
        for root, _ in self._search_path(folder):
            nested = join(root, top)
            if not self.is_package(nested) and self.is_package(join(nested, top)):
                return self._module_at(join(nested, below))
        return None

    def _search_path(self, folder: str) -> tuple[tuple[str, bool], ...]:
        """Folders to look in, nearest first; true where a script's own folder may shadow libraries."""
        if folder not in self._paths:
            script = not self.is_package(folder)
            chain = [(folder, True)] if script else []
            above = folder
            while above:
                above = dirname(above)
                chain += [(above, False)]
                if above in ("", "/", ".."):
                    break
            chain += [(join(above, "src"), False) for above, _ in list(chain)]
            chain += [(root, False) for root in self.roots]
            if not script:
                chain.append((folder, False))
            self._paths[folder] = tuple(dict.fromkeys(chain))
        return self._paths[folder]

    def _module_at(self, path: str) -> str | None:
        path = normpath(path)
        for candidate in (f"{path}/__init__.py" if path != "." else "__init__.py", f"{path}.py", f"{path}.pyi"):
            if candidate in self.files:
                return self.files[candidate]
        return None

    def has_folder(self, importer: str, dotted: str, level: int = 0) -> bool:
        """Whether `dotted` is a folder of the project without an `__init__.py` (a namespace package)."""
        folder = self._folder_of(importer)
        key = (folder, dotted, level)
        if key not in self._named:
            self._named[key] = self._names_folder(folder, dotted, level)
        return self._named[key]

    def _names_folder(self, folder: str, dotted: str, level: int) -> bool:
        if level:
            for _ in range(level - 1):
                folder = dirname(folder)
            return normpath(join(folder, *dotted.split("."))) in self.folders
        top = dotted.split(".", 1)[0]
        return top not in OUTSIDE and any(
            normpath(join(root, *dotted.split("."))) in self.folders
            and not (top in LIBRARIES and self.is_package(root))
            for root, _ in self._search_path(folder)
        )


def _last_names(paths: Iterable[str]) -> frozenset[str]:
    """What the last part of a dotted name must be one of, to mean one of these files and folders."""
    return frozenset(path.rpartition("/")[2].partition(".")[0] for path in paths)


def _folders(files: Iterable[str]) -> frozenset[str]:
    seen: set[str] = set()
    for path in files:
        folder = dirname(path)
        while folder and folder not in seen:
            seen.add(folder)
            folder = dirname(folder)
    return frozenset(seen)
