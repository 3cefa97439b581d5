"""Findings in a text, and what probes say about them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from torchdet_lint.catalog.apis import load_apis
from torchdet_lint.catalog.rules import load_rules
from torchdet_lint.config import SettingsFor
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, silent
from torchdet_lint.finding import Evidence, Finding
from torchdet_lint.source import load
from torchdet_lint.verify.probe import probe

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")


def probed(folder: Path, text: str, *codes: str, python: str = sys.executable) -> list[tuple[Finding, Evidence]]:
    """The findings of some rules in a file, in order, each with its evidence."""
    path = folder / "code.py"
    path.write_text(text)
    settings = SettingsFor(str(folder), (str(path),), isolated=True)
    result = run(Options((str(path),), settings, jobs=1, cwd=str(folder)), silent)
    findings = [finding for finding in result.findings if finding.code in codes]
    sources = {finding.location.path: load(str(path), display=finding.location.path) for finding in findings}
    evidence = probe(findings, sources, python, apis=load_apis(), catalog=load_rules())
    assert set(evidence) == {finding.fingerprint for finding in findings}
    return [(finding, evidence[finding.fingerprint]) for finding in findings]


def said(folder: Path, text: str, *codes: str) -> list[tuple[str, str, str]]:
    """The same as (code, verdict, factor or check)."""
    return [(f.code, e.verdict, e.factor or e.check) for f, e in probed(folder, text, *codes)]
