"""What a program saves and loads: the state of training, and that of random generators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import Box, Instance, Items, Known, Made, Option, Site, Value, alternatives, known
from torchdet_lint.catalog.apis import Api

ROLES = frozenset(("save", "restore", "rng-state"))
"""Roles of calls that this module is about."""

PROGRESS = frozenset("epoch epochs step steps iter iters iteration iterations scaler lr_scheduler".split())
"""Words in the keys of a checkpoint that tell how far training was."""

BEGINNINGS = ("optim", "sched")
GENERATORS = re.compile(r"rng|random_?state|generator_?state|seed_?state", re.IGNORECASE)
OPTIMIZERS = ("torch.optim.", "timm.optim.", "apex.optimizers.", "bitsandbytes.optim.", "transformers.Adam")
STATE = "torch.optim.State"
"""The class of what an optimizer's `state_dict()` gives."""

WHOLE = 3
"""So deep the dictionaries in a checkpoint are looked into; an object of the project counts only as the whole of one."""

READS_STATE = frozenset("get_state getstate get_rng_state get_rng_state_all get_rng_state_dict rng_state".split())
"""Methods that read the state of a generator, whoever has them."""


def about_training(key: str) -> bool:
    """Whether an entry of a checkpoint of this name belongs to the optimizer or tells how far training was."""
    if key == "param_groups":
        return True
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", key)]
    return any(word in PROGRESS or word.startswith(BEGINNINGS) for word in words)


def record_checkpoint(m: Machine, f: Frame, made: Made, row: Api, site: Site) -> None:
    """The events of a call that saves, loads, or reads the state of a generator."""
    if row.role == "rng-state":
        f.trace.append(Event("rng-state", site, made.cls, made=made))
        return
    entries = dict(_entries(m, (*made.args, *(value for _, value in made.named)), WHOLE))
    if any(GENERATORS.search(key) for key in entries):
        f.trace.append(Event("rng-state", site, made.cls, made=made))
    if row.role == "restore":
        f.trace.append(Event("loaded", site, made.cls, made=made))
    training = tuple(key for key, about in entries.items() if about)
    if training:
        kind = "saved" if row.role == "save" else "restored"
        f.trace.append(Event(kind, site, made.cls, value=known(training), made=made))


def _entries(m: Machine, values: tuple[Value, ...], depth: int) -> Iterator[tuple[str, bool]]:
    """The keys of the dictionaries among the values, and whether they are about training; the state of an optimizer by
    itself counts as a dictionary of one.
    """
    for value in values if depth else ():
        for option in alternatives(value):
            if isinstance(option, Made) and option.cls == STATE:
                yield "optimizer", True
            elif isinstance(option, Items):
                yield from _entries(m, option.items, depth - 1)
            elif isinstance(option, Box):
                for name, entry in m.heap.cell(option.identity).entries.items():
                    told = about_training(name) and not _is_option(option, entry)
                    yield name, told or any(about for _, about in _entries(m, (entry,), depth - 1))
            elif isinstance(option, Instance) and m.heap.exists(option.identity) and depth == WHOLE:
                yield from ((name, about_training(name)) for name in m.heap.cell(option.identity).entries)


def _is_option(holder: Box, entry: Value) -> bool:
    """Whether an entry tells how long to train, not how far training was: `--epochs` among the options of a program."""
    return holder.kind == "namespace" and all(isinstance(each, Option) for each in alternatives(entry))


def read_entry(m: Machine, f: Frame, holder: Value, key: Value, site: Site) -> None:
    """`checkpoint["epoch"]`, `checkpoint.get("epoch")`: training goes on from what was saved."""
    if not isinstance(holder, Made) or not isinstance(key, Known) or not isinstance(key.value, str):
        return
    row = m.api(holder.cls)
    if row is not None and row.role == "restore" and about_training(key.value):
        f.trace.append(Event("restored", site, holder.cls, value=known((key.value,)), made=holder))


def load_state(f: Frame, receiver: Value, site: Site) -> None:
    """`optimizer.load_state_dict(...)`"""
    for option in alternatives(receiver):
        if isinstance(option, Made) and option.cls.startswith(OPTIMIZERS):
            f.trace.append(Event("restored", site, f"{option.cls}.load_state_dict", value=known(("optimizer",))))
