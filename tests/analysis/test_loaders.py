"""Loaders: their arguments, what workers draw, samplers, splits."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes, findings

CASES = [
    (
        "Loader kwargs",
        "TDL101",
        """\
        kwargs = {"num_workers": 0}
        kwargs.update({"shuffle": True})
        loader = DataLoader([1, 2], **kwargs)
        torch.manual_seed(0)
        for x in loader:
            print(x)
        """,
    ),
    (
        "loader cond expr",
        "tdl101 tdl102",
        """\
        a = sys.argv
        kwargs = {"num_workers": 4, "pin_memory": True} if torch.cuda.is_available() else {}
        torch.manual_seed(0)
        for x in DataLoader([1, 2], shuffle=True, **kwargs):
            print(x)
        """,
    ),
    (
        "kwargs with generator by item",
        "",
        """\
        kwargs = dict(shuffle=True)
        kwargs["generator"] = torch.Generator().manual_seed(0)
        for x in DataLoader([1, 2], **kwargs):
            print(x)
        """,
    ),
    (
        "workers 0",
        "TDL002",
        """\
        class Data(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return np.random.rand(2)
        torch.manual_seed(0)
        for x in DataLoader(Data(), num_workers=0): print(x)
        """,
    ),
    (
        "workers 2",
        "tdl102",
        """\
        class Data(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return np.random.rand(2)
        torch.manual_seed(0)
        for x in DataLoader(Data(), num_workers=2): print(x)
        """,
    ),
    (
        "workers option",
        "tdl002 tdl102",
        """\
        class Data(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return np.random.rand(2)
        p = argparse.ArgumentParser()
        p.add_argument("--workers", type=int, default=4)
        a = p.parse_args()
        torch.manual_seed(0)
        for x in DataLoader(Data(), num_workers=a.workers): print(x)
        """,
    ),
    (
        "workers default",
        "TDL003",
        """\
        class Data(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return random.random()
        torch.manual_seed(0)
        for x in DataLoader(Data()): print(x)
        """,
    ),
    (
        "workers, nothing seeded",
        "TDL001 tdl102",
        """\
        class Data(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return random.random()
        for x in DataLoader(Data(), num_workers=2): print(x)
        """,
    ),
    (
        "IterableDataset",
        "TDL002",
        """\
        class Data(torch.utils.data.IterableDataset):
            def __iter__(self):
                while True:
                    yield np.random.rand(2)
        torch.manual_seed(0)
        for x in DataLoader(Data(), num_workers=0): print(x)
        """,
    ),
    (
        "collate_fn",
        "TDL003",
        """\
        def collate(batch):
            random.shuffle(batch)
            return batch
        torch.manual_seed(0)
        for x in DataLoader([1, 2], collate_fn=collate): print(x)
        """,
    ),
    (
        "worker_init_fn seeds",
        "",
        """\
        def init(n):
            np.random.seed(n)
        class Data(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i): return np.random.rand(2)
        torch.manual_seed(0)
        for x in DataLoader(Data(), num_workers=2, worker_init_fn=init): print(x)
        """,
    ),
    (
        "next(iter(loader))",
        "TDL001 TDL101",
        """\
        x = next(iter(DataLoader([1, 2], shuffle=True)))
        """,
    ),
    (
        "enumerate(tqdm(loader))",
        "TDL001 TDL101",
        """\
        from tqdm import tqdm
        for i, x in enumerate(tqdm(DataLoader([1, 2], shuffle=True))): print(x)
        """,
    ),
    (
        "loader len only",
        "",
        """\
        n = len(DataLoader([1, 2]))
        for i in range(n): print(i)
        """,
    ),
    (
        "zip of loaders",
        "TDL001 TDL101",
        """\
        for a, b in zip(DataLoader([1]), DataLoader([2], shuffle=True)): print(a, b)
        """,
    ),
    (
        "a base seed alone reaches no result",
        "tdl102",
        """\
        for x in DataLoader([1, 2], num_workers=2): print(x)
        """,
    ),
    (
        "loader shuffle unseeded",
        "TDL001 TDL101",
        """\
        for x in DataLoader([1], shuffle=True): print(x)
        """,
    ),
    (
        "shuffle with a generator",
        "",
        """\
        torch.manual_seed(0)
        for x in DataLoader([1], shuffle=True, generator=torch.Generator().manual_seed(0)): print(x)
        """,
    ),
    (
        "split",
        "tdl103",
        """\
        from torch.utils.data import random_split, RandomSampler
        torch.manual_seed(0)
        a, b = random_split([1, 2, 3], [2, 1])
        for x in DataLoader(a, sampler=RandomSampler(a)): print(x)
        """,
    ),
    (
        "Distributed sampler",
        "TDL108",
        """\
        from torch.utils.data.distributed import DistributedSampler
        torch.manual_seed(0)
        s = DistributedSampler([1, 2])
        l = DataLoader([1, 2], sampler=s)
        for e in range(10):
            for x in l: print(x)
        """,
    ),
    (
        "Distributed sampler epoch",
        "",
        """\
        from torch.utils.data.distributed import DistributedSampler
        torch.manual_seed(0)
        s = DistributedSampler([1, 2])
        l = DataLoader([1, 2], sampler=s)
        for e in range(10):
            s.set_epoch(e)
            for x in l: print(x)
        """,
    ),
    (
        "train_test_split",
        "TDL002",
        """\
        from sklearn.model_selection import train_test_split
        a, b = train_test_split([1, 2, 3])
        np.save("f", a)
        """,
    ),
    (
        "train_test_split seeded",
        "",
        """\
        from sklearn.model_selection import train_test_split
        a, b = train_test_split([1, 2, 3], random_state=0)
        np.save("f", a)
        """,
    ),
    (
        "df.sample",
        "TDL002",
        """\
        import pandas as pd
        df = pd.read_csv("x").sample(frac=1)
        df.to_csv("y")
        """,
    ),
    (
        "transforms in dataset",
        "tdl102",
        """\
        from torchvision import transforms, datasets
        torch.manual_seed(0)
        d = datasets.CIFAR10("x", transform=transforms.Compose([transforms.RandomCrop(3), transforms.ToTensor()]))
        for x in DataLoader(d, num_workers=2): print(x)
        """,
    ),
    (
        "a sampler with an order of its own",
        "",
        """\
        from torch.utils.data.distributed import DistributedSampler
        rows = torch.ones(8)
        loader = DataLoader(rows, sampler=DistributedSampler(rows, 2, 0, shuffle=False))
        for x in loader:
            torch.save(x, "f")
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected


OWN_LOADER = """\
from torch.utils.data import DataLoader, Sampler
class Plain: pass
class Own(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
class Closer(Own): pass
"""


@pytest.mark.parametrize(
    "how", ["from own import Own", "from own import Closer as Own", "import own\nOwn = own.Closer"]
)
def test_a_loader_of_the_projects_own_is_judged_in_files_that_no_program_reaches(how: str) -> None:
    data = f"{how}\nclass Data:\n    def train(self):\n        return Own([1, 2], shuffle=True, num_workers=2)\n"
    assert codes({"own.py": OWN_LOADER, "data.py": data}, "TDL1") == "TDL101 tdl102"
    assert (
        codes(
            {
                "own.py": OWN_LOADER,
                "data.py": data.replace("Closer", "Plain").replace("own import Own", "own import Plain as Own"),
            },
            "TDL1",
        )
        == ""
    )


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        ("random.random()", "`random.random()` draws in a loader's workers, which torch's generator seeds"),
        ("float(torch.rand(1))", "`torch.rand(...)` draws from torch's generator, which this program never seeds"),
    ],
)
def test_a_draw_in_workers_is_told_from_one_of_torch(draw: str, said: str) -> None:
    program = f"""
        class Data(Dataset):
            def __len__(self):
                return 4
            def __getitem__(self, index):
                return {draw}
        for batch in DataLoader(Data(), num_workers=2, generator=None, shuffle=False):
            torch.save(batch, "f")
    """
    messages = [found.message for found in findings(program) if found.code == "TDL001"]
    assert len(messages) == 1
    assert messages[0].startswith(said)


TRANSFORMED = """
    from torchvision import datasets, transforms
    class Blur:
        def __call__(self, image):
            return image if np.random.rand() < 0.5 else random.random() * image
    {made}
    torch.manual_seed(0)
    for batch in DataLoader(data, num_workers=2):
        torch.save(batch, "f")
"""
CROPS = """\
class Crops(datasets.ImageFolder):
        def __init__(self, path, sizes):
            super().__init__(path)
            self.kinds = []
            for size in sizes:
                {fill}
        def __getitem__(self, index):
            image = self.loader(self.samples[index])
            return {item}
    data = Crops("x", sizes)"""
ITEMS = ("[kind(image) for kind in self.kinds]", "list(map(lambda kind: kind(image), self.kinds))")
FILLS = (
    "self.kinds.extend([transforms.Compose([transforms.RandomHorizontalFlip(), Blur()])] * size)",
    "self.kinds += [transforms.Compose([transforms.RandomHorizontalFlip(), Blur()])] * 2",
    "self.kinds = [transforms.Compose([transforms.RandomHorizontalFlip(), Blur()])] * 100",
)
SEEN = [CROPS.format(fill=fill, item=item) for fill in FILLS for item in ITEMS]
SEEN += [
    f"data = datasets.ImageFolder('x')\n    data.{name} = transforms.Compose([transforms.RandomHorizontalFlip(), Blur()])"
    for name in ("transform", "target_transform", "transforms")
]
SEEN.append(
    "class Data(datasets.ImageFolder):\n        pass\n    data = Data('x')\n"
    "    data.transform = transforms.Compose([transforms.RandomHorizontalFlip(), Blur()])"
)


@pytest.mark.parametrize("made", SEEN)
def test_what_transforms_draw_in_workers_is_seen(made: str) -> None:
    found = [f.message for f in findings(TRANSFORMED.format(made=made)) if f.code == "TDL102"]
    assert len(found) == 1
    assert "torch seeds what its workers draw now (NumPy, Python and torch)" in found[0]


@pytest.mark.parametrize("made", ["data = datasets.ImageFolder('x')\n    data.other = transforms.Compose([Blur()])"])
def test_what_is_no_transform_of_a_data_set_draws_nothing(made: str) -> None:
    found = [f.message for f in findings(TRANSFORMED.format(made=made)) if f.code == "TDL102"]
    assert len(found) == 1
    assert "no draw is seen in its workers" in found[0]


@pytest.mark.parametrize(("other", "confidence"), [("index", "medium"), ("random.randrange(9)", "high")])
def test_one_of_several_data_sets_draws_perhaps(other: str, confidence: str) -> None:
    program = f"""
        class Mixed(Dataset):
            def __getitem__(self, index):
                return random.random()
        class Plain(Dataset):
            def __getitem__(self, index):
                return {other}
        torch.manual_seed(0)
        data = {{"mixed": Mixed, "plain": Plain}}[sys.argv[1]]()
        for batch in DataLoader(data):
            torch.save(batch, "f")
    """
    assert [found.confidence for found in findings(program) if found.code == "TDL003"] == [confidence]
