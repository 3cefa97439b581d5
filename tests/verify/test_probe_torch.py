"""Probes on the installed torch: one process pair for each file, so each file holds many findings."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.verify.probing import needs_torch, probed, said
from torchdet_lint.catalog.apis import load_apis
from torchdet_lint.finding import Finding, Location
from torchdet_lint.project.modules import Project
from torchdet_lint.project.names import Names
from torchdet_lint.source import load
from torchdet_lint.verify.probe.loaders import worker_copies
from torchdet_lint.verify.probe.place import Case
from torchdet_lint.verify.probe.runs import judge_all

pytestmark = needs_torch

LOADERS = """
import torch
from torch.utils.data import DataLoader, RandomSampler, SubsetRandomSampler, WeightedRandomSampler, random_split


def loaders(ds, cfg, collate):
    DataLoader(ds, batch_size=64, shuffle=True, num_workers=cfg.workers, collate_fn=collate)
    DataLoader(ds, 8, True, num_workers=1)
    DataLoader(ds, shuffle=True, **cfg.more)
    random_split(ds, [80, 20])
    RandomSampler(ds, num_samples=len(ds), replacement=True)
    SubsetRandomSampler(cfg.indices)
    WeightedRandomSampler(cfg.weights, len(ds))


def main():
    torch.manual_seed(0)
    for _ in DataLoader(list(range(8)), shuffle=True):
        print(_)


main()
"""


def test_loaders_samplers_and_splits(tmp_path: Path) -> None:
    found = probed(tmp_path, LOADERS, "TDL101", "TDL102", "TDL103")
    told = [evidence.text for finding, evidence in found if finding.code == "TDL102"]
    assert "in two workers, each differently. A generator that the data set holds" in told[0]
    assert "in the one worker. (torch" in told[1]
    assert [(finding.code, evidence.verdict, evidence.factor) for finding, evidence in found] == [
        ("TDL101", "confirmed", "entropy"),
        ("TDL102", "no-effect-seen", ""),
        ("TDL101", "confirmed", "entropy"),
        ("TDL102", "no-effect-seen", ""),
        ("TDL101", "unprobed", ""),
        ("TDL103", "confirmed", "entropy"),
        ("TDL103", "confirmed", "entropy"),
        ("TDL103", "confirmed", "entropy"),
        ("TDL103", "confirmed", "entropy"),
        ("TDL101", "confirmed", "stream"),
    ]


SEEDS = """
import random
import time
import os
import numpy as np
import torch

a = np.random.default_rng()
b = np.random.RandomState(None)
c = random.Random()
torch.manual_seed(int(time.time()))
np.random.seed(os.getpid() % 1000)
random.seed()
torch.manual_seed(hash("experiment") % 2**31)


def later(n, seed=None):
    order = torch.randperm(n, generator=torch.Generator())
    noise = torch.randn(3, generator=torch.manual_seed(0))
    return order, noise, np.random.default_rng(seed)


print(a.random(), b.rand(), c.random(), later(3))
"""


def test_generators_and_seeds(tmp_path: Path) -> None:
    found = said(tmp_path, SEEDS, "TDL004", "TDL005", "TDL013")
    assert [(code, factor) for code, verdict, factor in found if verdict == "confirmed"] == [
        ("TDL004", "entropy"),
        ("TDL004", "entropy"),
        ("TDL004", "entropy"),
        ("TDL005", "clock"),
        ("TDL005", "pid"),
        ("TDL005", "entropy"),
        ("TDL005", "hash-seed"),
        ("TDL013", "seed"),
        ("TDL013", "stream"),
        ("TDL004", "entropy"),
    ]
    assert len(found) == 10


ATTENTION = """
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


def attend(q, k, v, mask):
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        pass
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask) + F.scaled_dot_product_attention(q, k, v, is_causal=True)


def layer(size):
    return nn.TransformerEncoderLayer(size, nhead=4)
"""


def test_attention_needs_a_gpu_or_is_seen_on_one(tmp_path: Path) -> None:
    found = probed(tmp_path, ATTENTION, "TDL301", "TDL302", "TDL303")
    assert [finding.code for finding, _ in found] == ["TDL303", "TDL301", "TDL301", "TDL302"]
    for _, evidence in found:
        assert evidence.verdict in ("needs-cuda", "confirmed", "no-effect-seen")
        assert evidence.check == ("sdpa-repeat" if evidence.verdict == "needs-cuda" else "")
    assert "attn_mask=mask" in found[1][1].text
    assert "is_causal=True" in found[2][1].text


MEMORY = """
import numpy as np
import torch


def sums(features, labels, classes):
    totals = torch.empty(classes, features.shape[1])
    for feature, label in zip(features, labels):
        totals[label] += feature
    return totals


def limit(scores):
    return scores > torch.Tensor(1)


def average():
    total = np.empty(3)
    total += 1
    return total / 2


def multiplied(rows):
    kept = torch.empty(4, 4)
    return torch.where(torch.zeros(4, 4) > 0, kept * 2, torch.zeros(4, 4))


def opaque():
    start = torch.empty(3)
    return frobnicate(start + 1)
"""


def test_uninitialised_memory(tmp_path: Path) -> None:
    found = {finding.location.line: evidence for finding, evidence in probed(tmp_path, MEMORY, "TDL501")}
    assert (found[7].verdict, found[7].factor) == ("confirmed", "memory")
    assert "stand-ins for `classes`, `features`, `labels`" in found[7].text
    assert found[14].verdict == "confirmed"
    assert found[18].verdict == "confirmed"
    assert "stand-ins" not in found[18].text
    if 24 in found:  # the probe may know better than the rule
        assert found[24].verdict == "refuted-on-this-torch"
    assert found[29].verdict == "unprobed"


def test_objects_in_sets_differ_by_address(tmp_path: Path) -> None:
    text = "import torch\ndef opt(net):\n    return torch.optim.SGD(list(set(net.parameters())), lr=1)\n"
    assert said(tmp_path, text, "TDL106")[0][0] == "TDL106"


COPIES = """
import random
import numpy as np
import torch
"""


def test_generators_that_workers_get_copies_of(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(COPIES)
    names = Names(Project([load(str(path))], lambda _source, _unit: ()), load(str(path)).path, load_apis().canonical)
    place = Location("code.py", 1, 1, 1, 1)
    finding = Finding("TDL104", "", "warning", "high", "frozen", "", place)
    makers = ("np.random.default_rng(...)", "np.random.RandomState(...)", "random.Random(...)", "torch.Generator()")
    trials = [
        worker_copies(Case(finding, variant, {"value": made}, None, names, ()))
        for made in makers
        for variant in ("epochs", "workers")
    ]
    found = judge_all(trials, sys.executable, lambda _done, _total: None)
    assert [(each.verdict, each.factor) for each in found] == [("confirmed", "worker")] * 8
    assert ["next epoch" in each.text for each in found] == [True, False] * 4
