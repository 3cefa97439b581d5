"""What a row of the API tables says of one call: the conditions of rows against arguments that were given."""

from __future__ import annotations

from torchdet_lint.analysis.values import Known, Made, Truth, Value, is_none, known, truth
from torchdet_lint.catalog.apis import Api


def argument(made: Made, spec: str) -> Value | None:
    """The argument that `name@position` describes."""
    name, _, position = spec.partition("@")
    return made.get(name, int(position) if position else None) if spec else None


def drawn(words: tuple[str, ...], made: Made) -> tuple[str, ...]:
    """The families of `draws`, `calls` or `workers` whose conditions hold."""
    found = [family for family, _, spec in (word.partition("?") for word in words) if not spec or _given(made, spec)]
    return tuple(dict.fromkeys(found))


def result_class(made: Made, row: Api) -> str:
    """The class of what the call returns, "self" for the receiver's."""
    found = row.result
    for word in row.variants:
        variant, _, spec = word.partition("?")
        if _given(made, spec):
            found = variant
    return found


def redirected(made: Made, row: Api) -> bool:
    """Whether an argument takes the draw to a private generator; one that is None by default does not."""
    if made.get("device") == known("meta"):
        return True
    return _unless(made, row) or not _needs_met(made, row)


def redirected_now(made: Made, row: Api, named: tuple[tuple[str, Value], ...]) -> bool:
    """The same for what calling an instance draws: what it was made with counts, and keywords of the call."""
    return redirected(made, row) or _unless(Made(made.cls, (), named, made.identity), row)


def filled(made: Made, row: Api) -> bool:
    """Whether weights from a file are sure to replace all that was drawn for the initial ones.

    With `pretrained=True` or `weights=` a model's builder ends in a strict `load_state_dict`.
    """
    return any(_surely(made, spec) for spec in row.filled) and not any(_given(made, spec) for spec in row.anew)


def _surely(made: Made, spec: str) -> bool:
    where, _, wanted = spec.partition("=")
    value = argument(made, where)
    if wanted or value is None:
        return isinstance(value, Known) and _equals(value, wanted)
    return is_none(value) is Truth.NO and truth(value) is not Truth.NO


def _unless(made: Made, row: Api) -> bool:
    for spec in row.unless:
        where, _, wanted = spec.partition("=")
        value = argument(made, where)
        if wanted:
            if isinstance(value, Known) and _equals(value, wanted):
                return True
        elif value is not None and is_none(value) not in (Truth.YES, Truth.LIKELY):
            return True
    return False


def needed(made: Made, row: Api) -> bool:
    """Whether the arguments without which a row says nothing are there, or may be among those that are not known."""
    return made.open or _needs_met(made, row)


def _needs_met(made: Made, row: Api) -> bool:
    """What `**inputs` may hold does not count: `model.generate(**inputs)` samples nothing as a rule."""
    return not row.needs or any(_given(made, spec) for spec in row.needs)


def _given(made: Made, spec: str) -> bool:
    """Whether an argument was given and may be true, or may be what is wanted."""
    where, _, wanted = spec.partition("=")
    value = argument(made, where)
    if value is None:
        return False
    if wanted:
        return not isinstance(value, Known) or _equals(value, wanted)
    return truth(value) is not Truth.NO


def _equals(value: Known, wanted: str) -> bool:
    return str(value.value) == wanted or (wanted == "0" and value.value == 0 and value.kind == "float")


def as_loader(made: Made, row: Api) -> Made:
    """A loader of a library as if it were torch's: every argument under the name that torch's `DataLoader` has for it."""
    names = [param for param in row.params if param != "*"]
    if not names or len(made.args) > len(names):
        return made
    called = dict(param.split("=") for param in names if "=" in param)
    given = [(name.partition("=")[0], value) for name, value in zip(names, made.args, strict=False)]
    return Made(made.cls, (), tuple((called.get(k, k), v) for k, v in (*given, *made.named)), made.identity)
