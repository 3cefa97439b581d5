"""Small programs as projects: what all rules say of them, and what the machine sees."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import cache

from torchdet_lint import ir
from torchdet_lint.catalog.apis import Apis, load_apis
from torchdet_lint.catalog.rules import Catalog, load_rules
from torchdet_lint.catalog.versions import Interval, series
from torchdet_lint.checks import Context, Facts, check_facts, gather
from torchdet_lint.checks.facts import ProgramFacts
from torchdet_lint.engine.options import silent
from torchdet_lint.finding import Finding
from torchdet_lint.lowering import lower
from torchdet_lint.project.modules import Project
from torchdet_lint.source import SourceFile, Unit, load

Files = str | Mapping[str, str]

IMPORTS = """\
import argparse, functools, os, random, sys, time
from dataclasses import dataclass, field
import numpy as np
import torch
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, Dataset
"""
"""What stands before a program that is given as one text."""


@cache
def catalog() -> Catalog:
    return load_rules()


@cache
def apis() -> Apis:
    return load_apis()


def lowered(source: SourceFile, unit: Unit) -> ir.Body:
    return lower(source.unit_text(unit))


def project(files: Files) -> Project:
    """A text is `train.py`, after the usual imports; several files are taken as they are."""
    texts = {"train.py": IMPORTS + textwrap.dedent(files)} if isinstance(files, str) else files
    return Project([load(path, textwrap.dedent(text).encode()) for path, text in texts.items()], lowered)


def facts(files: Files, torch: str = "2.6", **libraries: str) -> Facts:
    """The project, evaluated for a torch version (and versions of other libraries), with the default rules."""
    versions: dict[str, Interval] = {name: series(version) for name, version in {"torch": torch, **libraries}.items()}
    codes = frozenset(rule.code for rule in catalog().rules if rule.default)
    return gather(Context(project(files), apis(), catalog(), versions, codes), silent)


def program(files: Files, path: str = "train.py", torch: str = "2.6") -> ProgramFacts:
    """One entry point of the project."""
    found = facts(files, torch).program(path)
    assert found is not None, f"{path} is no program"
    return found


def findings(files: Files, torch: str = "2.6", **libraries: str) -> list[Finding]:
    """Everything that the default rules say, in the order of reports."""
    return sorted(set(check_facts(facts(files, torch, **libraries))), key=lambda finding: finding.sort_key)


def codes(files: Files, about: str = "", torch: str = "2.6", **libraries: str) -> str:
    """The codes, each once, sorted, notes in lower case; on request only those with certain prefixes."""
    found = {f.code.lower() if f.severity == "note" else f.code for f in findings(files, torch, **libraries)}
    wanted = tuple(about.split())
    return " ".join(sorted(code for code in found if not wanted or code.upper().startswith(wanted)))
