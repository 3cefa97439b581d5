"""From a finding to the code that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from torchdet_lint import ir
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.checks.facts import nested
from torchdet_lint.engine.places import span
from torchdet_lint.finding import Finding
from torchdet_lint.lowering import LoweringError, lower
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names, flat
from torchdet_lint.source import SourceFile, Unit
from torchdet_lint.verify.probe.evidence import Unprobed
from torchdet_lint.verify.probe.render import Grammar, render


@dataclass(frozen=True)
class Case:
    """A finding with the message variant, what it `said` by placeholder, and the expression at its place, if it is the place of
    one; `names` says what names mean there, `block` are the
    statements of the innermost function around it, or of its top-level statement.
    """

    finding: Finding
    variant: str
    said: Mapping[str, str]
    node: ir.Expr | None
    names: Names
    block: ir.Body

    @property
    def call(self) -> ir.Call:
        """The call that it is about. Raises Unprobed for anything else."""
        if not isinstance(self.node, ir.Call):
            raise Unprobed("it is not about a single call")
        return self.node

    @property
    def callee(self) -> str:
        """What the call calls, by its canonical dotted name. Raises Unprobed when it is the project's own or not known."""
        dotted = self.names.dotted(self.call.func)
        if dotted is None:
            raise Unprobed("what it calls is not a function of a library, or not in sight")
        return dotted

    def arguments(self, *positional: str) -> dict[str, ir.Expr]:
        """The arguments by name. Raises Unprobed where `*` or `**` hide some."""
        found: dict[str, ir.Expr] = {}
        for index, arg in enumerate(self.call.args):
            if arg.star in ("*", "**"):
                raise Unprobed(f"some of its arguments come from `{arg.star}`, and are not in sight")
            name = arg.name or (positional[index] if index < len(positional) else f"#{index}")
            found[name] = arg.value
        return found

    def quoted(self, placeholder: str) -> ir.Expr:
        """The expression that the message quotes, a call perhaps without its arguments. Raises Unprobed when it is cut short."""
        try:
            body = lower(f"quoted = {self.said.get(placeholder, '')}".replace("(...)", "()"))
        except LoweringError:
            body = ()
        if len(body) == 1 and isinstance(body[0], ir.Assign) and body[0].value is not None:
            return body[0].value
        raise Unprobed("what it is about is not in sight")

    def constant(self, expr: ir.Expr) -> object:
        """The value of an expression that is a constant, or a name that is bound to one once. Raises Unprobed."""
        if isinstance(expr, ir.Const):
            return expr.value
        if isinstance(expr, ir.Unary) and expr.op == "-" and isinstance(expr.value, ir.Const):
            return -expr.value.value
        value = self.bound(expr.id) if isinstance(expr, ir.Name) else None
        if not isinstance(value, ir.Const):
            raise Unprobed("its value is not in sight")
        return value.value

    def known(self, expr: ir.Expr | None, default: object) -> object:
        """The same, `default` where it is not in sight or not given."""
        try:
            return default if expr is None else self.constant(expr)
        except Unprobed:
            return default

    def text(self, expr: ir.Expr) -> str:
        """An expression of constants as text. Raises Unprobed."""
        return render(expr, Grammar(self._constant_text, _no_calls))

    def _constant_text(self, expr: ir.Name | ir.Attr) -> str:
        try:
            return repr(self.constant(expr))
        except Unprobed:
            raise Unprobed(f"the value of `{_written(expr)}` is not in sight") from None

    def bound(self, name: str) -> ir.Expr | None:
        """What a name is bound to, in a function around the place or in the module, if to nothing else."""
        for function in reversed(self.names.functions):
            local = self.names._bindings(function).get(name)  # noqa: SLF001 (it has no other door, and this is no other use)
            if local is not None:
                return local.values[0] if len(local.values) == 1 and not local.other and not local.imports else None
        project, path = self.names.project, self.names.path
        units = project.modules[path].bound.get(name, ())
        if len(units) != 1:
            return None
        found = [
            statement.value
            for statement in flat(project.body(path, units[0]))
            if isinstance(statement, ir.Assign)
            and any(isinstance(target, ir.Name) and target.id == name for target in statement.targets)
        ]
        return found[0] if len(found) == 1 else None


def _no_calls(call: ir.Call) -> NoReturn:
    raise Unprobed("an argument is computed by a call")


def _written(expr: ir.Expr) -> str:
    if isinstance(expr, ir.Attr):
        return f"{_written(expr.value)}.{expr.name}"
    return expr.id if isinstance(expr, ir.Name) else "…"


class Places:
    """Looks findings up in their files; `sources` holds these by path."""

    def __init__(self, sources: Mapping[str, SourceFile], apis: Apis, catalog: Catalog) -> None:
        self._sources = sources
        self._apis = apis
        self._catalog = catalog
        self._projects: dict[str, Project] = {}

    def case(self, finding: Finding) -> Case:
        """The code that a finding is about. Raises Unprobed where it cannot be found any more."""
        source = self._sources.get(finding.location.path)
        if source is None:
            raise Unprobed("its file cannot be read")
        unit, offset = _unit_at(source, finding)
        project = self._project(source)
        body = project.body(source.path, unit.index)
        node = _expression(body, offset)
        functions = () if node is None else tuple(_functions_around(body, node))
        names = Names(project, source.path, self._apis.canonical, functions)
        block = functions[-1].body if functions and isinstance(functions[-1], ir.Function) else body
        variant, said = self._variant(finding)
        return Case(finding, variant, said, node, names, block)

    def _project(self, source: SourceFile) -> Project:
        """Each file stands alone: what it imports from its project is not run, so it need not be known."""
        if source.path not in self._projects:
            self._projects[source.path] = Project([source], _lower)
        return self._projects[source.path]

    def _variant(self, finding: Finding) -> tuple[str, Mapping[str, str]]:
        """Which of the rule's messages the finding has, and with what in its placeholders."""
        rule = self._catalog.find(finding.code)
        for name, variant in rule.variants.items() if rule is not None else ():
            match = re.fullmatch(_pattern(variant.template), finding.message, re.DOTALL)
            if match:
                return name, match.groupdict()
        return "default", {}


def _pattern(template: str) -> str:
    """A message template as a regular expression with a group for each placeholder."""
    seen: set[str] = set()
    parts = []
    for part in re.split(r"(\{[a-z]+\})", template):
        name = part[1:-1]
        if not re.fullmatch(r"\{[a-z]+\}", part):
            parts.append(re.escape(part))
        elif name in seen:
            parts.append(f"(?P={name})")
        else:
            seen.add(name)
            parts.append(f"(?P<{name}>.*?)")
    return "".join(parts)


def _unit_at(source: SourceFile, finding: Finding) -> tuple[Unit, tuple[int, int]]:
    """The top-level statement that the finding stands in, and the finding's span in it."""
    start, end = span(source, finding.location)
    for unit in source.units:
        if unit.start <= start < unit.end:
            return unit, (start - unit.start, end - unit.start)
    raise Unprobed("its place is not found in the file any more")


def _expression(body: ir.Body, at: tuple[int, int]) -> ir.Expr | None:
    """The expression that takes exactly this span, a call if there is one."""
    found = [node for node in nested(body) if getattr(node, "span", None) == at]
    calls = [node for node in found if isinstance(node, ir.Call)]
    return (calls or found or [None])[0]  # type: ignore[return-value] # what has a span can stand for one; its kind is asked for


def _functions_around(body: ir.Body, node: ir.Expr) -> Iterator[ir.Function | ir.Lambda]:
    """The functions that hold a node, outermost first."""
    for outer in nested(body):
        if isinstance(outer, ir.Function | ir.Lambda) and any(inner is node for inner in nested(outer)):
            yield outer


def _lower(source: SourceFile, unit: Unit) -> ir.Body:
    try:
        return lower(source.unit_text(unit))
    except LoweringError:
        return ()
