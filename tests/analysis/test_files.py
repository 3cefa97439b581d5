"""Programs of several files: import order, helpers, registries, configuration modules, notebooks."""

from __future__ import annotations

import json

import pytest

from tests.analysis.programs import codes, findings, program

NET = """\
from torch import nn

class Net(nn.Module):
    def __init__(self, width=2):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)

def small():
    return Net()

SHARED = nn.Linear(2, 2)
"""
CLASSES = NET.replace("SHARED = nn.Linear(2, 2)\n", "")
SAVE = 'import torch\ntorch.save({}, "f")\n'

CASES = [
    (
        "a module draws when it is imported, before the seed",
        "TDL006",
        {"train.py": "import torch\nimport net\ntorch.manual_seed(0)\ntorch.save(net.SHARED, 'f')\n", "net.py": NET},
    ),
    (
        "a module draws when it is imported, after the seed",
        "",
        {"train.py": "import torch\ntorch.manual_seed(0)\nimport net\ntorch.save(net.SHARED, 'f')\n", "net.py": NET},
    ),
    (
        "a module that seeds is imported first",
        "",
        {
            "train.py": "import seeding\nimport net\nimport torch\ntorch.save(net.SHARED, 'f')\n",
            "seeding.py": "import torch\ntorch.manual_seed(0)\n",
            "net.py": NET,
        },
    ),
    (
        "a module that seeds is imported last",
        "TDL006",
        {
            "train.py": "import net\nimport seeding\nimport torch\ntorch.save(net.SHARED, 'f')\n",
            "seeding.py": "import torch\ntorch.manual_seed(0)\n",
            "net.py": NET,
        },
    ),
    (
        "a module runs once, at its first import",
        "TDL006",
        {
            "train.py": "import net\nimport torch\ntorch.manual_seed(0)\nimport net as again\ntorch.save(again.SHARED, 'f')\n",
            "net.py": NET,
        },
    ),
    (
        "an import inside of the function that is called after the seed",
        "",
        {
            "train.py": "import torch\ndef main():\n    torch.manual_seed(0)\n    import net\n    torch.save(net.SHARED, 'f')\nmain()\n",
            "net.py": NET,
        },
    ),
    (
        "a helper that seeds",
        "",
        {
            "train.py": "from tools.seeds import fix\nfrom net import Net\nimport torch\nfix(3)\ntorch.save(Net(), 'f')\n",
            "tools/__init__.py": "",
            "tools/seeds.py": "import torch\ndef fix(number):\n    torch.manual_seed(number)\n",
            "net.py": CLASSES,
        },
    ),
    (
        "a helper that is called like one and seeds nothing",
        "TDL001 TDL011",
        {
            "train.py": "from tools import set_seed\nfrom net import Net\nimport torch\nset_seed(3)\ntorch.save(Net(), 'f')\n",
            "tools.py": "def set_seed(seed):\n    print('seeded')\n",
            "net.py": CLASSES,
        },
    ),
    (
        "functions that a library registers while a module is imported",
        "",
        {
            "train.py": "import torch\nfrom options import width\ntorch.manual_seed(3)\ntorch.save(torch.rand(width), 'f')\n",
            "options.py": "import torch\nfrom unheard import calculate\nwidth = 3\n"
            "def layer():\n    return torch.nn.Linear(3, 3)\ncalculate('layer', layer)\n",
        },
    ),
    (
        "a function that a library is handed by the program",
        "TDL001",
        {
            "train.py": "import torch\nfrom unheard import launch\ndef main():\n    torch.save(torch.rand(3), 'f')\nlaunch(main)\n"
        },
    ),
    (
        "a helper of a library that nobody knows",
        "TDL001",
        {
            "train.py": "from unheard import set_seed\nfrom net import Net\nimport torch\nset_seed(3)\ntorch.save(Net(), 'f')\n",
            "net.py": CLASSES,
        },
    ),
    (
        "a helper of a library that seeds all families",
        "",
        {
            "train.py": "from transformers import set_seed\nimport numpy as np\nimport random, torch\nset_seed(3)\n"
            "torch.save((torch.rand(2), np.random.rand(2), random.random()), 'f')\n",
        },
    ),
    (
        "star imports through a package",
        "",
        {
            "train.py": "from pkg import *\nimport torch\nseed_all()\ntorch.save(torch.rand(2), 'f')\n",
            "pkg/__init__.py": "from .seeds import *\n",
            "pkg/seeds.py": "import torch\ndef seed_all():\n    torch.manual_seed(0)\n",
        },
    ),
    (
        "a class by a literal name",
        "TDL001",
        {"train.py": "import net\n" + SAVE.format('getattr(net, "Net")()'), "net.py": CLASSES},
    ),
    (
        "a module by a literal name",
        "TDL001",
        {"train.py": "import importlib\n" + SAVE.format('importlib.import_module("net").Net()'), "net.py": CLASSES},
    ),
    (
        "any function of a module's dictionary",
        "TDL001",
        {"train.py": "import net\n" + SAVE.format("net.__dict__[input()]()"), "net.py": CLASSES},
    ),
    (
        "a registry that a decorator fills",
        "TDL001",
        {
            "train.py": "from registry import build\nimport nets\n" + SAVE.format("build('small')"),
            "registry.py": "REGISTRY = {}\ndef register(name):\n    def inner(cls):\n        REGISTRY[name] = cls\n        return cls\n"
            "    return inner\ndef build(name, **options):\n    return REGISTRY[name](**options)\n",
            "nets.py": "from torch import nn\nfrom registry import register\n@register('small')\nclass Small(nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(2, 2)\n",
        },
    ),
    (
        "a seed in a configuration module",
        "",
        {
            "train.py": "import torch, config\nif config.SEED is not None:\n    torch.manual_seed(config.SEED)\ntorch.save(torch.rand(2), 'f')\n",
            "config.py": "SEED = 3\n",
        },
    ),
    (
        "no seed in a configuration module",
        "TDL001",
        {
            "train.py": "import torch, config\nif config.SEED is not None:\n    torch.manual_seed(config.SEED)\ntorch.save(torch.rand(2), 'f')\n",
            "config.py": "SEED = None\n",
        },
    ),
    (
        "a class as configuration",
        "",
        {
            "train.py": "import torch\nfrom config import cfg\nif cfg.seed is not None:\n    torch.manual_seed(cfg.seed)\ntorch.save(torch.rand(2), 'f')\n",
            "config.py": "class cfg:\n    seed = 3\n",
        },
    ),
    (
        "a base class in another file",
        "TDL006",
        {
            "train.py": "from base import Runner\nfrom net import Net\nclass Mine(Runner):\n    def build(self):\n        return Net()\n"
            "if __name__ == '__main__':\n    Mine().run()\n",
            "base.py": "import torch\nclass Runner:\n    def run(self):\n        model = self.build()\n        torch.manual_seed(0)\n"
            "        torch.save(model, 'f')\n    def build(self):\n        raise NotImplementedError\n",
            "net.py": CLASSES,
        },
    ),
    (
        "modules that import each other",
        "TDL001",
        {
            "train.py": "import a\n" + SAVE.format("a.make()"),
            "a.py": "import b\ndef make():\n    return b.make()\n",
            "b.py": "import a\nimport torch\ndef make():\n    return torch.rand(2)\n",
        },
    ),
    ("library code draws for its callers", "", {"lib/__init__.py": "", "lib/net.py": NET}),
    (
        "site rules speak in library code",
        "TDL004",
        {"lib/__init__.py": "", "lib/rng.py": "import numpy as np\ndef rng():\n    return np.random.default_rng()\n"},
    ),
    ("test files are no programs", "", {"tests/test_net.py": "import torch\ntorch.save(torch.rand(2), 'f')\n"}),
    (
        "each program is judged by itself",
        "TDL001",
        {
            "train.py": "import torch\nfrom net import Net\ntorch.manual_seed(0)\ntorch.save(Net(), 'f')\n",
            "sample.py": "import torch\nfrom net import Net\ntorch.save(Net(), 'f')\n",
            "net.py": CLASSES,
        },
    ),
]


@pytest.mark.parametrize(("expected", "files"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(files: dict[str, str], expected: str) -> None:
    assert codes(files) == expected


def test_only_the_program_that_does_not_seed_is_told() -> None:
    files = {
        "train.py": "import torch\nfrom net import Net\ntorch.manual_seed(0)\ntorch.save(Net(), 'f')\n",
        "sample.py": "import torch\nfrom net import Net\ntorch.save(Net(), 'f')\n",
        "net.py": CLASSES,
    }
    assert [(found.location.path, found.program) for found in findings(files)] == [("sample.py", "sample.py")]


def test_cells_are_one_program() -> None:
    cells = ["import torch\n", "%matplotlib inline\ntorch.save(torch.rand(2), 'f')\n", "torch.manual_seed(0)\n"]
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    [found] = findings({"look.ipynb": json.dumps({"cells": code, "metadata": {}, "nbformat": 4})})
    assert (found.code, found.location.cell, found.location.line) == ("TDL006", 2, 2)
    code[1], code[2] = code[2], code[1]
    assert findings({"look.ipynb": json.dumps({"cells": code, "metadata": {}, "nbformat": 4})}) == []


def test_the_way_to_a_draw() -> None:
    found = program(
        {
            "train.py": "import torch\nfrom net import small\ndef main():\n    torch.save(small(), 'f')\nmain()\n",
            "net.py": CLASSES,
        }
    )
    hit = found.hits["unseeded:torch"]
    assert [site.path for site in hit.sites] == ["train.py", "train.py", "net.py", "net.py"]
    assert hit.event.note == "init"
    assert "seed:torch" not in found.hits
