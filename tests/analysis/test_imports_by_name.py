"""Modules that are imported by a name that an option holds, or of which a part is known."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

NET = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
def build(): return Net()
"""
OTHER = "import torch\nclass Other:\n    def __init__(self): self.a = 3\n"
FILES = {
    "models/__init__.py": "",
    "models/first_net.py": NET,
    "models/second.py": OTHER,
    "plain.py": NET,
    "other.py": OTHER,
}
PROGRAM = """\
import argparse, importlib, torch
p = argparse.ArgumentParser()
p.add_argument('--model'{default})
args = p.parse_args()
{use}
torch.save(net, 'f')
"""
SPELT = [
    "net = importlib.import_module('models.' + args.model).Net()",
    "net = importlib.import_module(f'models.{args.model}').build()",
    "net = getattr(importlib.import_module('models.%s' % args.model), 'Net')()",
    "net = importlib.import_module('models.{}_net'.format(args.model)).__getattribute__('Net')()",
    "net = __import__('models.' + args.model, fromlist=['Net']).Net()",
    "for name, cls in importlib.import_module(f'models.{args.model}').__dict__.items():\n"
    "    if name.lower() == args.model + 'net': net = cls\nnet = net()",
]


def said(use: str, default: str = "") -> str:
    return codes({**FILES, "train.py": PROGRAM.format(use=use, default=default)}, "TDL0")


@pytest.mark.parametrize("default", ["", ", default='first_net'"])
@pytest.mark.parametrize("use", SPELT)
def test_any_module_that_is_spelt_like_this(use: str, default: str) -> None:
    assert said(use, default) == "TDL001"


@pytest.mark.parametrize("module", ["plain", "models.first_net"])
def test_the_module_that_is_the_default(module: str) -> None:
    assert said("net = importlib.import_module(args.model).Net()", f", default='{module}'") == "TDL001"
    assert said("net = importlib.import_module(args.model).Net()") == ""


def test_without_a_list_of_names_the_package_is_given() -> None:
    assert said("net = __import__('models.first_net').first_net.Net()") == "TDL001"
    assert said("net = __import__('models.first_net').Net()") == ""
    assert said("net = __import__('plain').Net()") == "TDL001"


def test_modules_that_are_spelt_differently_are_left_out() -> None:
    assert said("net = importlib.import_module(f'models.sec{args.model}').Other()") == ""
    assert said("net = importlib.import_module(f'elsewhere.{args.model}').Net()") == ""


def test_what_the_chosen_module_does_when_it_is_imported() -> None:
    files = {"sets/__init__.py": "", "sets/a.py": "import random\nSPLIT = random.random()\n"}
    program = "import importlib, sys, torch\ntorch.save(importlib.import_module(f'sets.{sys.argv[1]}').SPLIT, 'f')\n"
    assert codes({**files, "train.py": program}, "TDL0") == "TDL003"


def test_an_option_names_its_default_where_it_has_one() -> None:
    use = "net = importlib.import_module('models.' + args.model).Net()"
    assert said(use, ", default='first_net'") == "TDL001"
    assert said(use, ", default='second'") == ""


DEEP = [
    "net = importlib.import_module(f'nets.{args.family}.{args.model}').Net()",
    "net = importlib.import_module('nets' f'.{args.family}' f'.{args.model}').Net()",
    "net = importlib.import_module(\n    'nets'\n    f'.{args.family}.{args.model}').Net()",
    "net = getattr(importlib.import_module('nets.%s.%s' % (args.family, args.model)), 'Net')()",
    "net = importlib.import_module('nets.small.' + args.model).Net()",
]


@pytest.mark.parametrize("count", [1, 9])
@pytest.mark.parametrize("use", DEEP)
def test_modules_deeper_in_a_package(use: str, count: int) -> None:
    files = {"nets/__init__.py": "", "nets/small/__init__.py": ""}
    files |= {f"nets/small/net{index}.py": NET for index in range(count)}
    program = PROGRAM.format(default="", use=use)
    assert codes({**files, "train.py": program}, "TDL0") == "TDL001"


FILLED = {
    "kit/__init__.py": "",
    "kit/table.py": "NETS = {}\ndef register(cls):\n    NETS[cls.__name__] = cls\n    return cls\n",
    "kit/nets/first_net.py": NET.replace("class Net", "from kit.table import register\n@register\nclass Net"),
    "train.py": "import sys, torch\n{use}\nfrom kit.table import NETS\ntorch.save(NETS[sys.argv[1]](), 'f')\n",
}
WALK = "import importlib, pkgutil\nfor found in pkgutil.iter_modules(__path__):\n    "
LISTED = "import os\n__all__ = [f[:-3] for f in os.listdir(os.path.dirname(__file__))]\n"


@pytest.mark.parametrize(
    ("package", "use", "expected"),
    [
        (WALK + "importlib.import_module('.' + found.name, __package__)", "import kit.nets", "TDL001"),
        (WALK + "importlib.import_module(f'.{found.name}', package=__name__)", "import kit.nets", "TDL001"),
        (WALK + "importlib.import_module('.first_net', package=__name__)", "import kit.nets", "TDL001"),
        (WALK + "importlib.import_module(f'.{found.name}_other', package=__name__)", "import kit.nets", ""),
        (LISTED + "from . import *", "import kit.nets", "TDL001"),
        (LISTED, "from kit.nets import *", "TDL001"),
        (LISTED, "import kit.nets", ""),
        ("import os\n__all__ = ['build']\n# nothing for a star\nos.listdir('.')", "from kit.nets import *", ""),
        ("__all__ = [name for name in dir()]", "from kit.nets import *", ""),
        ("__all__ = ['first_net']", "from kit.nets import *", "TDL001"),
        ("__all__ = ['other']", "from kit.nets import *", ""),
    ],
)
def test_packages_that_import_what_lies_in_their_folder(package: str, use: str, expected: str) -> None:
    files = {**FILLED, "kit/nets/__init__.py": package + "\n", "train.py": FILLED["train.py"].format(use=use)}
    assert codes(files, "TDL0") == expected
