"""Probes of generators and seeds: TDL004, TDL005, TDL013."""

from __future__ import annotations

from functools import partial

from torchdet_lint import ir
from torchdet_lint.finding import Evidence
from torchdet_lint.verify.probe.evidence import CONFIRMED, NOTHING, REFUTED, Seen, Trial, Unprobed, needs_cuda
from torchdet_lint.verify.probe.place import Case
from torchdet_lint.verify.probe.render import Grammar, render

_MADE = {
    "random.Random": "made.random()",
    "numpy.random.default_rng": "made.random(4).tolist()",
    "numpy.random.RandomState": "made.rand(4).tolist()",
    "numpy.random.SeedSequence": "str(made.entropy)",
    **dict.fromkeys(
        (f"numpy.random.{name}" for name in ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")),
        "made.random_raw(4).tolist()",
    ),
}
"""Generator objects, and how something is drawn from one."""


def unseeded(case: Case) -> Trial:
    """TDL004: a generator object without a seed, made in two processes."""
    callee = case.callee
    if callee not in _MADE:
        raise Unprobed(f"there is no probe for `{callee}`")
    given = list(case.arguments().values())
    if len(given) > 1 or (case.variant != "parameter" and any(case.known(value, 0) is not None for value in given)):
        raise Unprobed("its arguments are not in sight")
    body = f"made = {callee}({'None' if given else ''})\nreturn {{'drawn': {_MADE[callee]}}}"
    how = "with its seed None" if given else "without a seed"
    return Trial(body, _modules(callee), partial(_differ, f"`{callee}` made {how}", "its draws", "entropy"))


def constant_start(case: Case) -> Trial | Evidence:
    """TDL013: a torch.Generator that is never seeded, or the global one, reset."""
    if case.variant == "global":
        seed = case.text(case.call.args[0].value) if case.call.args else ""
        body = (
            f"torch.manual_seed({seed})\nfirst = torch.rand(4).tolist()\ntorch.rand(7)\n"
            f"given = torch.manual_seed({seed})\n"
            "return {'again': torch.rand(4).tolist() == first, 'same': given is torch.default_generator}"
        )
        return Trial(body, ("torch",), _global)
    device = case.known(next(iter(case.arguments("device").values()), None), None)
    if device is not None and not str(device).startswith("cpu"):
        return needs_cuda("generator-start", f"`torch.Generator({device!r})` in two fresh processes, under two seeds")
    body = (
        "drawn = []\nfor seed in (1, 2):\n    torch.manual_seed(seed)\n"
        "    drawn.append(torch.rand(4, generator=torch.Generator()).tolist())\nreturn {'drawn': drawn}"
    )
    return Trial(body, ("torch",), _constant)


_CLOCK = frozenset((
    "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today",
))  # fmt: skip
_PROCESS = frozenset(("os.getpid", "os.getppid", "threading.get_ident", "threading.get_native_id"))
_SYSTEM = frozenset((
    "os.urandom", "os.getrandom", "uuid.uuid4", "uuid.uuid1", "secrets.randbits", "secrets.randbelow", "secrets.token_bytes",
    "secrets.token_hex", "random.SystemRandom",
))  # fmt: skip
_DRAWS = frozenset((
    "random.random", "random.randint", "random.randrange", "random.getrandbits", "random.uniform", "numpy.random.randint",
    "numpy.random.rand", "numpy.random.random", "torch.randint", "torch.rand", "torch.seed", "torch.initial_seed",
))  # fmt: skip
_PURE = frozenset((
    "builtins.int", "builtins.abs", "builtins.round", "builtins.float", "builtins.str", "builtins.hash", "builtins.min",
    "builtins.max", "builtins.sum", "builtins.object", "builtins.id", "builtins.pow", "builtins.int.from_bytes",
    "zlib.crc32",
))  # fmt: skip
_METHODS = frozenset(("timestamp", "item", "hex", "encode", "toordinal"))
_PARTS = frozenset((
    "microsecond", "second", "minute", "hour", "int", "bytes", "fields", "time_low", "node", "day", "month", "year",
))  # fmt: skip

_SEEDERS = {
    "torch.manual_seed": "torch.rand(4).tolist()",
    "torch.random.manual_seed": "torch.rand(4).tolist()",
    "torch.seed": "torch.rand(4).tolist()",
    "torch.random.seed": "torch.rand(4).tolist()",
    "numpy.random.seed": "numpy.random.rand(4).tolist()",
    "random.seed": "random.random()",
    **_MADE,
}
"""Functions that seed, and a draw that shows it."""


def entropy_seed(case: Case) -> Trial:
    """TDL005: a seed that two runs cannot share. What computes it is taken over where it consists of well-known calls."""
    callee = case.callee
    if callee not in _SEEDERS:
        raise Unprobed(f"there is no probe for `{callee}`")
    used: list[str] = [callee]
    values = [arg.value for arg in case.call.args if not arg.star or arg.name in ("seed", "a", "x")]
    if len(values) != len(case.call.args) or len(values) > 1:
        raise Unprobed("its arguments are not in sight")
    seed = render(values[0], _seed_grammar(case, used)) if values else ""
    modules = tuple(dict.fromkeys(module for name in used if "." in name for module in _modules(name)))
    body = f"made = {callee}({seed})\nreturn {{'drawn': {_SEEDERS[callee]}}}"
    shown = f"`{callee}({seed})`"
    return Trial(body, modules, partial(_differ, shown, "the draws after it", _factor(used)))


def _seed_grammar(case: Case, used: list[str]) -> Grammar:
    following: list[str] = []

    def name(expr: ir.Name | ir.Attr) -> str:
        if isinstance(expr, ir.Attr) and expr.name in _PARTS:
            return f"{render(expr.value, grammar)}.{expr.name}"
        value = case.bound(expr.id) if isinstance(expr, ir.Name) and expr.id not in following else None
        if value is None or not isinstance(expr, ir.Name):
            return case.text(expr)
        following.append(expr.id)
        text = render(value, grammar)
        following.pop()
        return text

    def callee(call: ir.Call) -> str:
        dotted = case.names.dotted(call.func)
        if dotted in _PURE:
            used.append(dotted.removeprefix("builtins."))
            return used[-1]
        if dotted is not None and dotted in _CLOCK | _PROCESS | _SYSTEM | _DRAWS:
            used.append(dotted)
            return dotted
        if isinstance(call.func, ir.Attr) and call.func.name in _METHODS:
            return f"{render(call.func.value, grammar)}.{call.func.name}"
        raise Unprobed("its seed is computed by something that a probe does not take over")

    grammar = Grammar(name, callee)
    return grammar


def _modules(dotted: str) -> tuple[str, ...]:
    return () if dotted.startswith("int.") else (dotted.split(".", 1)[0],)


def _factor(used: list[str]) -> str:
    """What the seed hangs on, going by what computes it."""
    if not _SYSTEM.isdisjoint(used) or not _DRAWS.isdisjoint(used):
        return "entropy"
    if not _CLOCK.isdisjoint(used):
        return "clock"
    if not _PROCESS.isdisjoint(used):
        return "pid"
    return "hash-seed" if "hash" in used else "address" if "id" in used else "entropy"


def _differ(shown: str, what: str, factor: str, one: Seen, other: Seen) -> Evidence:
    if one["drawn"] != other["drawn"]:
        return Evidence(CONFIRMED, f"{shown}: {what} differ between two fresh processes", factor)
    return Evidence(REFUTED, f"{shown}: {what} are the same in two fresh processes")


def _constant(one: Seen, other: Seen) -> Evidence:
    values = [*one["drawn"], *other["drawn"]]
    if all(value == values[0] for value in values):
        text = "`torch.Generator()`: the same draws in two fresh processes and after two different seeds"
        return Evidence(CONFIRMED, text, "seed")
    return Evidence(REFUTED, "`torch.Generator()`: its draws differ between processes or with the seed")


def _global(one: Seen, other: Seen) -> Evidence:
    if one["again"] and one["same"]:
        text = "`torch.manual_seed(...)` gives the global generator: after it, draws start again from the beginning"
        return Evidence(CONFIRMED, text, "stream")
    return Evidence(NOTHING if one["same"] else REFUTED, "`torch.manual_seed(...)` left other draws as they were")
