"""Where findings stand, what they say, and which places they point to."""

from __future__ import annotations

import pytest

from tests.analysis.programs import Files, findings
from torchdet_lint.finding import Finding

TRAIN = """\
import numpy as np
import torch
from lib.net import build

def main():
    model = build(2)
    model = build(3)
    torch.save(model, "f")

if __name__ == "__main__":
    main()
"""
BUILD = "from torch import nn\nfrom .block import Block\ndef build(width):\n    return Block(width)\n"
BLOCK = """\
import random
from torch import nn
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.keep = random.random()
        self.fc = nn.Linear(width, width)
"""
FILES = {"train.py": TRAIN, "lib/__init__.py": "", "lib/net.py": BUILD, "lib/block.py": BLOCK}


def only(files: Files, code: str, torch: str = "2.6") -> Finding:
    [found] = [each for each in findings(files, torch) if each.code == code]
    return found


def place(found: Finding) -> tuple[str, int, int]:
    return found.location.path, found.location.line, found.location.column


def test_a_draw_in_another_file_is_placed_at_the_innermost_call_of_the_entry_file() -> None:
    found = only(FILES, "TDL001")
    assert place(found) == ("train.py", 6, 13)
    assert found.program == "train.py"
    assert found.message == (
        "`nn.Linear(...)` draws from torch's generator, which this program never seeds (through build, Block.__init__)"
    )
    assert [(r.location.path, r.location.line, r.label) for r in found.related] == [
        ("lib/net.py", 4, "through this call"),
        ("lib/block.py", 7, "draws here"),
    ]


def test_the_span_is_that_of_the_call() -> None:
    found = only(FILES, "TDL001").location
    assert TRAIN.splitlines()[found.line - 1][found.column - 1 : found.end_column - 1] == "build(2)"


def test_a_draw_in_the_entry_file_is_placed_at_itself() -> None:
    found = only(
        {
            "train.py": "import torch\ndef a():\n    return b()\ndef b():\n    return torch.rand(2)\ntorch.save(a(), 'f')\n"
        },
        "TDL001",
    )
    assert place(found) == ("train.py", 5, 12)
    assert found.related == ()
    assert "through" not in found.message


def test_one_finding_for_each_program_and_family() -> None:
    files = {**FILES, "again.py": TRAIN}
    found = [(each.program, each.code) for each in findings(files)]
    assert found == [(path, code) for path in ("again.py", "train.py") for code in ("TDL001", "TDL003")]


def test_long_chains_are_shortened() -> None:
    steps = "".join(f"def f{i}():\n    return f{i + 1}()\n" for i in range(6))
    files = {
        "train.py": "import torch\nimport lib\ntorch.save(lib.f0(), 'f')\n",
        "lib.py": f"import torch\n{steps}def f6():\n    return torch.rand(2)\n",
    }
    found = only(files, "TDL001")
    assert found.message.endswith(" (through f0, f1, …, f6)")
    assert len(found.related) == 7


def test_a_draw_during_an_import_is_placed_at_the_import() -> None:
    found = only(
        {
            "train.py": "import torch\nimport net\ntorch.manual_seed(0)\ntorch.save(net.layer, 'f')\n",
            "net.py": "from torch import nn\nlayer = nn.Linear(2, 2)\n",
        },
        "TDL006",
    )
    assert place(found)[:2] == ("train.py", 2)
    assert found.message == (
        "`nn.Linear(...)` draws from torch's generator while `net.py` is imported, before `torch.manual_seed(...)` seeds it"
    )


@pytest.mark.parametrize(
    ("text", "code", "severity", "message"),
    [
        (
            "torch.cuda.manual_seed(1)\ntorch.save(torch.rand(2), 'f')\n",
            "TDL001", "error", "`torch.rand(...)` draws from torch's CPU generator, but `torch.cuda.manual_seed(...)` seeds only the accelerator's",
        ),
        (
            "from unheard import fix_seed\nfix_seed(1)\ntorch.save(torch.rand(2), 'f')\n",
            "TDL001", "warning", "`torch.rand(...)` draws from torch's generator, which is seeded only if `fix_seed(...)` does so",
        ),
        (
            "def work(rank):\n    torch.save(torch.rand(2), 'f')\nif __name__ == '__main__':\n    torch.manual_seed(1)\n    mp.spawn(work, nprocs=2)\n",
            "TDL001", "error", "`torch.rand(...)` draws from torch's generator in a process started by `mp.spawn(...)`, which has no seed of its own",
        ),
        (
            "x = torch.rand(2)\ntorch.manual_seed(1)\ntorch.save(x, 'f')\n",
            "TDL006", "error", "`torch.rand(...)` draws from torch's generator before `torch.manual_seed(...)` seeds it",
        ),
        (
            "def main(seed=None):\n    return np.random.default_rng(seed)\n",
            "TDL004", "note", "`np.random.default_rng(...)` starts from the operating system's entropy unless a caller passes `seed`",
        ),
        (
            "r = np.random.default_rng(None)\nnp.save('f', r.random(2))\n",
            "TDL004", "error", "`np.random.default_rng(...)` gets None as its seed and starts from the operating system's entropy",
        ),
        (
            "torch.manual_seed(os.getpid())\ntorch.save(torch.rand(2), 'f')\n",
            "TDL005", "error", "`torch.manual_seed(...)` is seeded with `os.getpid()`, the number of the process, which two runs do not share",
        ),
        (
            "random.seed(hash('a'))\nnp.save('f', random.random())\n",
            "TDL005", "error", "`random.seed(...)` is seeded with `hash(...)`, a hash that changes with every process",
        ),
        (
            "def augment(x, seed=0):\n    return x\n",
            "TDL011", "warning", "`seed` is never read: passing another seed changes nothing",
        ),
        (
            "class A:\n    def forward(self, x):\n        torch.manual_seed(0)\n        return torch.rand(2)\n",
            "TDL012", "warning", "`torch.manual_seed(...)` resets torch's generator to the same seed in every call of `A.forward`: the draws repeat",
        ),
        (
            "torch.backends.cudnn.benchmark = sys.argv == [1] and bool(sys.argv)\n",
            "TDL201", "note",
            "cuDNN's benchmark mode is set to `sys.argv == [1] and bool(sys.argv)`: where that is true, kernels are picked by timing",
        ),
        (
            "torch.backends.cudnn.benchmark = bool(sys.argv)\n",
            "TDL201", "note", "cuDNN's benchmark mode is set to `bool(sys.argv)`: where that is true, kernels are picked by timing",
        ),
        (
            "torch.backends.cudnn.deterministic = False\n",
            "TDL202", "warning", "cuDNN's deterministic mode is turned off: convolutions may use kernels whose results differ from run to run",
        ),
        (
            "os.environ['CUBLAS_WORKSPACE_CONFIG'] = ':0:0'\ntorch.use_deterministic_algorithms(True)\nx = torch.ones(2).cuda()\n",
            "TDL205", "warning",
            "`CUBLAS_WORKSPACE_CONFIG` is ':0:0' in a strict program on CUDA; only `:4096:8` and `:16:8` are deterministic",
        ),
        (
            "torch.use_deterministic_algorithms(False)\n",
            "TDL208", "note", "`torch.use_deterministic_algorithms(...)` allows nondeterministic algorithms from here on",
        ),
    ],
)  # fmt: skip
def test_messages(text: str, code: str, severity: str, message: str) -> None:
    found = only(text, code)
    assert (found.severity, found.message) == (severity, message)


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("torch.manual_seed(0)\nfor x in DataLoader([1], shuffle=True): print(x)\n", ("note", "stream")),
        ("for x in DataLoader([1], shuffle=True): print(x)\n", ("warning", "run")),
        ("def loader(data):\n    return DataLoader(data, shuffle=True)\n", ("warning", "run")),
        ("def loader(data, shuffle):\n    return DataLoader(data, shuffle=shuffle)\n", ("warning", "run")),
    ],
)
def test_a_loader_after_the_seed_is_worth_a_note(text: str, variant: tuple[str, str]) -> None:
    found = only(text, "TDL101")
    assert (found.severity, found.effect) == variant


def test_one_program_that_does_not_seed_is_enough() -> None:
    data = "from torch.utils.data import DataLoader\ndef loader():\n    return DataLoader([1], shuffle=True)\n"
    seeded = "import torch, data\ntorch.manual_seed(0)\nfor x in data.loader(): print(x)\n"
    unseeded = "import torch, data\nfor x in data.loader(): print(x)\n"
    assert only({"data.py": data, "a.py": seeded}, "TDL101").severity == "note"
    assert only({"data.py": data, "a.py": seeded, "b.py": seeded}, "TDL101").severity == "note"
    assert only({"data.py": data, "a.py": seeded, "b.py": unseeded}, "TDL101").severity == "warning"


DATA = """\
class Data(Dataset):
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return np.random.rand(2)
torch.manual_seed(0)
for x in DataLoader(Data(), num_workers=2):
    print(x)
"""


def test_numpy_in_workers_depends_on_torch() -> None:
    old, new = only(DATA, "TDL102", "1.8.1"), only(DATA, "TDL102", "1.9.0")
    assert (old.severity, old.effect) == ("warning", "frozen")
    assert old.message.endswith("draws the same NumPy numbers in every worker before torch 1.9")
    assert (new.severity, new.effect) == ("note", "frozen")
    assert "TDL002" in {each.code for each in findings(DATA, "1.8.1")}
    assert "TDL002" not in {each.code for each in findings(DATA, "1.9.0")}


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        ("np.random.rand(2)", "(NumPy)"),
        ("torch.rand(2), random.random()", "(Python and torch)"),
        ("index", "no draw is seen"),
    ],
)
def test_a_note_about_workers_says_what_they_draw(draw: str, said: str) -> None:
    found = only(DATA.replace("np.random.rand(2)", draw), "TDL102", "2.6")
    assert found.severity == "note"
    assert said in found.message


ONE_OF = """\
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {}
torch.save({{"deep": Deep, "other": Other}}[sys.argv[1]](), 'f')
"""


@pytest.mark.parametrize(("layer", "confidence"), [("nn.Linear(1, 1)", "high"), ("nn.ReLU()", "medium")])
def test_one_of_several_callees_that_draws_is_no_certainty(layer: str, confidence: str) -> None:
    assert only(ONE_OF.format(layer), "TDL001").confidence == confidence


def test_a_seed_that_is_drawn_is_said_at_every_seeder() -> None:
    text = "seed = random.randint(1, 9)\nrandom.seed(seed)\ntorch.manual_seed(seed)\ntorch.save(torch.rand(2), 'f')\n"
    found = [each for each in findings(text) if each.code == "TDL005"]
    assert len({each.location.line for each in found}) == 2


def test_draws_of_an_optional_number_of_workers_are_notes() -> None:
    text = DATA.replace("num_workers=2", "num_workers=int(sys.argv[1])")
    found = only(text, "TDL002")
    assert found.severity == "note"
    assert found.message.endswith("which is not seeded when the loader has no workers")


def test_the_accelerator_makes_attention_layers_louder() -> None:
    text = "torch.manual_seed(0)\nlayer = nn.TransformerEncoderLayer(8, 2){}\ntorch.save(layer, 'f')\n"
    assert only(text.format(""), "TDL302").severity == "note"
    assert only(text.format(".cuda()"), "TDL302").severity == "warning"


def test_a_program_that_seeds_nothing_gets_a_note_about_its_kernels() -> None:
    text = "{}x = torch.ones(2, requires_grad=True, device='cuda')\nx.sum().backward()\n"
    assert only(text.format(""), "TDL203").severity == "note"
    assert only(text.format("torch.manual_seed(0)\n"), "TDL203").severity == "warning"
    partly = only(text.format("torch.manual_seed(0)\ntorch.backends.cudnn.deterministic = True\n"), "TDL203")
    assert "covers convolutions only" in partly.message
    assert partly.severity == "warning"


BY_DEFAULT = """\
parser = argparse.ArgumentParser()
parser.add_argument("--phase", default="train")
args = parser.parse_args()
torch.manual_seed(0)
x = torch.ones(2, requires_grad=True, device="cuda")
if args.phase == "analysis":
    x.sum().backward(); y = random.random()
    torch.save(y, "g")
if TEST:
    x.prod().backward(); z = random.random()
    torch.save(z, "f")
"""


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ("args.phase == 'train'", 17),
        ("len(sys.argv) > 1", 17),
        ("args.phase == 'other'", 14),
    ],
)
def test_what_is_told_once_stands_on_the_path_of_the_defaults(test: str, line: int) -> None:
    for code in ("TDL203", "TDL003"):
        assert only(BY_DEFAULT.replace("TEST", test), code).location.line == line


def test_findings_carry_the_texts_of_the_catalogue() -> None:
    for found in findings(FILES):
        assert found.help
        assert found.url.endswith(f"{found.code}.md")
        assert "{" not in found.message + found.help
        assert (found.name == "unseeded-torch-rng") == (found.code == "TDL001")
