"""TDL004, 005: seeds for generators; TDL011: comparisons with None."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace as replaced

from torchdet_lint import ir
from torchdet_lint.analysis.triggers import holds_seed_name
from torchdet_lint.analysis.values import NONE, alternatives, marks
from torchdet_lint.checks.facts import nested
from torchdet_lint.checks.generators import seed_of
from torchdet_lint.checks.seed_names import is_seed_name
from torchdet_lint.checks.seed_options import REPEATED
from torchdet_lint.finding import Fix
from torchdet_lint.fixes.arguments import add, argument, replace
from torchdet_lint.fixes.code import Code
from torchdet_lint.fixes.places import offset_of, statement_at
from torchdet_lint.fixes.seeds import FALLBACK, Seed, seed_at
from torchdet_lint.fixes.target import Target, fix
from torchdet_lint.project.programs import is_test

BY_POSITION = re.compile(
    r"(^|\.)(default_rng|RandomState|SeedSequence|Random|seed|manual_seed|PCG64\w*|MT19937|Philox|SFC64)$"
)
"""Generators and seeders whose seed is usually given without its name."""


def give_seed(target: Target) -> Fix | None:
    """TDL004: a seed argument."""
    if target.variant == "parameter":
        return _default_seed(target)
    if target.call is None or target.is_repeated():
        return None
    call, base = target.call
    if target.api == "optuna.create_study":
        return _seeded_sampler(target, call)
    row = target.facts.machine.api(target.api)
    if row is None or not row.seed:
        return None
    name, _, position = row.seed.partition("@")
    seed = _seed_for(target)
    given = argument(call, name, int(position) if position else None)
    if given is not None:
        edit = replace(target.code, base, given.value, seed.argument) if isinstance(given.value, ir.Const) else None
    else:
        plain = position == "0" and not call.args and BY_POSITION.search(target.api)
        edit = add(target.code, target.start, target.end, seed.argument if plain else f"{name}={seed.argument}")
    return fix(f"seed it with `{seed.argument}`", "unsafe", [edit])


def _default_seed(target: Target) -> Fix | None:
    """A default in the place of None: of the parameter where nobody passes it, else of the setting that they pass."""
    seeds = [seed_of(target.facts, event) for event in target.events]
    passed = any(NONE in alternatives(seed) for seed in seeds if seed is not None)
    function = target.code.function(target.start)
    used = {arg.value.id for arg in (target.call[0].args if target.call else ()) if isinstance(arg.value, ir.Name)}
    for param in function[0].params if function is not None else ():
        default = param.default
        if function and param.name in used and isinstance(default, ir.Const) and default.value is None:
            if target.is_repeated() or function[0].name in REPEATED:
                return None  # each call would draw the same numbers
            if passed:
                return _default_setting(target, function[0].name)
            edit = replace(target.code, function[1], default, FALLBACK)
            return fix(f"let `{param.name}` default to {FALLBACK}", "unsafe", [edit])
    return None


def _default_setting(target: Target, function: str) -> Fix | None:
    """A default for the field of a configuration, or the option, that callers pass on, where it is None so far."""
    facts, project = target.facts, target.facts.project
    names: set[str] = set()
    fields: dict[str, list[tuple[str, int, ir.Expr]]] = {}
    for path, module in sorted(project.modules.items()):
        for unit in module.source.units:
            if function not in unit.words and not holds_seed_name(unit):
                continue
            for node in nested(project.body(path, unit.index)):
                if isinstance(node, ir.Call) and ir.last_name(node.func) == function:
                    names |= {arg.value.name for arg in node.args if isinstance(arg.value, ir.Attr)}
                if isinstance(node, ir.Class):
                    for name, value in _optional_fields(node):
                        fields.setdefault(name, []).append((path, unit.start, value))
    found = [place for name in sorted(names) if is_seed_name(name) for place in fields.get(name, ())]
    if len(found) != 1 or not facts.context.wants(found[0][0]):
        return None
    path, base, value = found[0]
    code = Code.of(project, path)
    return (
        None if code is None else fix(f"let it default to {FALLBACK}", "unsafe", [replace(code, base, value, FALLBACK)])
    )


def _optional_fields(cls: ir.Class) -> Iterator[tuple[str, ir.Expr]]:
    """The fields of a class that are None where nobody sets them: `seed: int | None = None`."""
    for each in cls.body:
        if not isinstance(each, ir.Assign) or each.annotation is None or not isinstance(each.targets[0], ir.Name):
            continue
        if isinstance(each.value, ir.Const) and each.value.value is None:
            yield each.targets[0].id, each.value


def _seeded_sampler(target: Target, call: ir.Call) -> Fix | None:
    """Optuna's default sampler of a study with one objective, which is not seeded, with a seed
    (https://optuna.readthedocs.io/en/stable/reference/generated/optuna.create_study.html).
    """
    sampler = target.named("optuna.samplers.TPESampler")
    if sampler is None or argument(call, "directions") is not None or argument(call, "sampler", 1) is not None:
        return None
    seed = _seed_for(target)
    edit = add(target.code, target.start, target.end, f"sampler={sampler.text}(seed={seed.argument})")
    return fix(f"pass a sampler seeded with `{seed.argument}`", "unsafe", [edit], [sampler])


def _seed_for(target: Target) -> Seed:
    return seed_at(target.facts, target.code, target.start)


def fixed_seed(target: Target) -> Fix | None:
    """TDL005: a seed that two runs share. A test that seeds from entropy only ends what it seeded itself."""
    found = _fixed_seed(target)
    return replaced(found, safety="display") if found is not None and is_test(target.code.path) else found


def _fixed_seed(target: Target) -> Fix | None:
    if target.variant == "hash":
        return _stable_hash(target)
    if target.call is None:
        return None
    call, base = target.call
    if _in_worker(target):
        return _seed_of_worker(target, call, base)
    if target.is_repeated():
        return None  # each turn would draw the same numbers
    if not call.args:
        return _seed_now(target, call, base)
    given = argument(call, "seed", 0) or call.args[0]
    source = _source(target)
    start, end = base + given.value.span[0], base + given.value.span[1]
    if isinstance(given.value, ir.Const) or (source is not None and start <= source[0] and source[1] <= end):
        seed = _seed_for(target)
        return fix(f"seed it with `{seed.argument}`", "unsafe", [target.code.edit(start, end, seed.argument)])
    return _fixed_source(target, given.value, source)


def _in_worker(target: Target) -> bool:
    """Whether the place runs in the workers of a loader, all of which would get the same numbers from a fixed seed."""
    functions = [function for function, _ in target.code.functions(target.start)]
    named = any(param.name in ("worker_id", "wid") for function in functions for param in function.params)
    return named or any(visit.around.worker for event in target.events for visit in target.facts.visits.get(event, ()))


def _seed_of_worker(target: Target, call: ir.Call, base: int) -> Fix | None:
    """The seed that torch has given the worker (https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader)."""
    initial = target.named("torch.initial_seed")
    if initial is None or (not _takes_seed(target) and target.api not in ("torch.seed", "torch.manual_seed")):
        return None
    text = f"{initial.text}()" if target.api.startswith("torch.") else f"{initial.text}() % 2**32"
    given = argument(call, "seed", 0)
    edits = [add(target.code, target.start, target.end, text)]
    if call.args:
        edits = [replace(target.code, base, given.value, text) if given is not None else None]
    elif target.api == "torch.seed":
        end = base + call.func.span[1]
        edits.append(
            target.code.edit(end - len("seed"), end, "manual_seed") if isinstance(call.func, ir.Attr) else None
        )
    return fix("use the seed that torch gives each worker", "unsafe", edits, [initial])


def _seed_now(target: Target, call: ir.Call, base: int) -> Fix | None:
    """`random.seed()` gets a seed; `torch.seed()` and `generator.seed()`, which take none, become `manual_seed`."""
    seed = _seed_for(target)
    code = target.code
    title = f"seed it with `{seed.argument}`"
    if _takes_seed(target):
        return fix(title, "unsafe", [add(code, target.start, target.end, seed.argument)])
    func = call.func
    other = {"seed": "manual_seed", "seed_all": "manual_seed_all"}.get(func.name) if isinstance(func, ir.Attr) else None
    if other is None or not isinstance(func, ir.Attr):
        return None
    end = base + func.span[1]
    edits = [code.edit(end - len(func.name), end, other), add(code, target.start, target.end, seed.argument)]
    return fix(title, "unsafe", edits)


def _takes_seed(target: Target) -> bool:
    return not target.api.startswith("torch.") and "Generator" not in target.api


def _source(target: Target) -> tuple[int, int] | None:
    """Where the entropy comes from, in this file."""
    for event in target.events:
        value = seed_of(target.facts, event) if event.kind == "use" else event.value
        for mark in sorted(marks((value,)), key=repr) if value is not None else ():
            if mark.site is not None and mark.site.path == target.code.path:
                return offset_of(target.code, mark.site)
    return None


def _fixed_source(target: Target, given: ir.Expr, source: tuple[int, int] | None) -> Fix | None:
    """The variable that the seed comes from gets a fixed value where it is assigned."""
    placed = statement_at(target.code, source[0]) if source is not None else None
    if placed is None or not isinstance(placed.statement, ir.Assign) or placed.statement.value is None:
        return None
    name = ir.last_name(given)
    if name not in {ir.last_name(each) for each in placed.statement.targets} or not is_seed_name(name.lower()):
        return None
    value = placed.statement.value
    return fix("use a fixed seed", "unsafe", [replace(target.code, placed.base, value, "0")])


def _stable_hash(target: Target) -> Fix | None:
    """`hash(text)`, which Python salts, becomes a checksum."""
    source = _source(target)
    found = target.code.call(*source) if source is not None else None
    if source is None or found is None or len(found[0].args) != 1:
        return None
    call, base = found
    if not isinstance(call.args[0].value, ir.Name | ir.Attr | ir.Const | ir.Format | ir.Sequence):
        return None
    checksum = target.named("zlib.crc32", source[0])
    if checksum is None:
        return None
    value = call.args[0].value
    inner = target.code.written(base, value.span)
    text = isinstance(value, ir.Format) or (isinstance(value, ir.Const) and isinstance(value.value, str))
    edit = target.code.edit(*source, f"{checksum.text}({inner if text else f'repr({inner})'}.encode())")
    return fix("use a checksum, which is the same in every process", "unsafe", [edit], [checksum])


# TDL011


def compare_with_none(target: Target) -> Fix | None:
    """TDL011: `if seed:` becomes `if seed is not None:`."""
    code = target.code
    for node, base in target.code.nodes(target.start, target.end):
        if isinstance(node, ir.If | ir.Choice):
            return _test(target, node.test, base)
        if isinstance(node, ir.Logic) and node.op == "or":
            name, other = (code.written(base, value.span) for value in node.values)
            if not isinstance(node.values[0], ir.Name | ir.Attr):
                return None
            text = f"{name} if {name} is not None else {other}"
            whole = text if _stands_alone(code, target.start, target.end) else f"({text})"
            return fix(
                "compare with None", _safety(target, node.values[0]), [code.edit(target.start, target.end, whole)]
            )
    return None


def _test(target: Target, test: ir.Expr, base: int) -> Fix | None:
    code = target.code
    negated = isinstance(test, ir.Unary) and test.op == "not"
    asked: ir.Expr = test.value if isinstance(test, ir.Unary) else test
    if isinstance(asked, ir.Logic):
        return None
    text = code.written(base, asked.span) + (" is None" if negated else " is not None")
    edit = code.edit(base + test.span[0], base + test.span[1], text)
    return fix("compare with None", _safety(target, asked), [edit])


def _safety(target: Target, asked: ir.Expr) -> str:
    """Safe where a default of None is in sight: where it is another, what the program does by default may change."""
    defaults = list(_defaults(target, ir.last_name(asked)))
    return "safe" if defaults and all(_is_none(default) for default in defaults) else "unsafe"


def _defaults(target: Target, name: str) -> Iterator[object]:
    """What parameters and options of that name are where nobody sets them."""
    for function, _ in target.code.functions(target.start):
        yield from (param.default for param in function.params if param.name == name and name)
    for event in target.facts.events("option"):
        if event.api == name:
            yield from alternatives(event.value)


def _is_none(default: object) -> bool:
    return default == NONE or (isinstance(default, ir.Const) and default.value is None)


def _stands_alone(code: Code, start: int, end: int) -> bool:
    """Whether a conditional expression needs no brackets in the place of another expression."""
    before, after = code.mask[:start].rstrip(), code.mask[end:].lstrip(" \t")
    begins = before.endswith(("=", "(", ",", "[", "return", ":")) and not before.endswith(("==", "!=", "<=", ">="))
    return begins and after[:1] in ("", "\n", ")", ",", "]", "}", ";", "#")
