"""What small programs with libraries are told: each row of a table makes the right finding, or keeps quiet.

A case is a name, the versions of libraries, the codes expected (notes in lower case), and the program.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.analysis.programs import codes


class Case(NamedTuple):
    name: str
    expected: str
    program: str
    versions: str = ""


LOOP = "for batch in loader:\n    torch.save(batch, 'f')\n"
MODULE = (
    "class Net(L.LightningModule):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
    "    def training_step(self, batch, index):\n        return self.layer(batch).sum()\n"
    "    def train_dataloader(self):\n        return DataLoader(Rows(), shuffle=True, num_workers=4)\n"
    "class Rows(Dataset):\n    def __len__(self):\n        return 9\n"
    "    def __getitem__(self, i):\n        return np.random.rand(3)\n"
)

MODELS = [
    Case(
        title,
        expected,
        f"import open_clip, sys, timm\nfrom torchvision import models\nmodel = {model}\ntorch.save(model, 'f')\n",
    )
    for title, expected, model in (
        ("a builder draws its weights", "TDL001", "models.resnet50()"),
        ("weights from a file replace them", "", "models.resnet50(weights=models.ResNet50_Weights.DEFAULT)"),
        ("weights by name", "", "models.resnet50(weights='DEFAULT')"),
        ("no weights", "TDL001", "models.resnet50(weights=None)"),
        ("perhaps no weights", "TDL001", "models.resnet50(weights=sys.argv[1] if len(sys.argv) > 1 else None)"),
        ("weights as they were asked for once", "", "models.vgg19(pretrained=True)"),
        ("the same by position", "", "models.vgg19(True)"),
        ("none of them", "TDL001", "models.vgg19(pretrained=False)"),
        ("by the name of the builder", "", "models.get_model('resnet50', weights='DEFAULT')"),
        ("a whole model of timm", "", "timm.create_model('resnet50', pretrained=True)"),
        ("without its head", "", "timm.create_model('resnet50', pretrained=True, num_classes=0)"),
        ("with a new head", "TDL001", "timm.create_model('resnet50', pretrained=True, num_classes=10)"),
        ("a model of open_clip", "", "open_clip.create_model('ViT-B-32', pretrained='openai')"),
        ("an empty one", "TDL001", "open_clip.create_model('ViT-B-32', '')"),
    )
]

MODELS += [
    Case(
        "what is loaded for a model, and what it is asked about, draws nothing",
        "",
        "from torchvision.models.utils import load_state_dict_from_url\n"
        "from torchvision.models.detection.rpn import AnchorGenerator\n"
        "from torchvision.models.inception import InceptionOutputs\n"
        "torch.save((load_state_dict_from_url('x'), AnchorGenerator(((32,),)), InceptionOutputs(1, 2)), 'f')\n",
    ),
]

TRAINERS = [
    Case(
        "a head that is run and never trained is in the checkpoint",
        "",
        "from transformers import AutoModelForSequenceClassification\n"
        "model = AutoModelForSequenceClassification.from_pretrained('x')\n"
        "torch.save(model(torch.ones(3)), 'f')\n",
    ),
    Case(
        "a head that is trained may be new",
        "TDL001",
        "from transformers import AutoModelForSequenceClassification\n"
        "model = AutoModelForSequenceClassification.from_pretrained('x')\n"
        "model(torch.ones(3)).loss.backward()\ntorch.save(model, 'f')\n",
    ),
    Case(
        "the trainer of transformers seeds in its constructor",
        "",
        "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
        "model = AutoModelForCausalLM.from_pretrained('x')\n"
        "Trainer(model=model, args=TrainingArguments('out'), train_dataset=[]).train()\n",
    ),
    Case(
        "a new head is drawn before the trainer seeds",
        "TDL006",
        "from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments\n"
        "model = AutoModelForSequenceClassification.from_pretrained('x')\n"
        "Trainer(model=model, args=TrainingArguments('out', seed=3), train_dataset=[]).train()\n",
    ),
    Case(
        "full determinism brings its own workspace setting",
        "",
        "from transformers import AutoModelForSequenceClassification as Auto, Trainer, TrainingArguments\n"
        "settings = TrainingArguments('out', full_determinism=True)\n"
        "Trainer(model_init=lambda: Auto.from_pretrained('x'), args=settings, train_dataset=[]).train()\n",
    ),
    Case(
        "adapters are drawn before the trainer seeds",
        "TDL006",
        "from peft import LoraConfig, get_peft_model\nfrom transformers import AutoModelForCausalLM\n"
        "from trl import SFTConfig, SFTTrainer\n"
        "model = get_peft_model(AutoModelForCausalLM.from_pretrained('x'), LoraConfig(r=8))\n"
        "SFTTrainer(model=model, args=SFTConfig('out'), train_dataset=[]).train()\n",
    ),
    Case(
        "an experimental trainer of trl seeds, and later",
        "TDL006",
        "from transformers import AutoModelForTokenClassification\n"
        "from trl.experimental.prm import PRMConfig, PRMTrainer\n"
        "model = AutoModelForTokenClassification.from_pretrained('x', num_labels=2)\n"
        "PRMTrainer(model=model, args=PRMConfig('out'), train_dataset=[]).train()\n",
    ),
    Case(
        "a launcher that seeds",
        "",
        "import colossalai\ncolossalai.launch_from_torch(config={})\nx = nn.Linear(2, 2)\n"
        "torch.save((x, np.random.rand(2), random.random()), 'f')\n",
    ),
    Case(
        "networks of torchrl draw their weights",
        "TDL001",
        "from torchrl.modules.models.models import MLP\ntorch.save(MLP(in_features=3, out_features=2), 'f')\n",
    ),
    Case(
        "a trainer of trl draws the adapters itself",
        "",
        "from peft import LoraConfig\nfrom trl import DPOConfig, DPOTrainer\n"
        "DPOTrainer(model='x', args=DPOConfig('out'), train_dataset=[], peft_config=LoraConfig(r=8)).train()\n",
    ),
    Case(
        "seed_everything seeds workers, and the trainer sets the workspace",
        "tdl101",
        "import pytorch_lightning as L\n" + MODULE + "L.seed_everything(1, workers=True)\n"
        "L.Trainer(deterministic=True, accelerator='gpu').fit(Net())\n",
        "torch=1.8",
    ),
    Case(
        "seed_everything without workers leaves NumPy alone there",
        "TDL102 tdl101",
        "import pytorch_lightning as L\n" + MODULE + "L.seed_everything(1)\n"
        "L.Trainer(deterministic=True, accelerator='gpu').fit(Net())\n",
        "torch=1.8",
    ),
    Case(
        "seed_everything without a seed takes 0",
        "",
        "import lightning as L\nL.seed_everything()\ntorch.save(torch.rand(2), 'f')\n",
        "lightning=2.2",
    ),
    Case(
        "seed_everything without a seed took a random one",
        "TDL005",
        "import lightning as L\nL.seed_everything()\ntorch.save(torch.rand(2), 'f')\n",
        "lightning=2.1",
    ),
    Case(
        "the command line of Lightning seeds, builds and fits",
        "tdl101",
        "import lightning as L\nfrom lightning.pytorch.cli import LightningCLI\n"
        + MODULE
        + "LightningCLI(Net, trainer_defaults={'accelerator': 'cpu'})\n",
    ),
    Case(
        "the command line of Lightning told not to seed",
        "TDL001",
        "import lightning as L\nfrom lightning.pytorch.cli import LightningCLI\nclass Net(L.LightningModule):\n"
        "    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
        "LightningCLI(Net, seed_everything_default=False)\n",
    ),
    Case(
        "composer seeds in the constructor of its trainer",
        "TDL006",
        "from composer import Trainer\nmodel = nn.Linear(2, 2)\nTrainer(model=model, seed=17).fit()\n",
    ),
    Case(
        "the runner of mmengine without a seed",
        "TDL002",
        "from mmengine.runner import Runner\nRunner(model={}, work_dir='w').train()\n",
    ),
    Case(
        "the runner of mmengine with a seed, or a configuration that may have one",
        "",
        "from mmengine.config import Config\nfrom mmengine.runner import Runner\n"
        "Runner(model={}, work_dir='w', randomness=dict(seed=1)).train()\n"
        "Runner.from_cfg(Config.fromfile('c.py')).train()\n",
    ),
    Case(
        "catalyst seeds when it trains",
        "TDL006",
        "from catalyst import dl\nmodel = nn.Linear(2, 2)\ndl.SupervisedRunner().train(model=model)\n",
    ),
    Case(
        "a learner of fastai is drawn when it is built",
        "TDL001",
        "from fastai.vision.all import resnet18, vision_learner\nvision_learner(None, resnet18).fine_tune(1)\n",
    ),
]

AUGMENTATIONS = [
    Case(
        "albumentations draws from a generator of its own",
        "TDL010",
        "import albumentations as A\nchange = A.Compose([A.HorizontalFlip()])\nnp.save('f', change(image=np.zeros(3)))\n",
    ),
    Case(
        "the seed of the Compose is that of its parts",
        "",
        "import albumentations as A\nchange = A.Compose([A.OneOf([A.HorizontalFlip(), A.Blur()])], seed=3)\n"
        "np.save('f', change(image=np.zeros(3)))\n",
    ),
    Case(
        "a Compose of what does not draw",
        "",
        "import albumentations as A\nchange = A.Compose([A.Resize(2, 2), A.Normalize()])\n"
        "np.save('f', change(image=np.zeros(3)))\n",
    ),
    Case(
        "old albumentations draw from Python",
        "TDL003",
        "import albumentations as A\nnp.random.seed(0)\nchange = A.Compose([A.HorizontalFlip()])\n"
        "np.save('f', change(image=np.zeros(3)))\n",
        "albumentations=1.4.20",
    ),
    Case(
        "old albumentations seeded",
        "",
        "import albumentations as A\nrandom.seed(0)\nchange = A.Compose([A.HorizontalFlip()])\n"
        "np.save('f', change(image=np.zeros(3)))\n",
        "albumentations=1.4.20",
    ),
    Case(
        "the old transforms of torchvision draw from torch",
        "TDL001",
        "from torchvision import transforms as T\nrandom.seed(0)\n"
        "change = T.Compose([T.RandomHorizontalFlip(), T.AutoAugment(), T.ToTensor()])\nnp.save('f', change(3))\n",
    ),
    Case(
        "very old transforms of torchvision draw from Python",
        "TDL003",
        "from torchvision import transforms as T\nchange = T.Compose([T.RandomHorizontalFlip()])\nnp.save('f', change(3))\n",
        "torchvision=0.7",
    ),
    Case(
        "resizing draws nothing",
        "",
        "from torchvision import transforms as T\nnp.save('f', T.Compose([T.Resize(3), T.ToTensor()])(3))\n",
    ),
    Case(
        "kornia draws from torch",
        "TDL001",
        "import kornia.augmentation as K\nchange = K.AugmentationSequential(K.RandomHorizontalFlip(), K.ColorJiggle(0.1))\n"
        "np.save('f', change(3))\n",
    ),
    Case(
        "imgaug draws from a generator of its own",
        "TDL010",
        "import imgaug.augmenters as iaa\nrandom.seed(0)\nnp.save('f', iaa.Fliplr(0.5)(image=3))\n",
    ),
    Case(
        "imgaug takes its seed from NumPy, or is seeded itself, or each part is",
        "",
        "import imgaug\nimport imgaug.augmenters as iaa\nnp.save('f', iaa.Fliplr(0.5, seed=1)(image=3))\n"
        "imgaug.seed(1)\nnp.save('f', iaa.Fliplr(0.5)(image=3))\n",
    ),
    Case(
        "imgaug after NumPy",
        "",
        "import imgaug.augmenters as iaa\nnp.random.seed(0)\nnp.save('f', iaa.Fliplr(0.5)(image=3))\n",
    ),
    Case(
        "augmentations and loaders of detectron2 draw from NumPy",
        "TDL002",
        "import detectron2.data.transforms as T\nfrom detectron2.data import build_detection_train_loader as build\n"
        "loader = build([], mapper=T.RandomFlip(), total_batch_size=9)\ntorch.manual_seed(0)\n" + LOOP,
    ),
    Case(
        "transforms of timm draw from torch and Python",
        "",
        "from timm.data import create_transform\ntorch.manual_seed(0)\nrandom.seed(0)\n"
        "np.save('f', create_transform(224, is_training=True)(3))\n",
    ),
    Case(
        "RandAugment of timm draws from NumPy too",
        "TDL002",
        "from timm.data import create_transform\ntorch.manual_seed(0)\nrandom.seed(0)\n"
        "np.save('f', create_transform(224, is_training=True, auto_augment='rand-m9')(3))\n",
    ),
    Case(
        "transforms of timm for evaluation draw nothing",
        "",
        "from timm.data import create_transform\nnp.save('f', create_transform(224)(3))\n",
    ),
    Case(
        "mixup of timm draws from NumPy",
        "TDL002",
        "from timm.data import Mixup\ntorch.manual_seed(0)\nnp.save('f', Mixup(0.8)(3, 4))\n",
    ),
    Case(
        "the loader of MONAI seeds its transforms",
        "tdl101",
        "from monai.data import CacheDataset, DataLoader as Loader\nfrom monai.transforms import Compose, RandFlipd\n"
        "torch.manual_seed(0)\nrows = CacheDataset([{}], Compose([RandFlipd('image')]))\n"
        "loader = Loader(rows, shuffle=True, num_workers=4)\n" + LOOP,
    ),
    Case(
        "the loader of MONAI seeds its transforms from torch",
        "TDL001 TDL101",
        "from monai.data import CacheDataset, DataLoader as Loader\nfrom monai.transforms import Compose, RandFlipd\n"
        "rows = CacheDataset([{}], Compose([RandFlipd('image')]))\nloader = Loader(rows, shuffle=True)\n" + LOOP,
    ),
    Case(
        "transforms of MONAI in a loader of torch",
        "TDL102",
        "from monai.data import CacheDataset\nfrom monai.transforms import Compose, RandFlipd\n"
        "from monai.utils import set_determinism\nset_determinism(seed=0)\n"
        "loader = DataLoader(CacheDataset([{}], Compose([RandFlipd('image')])), num_workers=4)\n" + LOOP,
    ),
    Case(
        "set_determinism has a fixed default",
        "",
        "from monai.utils import set_determinism\nset_determinism()\ntorch.save(torch.rand(2), 'f')\n",
    ),
]

GRAPHS = (
    "from torch_geometric.data import InMemoryDataset\nfrom torch_geometric.loader import DataLoader as Loader\n"
    "class Molecules(InMemoryDataset):\n    pass\ndataset = Molecules('x')\nsplit = torch.load('s')\n"
)
STREAMS = [
    Case("a part of a data set of graphs", "tdl102", GRAPHS + "Loader(dataset[split['train']], num_workers=4)\n"),
    Case("a slice of a data set of graphs", "tdl102", GRAPHS + "Loader(dataset[:100], num_workers=4)\n"),
    Case("what stands in a data set of graphs", "TDL102", GRAPHS + "Loader(dataset[0], num_workers=4)\n"),
    Case("a data set of graphs that is shuffled", "TDL001", GRAPHS + "torch.save(dataset.shuffle()[:9], 'f')\n"),
    Case("a data set of graphs in its order", "", GRAPHS + "torch.save(dataset[:9], 'f')\n"),
    Case(
        "what a launcher prepares has no workers of its own",
        "",
        "from accelerate import Accelerator\naccelerator = Accelerator()\nloader = DataLoader([1, 2])\n"
        "a, b, c, loader, d, e = accelerator.prepare(input(), input(), input(), loader, input(), input())\n",
    ),
    Case(
        "a data set that an option chooses",
        "tdl102",
        "from torchvision.datasets import CIFAR10, ImageFolder\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--data', default='folder', choices=['cifar', 'folder', 'none'])\nargs = parser.parse_args()\n"
        "def build(args):\n    if args.data == 'cifar':\n        found = CIFAR10('x')\n"
        "    elif args.data == 'folder':\n        found = ImageFolder('x')\n    return found, 3\n"
        "found, args.classes = build(args)\nDataLoader(found, num_workers=4)\n",
    ),
    Case(
        "a transform of a table draws in the workers",
        "tdl102",
        "from datasets import load_dataset\ntorch.manual_seed(0)\n"
        "def change(row):\n    return {'x': random.random()}\n"
        "rows = load_dataset('x')['train'].with_transform(change)\nfor row in DataLoader(rows, num_workers=4):\n    print(row)\n",
    ),
    Case(
        "a transform that a table gets later draws in the workers",
        "tdl102",
        "from datasets import load_dataset\ntorch.manual_seed(0)\n"
        "def change(row):\n    return {'x': random.random()}\n"
        "rows = load_dataset('x')['train']\nrows.set_transform(change)\n"
        "for row in DataLoader(rows, num_workers=4):\n    print(row)\n",
    ),
    Case(
        "a transform of a table draws in this process",
        "TDL003",
        "from datasets import load_dataset\ntorch.manual_seed(0)\n"
        "def change(row):\n    return {'x': random.random()}\n"
        "rows = load_dataset('x').with_transform(change)['train']\nfor row in DataLoader(rows):\n    torch.save(row, 'f')\n",
    ),
    Case(
        "a table by the name that an option gives",
        "tdl102",
        "from datasets import load_dataset\nparser = argparse.ArgumentParser()\nparser.add_argument('--name')\n"
        "args = parser.parse_args()\nif args.name is not None:\n    rows = load_dataset(args.name)\n"
        "else:\n    rows = load_dataset('folder')\nDataLoader(rows['train'], num_workers=4)\n",
    ),
    Case(
        "shuffling a table takes a seed from NumPy",
        "TDL002",
        "from datasets import load_dataset\nrows = load_dataset('x')\ntorch.save(rows['train'].shuffle(), 'f')\n",
    ),
    Case(
        "a split of a table takes a seed from NumPy",
        "TDL002",
        "from datasets import load_dataset\nrows = load_dataset('x', split='train')\n"
        "torch.save(rows.train_test_split(test_size=0.1), 'f')\n",
    ),
    Case(
        "tables shuffled with a seed, or after NumPy's",
        "",
        "from datasets import load_dataset\nrows = load_dataset('x')\nparts = rows['train'].train_test_split(0.1, seed=1)\n"
        "torch.save(parts['train'].shuffle(seed=3).select([0]), 'f')\nnp.random.seed(0)\nrows = rows.shuffle()\n",
    ),
    Case(
        "shuffling a stream takes entropy",
        "TDL004",
        "from datasets import load_dataset\nnp.random.seed(0)\n"
        "rows = load_dataset('x', split='train', streaming=True).shuffle(buffer_size=9)\n",
    ),
    Case(
        "shuffling one stream of several takes entropy",
        "TDL004",
        "from datasets import load_dataset\nrows = load_dataset('x', streaming=True)['train'].shuffle(buffer_size=9)\n",
    ),
    Case(
        "a stream with a seed",
        "",
        "from datasets import load_dataset\nload_dataset('x', split='train', streaming=True).shuffle(seed=1)\n",
    ),
    Case(
        "webdataset shuffles by the clock",
        "TDL004",
        "import webdataset as wds\nrows = wds.WebDataset('a.tar', shardshuffle=False).decode('pil').shuffle(9).batched(2)\n",
    ),
    Case(
        "webdataset with a seed, or without a buffer",
        "",
        "import webdataset as wds\nrows = wds.WebDataset('a.tar', shardshuffle=9, seed=1).shuffle(9, seed=1).shuffle(0)\n",
    ),
    Case(
        "webdataset takes the seed of its shards from Python",
        "TDL003",
        "import webdataset as wds\nfor row in wds.WebDataset('a.tar', shardshuffle=9):\n    torch.save(row, 'f')\n",
    ),
    Case(
        "webdataset resamples by the operating system, whatever the seed",
        "TDL008",
        "import webdataset as wds\nrows = wds.WebDataset('a.tar', resampled=True, seed=3).decode('pil')\n",
    ),
    Case(
        "webdataset that may resample",
        "",
        "import webdataset as wds\nrows = wds.WebDataset('a.tar', resampled='x' in sys.argv, shardshuffle=False)\n",
    ),
    Case(
        "shards that are resampled",
        "TDL008",
        "import webdataset as wds\nrows = wds.DataPipeline(wds.ResampledShards('a.tar', seed=3), wds.tarfile_to_samples())\n",
    ),
    Case(
        "shards that are resampled by the seed",
        "",
        "import webdataset as wds\nrows = wds.DataPipeline(wds.ResampledShards('a.tar', seed=3, deterministic=True))\n",
    ),
    Case(
        "fairseq2 shuffles by the operating system",
        "TDL004",
        "from fairseq2.data import read_sequence\nrows = read_sequence([1, 2]).map(abs).shuffle(9).and_return()\n",
    ),
    Case(
        "fairseq2 with a seed",
        "",
        "from fairseq2.data import DataPipeline, read_sequence\n"
        "rows = DataPipeline.sample([], seed=1).shuffle(9, 2).and_return()\n",
    ),
    Case(
        "fairseq2 samples by the operating system",
        "TDL004",
        "from fairseq2.data.data_pipeline import DataPipeline\nrows = DataPipeline.sample([], [0.5]).and_return()\n",
    ),
    Case(
        "text of a language model of nltk",
        "TDL004",
        "from nltk.lm import MLE\nmodel = MLE(2)\ntorch.save(model.generate(9), 'f')\ntorch.save(model.generate(9, random_seed=1), 'g')\n",
    ),
    Case(
        "clusters of nltk",
        "TDL004",
        "from nltk.cluster import KMeansClusterer\n"
        "a = KMeansClusterer(2, max)\nb = KMeansClusterer(2, max, rng=random.Random(2))\n",
    ),
    Case(
        "nltk draws from Python",
        "TDL003",
        "from nltk.metrics import approxrand\ntorch.save(approxrand([1], [2]), 'f')\n",
    ),
    Case(
        "litdata shuffles with a seed of its own",
        "tdl102",
        "from litdata import StreamingDataLoader, StreamingDataset\n"
        "loader = StreamingDataLoader(StreamingDataset('s'), batch_size=2, num_workers=2, shuffle=True)\n" + LOOP,
    ),
    Case(
        "ray shuffles differently each time",
        "TDL004",
        "import ray\nray.data.read_parquet('x').random_shuffle().write_parquet('y')\n",
    ),
    Case(
        "ray with a seed",
        "",
        "import ray\nray.data.read_parquet('x').random_shuffle(seed=1).write_parquet('y')\n",
    ),
    Case(
        "loaders with other parameters than torch's",
        "",
        "from timm.data import create_loader\nfrom torch_geometric.loader import NeighborLoader\ntorch.manual_seed(0)\n"
        "for loader in (create_loader([], 3, 64), create_loader([], 3, 64, True), NeighborLoader(3, [9], 7)):\n"
        "    for batch in loader:\n        torch.save(batch, 'f')\n",
    ),
    Case(
        "workers that sample from a graph",
        "tdl102",
        "from torch_geometric.loader import NeighborLoader\nfrom torch_geometric.nn import Node2Vec\ntorch.manual_seed(0)\n"
        "graph = torch.load('g')\nfor loader in (NeighborLoader(graph, [9], num_workers=4), Node2Vec(3).loader(num_workers=4)):\n"
        "    for batch in loader:\n        torch.save(batch, 'f')\n",
    ),
    Case(
        "a loader of PyG shuffles",
        "tdl101",
        "from torch_geometric.loader import DataLoader as Loader\ntorch.manual_seed(0)\nloader = Loader([3], 2, True)\n"
        + LOOP,
    ),
    Case(
        "a loader of DGL shuffles with NumPy and samples with DGL",
        "TDL002 TDL010",
        "import dgl\nfrom dgl.dataloading import DataLoader as Loader, NeighborSampler\ntorch.manual_seed(0)\n"
        "loader = Loader(dgl.graph([]), [1], NeighborSampler([3]), shuffle=True)\n" + LOOP,
    ),
    Case(
        "a loader of DGL seeded",
        "",
        "import dgl\nfrom dgl.dataloading import DataLoader as Loader, NeighborSampler\ndgl.seed(0)\nnp.random.seed(0)\n"
        "loader = Loader(dgl.graph([]), [1], NeighborSampler([3]), shuffle=True)\n" + LOOP,
    ),
    Case(
        "a loader that draws from Python",
        "TDL003",
        "from sentence_transformers.datasets import NoDuplicatesDataLoader\ntorch.manual_seed(0)\n"
        "loader = NoDuplicatesDataLoader([], 9)\n" + LOOP,
    ),
    Case(
        "threads of ffcv are no workers",
        "",
        "from ffcv.loader import Loader\nloader = Loader('x.beton', batch_size=9, num_workers=8, seed=1)\n" + LOOP,
    ),
]

SCIENCE = [
    Case("an embedding of umap", "TDL002", "import umap\nnp.save('f', umap.UMAP().fit_transform(np.ones((9, 3))))\n"),
    Case("one with a seed", "", "import umap\nnp.save('f', umap.UMAP(random_state=1).fit_transform(np.ones((9, 3))))\n"),
    Case("transforms of TorchIO", "TDL001", "import torchio as tio\n"
         "torch.save(tio.Compose([tio.RandomFlip(), tio.RandomNoise()])(x), 'f')\n"),
    Case("those that draw nothing", "", "import torchio as tio\ntorch.save(tio.Compose([tio.ToCanonical()])(x), 'f')\n"),
    Case("transforms of sound", "TDL002 TDL003", "from audiomentations import AddGaussianNoise, Compose, Gain\n"
         "np.save('f', Compose([AddGaussianNoise(), Gain()])(np.zeros(9), 16000))\n"),
    Case("those that draw from Python only", "TDL003", "import audiomentations as am\nnp.save('f', am.Gain()(np.zeros(9), 16000))\n"),
    Case("a sample of pyro", "TDL001", "import pyro, pyro.distributions as dist\n"
         "torch.save(pyro.sample('x', dist.Normal(0.0, 1.0)), 'f')\n"),
    Case("a sample that is observed", "", "import pyro, pyro.distributions as dist\n"
         "torch.save(pyro.sample('x', dist.Normal(0.0, 1.0), obs=torch.ones(2)), 'f')\n"),
    Case("inference of pyro", "TDL001", "from pyro.infer import SVI, Trace_ELBO\nsvi = SVI(f, g, h, loss=Trace_ELBO())\nsvi.step()\n"),
    Case("pyro's own seeder", "", "import pyro\nfrom pyro.infer import MCMC\npyro.set_rng_seed(1)\nMCMC(kernel).run()\n"
         "np.save('f', np.random.rand() + random.random())\n"),
    Case("pyro's states", "TDL012", "import pyro.util\npyro.util.set_rng_seed(1)\nfor i in range(3):\n"
         "    torch.save(torch.rand(1), 'f')\n    pyro.util.set_rng_seed(2)\n"),
    Case("pyro's states that come back", "", "import pyro.util\npyro.util.set_rng_seed(1)\nfor i in range(3):\n"
         "    torch.save(torch.rand(1), 'f')\n    state = pyro.util.get_rng_state()\n    pyro.util.set_rng_seed(2)\n"
         "    pyro.util.set_rng_state(state)\n"),
    Case("NumPy's own generator", "TDL002", "from sklearn.utils import check_random_state\n"
         "torch.save(torch.tensor(check_random_state(None).rand()), 'f')\n"),
    Case("one from a seed", "", "from sklearn.utils import check_random_state\n"
         "torch.save(torch.tensor(check_random_state(3).rand()), 'f')\n"),
    Case("a split without a seed", "TDL002", "from sklearn.model_selection import train_test_split as split\n"
         "np.save('f', split([1, 2, 3]))\n"),
    Case("a split with a seed", "", "from sklearn.model_selection import train_test_split as split\n"
         "np.save('f', split([1, 2, 3], random_state=1))\n"),
    Case("folds that shuffle", "TDL002", "from sklearn.model_selection import KFold\n"
         "for train, test in KFold(5, shuffle=True).split(np.zeros(9)):\n    np.save('f', train)\n"),
    Case("folds that shuffle with a seed, or do not shuffle", "", "from sklearn.model_selection import KFold\n"
         "for folds in (KFold(5, shuffle=True, random_state=1), KFold(5)):\n    np.save('f', list(folds.split(np.zeros(9))))\n"),
    Case("an estimator draws when it is fitted", "TDL002", "from sklearn.ensemble import RandomForestClassifier as Forest\n"
         "forest = Forest(max_depth=3)\nforest.fit(np.zeros((2, 2)), [0, 1])\n"),
    Case("an estimator in a pipeline", "TDL002", "from sklearn.cluster import KMeans\nfrom sklearn.pipeline import Pipeline\n"
         "Pipeline([('means', KMeans(3))]).fit(np.zeros((2, 2)))\n"),
    Case("estimators with a seed, or after NumPy's, or without chance", "",
         "from sklearn.ensemble import RandomForestClassifier as Forest\nfrom sklearn.linear_model import LinearRegression\n"
         "from sklearn.model_selection import GridSearchCV, cross_val_score\n"
         "GridSearchCV(Forest(random_state=1), {}).fit([], [])\nLinearRegression().fit([], [])\nnp.random.seed(0)\n"
         "np.save('f', cross_val_score(Forest(), [], []))\n"),
    Case("scores of an estimator", "TDL002", "from sklearn.ensemble import RandomForestClassifier as Forest\n"
         "from sklearn.model_selection import cross_val_score\nnp.save('f', cross_val_score(Forest(), [], []))\n"),
    Case("samples of parameters", "TDL002", "from sklearn.model_selection import ParameterSampler\n"
         "for chosen in ParameterSampler({'a': [1, 2]}, n_iter=3):\n    np.save('f', chosen)\n"),
    Case("oversampling", "TDL002", "from imblearn.over_sampling import SMOTE\nnp.save('f', SMOTE().fit_resample([], []))\n"),
    Case("rows of a table", "TDL002", "import pandas as pd\npd.read_csv('x').sample(frac=1).to_csv('f')\n"),
    Case("rows of a table with a seed", "", "import pandas as pd\npd.read_csv('x').sample(frac=1, random_state=1).to_csv('f')\n"),
    Case("variates", "TDL002", "from scipy import stats\nnp.save('f', stats.norm(0, 1).rvs(3))\n"),
    Case("variates with a seed", "", "from scipy import stats\nnp.save('f', stats.norm.rvs(size=3, random_state=1))\n"),
    Case("scipy's new argument", "", "from scipy.optimize import differential_evolution as evolve\n"
         "np.save('f', evolve(abs, [(0, 1)], rng=1).x)\n"),
    Case("noise of scikit-image", "TDL004", "from skimage.util import random_noise\nnp.random.seed(0)\n"
         "np.save('f', random_noise(np.zeros(3)))\n"),
    Case("noise of scikit-image with a seed", "", "from skimage.util import random_noise\n"
         "np.save('f', random_noise(np.zeros(3), rng=1))\n"),
    Case("old noise of scikit-image with a seed", "", "from skimage.util import random_noise\n"
         "np.save('f', random_noise(np.zeros(3), seed=1))\n", "scikit-image=0.19"),
    Case("graphs draw from Python, layouts from NumPy", "TDL002 TDL003", "import networkx as nx\n"
         "graph = nx.erdos_renyi_graph(9, 0.5)\ntorch.save(nx.spring_layout(graph), 'f')\n"),
    Case("graphs with seeds", "", "import networkx as nx\ngraph = nx.erdos_renyi_graph(9, 0.5, seed=1)\n"
         "torch.save(nx.spring_layout(graph, seed=1), 'f')\n"),
    Case("a study without a sampler", "TDL004", "import optuna\noptuna.create_study().optimize(lambda trial: 1.0)\n"),
    Case("a sampler without a seed", "TDL004", "import optuna\nsampler = optuna.samplers.TPESampler(n_startup_trials=3)\n"
         "optuna.create_study(sampler=sampler).optimize(lambda trial: 1.0)\n"),
    Case("samplers with a seed, or with a default", "", "import optuna\nfrom optuna.samplers import GridSampler, TPESampler\n"
         "optuna.create_study(sampler=TPESampler(seed=1)).optimize(lambda trial: 1.0)\n"
         "optuna.create_study(sampler=GridSampler({'a': [1]})).optimize(lambda trial: 1.0)\n"),
    Case("made-up names", "TDL010", "from faker import Faker\nfake = Faker()\ntorch.save([fake.name()], 'f')\n"),
    Case("made-up names with a seed", "", "from faker import Faker\nFaker.seed(0)\nfake = Faker()\ntorch.save([fake.name()], 'f')\n"),
]  # fmt: skip

ENVIRONMENTS = [
    Case("an environment that is never seeded", "TDL010", "import gymnasium as gym\nenv = gym.make('x')\nenv.reset()\n"),
    Case("actions of a space that is never seeded", "TDL010", "import gymnasium as gym\nenv = gym.make('x')\nenv.reset(seed=1)\n"
         "env.step(env.action_space.sample())\n"),
    Case("environment and space seeded", "", "import gymnasium as gym\nenv = gym.make('x')\nenv.reset(seed=1)\n"
         "env.action_space.seed(1)\nfor i in range(9):\n    env.step(env.action_space.sample())\n    env.reset()\n"),
    Case("an old environment seeded", "", "import gym\nenv = gym.make('x')\nenv.seed(1)\nenv.reset()\n"),
    Case("an agent without a seed", "TDL001 TDL002 TDL010", "from stable_baselines3 import PPO\nPPO('MlpPolicy', 'x').learn(9)\n"),
    Case("an agent with a seed", "", "from stable_baselines3 import PPO\nPPO('MlpPolicy', 'x', seed=1).learn(9)\n"),
    Case("actions of a loaded agent", "TDL001", "from stable_baselines3 import PPO\nnp.save('f', PPO.load('x').predict(3))\n"),
    Case("sure actions of a loaded agent", "", "from stable_baselines3 import PPO\n"
         "np.save('f', PPO.load('x').predict(3, deterministic=True))\n"),
    Case("images of a pipeline", "TDL001", "from diffusers import DiffusionPipeline\n"
         "draw = DiffusionPipeline.from_pretrained('x').to('cuda')\ndraw('a cat').images[0].save('f')\n"),
    Case("images of a pipeline with a generator", "", "from diffusers import DiffusionPipeline\n"
         "draw = DiffusionPipeline.from_pretrained('x').to('cuda')\n"
         "draw('a cat', generator=torch.Generator('cuda').manual_seed(0)).images[0].save('f')\n"),
    Case("text that is sampled", "TDL001", "from transformers import AutoModelForCausalLM\n"
         "model = AutoModelForCausalLM.from_pretrained('x')\ntorch.save(model.generate(3, do_sample=True), 'f')\n"),
    Case("text that is not sampled", "", "from transformers import AutoModelForCausalLM\n"
         "model = AutoModelForCausalLM.from_pretrained('x')\ntorch.save(model.generate(3), 'f')\n"
        "inputs = torch.load('g')\ntorch.save(model.generate(**inputs), 'f')\n"),
]  # fmt: skip

CASES = [*MODELS, *TRAINERS, *AUGMENTATIONS, *STREAMS, *SCIENCE, *ENVIRONMENTS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_what_a_library_does(case: Case) -> None:
    versions = dict(each.split("=") for each in case.versions.split())
    assert codes(case.program, "TDL0 TDL1 TDL205", **versions) == case.expected


@pytest.mark.parametrize(("settings", "expected"), [("", ""), (", deterministic=False", "TDL203")])
def test_ultralytics_seeds_and_is_deterministic_unless_told(settings: str, expected: str) -> None:
    program = (
        f"from ultralytics import YOLO\nYOLO('y.yaml').train(data='d.yaml'{settings})\nx = torch.zeros(2).cuda()\n"
    )
    assert codes(program) == expected


@pytest.mark.parametrize(
    "trainer",
    ["trl.experimental.nash_md NashMD", "trl.experimental.bco BCO", "trl.experimental.gold.gold_trainer GOLD"],
)
def test_experimental_trainers_of_trl_train(trainer: str) -> None:
    module, _, name = trainer.partition(" ")
    program = f"from {module} import {name}Trainer\n{name}Trainer(model='x', train_dataset=[]).train()\n"
    assert codes(program, "TDL203") == "TDL203"


def test_the_device_that_torchrl_finds_may_be_an_accelerator() -> None:
    program = "from torchrl._utils import get_available_device\ndevice = {}()\ntorch.zeros(2, device=device).sum().backward()\n"
    assert codes(program.format("get_available_device"), "TDL203") == "tdl203"
    assert codes(program.format("input"), "TDL203") == ""


def test_the_scaler_of_timm_runs_the_backward_pass() -> None:
    program = (
        "from timm.utils.cuda import NativeScaler\nmodel = nn.Linear(2, 2).cuda()\nscaler = NativeScaler()\n"
        "scaler(model(torch.ones(2).cuda()).sum(), None)\n"
    )
    assert codes("torch.manual_seed(0)\n" + program, "TDL203") == "TDL203"
    assert codes("torch.manual_seed(0)\n" + program.replace("scaler(", "print("), "TDL203") == ""
