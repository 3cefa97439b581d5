"""What is said of operations and kernels in whole programs: each kind of false alarm that was met, and its true neighbour."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from torchdet_lint.config import SettingsFor, inline
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"
TRAIN = """
torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Linear(8, 8).to(device)
inputs = torch.ones(4, 1, 8, 8, device=device)
"""
SELECT = 'select=["TDL4"]'


@pytest.fixture
def codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)

    def codes(text: str, *config: str) -> list[str]:
        (tmp_path / "train.py").write_text(HEAD + textwrap.dedent(text))
        cwd = str(tmp_path)
        settings = SettingsFor(cwd, (".",), overrides=tuple(inline(each, cwd) for each in (SELECT, *config)))
        result = run(Options(paths=(".",), settings=settings, jobs=1, cwd=cwd))
        assert result.problems == ()
        return [f"{finding.code}:{finding.severity}" for finding in result.findings]

    return codes


def program(body: str, helpers: str = "") -> str:
    """A program that trains on CUDA."""
    return textwrap.dedent(helpers) + TRAIN + textwrap.dedent(body) + "\nmodel(inputs).sum().backward()\n"


SEG = """\
class Seg(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
        self.head = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.head(self.body(x))
"""

SAID = [
    ("keep(inputs, torch.randint(4, (4,)), inputs)", "def keep(t, idx, val):\n    return t.index_copy_(1, idx, val)\n", "TDL401:warning"),
    ("keep(inputs)", "def keep(t):\n    if t.device.type == 'cuda':\n        t.index_copy_(1, torch.randint(4, (4,)), t)\n    return t\n", "TDL401:warning"),
    ("model(inputs).gather(1, inputs.long())", "", "TDL401:warning"),
    ("torch.zeros(8, device=device).index_add_(0, inputs.long(), inputs)", "", "TDL401:warning"),
    ("inputs.scatter_reduce(0, inputs.long(), inputs, reduce='sum')", "", "TDL401:warning"),
    ("inputs.scatter_reduce(0, inputs.long(), inputs, reduce='prod')", "", "TDL402:warning"),
    ("model(inputs).put_(inputs.long(), inputs, accumulate=True)", "", "TDL402:warning"),
    ("torch.bincount(inputs.long(), inputs)", "", "TDL402:warning"),
    ("inputs.median(dim=1)", "", "TDL402:warning"),
    ("torch.cumsum(inputs.softmax(-1), 0)", "", "TDL402:warning"),
    ("F.pad(model(inputs), (1, 1), mode='reflect')", "", "TDL402:warning"),
    ("nn.Conv1d(8, 8, 3, padding=1, padding_mode='reflect')", "", "TDL402:warning"),
    ("layer('reflect')", "def layer(mode):\n    return nn.Conv2d(8, 8, 3, 1, 1, 1, 1, True, mode)\n", "TDL402:warning"),
    ("nn.Conv3d(8, 8, 3, padding_mode='replicate')", "", "TDL401:warning"),
    ("curve(inputs)", "def curve(target):\n    hits = target[1]\n    return hits.cumsum(0) / torch.arange(3, device=hits.device)\n", "TDL402:warning"),
    ("F.cross_entropy(F.interpolate(model(inputs), size=9), inputs.long())", "", "TDL402:warning"),
    ("nn.CrossEntropyLoss(ignore_index=255)", "", "TDL402:warning"),
    ("nn.NLLLoss(ignore_index=255)(model(inputs), inputs.view(4, 2, 2))", "", "TDL402:warning"),
    ("F.cross_entropy(model(inputs).transpose(1, 2), inputs.long())", "", "TDL402:warning"),
    ("scores = model(inputs).permute(0, 3, 1, 2)\nF.nll_loss(scores, inputs.long())", "", "TDL402:warning"),
    ("loss(Seg()(inputs), inputs)", SEG + "def loss(out, mask):\n    return F.cross_entropy(out.float(), mask)\n", "TDL402:warning"),
    ("F.nll_loss(F.log_softmax(Seg()(inputs), dim=1), inputs.long())", SEG, "TDL402:warning"),
    ("criterion = nn.CrossEntropyLoss()\ncriterion(Seg().to(device)(inputs), inputs)", SEG, "TDL402:warning"),
    ("criterion = nn.CrossEntropyLoss()\ncriterion(nn.DataParallel(Seg())(inputs), inputs)", SEG, "TDL402:warning"),
    ("F.cross_entropy(nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())(inputs), inputs)", "", "TDL402:warning"),
    ("F.cross_entropy(smp.Unet(classes=4)(inputs), inputs)", "import segmentation_models_pytorch as smp\n", "TDL402:warning"),
    ("F.nll_loss(nn.LogSoftmax(dim=1)(Seg()(inputs)), inputs.long())", SEG, "TDL402:warning"),
    ("F.cross_entropy(both(Seg()(inputs))['out'], inputs)", SEG + "def both(x):\n    return {'out': x}\n", "TDL402:warning"),
    ("criterion = nn.NLLLoss()\ncriterion(nn.Sequential(nn.ReLU(), nn.Conv3d(4, 4, 1))(inputs), inputs)", "", "TDL402:warning"),
    ("keep(inputs, torch.randint(4, (4,)), inputs)", "def keep(t, idx, val):\n    return t.scatter_(0, idx, val.mean(dim=1))\n", "TDL401:warning"),
    ("nn.AdaptiveAvgPool2d((7, 1))", "", "TDL402:warning"),
    (
        "Net()(inputs)",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.body = nn.Linear(8, 8)\n"
        "    def forward(self, x):\n        image = self.body(x)\n        return F.adaptive_avg_pool2d(image, (3, 3))\n",
        "TDL402:warning",
    ),
    ("nn.EmbeddingBag(4, 4, mode='max')", "", "TDL402:warning"),
    ("grow(model(inputs))", "def grow(score):\n    return F.interpolate(score, size=12, mode='bicubic')\n", "TDL402:warning"),
    ("sample(inputs)", "def sample(weights):\n    return weights.device, weights.cumsum(0)\n", "TDL402:warning"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "helpers", "code"), SAID, ids=[body for body, _, _ in SAID])
def test_said(codes, body: str, helpers: str, code: str) -> None:  # type: ignore[no-untyped-def]
    assert codes(program(body, helpers)) == [code]


SILENT = [
    ("count(inputs.long())", "def count(x):\n    into = torch.zeros(8, device=x.device)\n    one = torch.ones_like(x)\n    return into.scatter_add_(0, x, one)\n"),
    ("torch.zeros(8, device=device).index_add_(0, inputs.long(), inputs.long())", ""),
    ("keep(inputs, torch.arange(4), inputs)", "def keep(t, idx, val):\n    return t.index_copy_(1, idx, val)\n"),
    ("keep(inputs)", "def keep(t):\n    if t.device.type == 'mps':\n        t.index_copy_(1, torch.randint(4, (4,)), t)\n    return t\n"),
    ("extract(inputs, 3)", "def extract(table, t):\n    return table.gather(-1, t)\n"),
    ("model(inputs).gather(1, inputs.argsort(1))", ""),
    ("model(inputs).gather(1, inputs.long().unsqueeze(1))", ""),
    ("inputs.scatter_(1, inputs.long(), 1.0)", ""),
    ("write(inputs, 1)", "def write(cache, positions):\n    cache.index_copy_(0, positions, cache)\n"),
    ("inputs.repeat_interleave(3, dim=1)", ""),
    ("torch.bincount(inputs.long())", ""),
    ("inputs.median()", ""),
    ("inputs.long().cumsum(0)", ""),
    ("curve(F)", "def curve(target):\n    hits = target[1]\n    return hits.cumsum(0) / 3\n"),
    ("nn.Conv2d(8, 8, 3, padding_mode='zeros'), nn.Conv2d(8, 8, 3, padding_mode='circular')", ""),
    ("ends(inputs)", "def ends(lengths):\n    return torch.cumsum(lengths, 0)\n"),
    ("torch.linspace(0, 1, 5).cumsum(0)", ""),
    ("F.cross_entropy(model(inputs), inputs.long())", ""),
    ("F.cross_entropy(model(inputs).transpose(0, 1), inputs.long())", ""),
    ("F.cross_entropy(model(inputs).view(-1, 21), inputs.view(-1), ignore_index=255)", ""),
    ("rows = model(inputs).permute(0, 2, 3, 1).reshape(-1, 21)\nF.cross_entropy(rows, inputs, ignore_index=255)", ""),
    ("F.cross_entropy(model(inputs), inputs.flatten().long(), ignore_index=255)", ""),
    ("F.cross_entropy(rearrange(Seg()(inputs), 'b c h w -> (b h w) c'), inputs)", "from einops import rearrange\n" + SEG),
    ("loss = nn.CrossEntropyLoss(ignore_index=255)\nloss(model(inputs).view(-1, 9), inputs.view(-1))", ""),
    ("loss = nn.CrossEntropyLoss()\nloss(Seg()(inputs).flatten(1), inputs)", SEG),
    (
        "loss = nn.CrossEntropyLoss() if inputs.any() else Other()\nloss(Seg()(inputs), inputs, inputs)",
        "from other import Other\n" + SEG,
    ),
    ("F.cross_entropy(nn.Sequential(nn.Conv2d(4, 4, 1), nn.Flatten())(inputs), inputs)", ""),
    ("F.cross_entropy(nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))(inputs), inputs)", ""),
    ("F.cross_entropy(Seg()(inputs)[:, :, 0], inputs)", SEG),
    ("inputs = inputs.to(device)\nF.cross_entropy(model(inputs), inputs)", ""),
    ("loss = nn.CrossEntropyLoss(reduction='none')\nloss(Seg()(inputs), inputs).mean()", SEG),
    ("F.cross_entropy(Seg()(inputs), inputs, reduction='none').mean()", SEG),
    ("keep(inputs, torch.randint(4, (4,)), 3)", "def keep(t, idx, val):\n    return t.scatter_(0, idx, val)\n"),
    ("nn.AdaptiveAvgPool2d(1), nn.AdaptiveAvgPool3d((1, 1, 1)), nn.EmbeddingBag(4, 4)", ""),
    ("F.interpolate(model(inputs), size=9), F.pad(model(inputs), (1, 1))", ""),
    ("F.interpolate(model(inputs).detach(), size=9, mode='bicubic')", ""),
    ("F.interpolate(model(inputs), size=9, mode='bicubic').argmax(1)", ""),
    (
        "Net()(inputs)",
        "class Net(nn.Module):\n    def forward(self, image):\n        return F.adaptive_avg_pool2d(image, (3, 3))\n",
    ),
    ("show(inputs)", "def show(images):\n    return F.interpolate(images, size=9, mode='bicubic')\n"),
    ("look(inputs)", "@torch.no_grad()\ndef look(x):\n    return F.interpolate(x, size=9, mode='bicubic')\n"),
    ("F.ctc_loss(model(inputs).cpu(), inputs, inputs, inputs)", ""),
    ("Meter().median(dim=1)", "class Meter:\n    def median(self, dim):\n        return dim\n"),
    ("[1].index(1), {1}.add(2), {}.put_(1)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "helpers"), SILENT, ids=[body for body, _ in SILENT])
def test_silent(codes, body: str, helpers: str) -> None:  # type: ignore[no-untyped-def]
    assert codes(program(body, helpers)) == []


STRICT = "import os\nos.environ['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'\ntorch.use_deterministic_algorithms(True)\n"
OPERATIONS = "model(inputs).gather(1, inputs.long())\nF.pad(model(inputs), (1, 1), mode='reflect')"


def test_strict_mode_replaces_or_raises(codes) -> None:  # type: ignore[no-untyped-def]
    assert codes(STRICT + program(OPERATIONS)) == ["TDL402:error"]


def test_warn_only_replaces_too(codes) -> None:  # type: ignore[no-untyped-def]
    text = STRICT.replace("True)", "True, warn_only=True)") + program(OPERATIONS)
    assert codes(text) == ["TDL402:warning"]


def test_a_layer_may_be_built_before_strict_mode_is_set(codes) -> None:  # type: ignore[no-untyped-def]
    text = program("pool = nn.MaxPool3d(2)\npad = nn.ReplicationPad2d(1)\ntorch.use_deterministic_algorithms(True)")
    assert codes(text) == []


def test_without_an_accelerator_nothing_is_said(codes) -> None:  # type: ignore[no-untyped-def]
    text = program(OPERATIONS + "\nnn.LSTM(8, 8)").replace('"cuda"', '"cpu"')
    assert codes(text) == []


def test_without_training_gradients_are_not_looked_at(codes) -> None:  # type: ignore[no-untyped-def]
    text = program(OPERATIONS + "\ninputs.index_add_(0, inputs.long(), inputs)").replace(".sum().backward()", "")
    assert codes(text) == ["TDL401:warning"]


@pytest.mark.parametrize(("end", "expected"), [("", []), ("model(inputs).sum().backward()", ["TDL405:note"])])
def test_kernels_that_differ_in_their_gradient_need_training(codes, end: str, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    layer = "from detectron2.modeling.poolers import ROIPooler\npool = ROIPooler(7, (1.0,), 1, 'ROIAlignV2')\n"
    assert codes(TRAIN + layer + end) == expected


KERNELS = [
    "from mamba_ssm import Mamba as kernel",
    "from mamba_ssm.modules.mamba2 import Mamba2 as kernel",
    "from mamba_ssm.ops.selective_scan_interface import selective_scan_fn as kernel",
    "from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined as kernel",
    "from causal_conv1d import causal_conv1d_fn as kernel",
    "from mmcv.ops import ModulatedDeformConv2d as kernel",
    "from mmcv.ops.multi_scale_deform_attn import MultiScaleDeformableAttention as kernel",
    "from torchvision.ops import deform_conv2d as kernel",
    "from kaolin.render.mesh import dibr_rasterization as kernel",
    "from pointnet2_ops.pointnet2_utils import grouping_operation as kernel",
]


@pytest.mark.parametrize("line", KERNELS)
def test_extensions(codes, line: str) -> None:  # type: ignore[no-untyped-def]
    assert codes(TRAIN + line + "\nkernel(inputs)\nmodel(inputs).sum().backward()\n") == ["TDL405:note"]


OTHERS = ["from causal_conv1d import causal_conv1d_update as kernel", "from mmcv.ops import nms as kernel"]


@pytest.mark.parametrize("line", OTHERS)
def test_other_functions_of_these_extensions(codes, line: str) -> None:  # type: ignore[no-untyped-def]
    assert codes(TRAIN + line + "\nkernel(inputs)\nmodel(inputs).sum().backward()\n") == []


@pytest.mark.parametrize(("name", "expected"), [("data/utils.py", []), ("models/utils.py", ["TDL402:warning"])])
def test_data_on_their_way_in_have_no_gradient(codes, tmp_path: Path, name: str, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(HEAD + "def shrink(x):\n    return F.pad(x, (1, 1), mode='reflect')\n")
    assert codes("pass") == expected


def test_the_version_of_the_file_chooses(codes) -> None:  # type: ignore[no-untyped-def]
    text = program("torch.zeros(8, device=device).scatter_add_(0, inputs.long(), inputs)")
    assert codes(text, 'target-torch="1.12"') == ["TDL402:warning"]
    assert codes(text, 'target-torch="1.13"') == ["TDL401:warning"]


def test_library_code_speaks_of_what_raises_in_its_gradient_only(codes) -> None:  # type: ignore[no-untyped-def]
    text = """
        class Net(nn.Module):
            def forward(self, x, index):
                x = F.grid_sample(x, index)
                x = F.interpolate(x, size=4, mode="bilinear")
                return x.gather(1, index), x.softmax(-1).cumsum(1), torch.histc(x)
    """
    assert codes(text) == ["TDL402:warning"]


def test_one_place_is_one_finding(codes) -> None:  # type: ignore[no-untyped-def]
    helpers = "def block(mode):\n    return nn.Upsample(scale_factor=2, mode=mode)\n"
    body = 'nn.Sequential(*[block(mode) for mode in ("bicubic", "linear")])\nblock("bicubic")\nblock("nearest")'
    assert codes(program(body, helpers)) == ["TDL402:warning"]
