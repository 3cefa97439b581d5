"""Code in the shapes that people write, and what fixing makes of it: a text file each, the code above and below a line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixes.conftest import FixAll, makeable, options, text_of
from torchdet_lint import engine
from torchdet_lint.engine import fixing
from torchdet_lint.engine.options import silent

LINE = "=== fixed ===\n"
SHAPES = sorted((Path(__file__).parent / "shapes").glob("*.txt"))


@pytest.mark.parametrize("shape", SHAPES, ids=[each.stem for each in SHAPES])
def test_shape(shape: Path, fix_all: FixAll) -> None:
    before, _, after = shape.read_text(encoding="utf-8").partition(LINE)
    fixed = fix_all({"a.py": before})
    assert fixed.problems == ()
    assert fixed.result.problems == ()
    assert text_of(fixed) == after
    compile(after, "a.py", "exec")


def test_a_seeding_helper_in_another_file(fix_all: FixAll) -> None:
    helper = "import random\n\n\ndef fix_seeds(value):\n    random.seed(value)\n"
    entry = "import torch\n\nfrom seeds import fix_seeds\n\nfix_seeds(4)\ntorch.save(torch.rand(2), 'x')\n"
    fixed = fix_all({"seeds.py": helper, "train.py": entry})
    assert [each.display for each in fixed.files] == ["seeds.py"]
    assert text_of(fixed, "seeds.py") == (
        "import random\n\nimport torch\n\n\ndef fix_seeds(value):\n    random.seed(value)\n    torch.manual_seed(value)\n"
    )


def test_a_helper_that_seeds_each_family_on_a_condition(fix_all: FixAll) -> None:
    helper = (
        "import random\n\nimport torch\n\n\ndef fix_seeds(seed, python=True, pytorch=True):\n    if python:\n"
        "        random.seed(seed)\n    if pytorch:\n        torch.manual_seed(seed)\n"
    )
    inner = "from seeds import fix_seeds\n\n\ndef run(seed):\n    fix_seeds(seed, pytorch=False)\n"
    entry = "import torch\n\nfrom inner import run\n\nrun(4)\ntorch.save(torch.rand(2), 'x')\n"
    fixed = fix_all({"seeds.py": helper, "inner.py": inner, "train.py": entry})
    assert [each.display for each in fixed.files] == ["inner.py"]
    assert text_of(fixed, "inner.py") == (
        "import torch\n\nfrom seeds import fix_seeds\n\n\ndef run(seed):\n    fix_seeds(seed, pytorch=False)\n    torch.manual_seed(seed)\n"
    )


def test_a_seeder_that_is_registered_keeps_to_its_family(fix_all: FixAll) -> None:
    text = (
        "import random\n\nimport torch\n\nSEEDERS = {}\n\n\ndef register(name):\n    def add(fn):\n        SEEDERS[name] = fn\n"
        "        return fn\n\n    return add\n\n\n@register('python')\ndef seed_python(seed):\n    random.seed(seed)\n\n\n"
        "SEEDERS['python'](4)\ntorch.save(torch.rand(2), 'x')\n"
    )
    fixed = fix_all({"train.py": text})
    assert text_of(fixed, "train.py") == text.replace("['python'](4)\n", "['python'](4)\ntorch.manual_seed(4)\n")


def test_a_helper_that_is_not_checked_is_left_alone(fix_all: FixAll) -> None:
    helper = "import random\n\n\ndef fix_seeds(value):\n    random.seed(value)\n"
    entry = "import torch\n\nfrom seeds import fix_seeds\n\nfix_seeds(4)\ntorch.save(torch.rand(2), 'x')\n"
    fix_all({"seeds.py": helper, "train.py": entry}, wanted=lambda _: False)
    only = replace(options(Path.cwd()), paths=("train.py",))
    fixed = fixing.fix(only, silent, makeable, engine.run)
    assert [each.display for each in fixed.files] == ["train.py"]
    assert text_of(fixed, "train.py") == entry.replace("fix_seeds(4)", "fix_seeds(4)\ntorch.manual_seed(4)")
