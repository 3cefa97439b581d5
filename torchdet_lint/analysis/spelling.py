"""Names that a program puts together: what is known of them although not every part is (`f"Generator{size}"`)."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import flat

_FIELD = re.compile(r"\{[^{}]*\}|%[sdi]")
_READ = re.compile(r"\bgetattr\(\s*[\w.]+\s*,\s*[fF]([\"'])((?:(?!\1)[^\n])*\{(?:(?!\1)[^\n])*)\1")

SHORTEST = 4
"""So many letters of a name must be written out for it to say which attributes are meant."""


def pattern(expr: ir.Expr) -> re.Pattern[str] | None:
    """What every text matches that the expression can give; None where no part of it is known."""
    parts = _parts(expr)
    if not any(parts):
        return None
    return re.compile(".*".join(map(re.escape, parts)), re.DOTALL)


def is_put_together(project: Project, name: str) -> bool:
    """Whether the project reads an attribute of this name by a text with unknown parts: `getattr(self, f"get_{kind}_files")`."""
    return any(spelt.fullmatch(name) for spelt in project.once("attributes", lambda: _attributes(project)))


def _attributes(project: Project) -> tuple[re.Pattern[str], ...]:
    found: dict[str, None] = {}
    for module in project.modules.values():
        text = module.source.text
        for match in _READ.finditer(text) if "getattr(" in text else ():
            parts = _FIELD.split(match[2])
            if len("".join(parts)) >= SHORTEST:
                found[".+".join(map(re.escape, parts))] = None
    return tuple(map(re.compile, found))


def written(expr: ir.Expr, body: ir.Body) -> ir.Expr:
    """What a name is bound to, where the code around binds it once; any other expression is itself."""
    if not isinstance(expr, ir.Name):
        return expr
    bound = [
        statement.value
        for statement in flat(body)
        if isinstance(statement, ir.Assign)
        for target in statement.targets
        if isinstance(target, ir.Name) and target.id == expr.id
    ]
    return bound[0] if len(bound) == 1 and bound[0] is not None else expr


def _parts(expr: ir.Expr) -> list[str]:
    """The known pieces of a text in order; between each two of them there may be anything."""
    if isinstance(expr, ir.Const) and isinstance(expr.value, str):
        return [expr.value]
    found = [""]
    if isinstance(expr, ir.Format):
        for part in expr.parts:
            found = _joined(found, _parts(part))
        return found
    if isinstance(expr, ir.Binary) and expr.op == "+":
        return _joined(_parts(expr.left), _parts(expr.right))
    if isinstance(expr, ir.Binary) and expr.op == "%":
        return _template(expr.left)
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name == "format":
        return _template(expr.func.value)
    return ["", ""]


def _joined(left: list[str], right: list[str]) -> list[str]:
    return [*left[:-1], left[-1] + right[0], *right[1:]]


def _template(expr: ir.Expr) -> list[str]:
    return _FIELD.split(expr.value) if isinstance(expr, ir.Const) and isinstance(expr.value, str) else ["", ""]
