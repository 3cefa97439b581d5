"""Functions and classes that are looked up by a name of which a part is known, and called in a way that not all of them take."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

MODELS = """\
import numpy as np, random
def noise(n, scale=1): return np.random.rand(n) * scale
class Small:
    def __init__(self): self.x = 1
class Big:
    def __init__(self): self.x = random.random()
"""


def said(call: str) -> str:
    program = f"import models, sys, torch\nx = sys.argv[1]\nxs = sys.argv[2:]\ntorch.save({call}, 'f')\n"
    return codes({"models.py": MODELS, "train.py": program}, "TDL0")


@pytest.mark.parametrize(
    "name", ["f'Small{x}'", "f'{x}Small'", "'Small%s' % x", "'Small{}'.format(x)", "'S' + x + 'l'"]
)
def test_names_that_cannot_be_are_left_out(name: str) -> None:
    assert said(f"getattr(models, {name})()") == ""


@pytest.mark.parametrize("name", ["f'Bi{x}'", "f'{x}g'", "'B%sg' % x", "'{}g'.format(x)", "'Bi' + x", "x", "x + x"])
def test_names_that_may_be_are_kept(name: str) -> None:
    assert said(f"getattr(models, {name})()") == "TDL003"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "TDL003"),
        ("3", "TDL002"),
        ("n=3", "TDL002"),
        ("3, 4", "TDL002"),
        ("*xs", "TDL002 TDL003"),
        ("scale=3", "TDL002 TDL003"),
    ],
)
def test_callees_that_do_not_take_the_arguments_are_left_out(arguments: str, expected: str) -> None:
    """`scale=3` fits none of them, so nothing is known after all."""
    assert said(f"getattr(models, x)({arguments})") == expected


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("getattr(torchvision.models, sys.argv[1])()", "TDL001"),
        ("getattr(models, sys.argv[1])(num_classes=3)", "TDL001"),
        ("getattr(models, sys.argv[1])(weights='DEFAULT')", ""),
        ("getattr(torch, sys.argv[1])(3)", ""),
        ("getattr(torch.optim, sys.argv[1])([])", ""),
    ],
)
def test_a_member_of_a_library_by_a_name_that_is_not_known(use: str, expected: str) -> None:
    program = f"import torchvision\nfrom torchvision import models\nfound = {use}\ntorch.save(found, 'f')\n"
    assert codes(program, "TDL0") == expected


def test_a_data_set_of_a_library_by_a_name_that_is_not_known() -> None:
    program = """
        from torchvision import datasets
        data = getattr(datasets, sys.argv[1])("x", train=True)
        for x in DataLoader(data, num_workers=int(sys.argv[2])):
            torch.save(x, "f")
    """
    assert codes(program, "TDL1") == "tdl102"
