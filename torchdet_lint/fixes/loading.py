"""TDL101, 103: a seeded generator; TDL102: a worker function that seeds."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.arguments import add, argument, fits, replace
from torchdet_lint.fixes.code import Placed
from torchdet_lint.fixes.epochs import assigned
from torchdet_lint.fixes.imports import Named, is_free
from torchdet_lint.fixes.seeds import seed_at
from torchdet_lint.fixes.target import Target, fix

SEEDS_WORKERS = re.compile(
    r"^_?(?:seed_worker|worker_init(?:_fn)?|worker_init_function|init_worker|worker_seed(?:_fn)?|set_worker_seed)$"
)
FUNCTION = ("def seed_worker(worker_id):", "worker_seed = torch.initial_seed() % 2**32")


def give_generator(target: Target) -> Fix | None:
    """TDL101, 103"""
    if target.call is None or target.is_repeated() or not _takes(target, "generator"):
        return None
    made = target.named("torch.Generator")
    if made is None:
        return None
    seed = seed_at(target.facts, target.code, target.start)
    value = f"{made.text}().manual_seed({seed.argument})"
    title = f"pass a generator seeded with `{seed.argument}`"
    call, base = target.call
    given = argument(call, "generator")
    code = target.code
    if given is not None:
        edit = replace(code, base, given.value, value) if isinstance(given.value, ir.Const) else None
        return fix(title, "unsafe", [edit], [made])
    if fits(code, target.end, f"generator={value}"):
        return fix(title, "unsafe", [add(code, target.start, target.end, f"generator={value}")], [made])
    return fix(title, "unsafe", _beside(target, value), [made])


def _beside(target: Target, value: str) -> list[Edit | None]:
    """The generator on a line of its own, above the statement."""
    code = target.code
    level = code.around(target.start)[-1]
    text = code.mask[code.line_start(level.here.start) : target.start]
    if text.lstrip().startswith(("elif", "else", "lambda")) or "lambda" in text or " for " in text:
        return [add(code, target.start, target.end, f"generator={value}")]
    names = (*_named_after(level.here), "generator", "loader_generator")
    name = next((name for name in names if is_free(code, name, target.start)), "")
    if not name:
        return [add(code, target.start, target.end, f"generator={value}")]
    return [
        code.lines_before(level.here.start, [f"{name} = {value}"], lift=False),
        add(code, target.start, target.end, f"generator={name}"),
    ]


def _named_after(placed: Placed) -> list[str]:
    """`train_generator` for `train_loader`, so that several loaders share no name."""
    found = re.fullmatch(r"(\w+_)(?:data_?)?loader", assigned(placed))
    return [f"{found[1]}generator"] if found is not None else []


def _takes(target: Target, name: str) -> bool:
    """Whether what is called certainly takes an argument: torch's own classes, and project classes that hand it on."""
    if target.call is None:
        return False
    found = target.facts.names(target.code.path).definition(target.call[0].func)
    if found is None:
        return target.api.startswith(("torch.", "torch_geometric.loader.DataLoader", "torchdata."))
    definition = found[1]
    if isinstance(definition, ir.Function):
        return _accepts(definition, name)
    inits = [each for each in definition.body if isinstance(each, ir.Function) and each.name == "__init__"]
    return all(_accepts(each, name) for each in inits)


def _accepts(function: ir.Function, name: str) -> bool:
    return any(param.kind == "**" or param.name == name for param in function.params)


# TDL102


def seed_workers(target: Target) -> Fix | None:
    """TDL102"""
    if target.call is None or not _takes(target, "worker_init_fn"):
        return None
    code = target.code
    call, base = target.call
    # What torch seeds by itself needs no function, and what it does not know is not seeded by this one.
    safety = "unsafe" if target.variant in ("repeated-draw", "out-of-sight") else "display"
    if target.variant == "unseeded-draw":
        return None
    given = argument(call, "worker_init_fn")
    if given is not None and (named := _called_function(target, given.value)):
        return fix("pass the function, not its result", "unsafe", [replace(code, base, given.value, named)])
    existing = _existing(target)
    title = f"seed the workers with `{existing or 'seed_worker'}`"
    text = existing or "seed_worker"
    if given is None:
        edit = add(code, target.start, target.end, f"worker_init_fn={text}")
    else:
        edit = replace(code, base, given.value, text) if isinstance(given.value, ir.Const) else None
    if existing:
        return fix(title, safety, [edit])
    if any("seed_worker" in unit.words for unit in code.source.units):
        return None
    made = _function(target)
    return None if made is None else fix(title, safety, [made[0], edit], made[1])


def _called_function(target: Target, value: ir.Expr) -> str:
    """The function of the project that is called, without arguments and for nothing, where it should have been passed."""
    if not isinstance(value, ir.Call) or value.args or not isinstance(value.func, ir.Name):
        return ""
    found = target.facts.names(target.code.path).definition(value.func)
    if found is None or not isinstance(found[1], ir.Function) or len(found[1].params) != 1:
        return ""
    gives = any(isinstance(node, ir.Return) and node.value is not None for node in nested(found[1].body))
    return "" if gives else value.func.id


def _existing(target: Target) -> str:
    """A function of the file that is there for this."""
    for unit in target.code.source.units:
        if unit.kind == "def" and unit.names and SEEDS_WORKERS.match(unit.names[0]):
            body = target.facts.project.body(target.code.path, unit.index)
            if any(isinstance(each, ir.Function) and len(each.params) == 1 for each in body):
                return unit.names[0]
    for record in target.code.source.imports:
        for name, bound in record.names:
            if SEEDS_WORKERS.match(name):
                return bound
    return ""


def _function(target: Target) -> tuple[Edit, list[Named | None]] | None:
    """`seed_worker` as in torch's note on reproducibility, above the top-level statement that holds the loader
    (https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader).
    """
    code = target.code
    unit = code.unit_at(target.start)
    if unit is None:
        return None
    families = ("numpy.random.seed", "random.seed") if _uses_numpy(target) else ("random.seed",)
    seeds = [target.named(name, unit.start) for name in families]
    torch = target.named("torch.initial_seed", unit.start)
    if torch is None or any(each is None for each in seeds):
        return None
    step = "\t" if re.search(r"^\t", code.text, re.MULTILINE) else "    "
    lines = [FUNCTION[0], f"{step}worker_seed = {torch.text}() % 2**32"]
    lines += [f"{step}{each.text}(worker_seed)" for each in seeds if each is not None]
    edit = code.lines_before(unit.start, [*lines, "", ""])
    if edit is None:
        return None
    lacking = 0 if code.begins(edit.start) else max(2 - code.blank_lines_before(edit.start), 0)
    return edit._replace(text=code.newline * lacking + edit.text), [torch, *seeds]


def _uses_numpy(target: Target) -> bool:
    """Whether the project imports NumPy anywhere: torch does without it."""
    modules = target.facts.project.modules.values()
    return any(record.module.partition(".")[0] == "numpy" for module in modules for record in module.source.imports)
