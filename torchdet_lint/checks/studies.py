"""Studies of a hyperparameter search that are opened to read their results."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.tensors.scopes import place_of
from torchdet_lint.analysis.values import Site
from torchdet_lint.checks.facts import nested
from torchdet_lint.project.modules import Project

ASKS = frozenset(("optimize", "ask", "sampler"))
"""What of a study draws from its sampler, or hands the sampler on."""


def only_looked_at(project: Project, site: Site) -> bool:
    """Whether the study that is made here gets a name of which only results are read: its sampler never draws."""
    body = project.body(site.path, site.unit)
    place = place_of(body, site.span)
    if place is None:
        return False
    call, functions, owner, _ = place
    if functions:
        scope: list[object] = list(nested(functions[-1]))
    elif owner is None:
        units = project.modules[site.path].source.units
        scope = [node for unit in units for node in nested(project.body(site.path, unit.index))]
    else:
        return False
    bound = [node for node in nested(body) if isinstance(node, ir.Assign) and node.value == call]
    if len(bound) != 1 or len(bound[0].targets) != 1 or not isinstance(bound[0].targets[0], ir.Name):
        return False
    return _reads_only(scope, bound[0].targets[0].id)


def _reads_only(scope: list[object], name: str) -> bool:
    """Whether everything that is done with a name is to bind it, or to read an attribute that draws nothing."""
    uses = sum(isinstance(node, ir.Name) and node.id == name for node in scope)
    bound = sum(
        isinstance(target, ir.Name) and target.id == name
        for node in scope
        if isinstance(node, ir.Assign)
        for target in node.targets
    )
    read = sum(
        isinstance(node, ir.Attr)
        and isinstance(node.value, ir.Name)
        and node.value.id == name
        and node.name not in ASKS
        for node in scope
    )
    return uses == bound + read
