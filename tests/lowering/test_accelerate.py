"""libcst made faster is still libcst. Each test is a process of its own: libcst is imported once in one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

USE = """
import copy, dataclasses, pickle
from torchdet_lint.lowering import lower
before = "libcst" in __import__("sys").modules
(call,) = lower("f(a)")
import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

def frozen():
    try:
        cst.Name("a").value = "b"
    except dataclasses.FrozenInstanceError:
        return True
    return False
"""

EDITS = """
tree = cst.parse_module("def f(a):\\n    return g(a, 1)  # c\\n")

class Rename(cst.CSTTransformer):
    def leave_Name(self, original_node, updated_node):
        return updated_node.with_changes(value=updated_node.value * 2)

assert tree.visit(Rename()).code == "def ff(aa):\\n    return gg(aa, 1)  # c\\n"
assert tree.with_changes(body=[]).code.strip() == ""
assert tree.deep_clone().deep_equals(tree)
assert copy.deepcopy(tree).code == tree.code
assert pickle.loads(pickle.dumps(tree)).code == tree.code
assert tree != tree.deep_clone() and len({tree, tree}) == 1
assert "FunctionDef(" in repr(tree)
assert len(MetadataWrapper(tree).resolve(PositionProvider)) > 10
for wrong in (lambda: cst.Name(""), lambda: cst.Integer("x"), lambda: cst.Name("a").with_changes(value="1 2")):
    try:
        wrong()
    except cst.CSTValidationError:
        continue
    raise AssertionError("not validated")
for bad in ("(", "f("):
    try:
        lower(bad)
    except Exception:
        pass
    try:
        cst.Name("")
    except cst.CSTValidationError:
        continue
    raise AssertionError("validation stayed off")

@dataclasses.dataclass(frozen=True)
class Mine(cst.Name):
    extra: int = 0

assert Mine("a").with_changes(extra=3).extra == 3
assert dataclasses.dataclass is dataclasses.dataclass and dataclasses.dataclass.__module__ == "dataclasses"
"""


def _run(script: str, plain: str = "") -> None:
    env = {**os.environ, "TORCHDET_LINT_PLAIN_LIBCST": plain}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_accelerated_libcst_edits_and_validates_as_ever() -> None:
    _run(USE + "assert not frozen()\n" + EDITS)


@pytest.mark.parametrize("plain", ["1", "yes"])
def test_the_variable_leaves_libcst_plain(plain: str) -> None:
    _run(USE + "assert frozen()\n" + EDITS, plain)


def test_zero_is_not_set() -> None:
    _run(USE + "assert not frozen()\n", "0")


def test_libcst_that_is_already_there_is_left_alone() -> None:
    _run(
        "import libcst\npost_init = libcst.CSTNode.__post_init__\n"
        + USE
        + "assert frozen()\nassert libcst.CSTNode.__post_init__ is post_init\n"
    )


@pytest.mark.parametrize("fault", ["_check", "_skip_validation", "_keep_subclassable"])
def test_an_unexpected_libcst_is_imported_again_as_it_is(fault: str) -> None:
    script = (
        "from torchdet_lint.lowering import accelerate\n"
        "def fault(*_): raise AttributeError('no such thing')\n"
        f"accelerate.{fault} = fault\n"
    )
    _run(script + USE + "assert frozen()\n" + EDITS)


def test_both_lower_to_the_same() -> None:
    script = (
        "import sys, hashlib, marshal, argparse\n"
        "from torchdet_lint import ir\n"
        "from torchdet_lint.lowering import lower\n"
        "text = open(argparse.__file__, encoding='utf-8').read()\n"
        "print(hashlib.sha256(marshal.dumps(ir.encode(lower(text)), 2)).hexdigest())\n"
    )
    out = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "TORCHDET_LINT_PLAIN_LIBCST": plain},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for plain in ("", "1")
    ]
    assert out[0] == out[1]


METADATA = """
from torchdet_lint.lowering import accelerate
accelerate.load()
import sys, libcst
assert "libcst.metadata.scope_provider" not in sys.modules
import libcst.metadata as whole
assert libcst.metadata is whole and whole.MetadataWrapper is libcst.MetadataWrapper
wrapper = whole.MetadataWrapper(libcst.parse_module("a = 1\\n"))
assert next(iter(wrapper.resolve(whole.PositionProvider).values())).start.line == 1
import libcst.codemod, libcst.matchers
"""


def test_metadata_is_whole_for_whoever_imports_it() -> None:
    _run(METADATA)
