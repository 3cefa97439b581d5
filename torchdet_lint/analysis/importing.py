"""Executing imports: what they bind, and what running the imported modules does."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.analysis import attributes
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch, Enter
from torchdet_lint.analysis.values import Truth, Value, join
from torchdet_lint.project.modules import ModuleRef
from torchdet_lint.project.programs import offered

IMPORTERS = ("importlib.import_module", "builtins.__import__")

MOST_MODULES = 12
"""So many modules are imported where one is chosen by a name of which only a part is known."""


def import_modules(m: Machine, f: Frame, s: ir.Import) -> None:
    """`import a.b as c`"""
    for dotted, bound in s.names:
        run_import(m, f, dotted, 0, (), s.span)
        top = bound or dotted.split(".", 1)[0]
        f.env[top] = attributes.settle(m, m.project.resolve_import(f.path, dotted if bound else top, 0))


def import_names(m: Machine, f: Frame, s: ir.ImportFrom) -> None:
    """`from a import b as c`"""
    run_import(m, f, s.module, s.level, s.names, s.span)
    for member, bound in s.names:
        if member == "*":
            continue
        symbol = m.project.resolve_import(f.path, s.module, s.level, member)
        f.env[bound] = attributes.settle(m, symbol)


def run_import(
    m: Machine, f: Frame, dotted: str, level: int, names: tuple[tuple[str, str], ...], span: ir.Span
) -> None:
    """Runs the top level of the project modules that an import loads, once a program (the fold sees to that)."""
    if not m.runs_imports:
        return
    loaded: list[str] = []
    parts = dotted.split(".") if dotted else []
    for count in range(1, len(parts) + 1) if parts else [0]:
        found = m.project.layout.find(f.path, ".".join(parts[:count]), level)
        if found is not None:
            loaded.append(found)
    if any(member == "*" for member, _ in names) and loaded:
        loaded += sorted(offered(m.project, loaded[-1]))
    for member, _ in names:
        symbol = m.project.resolve_import(f.path, dotted, level, member) if member != "*" else None
        if isinstance(symbol, ModuleRef):
            loaded.append(symbol.path)
    for path in dict.fromkeys(loaded):
        if path != f.path:
            summary = m.module_summary(path, main=False)
            if summary.trace:
                f.trace.append(Enter(f.site(span), "import", summary))


def import_one(m: Machine, f: Frame, dotted: str, span: ir.Span) -> Value:
    """`importlib.import_module(dotted)`; `".part"` is taken to be beside the file, whatever package is named."""
    level = len(dotted) - len(dotted.lstrip("."))
    run_import(m, f, dotted[level:], level, (), span)
    return attributes.settle(m, m.project.resolve_import(f.path, dotted[level:], level))


def import_any(m: Machine, f: Frame, spelt: re.Pattern[str], span: ir.Span) -> Value | None:
    """Any module of the project whose name is spelt like this; None where there is none."""
    folder = f.path[: f.path.rfind("/") + 1]
    if spelt.pattern.startswith(re.escape(".")):
        beside = [path.removesuffix(".py") for path in m.project.modules if path.rpartition("/")[0] == folder[:-1]]
        dotted = [f".{path.removeprefix(folder)}" for path in sorted(beside) if not path.endswith("__init__")]
        return _any_of(m, f, list(filter(spelt.fullmatch, dotted)), span)
    paths = [
        path.removesuffix(".py")
        for path in m.project.modules
        if path.endswith(".py") and not path.endswith("__init__.py")
    ]  # what a package holds is in its modules, one of which is meant
    names = {
        path.removeprefix(base).replace("/", ".") for base in {folder, ""} for path in paths if path.startswith(base)
    }
    symbols = {name: m.project.resolve_import(f.path, name, 0) for name in sorted(filter(spelt.fullmatch, names))}
    return _any_of(m, f, [name for name, symbol in symbols.items() if isinstance(symbol, ModuleRef)], span)


def _any_of(m: Machine, f: Frame, names: list[str], span: ir.Span) -> Value | None:
    found = names[:MOST_MODULES]
    results = []
    for name in found:
        kept, f.trace = f.trace, []
        results.append(import_one(m, f, name, span))
        trace, f.trace = tuple(f.trace), kept
        if trace:
            f.trace.append(Branch(f.site(span), Truth.OPEN, "", trace, (), len(found)))
    return join(*results) if results else None
