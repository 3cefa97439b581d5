"""The configuration that a project begins with: only what it has to say itself, since defaults need no words."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from torchdet_lint.catalog.bounds import bounds, installed
from torchdet_lint.config import ConfigError, files
from torchdet_lint.config.validate import layer
from torchdet_lint.setup.step import Place, Step, appended, place

FOREIGN = ("external", "extern", "third_party", "thirdparty", "vendor")
"""Folders in which projects keep what others wrote."""

_COMMANDS = re.compile(r"(?:^|/)(?:Makefile|justfile|Procfile|Dockerfile[\w.-]*|[\w.-]+\.(?:sh|slurm|sbatch))\Z")
_RUN = re.compile(
    r"\b(?:python[\d.]*|torchrun|deepspeed|accelerate\s+launch)\b[^\n;&|#]*?"
    r"(?:\s-m\s+(?P<module>[A-Za-z_][\w.]*)|\s(?P<file>[\w./-]+\.py))\b"
)
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")


class Known(NamedTuple):
    """What a project tells about itself. `target` is the torch that is installed, where the project names no version itself."""

    target: str | None
    entry_points: tuple[str, ...]
    foreign: tuple[str, ...]


def known(root: str, sources: Collection[str], programs: Collection[str]) -> Known:
    """What there is to be found out; `sources` and `programs` are files of the project, from its root."""
    named = {path for text in _command_files(root) for path in _started(text, sources)}
    return Known(
        target=None if "torch" in bounds(root, root) else _installed_torch(),
        entry_points=tuple(sorted(named.difference(programs))),
        foreign=tuple(
            sorted({*_submodules(root), *(name for name in FOREIGN if os.path.isdir(os.path.join(root, name)))})
        ),
    )


def settings(known: Known) -> str:
    """The keys, without a header."""
    lines = []
    if known.target is not None:
        lines.append(f'target-torch = "{known.target}"  # the torch that the code runs on')
    if known.entry_points:
        lines.append(
            f"entry-points = {_array(known.entry_points)}  # programs besides those that are found by themselves"
        )
    if known.foreign:
        lines.append(f"extend-exclude = {_array(known.foreign)}  # written by others")
    lines.append('fail-on = "warning"  # the least severity that fails a run: "note", "warning", "error"')
    return "\n".join(lines) + "\n"


def step(root: str, known: Known) -> Step:
    """The configuration in `pyproject.toml` or, where there is none, in `torchdet-lint.toml`."""
    for name in files.NAMES[:2]:
        there = place(root, name)
        if there.before is not None:
            return there.kept("is there already")
    at = place(root, files.NAMES[2])
    text = settings(known)
    if at.before is None:
        alone = place(root, files.NAMES[0])
        return alone.to(text.encode())
    return _in_pyproject(at, text)


def _in_pyproject(at: Place, text: str) -> Step:
    assert at.before is not None
    try:
        before = files.parse(at.before.decode("utf-8-sig"), at.name)
        tool = before.get("tool", {})
        if isinstance(tool, dict) and "torchdet-lint" in tool:
            return at.kept(f"has {files.SECTION} already")
        after = appended(at.before, f"{files.SECTION}\n{text}")
        made = files.parse(after.decode("utf-8-sig"), at.name)
        layer(at.name, os.path.dirname(at.path), made["tool"].pop("torchdet-lint"))
    except UnicodeDecodeError:
        return at.refused("is not UTF-8, as TOML must be")
    except ConfigError as error:
        inline = "it writes its tables in a way that no further one can be added to; " if _parses(at) else ""
        return at.refused(f"cannot be added to: {inline}{error}")
    return at.to(after)


def _parses(at: Place) -> bool:
    try:
        files.parse((at.before or b"").decode("utf-8-sig"), at.name)
    except ConfigError:
        return False
    return True


def _array(values: Iterable[str]) -> str:
    quoted = ", ".join('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    return f"[{quoted}]"


def _installed_torch() -> str | None:
    found = installed("torch")
    release = () if found is None else found.low[0]
    return ".".join(map(str, release[:2])) if len(release) > 1 else None


def _submodules(root: str) -> Iterator[str]:
    """The folders of git submodules."""
    try:
        with open(os.path.join(root, ".gitmodules"), encoding="utf-8", errors="replace") as file:
            yield from re.findall(r"(?m)^\s*path\s*=\s*(\S.*?)\s*$", file.read())
    except OSError:
        return


def _command_files(root: str) -> Iterator[str]:
    """The texts of files that start programs: in the root, and in the folders right below it, as far as they can be read."""
    inner = sorted(entry.path for entry in os.scandir(root) if entry.is_dir() and not entry.name.startswith("."))
    for folder in (root, *inner):
        for name in _names(folder):
            path = os.path.join(folder, name)
            if _COMMANDS.search(f"/{name}") and os.path.isfile(path):
                with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
                    yield file.read(200_000)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _started(text: str, sources: Collection[str]) -> Iterator[str]:
    """The files of the project that commands in a text start."""
    for run in _RUN.finditer(_COMMENT.sub("", text).replace("\\\n", " ")):
        module = (run["module"] or "").replace(".", "/")
        names = [os.path.normpath(run["file"]).replace(os.sep, "/")] if run["file"] else []
        names += [f"{base}{module}{end}" for base in ("", "src/") for end in (".py", "/__main__.py")] if module else []
        yield from (name for name in names if name in sources)
