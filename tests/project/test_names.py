"""What expressions name."""

from __future__ import annotations

import pytest

from tests.project.conftest import Make
from torchdet_lint import ir
from torchdet_lint.lowering import lower
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names


def expression(text: str) -> ir.Expr:
    [statement] = lower(text)
    assert isinstance(statement, ir.Do)
    return statement.value


def names(project: Project, path: str = "m.py") -> Names:
    return Names(project, path, lambda dotted: dotted)


@pytest.mark.parametrize(
    ("text", "written", "dotted"),
    [
        ("import torch\n", "torch.nn.functional.dropout", "torch.nn.functional.dropout"),
        ("import torch.nn.functional as F\n", "F.dropout", "torch.nn.functional.dropout"),
        ("from numpy import random as r\n", "r.rand", "numpy.random.rand"),
        ("from torch.backends import cudnn\n", "cudnn.benchmark", "torch.backends.cudnn.benchmark"),
        ("import torch\ncudnn = torch.backends.cudnn\n", "cudnn.benchmark", "torch.backends.cudnn.benchmark"),
        ("import torch\na = torch.nn\nb = a\n", "b.Linear", "torch.nn.Linear"),
        ("try:\n    import cupy as xp\nexcept ImportError:\n    xp = None\n", "xp.rand", "cupy.rand"),
        (
            "try:\n    from apex import amp\nexcept ImportError:\n    from torch import amp\n",
            "amp.scale",
            "apex.amp.scale",
        ),
        ("if True:\n    import numpy as np\n", "np.random", "numpy.random"),
        ("from other import np\n", "np.random", "numpy.random"),
        ("import other\n", "other.np.random", "numpy.random"),
        ("import torch\n", "set", "builtins.set"),
        ("import torch\n", "undefined", None),
        ("import torch\n", "torch.rand().size", None),
        ("x = 3\n", "x", None),
        ("def set(): pass\n", "set", None),
        ("a = b\nb = a\n", "a", None),
    ],
)
def test_dotted(make: Make, text: str, written: str, dotted: str | None) -> None:
    project = make({"m.py": text, "other.py": "import numpy as np\n"})
    assert names(project).dotted(expression(written)) == dotted


def test_the_spelling_of_the_tables(make: Make) -> None:
    project = make({"m.py": "import torch as t\n"})
    found = Names(project, "m.py", lambda dotted: dotted.replace("torch.random.", "torch."))
    assert found.dotted(expression("t.random.manual_seed")) == "torch.manual_seed"


@pytest.mark.parametrize(
    ("body", "written", "dotted"),
    [
        ("import numpy as np", "np.random", "numpy.random"),
        ("import torch.nn as nn", "nn.Linear", "torch.nn.Linear"),
        ("from random import choice as pick", "pick", "random.choice"),
        ("r = torch.random", "r.seed", "torch.random.seed"),
        ("torch = load()", "torch.rand", None),
        ("for torch in x: pass", "torch.rand", None),
        ("with x as torch: pass", "torch.rand", None),
        ("a, torch = x", "torch.rand", None),
        ("global torch", "torch.rand", "torch.rand"),
        ("pass", "param.rand", None),
        ("if x:\n        r = torch.random\n    else:\n        r = np", "r.seed", None),
    ],
)
def test_names_of_a_function(make: Make, body: str, written: str, dotted: str | None) -> None:
    project = make({"m.py": f"import torch\nparam = torch\ndef f(param):\n    {body}\n"})
    [function] = project.body("m.py", 2)
    assert isinstance(function, ir.Function)
    assert names(project).inside(function).dotted(expression(written)) == dotted


def test_names_of_enclosing_functions(make: Make) -> None:
    project = make(
        {"m.py": "def f(x):\n    import torch as t\n    def g(y):\n        return t.rand(x)\n    return g\n"}
    )
    [outer] = project.body("m.py", 0)
    assert isinstance(outer, ir.Function)
    inner = outer.body[1]
    assert isinstance(inner, ir.Function)
    found = names(project).inside(outer).inside(inner)
    assert found.dotted(expression("t.rand")) == "torch.rand"
    assert found.dotted(expression("x.rand")) is None


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("local", ("m.py", "local")),
        ("other.helper", ("other.py", "helper")),
        ("renamed", ("other.py", "helper")),
        ("alias", ("m.py", "local")),
        ("Late", ("m.py", "Late")),
        ("other.missing", None),
        ("torch.rand", None),
        ("VALUE", None),
    ],
)
def test_definition(make: Make, written: str, found: tuple[str, str] | None) -> None:
    project = make(
        {
            "m.py": "import torch, other\nfrom other import helper as renamed\ndef local(): pass\nalias = local\nVALUE = 3\n"
            "if torch:\n    class Late: pass\n",
            "other.py": "def helper(): pass\n",
        }
    )
    definition = names(project).definition(expression(written))
    assert (None if definition is None else (definition[0], definition[1].name)) == found


def test_of_several_definitions_the_last_counts(make: Make) -> None:
    project = make({"m.py": "def f(): pass\ndef f(a): pass\n"})
    definition = names(project).definition(expression("f"))
    assert definition is not None
    assert isinstance(definition[1], ir.Function)
    assert len(definition[1].params) == 1
