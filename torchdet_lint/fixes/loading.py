"""TDL101, 103: a seeded generator; TDL102: a worker function that seeds; TDL108: the sampler is told the epoch."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.checks.facts import nested
from torchdet_lint.finding import Edit, Fix
from torchdet_lint.fixes.arguments import add, argument, fits, replace
from torchdet_lint.fixes.code import Code, Placed
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
    found = re.fullmatch(r"(\w+_)(?:data_?)?loader", _assigned(placed))
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


# TDL108


def tell_epoch(target: Target) -> Fix | None:
    """TDL108: `sampler.set_epoch(epoch)` at the head of the loop over epochs."""
    code = target.code
    around = code.around(target.start)
    if not around:
        return None
    placed = around[-1].here
    name = _assigned(placed)
    if not name:
        return None
    holders = {name, *_holders(code, target.start, name)}
    for loop in _later_loops(code, target.start):
        statement = loop.statement
        if not isinstance(statement, ir.For) or not isinstance(statement.target, ir.Name) or not statement.body:
            continue
        if not _counts(statement) or not _mentions(statement, holders):
            continue
        first = loop.base + statement.body[0].span[0]
        line = f"{name}.set_epoch({_epoch(code, loop, statement)})"
        condition = _condition(target, name)
        lines = [line] if condition is None else [f"if {condition}:", f"{_step(code, first)}{line}"]
        return fix("tell the sampler the epoch", "unsafe", [code.lines_before(first, lines)])
    return _tell_in_class(target, holders)


def _tell_in_class(target: Target, holders: set[str]) -> Fix | None:
    """The same where the loader is an attribute, and another method counts the epochs."""
    code = target.code
    cls = next(
        (level.here for level in reversed(code.around(target.start)) if isinstance(level.here.statement, ir.Class)),
        None,
    )
    if cls is None or not isinstance(cls.statement, ir.Class):
        return None
    kept = {
        placed.statement.targets[0].name
        for placed in _statements(code, target.start)
        if isinstance(placed.statement, ir.Assign)
        and isinstance(placed.statement.targets[0], ir.Attr)
        and isinstance(placed.statement.value, ir.Call)
        and _mentions(placed.statement.value, holders)
    }
    methods = [Placed(each, cls.base) for each in cls.statement.body if isinstance(each, ir.Function)]
    for loop in (inner for method in methods for inner in _inside(method)):
        statement = loop.statement
        if not isinstance(statement, ir.For) or not isinstance(statement.target, ir.Name) or not _counts(statement):
            continue
        read = {
            n.name for n in nested(statement.body) if isinstance(n, ir.Attr) and getattr(n.value, "id", "") == "self"
        }
        if len(kept & read) == 1 and statement.body:
            line = f"self.{next(iter(kept & read))}.sampler.set_epoch({statement.target.id})"
            edit = code.lines_before(loop.base + statement.body[0].span[0], [line])
            return fix("tell the sampler the epoch", "unsafe", [edit])
    return None


def _inside(method: Placed) -> list[Placed]:
    from torchdet_lint.project.names import flat

    body = method.statement.body if isinstance(method.statement, ir.Function) else ()
    return [Placed(each, method.base) for each in flat(body)]


def _step(code: Code, at: int) -> str:
    return "\t" if "\t" in code.indent(at) else "    "


def _epoch(code: Code, loop: Placed, statement: ir.For) -> str:
    return statement.target.id if isinstance(statement.target, ir.Name) else "0"


def _assigned(placed: Placed) -> str:
    statement = placed.statement
    if isinstance(statement, ir.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ir.Name):
        return statement.targets[0].id
    return ""


def _holders(code: Code, at: int, name: str) -> set[str]:
    """The variables that are made with the sampler: loaders."""
    return {
        _assigned(placed)
        for placed in _statements(code, at)
        if _assigned(placed) and isinstance(placed.statement, ir.Assign) and _mentions(placed.statement.value, {name})
    } | _through_arguments(code, at, name)


def _through_arguments(code: Code, at: int, name: str) -> set[str]:
    """Loaders that get the sampler in a dictionary of arguments: `kwargs = {"sampler": sampler}`."""
    given = {
        _assigned(placed)
        for placed in _statements(code, at)
        if isinstance(placed.statement, ir.Assign) and isinstance(placed.statement.value, ir.Mapping | ir.Call)
        and _mentions(placed.statement.value, {name})
    }  # fmt: skip
    return {
        _assigned(placed)
        for placed in _statements(code, at)
        if isinstance(placed.statement, ir.Assign) and _mentions(placed.statement.value, given - {""})
    } - {""}


def _statements(code: Code, at: int) -> list[Placed]:
    """The statements of the function around an offset, or of the top level, at any depth."""
    function = code.function(at)
    block = code.top if function is None else tuple(Placed(each, function[1]) for each in function[0].body)
    return [inner for placed in block for inner in _flat(placed)]


def _flat(placed: Placed) -> list[Placed]:
    from torchdet_lint.project.names import flat

    return [Placed(each, placed.base) for each in flat((placed.statement,))]


def _later_loops(code: Code, at: int) -> list[Placed]:
    """The outermost loops below an offset, in the same function."""
    return [each for each in _statements(code, at) if isinstance(each.statement, ir.For) and each.start > at]


def _counts(statement: ir.For) -> bool:
    """Whether a loop counts: over `range(...)`, or a wrapper of it."""
    return any(isinstance(node, ir.Name) and node.id in ("range", "trange") for node in nested(statement.iter))


def _mentions(node: object, names: set[str]) -> bool:
    return any(isinstance(each, ir.Name) and each.id in names for each in nested(node))


def _condition(target: Target, name: str) -> str | None:
    """Under which condition the variable holds a sampler, where it does not always."""
    code = target.code
    around = code.around(target.start)
    statement = around[-1].here.statement
    if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Choice):
        return code.written(around[-1].here.base, statement.value.test.span)
    others = [p for p in _statements(code, target.start) if _assigned(p) == name and p.start != around[-1].here.start]
    if not others:
        return None
    for level in reversed(around[:-1]):
        holder = level.here.statement
        if isinstance(holder, ir.If) and any(p.start > level.here.start for p in others):
            inside = level.here.base + holder.body[-1].span[1] if holder.body else 0
            if target.start < inside:
                return code.written(level.here.base, holder.test.span)
        if isinstance(holder, ir.Function):
            break
    return f"isinstance({name}, {_class(target)})"


def _class(target: Target) -> str:
    return target.code.written(target.call[1], target.call[0].func.span) if target.call is not None else "object"
