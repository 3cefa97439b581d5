"""Training loops of libraries: what `fit` calls in the project's modules, loaders and data sets."""

from __future__ import annotations

from dataclasses import replace

from torchdet_lint import ir
from torchdet_lint.analysis import classes
from torchdet_lint.analysis.iteration import dataset_item, iterate
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Event, Repeat
from torchdet_lint.analysis.values import (
    FALSE,
    UNKNOWN,
    Bound,
    Box,
    Flow,
    FunctionValue,
    Instance,
    Items,
    Made,
    Value,
    alternatives,
)

SETUP = ("prepare_data", "setup", "configure_model", "configure_optimizers", "on_fit_start")
LOADERS = ("train_dataloader", "val_dataloader", "test_dataloader")
STEPS = (
    "on_train_epoch_start", "training_step", "validation_step", "forward", "compute_loss", "optimizer_step",
    "on_train_epoch_end", "on_validation_epoch_end",
)  # fmt: skip
"""Hooks in the order in which the trainers of Lightning and transformers call them."""


def fit(m: Machine, f: Frame, trainer: Value, made: Made, span: ir.Span) -> Value:
    """`trainer.fit(module, loaders…)`, `trainer.train()`: setup hooks, then a loop of steps with backward passes."""
    parts = _parts(m, trainer, made)
    for part in parts:
        if isinstance(part, Instance):
            _hooks(m, f, part, SETUP, span)
    for part in parts:
        _called(m, f, part, span)
    loaders = [loader for part in parts for loader in _loaders(m, f, part, span)]
    kept, f.trace = f.trace, []
    for loader in (*loaders, *(part for part in parts if _is_loader(m, part))):
        iterate(m, f, loader, span)
    for part in parts:
        if isinstance(part, Instance):
            _hooks(m, f, part, STEPS, span)
    f.trace.append(Event("backward", f.site(span), made.cls or ".fit()"))
    body, f.trace = tuple(f.trace), kept
    f.trace.append(Repeat(f.site(span), "fit", body))
    return UNKNOWN


LAUNCHER = "lightning.pytorch.cli.LightningCLI"
"""Builds a module and its data from classes and configuration, then runs the subcommand that the user chooses."""


def launch(m: Machine, f: Frame, made: Made, span: ir.Span) -> None:
    """`LightningCLI(Model, Data)`: as if the subcommand were `fit`, unless `run=False`."""
    from torchdet_lint.analysis.outside import call_back

    classes_given = (made.get("model_class", 0), made.get("datamodule_class", 1))
    built = tuple(call_back(m, f, cls, (), span) for given in classes_given for cls in alternatives(given))
    if made.get("run", 12) != FALSE:
        fit(m, f, UNKNOWN, replace(made, args=built, named=()), span)


def _parts(m: Machine, trainer: Value, made: Made) -> tuple[Value, ...]:
    """Everything that the trainer was built from or is given now."""
    found: list[Value] = []
    holders = [made]
    for option in alternatives(trainer):
        if isinstance(option, Made):
            holders.append(option)
        elif isinstance(option, Instance):
            found.append(option)
            held = m.heap.read(option.identity, "<made>")
            if isinstance(held, Made):
                holders.append(held)
    for holder in holders:
        for value in (*holder.args, *(value for _, value in holder.named)):
            for option in alternatives(value):
                if isinstance(option, Items):
                    found += option.items
                elif isinstance(option, Box):
                    found += m.heap.elements(option.identity)
                else:
                    found.append(option)
    return tuple(dict.fromkeys(found))


def _hooks(m: Machine, f: Frame, part: Instance, names: tuple[str, ...], span: ir.Span) -> None:
    from torchdet_lint.analysis.outside import call_back

    for name in names:
        found = classes.find_member(m, part.cls, name)
        if found is not None and isinstance(found[0], FunctionValue):
            call_back(m, f, Bound(part, found[0]), (UNKNOWN,) * 2, span)


def _called(m: Machine, f: Frame, part: Value, span: ir.Span) -> None:
    from torchdet_lint.analysis.outside import call_back

    if isinstance(part, FunctionValue) or (isinstance(part, Bound) and isinstance(part.function, FunctionValue)):
        call_back(m, f, part, (UNKNOWN,), span)


def _loaders(m: Machine, f: Frame, part: Value, span: ir.Span) -> tuple[Value, ...]:
    from torchdet_lint.analysis.outside import call_back

    found: list[Value] = []
    if isinstance(part, Instance):
        for name in LOADERS:
            member = classes.find_member(m, part.cls, name)
            if member is not None and isinstance(member[0], FunctionValue):
                found += alternatives(call_back(m, f, Bound(part, member[0]), (), span))
    return tuple(found)


def _is_loader(m: Machine, part: Value) -> bool:
    if isinstance(part, Made):
        row = m.api(part.cls)
        return row is not None and row.role in ("loader", "dataset")
    if isinstance(part, Instance):
        return any(classes.find_member(m, part.cls, name) is not None for name in ("__getitem__", "__iter__"))
    return isinstance(part, Flow)


__all__ = ["LAUNCHER", "dataset_item", "fit", "launch"]
