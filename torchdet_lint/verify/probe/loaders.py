"""Probes of loaders, samplers and splits: TDL101, TDL102, TDL103, TDL104."""

from __future__ import annotations

from functools import partial

from torchdet_lint import ir
from torchdet_lint.finding import Evidence
from torchdet_lint.verify.probe.evidence import CONFIRMED, NOTHING, REFUTED, Seen, Trial, Unprobed
from torchdet_lint.verify.probe.place import Case

_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
_POSITIONS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory", "drop_last",
)  # fmt: skip
_ORDERING = ("sampler", "batch_sampler", "generator")
_SAMPLES = 64
_MOST_WORKERS = 2

_ORDER = """
def order():
    return {order}
fresh = order()
torch.manual_seed(0)
first = order()
torch.manual_seed(0)
again = order()
torch.manual_seed(0)
torch.rand(1)
moved = order()
return dict(fresh=fresh, first=first, again=again, moved=moved)
"""


def shuffling(case: Case) -> Trial:
    """TDL101: the order of a loader with the same arguments, in fresh processes, after a seed, and after one draw more."""
    options, shown = _options(case, {"shuffle": True})
    order = f"[int(i) for batch in torch.utils.data.DataLoader(Indices({_SAMPLES}), {options}) for i in batch]"
    return Trial(_ORDER.format(order=order), ("torch",), partial(_judge_order, case.variant, f"`DataLoader({shown})`"))


def drawing(case: Case) -> Trial:
    """TDL103: the same for random splits and samplers."""
    name = case.callee.rpartition(".")[2]
    if not case.callee.startswith("torch.utils.data."):
        raise Unprobed(f"there is no probe for `{case.callee}`")
    given = case.arguments(*_SAMPLER_POSITIONS.get(name, ()))
    if not isinstance(given.get("generator", ir.Const(None, (0, 0))), ir.Const):
        raise Unprobed("whether it has a generator is not in sight")
    replacement = case.known(given.get("replacement"), name == "WeightedRandomSampler")
    indices = f"range({_SAMPLES})"
    makers = {
        "random_split": f"random_split({indices}, [{_SAMPLES - 16}, 16])",
        "RandomSampler": f"RandomSampler({indices}, replacement={bool(replacement)})",
        "SubsetRandomSampler": f"SubsetRandomSampler({indices})",
        "WeightedRandomSampler": f"WeightedRandomSampler([1.0] * {_SAMPLES}, {_SAMPLES}, replacement={bool(replacement)})",
    }
    if name not in makers:
        raise Unprobed(f"there is no probe for `{case.callee}`")
    drawn = f"torch.utils.data.{makers[name]}"
    order = f"[list(part.indices) for part in {drawn}]" if name == "random_split" else f"[int(i) for i in {drawn}]"
    return Trial(_ORDER.format(order=order), ("torch",), partial(_judge_order, case.variant, f"`{makers[name]}`"))


_SAMPLER_POSITIONS = {
    "random_split": ("dataset", "lengths", "generator"),
    "RandomSampler": ("data_source", "replacement", "num_samples", "generator"),
    "SubsetRandomSampler": ("indices", "generator"),
    "WeightedRandomSampler": ("weights", "num_samples", "replacement", "generator"),
}

_WORKERS = """
def draws():
    loader = torch.utils.data.DataLoader(Drawing(8), batch_size=4, collate_fn=list, {options})
    return [sample for batch in loader for sample in batch]
torch.manual_seed(0)
first = draws()
return dict(first=first, workers=len(set(sample["worker"] for sample in first)))
"""


def workers(case: Case) -> Trial:
    """TDL102: what a data set draws in workers, from the families that torch knows and from a generator of its own."""
    if case.variant == "unseeded-draw" and case.said.get("family") not in ("torch", "NumPy", "Python"):
        raise Unprobed(
            f"what torch does for the workers' {case.said.get('family', 'generator')} takes its library to see"
        )
    dropped = ("shuffle", "sampler", "batch_sampler", "batch_size", "drop_last")
    options, _ = _options(case, {"num_workers": _MOST_WORKERS}, drop=dropped)
    body = _WORKERS.format(options=options)
    return Trial(body, ("torch", "numpy", "random"), partial(_judge_workers, case))


_COPIES = """
loader = torch.utils.data.DataLoader(
    Drawing(8, {held!r}), batch_size=4, num_workers=2, collate_fn=list, persistent_workers={persistent}
)
first, second = ([sample for batch in loader for sample in batch] for _ in range(2))
return dict(first=first, second=second)
"""
_HELD = ("numpy.random.default_rng", "numpy.random.RandomState", "random.Random", "torch.Generator")


def worker_copies(case: Case) -> Trial:
    """TDL104: a generator of the same kind that a data set holds, copied into every worker, over two epochs."""
    made = case.quoted("value")
    held = case.names.dotted(made.func) if isinstance(made, ir.Call) else None
    if held not in _HELD:
        raise Unprobed(f"there is no probe for `{held or case.said.get('value', '')}`")
    body = _COPIES.format(held=held, persistent=case.variant == "workers")
    return Trial(body, ("torch", "numpy", "random"), partial(_judge_copies, case.variant, f"`{held}`"))


def _options(case: Case, assumed: dict[str, object], drop: tuple[str, ...] = ()) -> tuple[str, str]:
    """The loader's arguments that matter, as the probe gives them and as the evidence shows them.

    What does not decide about order is left out (collation, pinning, time-outs); a number that is not in sight is replaced by a
    usual one; of sizes only that they are positive matters.
    """
    if case.callee not in _LOADERS:
        raise Unprobed(f"`{case.callee}` is not torch's own loader")
    given = case.arguments(*_POSITIONS)
    for name in _ORDERING:
        if name in given and name not in drop and case.known(given[name], 0) is not None:
            raise Unprobed(f"its `{name}` is not in sight, and decides about the order")
    usual = {
        "batch_size": 4,
        "num_workers": _MOST_WORKERS,
        "shuffle": True,
        "drop_last": False,
        "persistent_workers": False,
    }
    values: dict[str, object] = dict(assumed)
    for name in ("batch_size", "shuffle", "num_workers", "drop_last", "persistent_workers", "in_order"):
        if name in given and name not in drop:
            values[name] = case.known(given[name], usual.get(name, True))
    if isinstance(values.get("num_workers"), int):
        values["num_workers"] = min(int(str(values["num_workers"])), _MOST_WORKERS) or assumed.get("num_workers", 0)
    if isinstance(values.get("batch_size"), int):
        values["batch_size"] = min(int(str(values["batch_size"])), _SAMPLES // 4)
    if not values.get("num_workers"):
        values.pop("persistent_workers", None)
    text = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return text, text


def _judge_order(variant: str, shown: str, one: Seen, other: Seen) -> Evidence:
    repeats = one["first"] == one["again"] == other["first"]
    moves = one["moved"] != one["first"]
    if variant == "stream":
        if repeats and moves:
            return Evidence(
                CONFIRMED, f"{shown}: the order repeats after a seed, and is another one after one draw more", "stream"
            )
        return Evidence(REFUTED, f"{shown}: the order does not depend on what was drawn before")
    if one["fresh"] != other["fresh"]:
        more = "; after torch.manual_seed it repeats" if repeats else ""
        return Evidence(
            CONFIRMED, f"{shown}: the order differs between two fresh processes that seed nothing{more}", "entropy"
        )
    return Evidence(REFUTED, f"{shown}: the order is the same in two fresh processes that seed nothing")


_NAMES = {"torch": "torch", "numpy": "NumPy", "python": "Python"}


def _judge_workers(case: Case, one: Seen, other: Seen) -> Evidence:
    different = [
        name
        for key, name in _NAMES.items()
        if _column(one["first"], key) != _column(other["first"], key) or _alike(one, key)
    ]
    if case.variant == "repeated-draw":
        if _alike(one, "numpy"):
            return Evidence(CONFIRMED, "two workers draw the same NumPy numbers", "worker")
        return Evidence(
            REFUTED,
            "two workers draw different NumPy numbers, the same ones in two runs: this torch seeds NumPy in them",
        )
    if case.variant == "unseeded-draw":
        family = case.said["family"]
        if family in different:
            return Evidence(
                CONFIRMED, f"what two workers draw from {family} differs between two seeded processes", "worker"
            )
        return Evidence(
            REFUTED, f"what workers draw from {family} is the same in two seeded processes, and differs between workers"
        )
    copies = (
        " A generator that the data set holds gives the same numbers in both workers." if _alike(one, "held") else ""
    )
    if different:
        return Evidence(CONFIRMED, f"this torch does not seed {', '.join(different)} in workers.{copies}", "worker")
    where = "two workers, each differently" if one["workers"] > 1 else "the one worker"
    return Evidence(NOTHING, f"this torch seeds torch, NumPy and Python in {where}.{copies}")


def _judge_copies(variant: str, held: str, one: Seen, other: Seen) -> Evidence:
    again = _column(one["first"], "held") == _column(one["second"], "held")
    if _alike(one, "held"):
        more = ", and again in the next epoch" if again else ""
        return Evidence(
            CONFIRMED, f"{held} that a data set holds gives the same numbers in two workers{more}", "worker"
        )
    if again and variant == "epochs":
        return Evidence(CONFIRMED, f"{held} that a data set holds gives the same numbers in two epochs", "worker")
    return Evidence(REFUTED, f"{held} that a data set holds gives different numbers in each of two workers")


def _column(samples: list[Seen], key: str) -> list[object]:
    return [sample[key] for sample in samples]


def _alike(seen: Seen, key: str) -> bool:
    """Whether the first samples of two workers hold the same draws."""
    by_worker: dict[int, list[object]] = {}
    for sample in seen["first"]:
        by_worker.setdefault(sample["worker"], []).append(sample[key])
    return len(by_worker) > 1 and len({repr(values) for values in by_worker.values()}) == 1
