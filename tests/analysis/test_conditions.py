"""What a row says of one call."""

from __future__ import annotations

import pytest

from torchdet_lint.analysis.conditions import as_loader, drawn, redirected_now, result_class
from torchdet_lint.analysis.values import NONE, UNKNOWN, Made, Option, Site, Value, known
from torchdet_lint.catalog.apis import Api

HERE = (Site("a.py", 0, (0, 1), ""), 0)


def made(*args: Value, **named: Value) -> Made:
    return Made("acme.f", args, tuple(named.items()), HERE)


@pytest.mark.parametrize(
    ("call", "families"),
    [
        (made(), ("torch",)),
        (made(strong=known(True)), ("torch", "numpy")),
        (made(strong=UNKNOWN), ("torch", "numpy")),
        (made(strong=known(False)), ("torch",)),
        (made(strong=NONE), ("torch",)),
        (made(known(1), known("rough")), ("torch", "python")),
        (made(known(1), known("fine")), ("torch",)),
    ],
)
def test_families_under_conditions(call: Made, families: tuple[str, ...]) -> None:
    assert drawn(("torch", "numpy?strong", "python?kind@1=rough", "torch?strong"), call) == families


def test_the_last_class_whose_condition_holds() -> None:
    api = Api("acme.f", returns="acme.A", variants=("acme.B?one", "acme.C?two"))
    assert result_class(made(), api) == "acme.A"
    assert result_class(made(one=known(1)), api) == "acme.B"
    assert result_class(made(one=known(1), two=known(1)), api) == "acme.C"


def test_what_keeps_a_draw_private_at_the_call() -> None:
    api = Api("acme.f", calls=("torch",), unless=("seed@0", "generator"), needs=("mix",))
    on = made(mix=known(True))
    assert not redirected_now(on, api, ())
    assert redirected_now(on, api, (("generator", UNKNOWN), ("seed", NONE)))
    assert not redirected_now(on, api, (("generator", Option(NONE, "--generator")),))
    assert redirected_now(made(known(1), mix=known(True)), api, ())
    assert redirected_now(made(), api, ())


def test_a_loader_gets_the_names_of_torch() -> None:
    api = Api(
        "acme.Feeder", role="loader", params=("records=dataset", "size", "mix=shuffle", "*", "workers=num_workers")
    )
    call = as_loader(made(known("r"), known(2), known(True), workers=known(3), other=known(4)), api)
    assert call.args == ()
    assert {name: call.get(name) for name in ("dataset", "size", "shuffle", "num_workers", "other")} == {
        "dataset": known("r"), "size": known(2), "shuffle": known(True), "num_workers": known(3), "other": known(4),
    }  # fmt: skip
    assert as_loader(made(known(1), known(2), known(3), known(4), known(5)), api).args != ()
    assert as_loader(made(known(1)), Api("acme.Feeder", role="loader")).args == (known(1),)
