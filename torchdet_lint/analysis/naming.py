"""Variables that only ever become parts of names: of files, folders, runs. Random values in them reach no result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint import ir
from torchdet_lint.analysis.machine import Frame, Machine

LABEL = re.compile(
    r"(?:^|[_.])(?:name|uid|uuid|prefix|suffix|tag|port|path|dir|folder|filename|file|color|colour)$"
    r"|(?:^|[_.])(?:run|job|exp|experiment|trial|session|request|rdzv|wandb|sweep|trace|node|launch|log|display|window|client)_?id$"
    r"|(?:^|[_.])(?:dist|ddp|master|rdzv|rendezvous|init|nccl|gloo|tcp|rpc|server)_?(?:url|uri|addr|address|endpoint|method)$"
    r"|\.id$"
)
"""What is called like this names something, most often; a `class_id` or `speaker_id` is data."""

_ADDRESS = re.compile(r"(?:^|_)port$|^(?:dist_url|init_method|rdzv_endpoint|master_addr)$")

_ANY = re.compile(r"(?:^|[_.])(?:port|uid|uuid|color|colour)$")
"""What names nothing that exists: one of many is as good as any other."""

_WAY = re.compile(r"(?:path|dir|folder|file)$")
"""A function that is called so may give a path of numbers, or one of the files that there are."""

_TRACKERS = frozenset("wandb mlflow neptune comet_ml clearml aim swanlab".split())

_SPELLING = re.compile(
    r"letters|digits|alphabet|charset|chars|ascii|printable|words|adjectives|nouns|animals", re.IGNORECASE
)

_PICKS = ("choice", "choices", "sample")

READERS = re.compile(r"^(?:load|loads|loadtxt|genfromtxt|imread|read|read_\w+|load_\w+|from_file|decode_\w+|open)$")
"""Functions that give what is in the file that they are told."""

WRITERS = re.compile(r"^(?:save\w*|dump|mkdir|makedirs|imwrite|to_(?:csv|json|pickle|parquet)|write\w*|touch|open)$")
"""Functions that make the file that they are told: who reads it later gets what was written there."""

MAKERS = re.compile(
    r"^(?:save(?!_pretrained)\w*|imwrite|imsave|mkdir|makedirs|touch|to_(?:csv|json|pickle|parquet)|open)$"
)
"""Functions that make the file whose name they are given, and where a text that looks like one is no content."""

PLACES = frozenset(
    "Path join mkdir makedirs exists open remove unlink rmtree SummaryWriter print info debug warning".split()
)
"""Functions that are given names of files, or text for people."""

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,9}$")

DRAWS = frozenset("choice choices randint randrange sample getrandbits random token_hex rand uniform".split())


def is_label(text: str) -> bool:
    """Whether something called this is a name, a port, a place."""
    return LABEL.search(text) is not None


def labels(m: Machine, f: Frame, text: str, target: ir.Expr, value: ir.Expr) -> bool:
    """Whether what is drawn in a value is only a label: it is called so, is made up, and no file of that name is read."""
    if not is_label(text) or (_ANY.search(text) is None and _draws(value) and _picks(value)):
        return False
    return not (isinstance(target, ir.Name) and _draws(value) and _is_read(m, f, target.id))


def is_address(call: ir.Call, arg: ir.Arg) -> bool:
    """Whether an argument is where processes meet (`init_method=f"tcp://localhost:{port}"`, `port=…`), or what a run is called
    where it is logged (`wandb.init(name=…)`).
    """
    if arg.star != "=" or _picks(arg.value):
        return False
    tracked = _root(call.func) in _TRACKERS and (arg.name == "id" or is_label(arg.name))
    return tracked or _ADDRESS.search(arg.name) is not None


def _root(func: ir.Expr) -> str:
    while isinstance(func, ir.Attr):
        func = func.value
    return func.id if isinstance(func, ir.Name) else ""


def makes_name(function: object, value: ir.Expr) -> bool:
    """Whether a function that is called like a name makes one up: `def run_id(): return "".join(random.choices(digits, k=6))`."""
    return (
        isinstance(function, ir.Function)
        and is_label(function.name)
        and _WAY.search(function.name) is None
        and _draws(value)
        and not _picks(value)
    )


def _picks(value: ir.Expr) -> bool:
    """Whether the value is one of some things that exist: `random.choice(files)`, `files[random.randrange(9)]`."""
    for node in ir.nested(value):
        if isinstance(node, ir.Item) and _draws(node.key) and not _spells(node.value):
            return True
        if isinstance(node, ir.Call) and node.args and _called(node) in _PICKS and not _spells(node.args[0].value):
            return True
    return False


def _spells(source: ir.Expr) -> bool:
    """Whether these are letters or words, of which names are made."""
    return any(
        (isinstance(node, ir.Const) and isinstance(node.value, str) and not isinstance(source, ir.Sequence))
        or (isinstance(node, ir.Name) and _SPELLING.search(node.id) is not None)
        or (isinstance(node, ir.Attr) and _SPELLING.search(node.name) is not None)
        for node in ir.nested(source)
    )


def _called(call: ir.Call) -> str:
    return ir.last_name(call.func)


def _is_read(m: Machine, f: Frame, name: str) -> bool:
    """Whether a file is read whose name is made with the variable."""
    names = {name}
    nodes = [node for body in _bodies(m, f, name) for node in ir.nested(body)]
    for node in nodes:
        if isinstance(node, ir.Assign) and _mentions(node.value, names) and not _holds_reading(node.value):
            names |= {target.id for target in node.targets if isinstance(target, ir.Name)}
    calls = [
        node for node in nodes if isinstance(node, ir.Call) and any(_mentions(arg.value, names) for arg in node.args)
    ]
    made = any(WRITERS.match(_called(call)) is not None and not _reads(call) for call in calls)
    return not made and any(map(_reads, calls))


def _mentions(value: object, names: set[str]) -> bool:
    return any(isinstance(node, ir.Name) and node.id in names for node in ir.nested(value))


def _holds_reading(value: object) -> bool:
    return any(isinstance(node, ir.Call) and _reads(node) for node in ir.nested(value))


def _reads(call: ir.Call) -> bool:
    if READERS.match(_called(call)) is None:
        return False
    modes = [str(arg.value.value) for arg in call.args[1:] if isinstance(arg.value, ir.Const)]
    return _called(call) != "open" or not any(set(mode) & set("wax") for mode in modes)


def is_made(call: ir.Call, value: ir.Expr) -> bool:
    """Whether an argument is the name of a file that the call makes: `torch.save(x, f"run-{number}.pt")`."""
    return MAKERS.match(_called(call)) is not None and not _reads(call) and _spells_file(value)


def _spells_file(value: ir.Expr) -> bool:
    if isinstance(value, ir.Format):
        return is_file(value)
    if isinstance(value, ir.Binary):
        last = value.left if value.op == "%" else value.right
        known = isinstance(last, ir.Const) and isinstance(last.value, str) and _ENDING.search(last.value) is not None
        return known or _spells_file(value.right)
    if isinstance(value, ir.Call) and _called(value) in ("join", "Path"):
        return any(_spells_file(arg.value) for arg in value.args)
    return False


def is_file(text: ir.Format) -> bool:
    """Whether a text with values in it is a path, or ends as the name of a file does: `f"run-{number}.pt"`."""
    parts = [str(part.value) for part in text.parts if isinstance(part, ir.Const)]
    last = text.parts[-1] if text.parts else None
    ends = isinstance(last, ir.Const) and _ENDING.search(str(last.value)) is not None
    return ends or any("/" in part for part in parts)


def names_something(m: Machine, f: Frame, target: ir.Expr, value: ir.Expr) -> bool:
    """Whether what is drawn in a value only becomes a part of names, or a variable of the environment that is no seed."""
    if isinstance(target, ir.Item):
        key = target.key.value if isinstance(target.key, ir.Const) else None
        return isinstance(target.value, ir.Attr) and target.value.name == "environ" and is_label(str(key).lower())
    if not isinstance(target, ir.Name) or not _draws(value):
        return False
    if _picks(value) or _is_read(m, f, target.id):
        return False
    uses = [each for body in _bodies(m, f, target.id) for each in _uses(body, target.id, named=False)]
    return bool(uses) and all(uses)


def _draws(value: ir.Expr) -> bool:
    return any(isinstance(node, ir.Call) and _called(node) in DRAWS for node in ir.nested(value))


def _bodies(m: Machine, f: Frame, name: str) -> Iterator[object]:
    """The code that sees the variable."""
    if isinstance(f.function, ir.Function):
        yield f.function.body
        return
    for unit in m.project.modules[f.path].source.units:
        if unit.kind not in ("import", "from"):  # words in f-strings are no words of the unit
            yield m.project.body(f.path, unit.index)


def _has_text(node: ir.Binary) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(s, ir.Format) or (isinstance(s, ir.Const) and isinstance(s.value, str)) for s in sides)


def _uses(node: object, name: str, *, named: bool) -> Iterator[bool]:
    """For each time the variable is read, whether that is for a name."""
    if isinstance(node, ir.Name):
        if node.id == name:
            yield named
        return
    if isinstance(node, ir.Assign):
        yield from _uses(node.value, name, named=False)
        for target in node.targets:
            if not isinstance(target, ir.Name):
                yield from _uses(target, name, named=False)
        return
    if not isinstance(node, tuple):
        return
    if isinstance(node, ir.Format):
        named = named or is_file(node)
    elif isinstance(node, ir.Call):
        last = _called(node)
        yield from _uses(node.func, name, named=False)
        for arg in node.args:
            place = last in PLACES and not isinstance(arg.value, ir.Name)
            yield from _uses(arg.value, name, named=place or last == "sleep")
        return
    elif type(node) is not tuple and not (isinstance(node, ir.Binary) and node.op == "+" and _has_text(node)):
        named = False
    for part in node:
        yield from _uses(part, name, named=named)
