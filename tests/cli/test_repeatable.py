"""A tool about repeatability repeats itself: whatever the hash seed, the processes, the folder it is called from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import torchdet_lint

MAIN = (
    "import os, random, torch\nimport numpy as np\nfrom lib import data, build\n\nmodel = build()\n"
    "for epoch in range(3):\n    for name in {'a', 'b'} | set(os.listdir('d')):\n        print(name, data(name))\n"
    "torch.backends.cudnn.benchmark = True\nmodel(np.random.rand(3) + random.random()).backward()\n"
)
LIB = (
    "import os, random, torch\n\ndef data(name):\n    return [random.random() for each in os.listdir(name)]\n\n"
    "def build():\n    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout())\n"
)


def _report(folder: Path, *arguments: str, seed: int = 0) -> list[dict[str, Any]]:
    source = str(Path(torchdet_lint.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "torchdet_lint", *arguments, "--select", "ALL", "--output-format", "json"],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": source, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return sorted(json.loads(done.stdout)["findings"], key=lambda each: str(each["fingerprint"]))


def test_the_same_findings_every_time(tmp_path: Path) -> None:
    for name, text in {"pyproject.toml": "", "jobs/main.py": MAIN, "jobs/lib.py": LIB}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = _report(tmp_path, "-j1")
    assert len(found) == 5
    assert _report(tmp_path, "-j4", seed=1) == found
    assert _report(tmp_path, str(tmp_path / "jobs" / "lib.py"), "jobs/main.py", seed=2) == found
    inside = _report(tmp_path / "jobs", "..", seed=3)
    assert [each["fingerprint"] for each in inside] == [each["fingerprint"] for each in found]
    assert {each["path"] for each in inside} == {"main.py", "lib.py"}
