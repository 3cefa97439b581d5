"""From a row of the API tables to events."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.checkpoints import ROLES, record_checkpoint
from torchdet_lint.analysis.conditions import argument, drawn, filled, redirected
from torchdet_lint.analysis.keeping import manages
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Branch, Event
from torchdet_lint.analysis.values import (
    FALSE,
    TRUE,
    Bound,
    Box,
    Known,
    Made,
    Mark,
    Option,
    Site,
    Tainted,
    Truth,
    Value,
    alternatives,
    is_none,
    join,
    known,
    marks,
    truth,
    usual,
)
from torchdet_lint.catalog.apis import Api

QUIET = frozenset(
    (
        "", "draw", "seeder", "backward", "matmul", "cuda", "strict", "context", "option", "calls", "init", "clock", "fit",
        "layer", "dataset", "transform", "compose", "pretrained", *ROLES,
    )
)  # fmt: skip
"""Roles that no rule judges by the place of their use alone."""

ENTROPY = "entropy"
"""In the place of a family: what the operating system gives, which no seed fixes."""

CONTAINERS = ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict")

UNREPEATABLE = ("uuid.uuid4", "os.urandom", "random.SystemRandom", "secrets.")
"""Sources that no seed can fix."""


def record(m: Machine, f: Frame, made: Made, row: Api, span: ir.Span, site: Site | None = None) -> None:
    """Appends the events of one call to the frame's trace; they stand at `site` where that is not the call itself."""
    site = f.site(span) if site is None else site
    if row.seeds:
        _seed(m, f, made, row, site)
    if ENTROPY in row.draws and not redirected(made, row) or any(_certain(made, word) for word in row.draws):
        f.trace.append(Event("use", site, made.cls, made=made, note="unrepeatable"))
    if row.draws and redirected(made, row):
        f.trace.append(Event("private-draw", site, made.cls, made=made))
    elif (families := _families(row, made)) and not filled(made, row) and not _is_replaced(m, made, row):
        note = _draw_note(f, made, row)
        f.trace.append(Event("draw", site, made.cls, families, made=made, note=note))
        if "torch" in families and not note:
            m.drawn[made.identity] = site
    for mode in row.sets:
        _set_mode(f, made, mode, site)
    if row.role in ("backward", "matmul"):
        f.trace.append(Event(row.role, site, made.cls, made=made))
    elif row.role in ("cuda", "trainer") and _picks_accelerator(made, row):
        f.trace.append(Event("cuda", site, made.cls, made=made))
    if row.role in ROLES:
        record_checkpoint(m, f, made, row, site)
    if made.cls in CONTAINERS:
        f.trace.append(Event("made", site, made.cls, made=made))
    if row.rng and not row.role:
        f.trace.append(Event("use", site, made.cls, made=made, note="rng"))
    elif row.role not in QUIET:
        f.trace.append(Event("use", site, made.cls, made=made, note=row.role))
    if row.role not in ROLES:  # names of files
        unrepeatable_data(m, f, made)


INITIAL = ("layer", "recurrent", "attention", "init", "pretrained")
"""Roles whose draws are first weights."""

USUAL = frozenset(f"torch.nn.init.{name}" for name in ("kaiming_uniform_", "uniform_", "normal_"))
"""What the layers of torch call for their first weights: linear ones and convolutions the first two, embeddings the last."""


def _is_replaced(m: Machine, made: Made, row: Api) -> bool:
    """Whether the program has put something else in the place of what would draw (`torch.nn.init.normal_ = skip`)."""
    if not m.replaced or row.role not in INITIAL:
        return False
    return made.cls in m.replaced if row.role == "init" else m.replaced >= USUAL


def _families(row: Api, made: Made) -> tuple[str, ...]:
    return tuple(family for family in drawn(row.draws, made) if family != ENTROPY)


def _certain(made: Made, word: str) -> bool:
    """Whether a call is sure to draw what no seed can fix: `entropy?resampled`."""
    family, _, spec = word.partition("?")
    return family == ENTROPY and bool(spec) and truth(argument(made, spec) or FALSE) is Truth.YES


def _draw_note(f: Frame, made: Made, row: Api) -> str:
    """What is to be known of a draw: that it makes a name, depends on the training mode, or initialises weights."""
    if f.naming:
        return "name"
    if any(
        isinstance(value, Bound) and value.function == "training" for value in (*made.args, *(v for _, v in made.named))
    ):
        return "training"
    return "init" if row.role in INITIAL else ""


ACCELERATORS = ("auto", "gpu", "cuda", None)
"""What Lightning calls an accelerator that CUDA is, or may be."""


def _picks_accelerator(made: Made, row: Api) -> bool:
    """Whether a call names an accelerator, or takes one where there is one: unless it is told not to."""
    if made.cls.startswith("lightning."):
        accelerator = made.get("accelerator", 0 if row.role == "cuda" else None)
        return accelerator is None or any(
            not isinstance(each, Known) or each.value in ACCELERATORS for each in usual(accelerator)
        )
    if row.role == "cuda":
        return made.get("cpu") != TRUE
    if made.cls.startswith(("transformers.", "trl.")):
        settings = made.get("args", 1)
        told = isinstance(settings, Made) and any(settings.get(name) == TRUE for name in ("use_cpu", "no_cuda"))
        return not told
    return False


def _seed(m: Machine, f: Frame, made: Made, row: Api, site: Site) -> None:
    value = argument(made, row.seed)
    if value == FALSE:  # `LightningCLI(seed_everything_default=False)`
        return
    if _is_own_state(m, value):
        if row.seeds and value is not None:
            note = "open" if manages(f.function) else ""
            f.trace.append(Event("rng-back", site, made.cls, tuple(row.seeds), value=value, made=made, note=note))
        return
    if value is None and made.open:
        value = Option(known(0), "")
    options = [option for option in alternatives(value) if is_none(option) is not Truth.YES]
    absent = value is None or (len(options) < len(alternatives(value)) and not _has_default(options))
    if absent and row.missing == "keep":
        if not options:
            return
    elif absent:
        entropy = row.missing == "entropy"
        options.append(Tainted(frozenset((Mark("entropy", f"{made.cls}()", None),))) if entropy else known("default"))
    seed = join(*options)
    event = Event("seed", site, made.cls, tuple(row.seeds), value=seed, made=made)
    if row.missing == "entropy" and isinstance(seed, Option) and is_none(seed) is Truth.LIKELY:
        # As good as `if seed is not None:` around it: who gives no seed gets entropy.
        f.trace.append(Branch(site, Truth.UNLIKELY, seed.label, (event,), ()))
    else:
        f.trace.append(event)


def _has_default(options: list[Value]) -> bool:
    """Whether one of the values is there unless the user chooses another: then none is there only on request."""
    defaults = (each for option in options if isinstance(option, Option) for each in usual(option))
    return any(is_none(each) is not Truth.YES for each in defaults)


def _is_own_state(m: Machine, value: Value | None) -> bool:
    """Whether a generator gets a state that was read from one: it is as well seeded as it was then."""
    read = [m.api(option.cls) for option in alternatives(value) if isinstance(option, Made)]
    return bool(read) and len(read) == len(alternatives(value)) and all(row and row.role == "rng-state" for row in read)


def _set_mode(f: Frame, made: Made, spec: str, site: Site) -> None:
    """`mode`, `!mode`, `mode=argument@position` or `mode=argument@position:True`."""
    mode, _, source = spec.partition("=")
    value: Value | None = FALSE if mode.startswith("!") else TRUE
    if source:
        where, _, default = source.partition(":")
        value = argument(made, where) or (TRUE if default else None)
    if value is not None:
        f.trace.append(Event("mode", site, mode.lstrip("!"), value=value, made=made))


UNREPEATABLE_NUMBERS = ("random.SystemRandom", "secrets.randbelow", "secrets.choice", "secrets.randbits")
"""Of these, the ones that give numbers to choose with (the others make keys and names)."""


def unrepeatable_index(f: Frame, key: Value) -> None:
    """A value that no seed can fix chooses an item."""
    for mark in sorted(marks((key,)), key=repr):
        if mark.kind == "entropy" and mark.site is not None and mark.what.startswith(UNREPEATABLE_NUMBERS):
            f.trace.append(Event("use", mark.site, mark.what, note="unrepeatable"))


def number_of(m: Machine, value: Value) -> Value:
    """What `int(tensor)` and `tensor.item()` give: a number that is drawn where the tensor is."""
    if isinstance(value, Made) and value.identity in m.drawn:
        return Tainted(frozenset((Mark("draw", "torch", m.drawn[value.identity]),)))
    return value


HOLDERS = frozenset(("tensor", "as_tensor", "array", "asarray", "full", "full_like", "fromiter", "frombuffer"))
"""Functions of torch and NumPy whose arguments are data."""


def unrepeatable_data(m: Machine, f: Frame, made: Made) -> None:
    """Values that no seed can fix, where they become data: an argument of torch or numpy."""
    if not made.cls.startswith(("torch.", "numpy.")) or ".seed" in made.cls or "manual_seed" in made.cls:
        return
    row = m.api(made.cls)
    if row is not None and (row.rng or row.seeds):
        return  # it is a seed there
    # Most functions that no table knows may be given the name of a file.
    holds = row is not None or made.cls.rpartition(".")[2] in HOLDERS or made.cls.startswith("torch.Tensor.")
    sources = UNREPEATABLE if holds else UNREPEATABLE_NUMBERS
    values: list[Value] = []
    for value in (*made.args, *(value for _, value in made.named)):
        for option in alternatives(value):
            values += m.heap.elements(option.identity) if isinstance(option, Box) else [option]
    for mark in sorted(marks(values), key=repr):
        if mark.kind == "entropy" and mark.site is not None and mark.what.startswith(sources):
            f.trace.append(Event("use", mark.site, mark.what, made=made, note="unrepeatable"))
