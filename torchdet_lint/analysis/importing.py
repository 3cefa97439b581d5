"""Executing imports: what they bind, and what running the imported modules does."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis import attributes
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Enter
from torchdet_lint.project.modules import ModuleRef


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
    for member, _ in names:
        symbol = m.project.resolve_import(f.path, dotted, level, member) if member != "*" else None
        if isinstance(symbol, ModuleRef):
            loaded.append(symbol.path)
    for path in dict.fromkeys(loaded):
        if path != f.path:
            summary = m.module_summary(path, main=False)
            if summary.trace:
                f.trace.append(Enter(f.site(span), "import", summary))
