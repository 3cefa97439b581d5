"""The code that is measured: published wheels at fixed versions, of which nothing is installed and nothing runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MARK = "[tool.fixit]\nroot = true\n"
"""Each package is a project of its own: no configuration above it is anyone's concern."""

PLATFORM = ("--python-version", "3.11", "--platform", "manylinux_2_28_x86_64", "--implementation", "cp")
"""The platform of the wheels: the sources are the same on all, and so all machines measure the same."""


class Package(NamedTuple):
    """A wheel, and the folders of it that count (all by default)."""

    name: str
    version: str
    folders: tuple[str, ...] = ()


SCRIPTS = (
    Package("cleanrl", "1.2.0"),
    Package("torchtune", "0.6.1", ("recipes",)),
    Package("open_clip_torch", "3.3.0", ("open_clip_train",)),
)
"""Training scripts: each has its own loop, and is started by itself."""

SAMPLE = (Package("stable_baselines3", "2.9.2"),)
LIBRARIES = (
    *SAMPLE,
    Package("accelerate", "1.15.0"),
    Package("sentence_transformers", "6.2.0"),
    Package("lightning", "2.6.6"),
)
FULL_SAMPLE = (Package("stable_baselines3", "2.9.2"), Package("accelerate", "1.15.0"), Package("lightning", "2.6.6"))
FULL_LIBRARIES = (
    *LIBRARIES,
    Package("kornia", "0.9.0"),
    Package("monai", "1.6.1"),
    Package("peft", "0.21.2"),
    Package("timm", "1.0.31"),
    Package("torch_geometric", "2.8.1"),
    Package("torchvision", "0.29.1"),
    Package("trl", "1.16.0"),
)


@dataclass(frozen=True)
class Corpus:
    """A folder of code. `parts` are the projects in it, none where the folder is the user's."""

    name: str
    folder: Path
    files: int
    lines: int
    size: int
    parts: tuple[Path, ...] = ()
    made_of: str = ""

    @property
    def about(self) -> str:
        return f"{self.name} ({self.files:,} files, {self.lines / 1000:,.0f} k lines, {self.size / 1e6:.1f} MB)"


class Unavailable(Exception):
    """A corpus that cannot be had; the text is one line for people."""


def prepare(name: str, packages: Sequence[Package], home: Path) -> Corpus:
    """The corpus of these packages below `home`, which keeps the downloads. Raises Unavailable when there is nothing."""
    folder = home / "corpora" / name
    kept, missing = [], []
    for package in packages:
        target = folder / f"{package.name}-{package.version}"
        try:
            if not (target / "pyproject.toml").exists():
                _unpack(_wheel(package, home / "wheels"), package, target)
            kept.append(target)
        except Unavailable as error:
            missing.append(str(error))
            print(f"  {error}", file=sys.stderr)
    if not kept:
        raise Unavailable("; ".join(missing))
    for stranger in set(folder.iterdir()) - {*kept, folder / "pyproject.toml"}:
        shutil.rmtree(stranger)  # of another list, or half made
    (folder / "pyproject.toml").write_text(MARK)
    names = ", ".join(
        f"{each.name} {each.version}" for each in packages if folder / f"{each.name}-{each.version}" in kept
    )
    return described(name, folder, tuple(kept), names)


def described(name: str, folder: Path, parts: tuple[Path, ...] = (), made_of: str = "") -> Corpus:
    """A folder as a corpus. Raises Unavailable when it holds no Python file."""
    paths = python_files(folder)
    if not paths:
        raise Unavailable(f"{name}: no Python file in {folder}")
    texts = [Path(path).read_bytes() for path in paths]
    size = sum(map(len, texts))
    return Corpus(name, folder, len(paths), sum(text.count(b"\n") for text in texts), size, parts, made_of)


def python_files(folder: Path) -> list[str]:
    """The Python files below a folder, sorted, without hidden folders."""
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith((".", "__pycache__"))]
        found += [os.path.join(root, file) for file in files if file.endswith(".py")]
    return sorted(found)


def _wheel(package: Package, home: Path) -> Path:
    known = sorted(home.glob(f"{package.name}-{package.version}-*.whl"))
    if known:
        return known[0]
    # Files are read and never run: for which Python they are made does not matter.
    options = ("--disable-pip-version-check", "download", "--quiet", "--no-deps", "--ignore-requires-python")
    pip = (sys.executable, "-m", "pip", *options)
    wanted = f"{package.name}=={package.version}"
    command = (*pip, "--only-binary=:all:", *PLATFORM, "--dest", str(home), wanted)
    print(f"  download {wanted}", file=sys.stderr)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    known = sorted(home.glob(f"{package.name}-{package.version}-*.whl"))
    if done.returncode or not known:
        raise Unavailable(f"{wanted} could not be downloaded: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    return known[0]


def _unpack(wheel: Path, package: Package, target: Path) -> None:
    """The Python files of a wheel. The mark comes last: a folder that has it is complete."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py") and (not package.folders or name.split("/")[0] in package.folders):
                archive.extract(name, target)
    target.mkdir(parents=True, exist_ok=True)
    (target / "pyproject.toml").write_text(MARK)
