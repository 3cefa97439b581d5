"""Whose line it is."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from pathlib import Path

import pytest

from torchdet_lint.verify.rt.places import IMPORT, LIBRARY, STANDARD, TRANSFER, USER, Places

SITE = os.path.join(os.sep, "x", "site-packages")


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        (os.path.join(os.sep, "home", "me", "train.py"), USER),
        (json.__file__, STANDARD),
        (os.path.join(sysconfig.get_path("stdlib"), "glob.py"), STANDARD),
        ("<string>", STANDARD),
        ("<frozen importlib._bootstrap>", IMPORT),
        (os.path.join(SITE, "torch", "nn", "functional.py"), LIBRARY),
        (os.path.join(SITE, "torch", "multiprocessing", "reductions.py"), TRANSFER),
        (os.path.join(os.path.dirname(sys.executable), "accelerate"), LIBRARY),
    ],
)
def test_owners(file: str, owner: int) -> None:
    assert Places(()).owner(file) == owner


def test_paths_are_relative_to_the_nearest_root(tmp_path: Path) -> None:
    places = Places((str(tmp_path / "copy"), str(tmp_path)))
    assert places.name(str(tmp_path / "copy" / "a" / "b.py")) == "a/b.py"
    assert places.name(str(tmp_path / "b.py")) == "b.py"
    elsewhere = os.path.join(os.path.dirname(os.path.realpath(tmp_path)), "b.py")
    assert places.name(elsewhere) == elsewhere.replace(os.sep, "/")


def test_cells_of_two_kernels_have_the_same_place() -> None:
    names = {Places(()).name(os.path.join(os.sep, "tmp", f"ipykernel_{number}", "12.py")) for number in (7, 812)}
    assert len(names) == 1


def test_nearest_user_line() -> None:
    frame = sys._getframe()
    path = os.path.realpath(__file__).replace(os.sep, "/")
    assert Places(()).nearest(frame).startswith(f"{path}:{frame.f_lineno}:")


def test_a_source_is_asked_through_its_own_modules_only() -> None:
    places = Places(())
    asked = []

    class Key:
        def __lt__(self, _other: object) -> bool:
            asked.append(
                (places.asking(sys._getframe(), ("random.py",)), places.asking(sys._getframe(1), ("random.py",)))
            )
            return False

    import heapq

    list(heapq.merge([Key()], [Key()]))
    own, through = asked[0]
    assert "__lt__" in own
    assert through == ""
