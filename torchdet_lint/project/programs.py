"""Entry points: which files are programs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from posixpath import basename, dirname, join, normpath
from typing import NamedTuple

from torchdet_lint.project.modules import Module, Project
from torchdet_lint.source import Unit

TEST_FILE = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest|setup|noxfile)\.pyi?$")
_TESTS = frozenset(("unittest", "pytest"))
QUIET_CALLS = re.compile(
    r"(warnings|logging|sys\.path|os\.environ|matplotlib|mpl|plt\.(switch_backend|style|rcParams)|logger|log|register\w*|__all__"
    r"|torch\.(set_printoptions|set_num_threads|_C|library|serialization)|sys\.setrecursionlimit|np\.(seterr|set_printoptions)"
    r"|urllib|requests|nltk|dotenv|load_dotenv|locale|signal|faulthandler|mp\.set|multiprocessing\.set|cv2\.|django|jax\.config"
    r"|[A-Z_]+\.(update|append|extend|register)|typing"
    r"|print\(\s*[rbuf]*(?P<quote>[\"'])[^\"'{}]*(?P=quote)\s*\)$|\w+\.(register|add_argument|setLevel|addHandler|update|append|extend)\b)"
)
"""Top-level calls that set things up and do no work."""


class Program(NamedTuple):
    """One entry point: a file, and for a console script the function in it that is called."""

    path: str
    kind: str
    function: str = ""


def find_programs(
    project: Project, scripts: Iterable[tuple[str, str]] = (), *, tests: bool = False
) -> tuple[Program, ...]:
    """Every entry point of the project, by path. `scripts` are (file, function) pairs from the project's metadata."""
    imported = imported_files(project)
    found: dict[tuple[str, str], Program] = {}
    for path, module in sorted(project.modules.items()):
        if not tests and is_test(path):
            continue
        kind = entry_kind(module, imported=path in imported)
        if kind:
            found[path, ""] = Program(path, kind)
    for path, function in scripts:
        if path in project.modules and (path, "") not in found:
            found[path, function] = Program(path, "console script", function)
    return tuple(found[key] for key in sorted(found))


def is_test(path: str) -> bool:
    return TEST_FILE.search(path) is not None


def entry_kind(module: Module, *, imported: bool) -> str:
    """Why a file is a program: "main guard", "notebook", "script", "package main"; "" when it is none."""
    path = module.path
    if path.endswith(".pyi"):
        return ""
    if path.endswith(".ipynb"):
        return "notebook" if module.source.units else ""
    name = basename(path)
    guards = [unit for unit in module.source.units if _is_guard(unit)]
    if guards:
        return "main guard" if any(_TESTS.isdisjoint(unit.words) for unit in guards) else ""
    if name == "__main__.py":
        return "package main"
    if imported or name == "__init__.py":
        return ""
    return "script" if any(_works(module, unit) for unit in module.source.units) else ""


def _is_guard(unit: Unit) -> bool:
    return unit.kind in ("if", "file") and {"__name__", "__main__"}.issubset(unit.words)


def _works(module: Module, unit: Unit) -> bool:
    """Whether a top-level statement does work, beyond imports, definitions, constants and settings."""
    if unit.kind in ("for", "while", "with"):
        return True
    if unit.kind == "expr":
        text = module.source.unit_text(unit)
        return "(" in text and not QUIET_CALLS.match(text)
    if unit.kind == "assign":
        return not DRAWING.isdisjoint(unit.words) and "(" in module.source.unit_text(unit)
    return unit.kind == "file"


DRAWING = frozenset(
    "rand randn randint randperm uniform normal choice shuffle sample DataLoader backward manual_seed seed".split()
)


def imported_files(project: Project) -> frozenset[str]:
    """The files that some other file of the project imports."""
    return frozenset().union(*(imports_of(project, path) for path in project.modules))


def import_closure(project: Project, path: str) -> frozenset[str]:
    """The files that a file imports, directly or not, itself included."""
    found = {path}
    todo = [path]
    while todo:
        for other in imports_of(project, todo.pop()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found)


def imports_of(project: Project, path: str) -> frozenset[str]:
    """The files of the project that a file imports anywhere in its code."""
    if path not in project.imports:
        project.imports[path] = _imports_of(project, path)
    return project.imports[path]


def _imports_of(project: Project, path: str) -> frozenset[str]:
    found: set[str] = set()
    module = project.modules[path]
    if module is not None:
        for record in module.source.imports:
            names = tuple(name for name, _ in record.names)
            target = project.layout.find(path, record.module, record.level)
            if target is not None:
                found.add(target)
            if "*" in names and target is not None:
                found |= offered(project, target)
            for name in names:
                inner = f"{record.module}.{name}" if record.module else name
                below = project.layout.find(path, inner, record.level) if name not in ("", "*") else None
                if below is not None:
                    found.add(below)
            parts = record.module.split(".")
            for count in range(1, len(parts)):
                above = project.layout.find(path, ".".join(parts[:count]), record.level)
                if above is not None:
                    found.add(above)
    return frozenset((found | _named(project, path)) - {"", path})


_WORDS = r"(?:[^=\n\]#]|\](?![ \t]*(?:\n|#|$)))*"
_LISTED = re.compile(rf"^__all__\s*\+?=\s*\[{_WORDS}(?:\n{_WORDS}){{0,3}}?\bfor\b", re.MULTILINE)
_LISTERS = ("listdir", "glob", "iter_modules", "scandir", "iterdir")
_WRITTEN = re.compile(r"^__all__\s*\+?=\s*[\[(]([^\])]*)", re.MULTILINE)


def offered(project: Project, path: str) -> set[str]:
    """The modules that `from package import *` imports: those in the package's folder that it lists in `__all__`, or all of
    them where it puts the list together from what lies there.
    """
    text = project.modules[path].source.text
    if not path.endswith("__init__.py") or "__all__" not in text:
        return set()
    beside = {other for other in project.modules if dirname(other) == dirname(path)} - {path}
    if any(lister in text for lister in _LISTERS) and _LISTED.search(text) is not None:
        return beside
    named = {name for found in _WRITTEN.findall(text) for name in re.findall(r"[\"'](\w+)[\"']", found)}
    return {other for other in beside if other.rpartition("/")[2].removesuffix(".py") in named}


_BY_NAME = re.compile(r"\b(?:import_module|__import__)\(\s*")
_PIECE = re.compile(r"\s*[fF]?([\"'])([\w.]*)(\1)?")
"""One of the texts that are written one after the other, up to where it is known."""
_FIELDS = re.compile(r"[^()\n]*(?:\n[^()\n]*)?(?:(?:\}|%[sd])\.[{%]|\+\s*[\"']\.[\"'])")
"""A name with several parts that are not known: `f"models.{family}.{name}"`, over two lines at most."""
_BY_VARIABLE = re.compile(r"\b(?:import_module|__import__)\(\s*([A-Za-z_]\w*)\s*[,)]")
_DEFAULT = re.compile(r"\bdefault\s*=\s*[\"']([\w.]+)[\"']")


def _named(project: Project, path: str) -> set[str]:
    """The files that a file may import by a name that is a text: all of a package where only that is known (`"models." + name`),
    and those that options have as their default where nothing is.
    """
    text = project.modules[path].source.text
    if "import_module(" not in text and "__import__(" not in text:
        return set()
    found: set[str] = set()
    for variable in _BY_VARIABLE.findall(text):
        for known in re.findall(rf"\b{variable}\s*=\s*[fF]?[\"']([\w.]*\.)", text):
            found |= _inside(project, path, known.rpartition(".")[0].replace(".", "/"))
    for match in _BY_NAME.finditer(text):
        known, whole = _known_text(text, match.end())
        if known.startswith("."):
            beside = _inside(project, path, ".") if not whole else set()
            found |= beside or {project.layout.find(path, known.lstrip("."), 1) or ""}
        elif whole and known:
            found.add(project.layout.find(path, known) or "")
        elif "." in known:
            deep = _FIELDS.match(text, match.end()) is not None
            found |= _inside(project, path, known.rpartition(".")[0].replace(".", "/"), deep=deep)
        elif not known:
            found.update(project.layout.find(path, default) or "" for default in _DEFAULT.findall(text))
    return found


def _known_text(text: str, start: int) -> tuple[str, bool]:
    """How the argument at `start` begins (`"models" f".{kind}"` with `models.`), and whether that is all of it."""
    known, piece = "", _PIECE.match(text, start)
    while piece is not None:
        known, start = known + piece[2], piece.end()
        if not piece[3]:
            return known, False
        piece = _PIECE.match(text, start)
    return known, text[start:].lstrip()[:1] in (",", ")")


def _inside(project: Project, path: str, package: str, *, deep: bool = False) -> set[str]:
    """The files in a package's folder, which lies beside the file or at the root, on request those in its folders too."""
    folders = {normpath(join(dirname(path), package)), package}
    below = tuple(f"{folder}/" for folder in folders)
    return {other for other in project.modules if dirname(other) in folders or (deep and other.startswith(below))}
