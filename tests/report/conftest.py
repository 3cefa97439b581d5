from __future__ import annotations

import pytest

from torchdet_lint.finding import Finding, Location, Related
from torchdet_lint.report.model import Report

SOURCES = {
    "train.py": (
        "import torch\n"
        "from net import Net\n"
        "def main():\n"
        "    model = Net(args.width)\n"
        "    loader = DataLoader(\n"
        "        dataset,\n"
        "        shuffle=True,\n"
        "        batch_size=4,\n"
        "        num_workers=4,\n"
        "        pin_memory=True,\n"
        "    )\n"
        '\tname = "é漢字"; torch.backends.cudnn.benchmark = True; ' + "x = 1; " * 40 + "\n"
    ).split("\n"),
    "models/net.py": ["class Net:", "    def __init__(self):", "        self.fc = nn.Linear(8, 8)"],
}


def excerpt(at: Location) -> tuple[str, ...]:
    return tuple(SOURCES.get(at.path, ())[at.line - 1 : at.end_line])


PROGRAM = Finding(
    code="TDL001",
    name="unseeded-torch-rng",
    severity="error",
    confidence="high",
    effect="run",
    message="`Net(...)` draws from torch's default generator, and nothing on the way there has seeded it",
    location=Location("train.py", 4, 13, 4, 28),
    program="train.py",
    related=(
        Related(Location("models/net.py", 3, 19, 3, 34), "weights [of fc] are drawn here"),
        Related(Location("train.py", 2, 1, 2, 20), "imported here"),
    ),
    help="call torch.manual_seed(seed) before this line; pass the seed as an option so that it can be logged (unsafe)",
    url="https://example.org/TDL001",
    fingerprint="0123456789abcdef",
)
SPAN = Finding(
    code="TDL101",
    name="dataloader-without-generator",
    severity="warning",
    confidence="medium",
    effect="stream",
    message="`DataLoader(...)` shuffles without `generator=`",
    location=Location("train.py", 5, 14, 11, 6),
)
WIDE = Finding(
    code="TDL201",
    name="cudnn-benchmark",
    severity="note",
    confidence="high",
    effect="cuda",
    message="`torch.backends.cudnn.benchmark` is True, see [1](2)",
    location=Location("train.py", 12, 16, 12, 53),
)
NOTEBOOK = Finding(
    code="TDL900",
    name="unused-suppression",
    severity="warning",
    confidence="high",
    effect="",
    message="100% unused: a, b\nand \x1b[31mc",
    location=Location("nb/my file.ipynb", 2, 1, 2, 5, 3, 44),
)


@pytest.fixture
def report() -> Report:
    return Report(
        findings=(NOTEBOOK, PROGRAM, SPAN, WIDE),
        files_checked=10,
        excerpt=excerpt,
        suppressed=1,
        programs=2,
        version="1.2.3",
    )
