"""TDL104: generators of which every worker gets a copy, and those that only look like it."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes, findings

ITEMS = """
from torch.utils.data import ConcatDataset, IterableDataset, Subset, get_worker_info
import torchvision.transforms as T

def seed_globals(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)

class Items(Dataset):
    def __init__(self, data=(), rng=None, transform=None):
        self.data = data
        self.transform = transform
        {init}
    def __len__(self):
        return len(self.data)
    def __getitem__(self, index):
        {item}
    def helper(self):
        return self.rng.random()

class Jitter:
    def __init__(self):
        self.state = np.random.RandomState(0)
    def __call__(self, x):
        return x + self.state.uniform()

class Batch:
    def __init__(self):
        self.dice = random.Random(3)
    def __call__(self, items):
        return items[self.dice.randrange(len(items))]

def main(n=3):
    torch.manual_seed(0)
    dataset = Items(range(3))
    {loader}
    for batch in loader:
        print(batch)

if __name__ == "__main__":
    main()
"""
DEFAULT = {
    "init": "self.rng = np.random.default_rng(0)",
    "item": "return self.rng.random()",
    "loader": "loader = DataLoader(dataset, num_workers=2, worker_init_fn=seed_globals)",
}
PLAIN = {"init": "pass", "item": "return self.transform(0) if self.transform else 1"}


def program(parts: dict[str, str]) -> str:
    text = ITEMS
    for name, part in (DEFAULT | parts).items():
        text = text.replace("{" + name + "}", part)
    return text


def loader(arguments: str, dataset: str = "dataset") -> dict[str, str]:
    return {"loader": f"loader = DataLoader({dataset}, {arguments}, worker_init_fn=seed_globals)"}


SPEAKS = {
    "a generator": {},
    "a random state": {"init": "self.rng = np.random.RandomState(seed=1)", "item": "return self.rng.rand()"},
    "python's": {"init": "self.rng = random.Random(5)", "item": "return self.rng.choice([1, 2])"},
    "torch's": {
        "init": "self.rng = torch.Generator().manual_seed(1)",
        "item": "return torch.randn(2, generator=self.rng)",
    },
    "of the class": {"init": "pass\n    rng = np.random.default_rng(0)"},
    "handed in": {"init": "self.rng = rng or np.random.default_rng(7)"},
    "through a method": {"item": "return self.helper()"},
    "workers that are not known": loader("num_workers=n"),
    "workers that the user chooses": loader("num_workers=int(sys.argv[1])"),
    "workers that live on": loader("num_workers=2, persistent_workers=True"),
    "one worker, anew in each epoch": loader("num_workers=1"),
    "no function": {"loader": "loader = DataLoader(dataset, num_workers=2)"},
    "in a subset": loader("num_workers=2", "Subset(dataset, [0, 1])"),
    "in a concatenation": loader("num_workers=2", "ConcatDataset([dataset, dataset])"),
    "in a transform": PLAIN | loader("num_workers=2", "Items(range(3), transform=Jitter())"),
    "in a composed transform": PLAIN | loader("num_workers=2", "Items(range(3), transform=T.Compose([Jitter()]))"),
    "in what puts batches together": PLAIN | loader("num_workers=2, collate_fn=Batch()"),
    "the function asks for its number only": {
        "loader": "def init(i):\n        np.random.seed(get_worker_info().seed % 2**32 + i)\n"
        "    loader = DataLoader(dataset, num_workers=2, worker_init_fn=init)"
    },
    "a lambda that seeds others": {
        "loader": "loader = DataLoader(dataset, num_workers=2, worker_init_fn=lambda i: np.random.seed(i))"
    },
}


@pytest.mark.parametrize("parts", SPEAKS.values(), ids=SPEAKS.keys())
def test_copied(parts):
    found = [finding for finding in findings(program(parts)) if finding.code in ("TDL102", "TDL104")]
    assert [(finding.code, finding.severity) for finding in found] == [("TDL104", "warning")]
    assert [related.label for related in found[0].related] == ["the draw", "the loader"]


SILENT = {
    "no workers": loader("num_workers=0"),
    "workers not mentioned": loader("batch_size=2"),
    "one worker that lives on": loader("num_workers=1, persistent_workers=True"),
    "made in the worker": {
        "init": "self.rng = None",
        "item": "self.rng = self.rng or np.random.default_rng(torch.initial_seed()); return self.rng.random()",
    },
    "made for each item": {"init": "pass", "item": "return np.random.default_rng(index).random()"},
    "replaced in the worker": {"item": "self.rng = np.random.default_rng(index); return self.rng.random()"},
    "reseeded for each item": {
        "init": "self.rng = random.Random(0)",
        "item": "self.rng.seed(index); return self.rng.random()",
    },
    "reseeded for each item, torch's": {
        "init": "self.rng = torch.Generator()",
        "item": "self.rng.manual_seed(index); return torch.randn(2, generator=self.rng)",
    },
    "only looked at": {"item": "return self.rng.bit_generator.state"},
    "drawn from before": {
        "init": "self.rng = np.random.default_rng(0); self.shift = self.rng.random()",
        "item": "return self.shift",
    },
    "global": {"init": "pass", "item": "return np.random.rand()"},
    "reseeded by the function": {
        "loader": "loader = DataLoader(dataset, num_workers=2, worker_init_fn=lambda i: dataset.rng.bit_generator.advance(i))"
    },
    "the function asks for the data set": {
        "loader": "def init(i):\n        get_worker_info().dataset.reseed(i)\n"
        "    loader = DataLoader(dataset, num_workers=2, worker_init_fn=init)"
    },
    "the function hands on what it is told": {
        "loader": "def init(i):\n        info = get_worker_info()\n        elsewhere(info)\n"
        "    loader = DataLoader(dataset, num_workers=2, worker_init_fn=init)"
    },
    "a method as the function": {
        "loader": "loader = DataLoader(dataset, num_workers=2, worker_init_fn=dataset.helper)"
    },
    "a function out of sight": {
        "loader": "from monai.data import worker_init_fn\n    loader = DataLoader(dataset, num_workers=2, worker_init_fn=worker_init_fn)"
    },
}


@pytest.mark.parametrize("parts", SILENT.values(), ids=SILENT.keys())
def test_not_copied(parts):
    assert "TDL104" not in codes(program(parts)).upper()


ITERABLE = """
from torch.utils.data import IterableDataset, get_worker_info

class Stream(IterableDataset):
    def __init__(self):
        self.rng = random.Random(0)
    def __iter__(self):
        {iter}
    def __next__(self):
        return self.rng.random()

def main():
    torch.manual_seed(0)
    for batch in DataLoader(Stream(), num_workers=4):
        print(batch)

main()
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return self", "TDL104"),
        ("yield self.rng.random()", "TDL104"),
        ("return iter([self.rng.random()])", "TDL104"),
        ("self.rng.seed(get_worker_info().seed); return self", ""),
        ("self.rng = random.Random(get_worker_info().seed); return self", ""),
        ("rng = random.Random(1); yield rng.random()", ""),
    ],
)
def test_iterable(body, expected):
    assert codes(ITERABLE.replace("{iter}", body), "TDL104") == expected


def test_one_attribute_is_said_once_and_where_it_is_made():
    text = program(
        {"loader": "for part in (0, 1):\n        other = DataLoader(dataset, num_workers=4)\n    " + DEFAULT["loader"]}
    )
    (found,) = [finding for finding in findings(text) if finding.code == "TDL104"]
    assert text.splitlines()[found.location.line - 1 - 7].strip() == "self.rng = np.random.default_rng(0)"
    assert "`self.rng` holds `np.random.default_rng(...)`" in found.message
