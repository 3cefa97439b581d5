"""Digests of tensors: every byte, its place, and the tensor's shape matter."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from torchdet_lint.verify.record import _numbers
from torchdet_lint.verify.rt.digest import Digests

torch: Any = pytest.importorskip("torch")

SMALL, LARGE = 12, 200_000


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(torch, {})


def variants(size: int, kind: Any) -> list[Any]:
    """Tensors that look alike."""
    base = torch.arange(size).sub(size // 2).remainder(251).to(kind)
    base[size // 2] = 77
    one, swapped, negated = base.clone(), base.clone(), base.clone()
    one[size - 1] += 1
    swapped[[1, size // 2]] = swapped[[size // 2, 1]]
    negated[[1, 3]] *= -1
    return [base, one, swapped, negated, base.roll(1), base.flip(0), -base, base.view(2, -1), base.view(-1, 2)]


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "int32", "bfloat16"])
def test_what_looks_alike_has_another_digest(digests: Digests, size: int, kind: str) -> None:
    found = [digests.add(0, tensor) for tensor in variants(size, getattr(torch, kind))]
    assert len(set(found)) == len(found)
    assert found == [digests.add(0, tensor) for tensor in variants(size, getattr(torch, kind))]


@pytest.mark.parametrize("classes", [10, 251, 256, 502, 512])
def test_shuffled_labels_differ(digests: Digests, classes: int) -> None:
    """Rows that are one-hot have the same sums in any order, by row and by column."""
    labels = torch.arange(512) % classes
    shuffled = [labels, labels.roll(1), labels.flip(0), labels[torch.randperm(512, generator=torch.Generator())]]
    found = [digests.add(0, torch.nn.functional.one_hot(each, classes).float()) for each in shuffled]
    assert len(set(found)) == len(found)


def test_signs_and_single_values_of_large_tensors_count(digests: Digests) -> None:
    base = torch.ones(70_000, dtype=torch.float64)
    found = {digests.add(0, base)}
    for pair in combinations((0, 1, 2, 251, 502, 755, 69_999), 2):
        changed = base.clone()
        changed[list(pair)] = -1.0
        found.add(digests.add(0, changed))
    assert len(found) == 22


def test_layout_in_memory_does_not_matter(digests: Digests) -> None:
    base = torch.arange(60_000.0).view(2, 3, 100, 100)
    assert digests.add(0, base) == digests.add(0, base.to(memory_format=torch.channels_last))
    assert digests.add(0, base) != digests.add(0, base.transpose(2, 3))
    turned = torch.view_as_complex(torch.ones(4, 2)).conj()
    assert digests.add(0, turned) == digests.add(0, turned.resolve_conj())
    assert digests.add(0, turned.imag) == digests.add(0, -torch.ones(4))


def test_a_default_device_sees_nothing_of_it(digests: Digests) -> None:
    seen: list[str] = []

    class Watching(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    tensor = torch.ones(LARGE)
    with Watching():
        digests._lanes.digest(
            (__import__("ctypes").c_char * (4 * LARGE)).from_address(tensor.data_ptr()), 4 * LARGE, 4, 0
        )
    assert not [name for name in seen if "sum" in name or "frombuffer" in name]


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16", "int64", "int32"])
def test_samples_are_numbers_again(digests: Digests, kind: str) -> None:
    tensor = torch.tensor([1, -2, 3, 4, 5, 6, 8], dtype=getattr(torch, kind))
    assert _numbers(digests.read(0, tensor)[1]) == "1 3 5 8"
    assert _numbers(digests.read(0, tensor[:2].clone())[1]) == "1 -2"
    assert digests.read(0, torch.tensor([True]))[1] == ""
