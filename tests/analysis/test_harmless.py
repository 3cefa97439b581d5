"""Draws, seeds and orders that look wrong and change nothing, each beside its true neighbour."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

VALIDATION = """\
from torch.utils.data.distributed import DistributedSampler
torch.manual_seed(0)
model = nn.Linear(1, 1)
def watch(loader):
    for x in loader:
        {step}
sampler = DistributedSampler(torch.ones(8), 2, 0)
{name}_loader = DataLoader(torch.ones(8), sampler=sampler)
for _ in range(3):
    watch({name}_loader)
"""
EVALUATION = """\
from torch.utils.data.distributed import DistributedSampler
torch.manual_seed(0)
data = torch.ones(8)
model = torch.nn.Linear(1, 1)
def run(loader):
    for x in loader:
        print(model(x))
{body}
"""
LAUNCHED = """\
from lightning.pytorch import LightningModule
from lightning.pytorch.cli import LightningCLI
class Net(LightningModule):
    def train_dataloader(self):
        return DataLoader([1, 2], shuffle=True)
class Launcher(LightningCLI):
    def add_arguments_to_parser(self, parser): pass
Launcher(Net, seed_everything_default={seed})
"""
RESEEDED = """\
def fit(data, seed=0):
    torch.manual_seed(seed)
    return torch.rand(3) * data
{body}
"""
OWN = """\
from torch.utils.data import RandomSampler
class Order(RandomSampler):
    def __init__(self, data, seed, **more):
        super().__init__(data, **more)
        {own}
torch.manual_seed(0)
for x in DataLoader([1, 2], sampler=Order([1, 2], 3)):
    print(x)
"""
SERVER = """\
import gymnasium as gym
def worker(pipe, make):
    env = make()
    while True:
        command, data = pipe.recv()
        if command == "step":
            pipe.send(env.step(data))
        elif command == "reset":
            pipe.send({reset})
pipe, other = mp.Pipe()
mp.Process(target=worker, args=(other, lambda: gym.make("x"))).start()
"""
CASES = [
    ("a loader named after validation", "TDL108", "", VALIDATION.format(name="val", step="print(model(x))")),
    ("a loader of another name", "TDL108", "TDL108", VALIDATION.format(name="value", step="print(model(x))")),
    (
        "a loader named after validation that is learnt from",
        "TDL108",
        "TDL108",
        VALIDATION.format(name="val", step="model(x).sum().backward()"),
    ),
    ("a process that seeds when it is told", "TDL0", "", SERVER.format(reset="env.reset(**data)")),
    ("a process that cannot be told a seed", "TDL0", "TDL010", SERVER.format(reset="env.reset()")),
    (
        "the order of a validation",
        "TDL108",
        "",
        EVALUATION.format(
            body="""
for epoch in range(3):
    with torch.no_grad():
        run(DataLoader(data, sampler=DistributedSampler(data)))
"""
        ),
    ),
    (
        "the order of an evaluation",
        "TDL108",
        "",
        EVALUATION.format(
            body="""
def evaluate(loader):
    model.eval()
    for x in loader:
        with torch.no_grad():
            print(model(x))
loader = DataLoader(data, sampler=DistributedSampler(data))
for epoch in range(3):
    evaluate(loader)
"""
        ),
    ),
    (
        "the order of a training",
        "TDL108",
        "TDL108",
        EVALUATION.format(
            body="""
loader = DataLoader(data, sampler=DistributedSampler(data))
for epoch in range(3):
    run(loader)
"""
        ),
    ),
    (
        "the third argument of a wrapper",
        "TDL101",
        "",
        "from accelerate import Accelerator\nloader = DataLoader([1, 2])\nmodel = nn.Linear(2, 2)\n"
        "model, opt, loader = Accelerator().prepare(model, torch.optim.SGD(model.parameters()), loader)\n",
    ),
    ("a subclass of a launcher that seeds", "TDL101", "tdl101", LAUNCHED.format(seed=1)),
    ("a subclass of a launcher that does not", "TDL101", "TDL101", LAUNCHED.format(seed=False)),
    (
        "only the shape of a draw",
        "TDL0",
        "",
        "import gym\nenv = gym.make('x')\nenv.reset(seed=0)\n"
        "np.save('f', np.zeros_like(env.action_space.sample()))\nprint(len(np.random.rand(3)))\n",
    ),
    ("a draw in a draw's place", "TDL0", "TDL002", "np.save('f', np.zeros_like([1]) + np.random.rand(3))\n"),
    (
        "a study that is read",
        "TDL0",
        "",
        "import optuna\ndef best(name):\n    study = optuna.load_study(study_name=name, storage='s')\n"
        "    return study.best_trial.params\nprint(best('a'))\n",
    ),
    (
        "a study at the top that is read",
        "TDL0",
        "",
        "import optuna\nstudy = optuna.create_study(study_name='a', storage='s')\nprint(study.trials)\n",
    ),
    (
        "a study that asks its sampler",
        "TDL0",
        "TDL004",
        "import optuna\nstudy = optuna.create_study()\nstudy.optimize(lambda t: t.suggest_float('x', 0, 1), 3)\n"
        "print(study.best_trial)\n",
    ),
    (
        "a study that is handed on",
        "TDL0",
        "TDL004",
        "import optuna\nstudy = optuna.create_study()\nprint(search(study), study.best_trial)\n",
    ),
    (
        "configuration that calls what it names",
        "TDL00",
        "",
        "from hyperpyyaml import load_hyperpyyaml\nwith open(sys.argv[1]) as file:\n    hparams = load_hyperpyyaml(file, {})\n"
        "torch.save(nn.Linear(2, 2)(torch.rand(2) + random.random()), 'f')\n",
    ),
    (
        "configuration that is read in a loop",
        "TDL012",
        "",
        "from hyperpyyaml import load_hyperpyyaml\nfor path in sys.argv:\n    hparams = load_hyperpyyaml(open(path))\n"
        "    torch.save(torch.rand(2), path)\n",
    ),
    (
        "a sampler with a generator of its own",
        "TDL103",
        "",
        OWN.format(own="self.generator = torch.Generator().manual_seed(seed)"),
    ),
    ("a sampler without one", "TDL103", "tdl103", OWN.format(own="self.seed = seed")),
    (
        "configuration that is only read",
        "TDL00",
        "TDL001",
        "import yaml\nwith open(sys.argv[1]) as file:\n    hparams = yaml.safe_load(file)\ntorch.save(torch.rand(2), 'f')\n",
    ),
    (
        "a training of its own in each turn",
        "TDL012",
        "",
        "from somewhere import Model\nfor rate in (float(each) for each in sys.argv):\n    torch.manual_seed(1)\n"
        "    order = torch.randperm(3)\n    model = Model(order)\n    optimizer = torch.optim.AdamW(model.parameters(), rate)\n"
        "    model.fit(optimizer)\n",
    ),
    (
        "no training of its own in each turn",
        "TDL012",
        "TDL012",
        "from somewhere import Model\nmodel = Model()\noptimizer = torch.optim.AdamW(model.parameters(), 0.1)\n"
        "for rate in (float(each) for each in sys.argv):\n    torch.manual_seed(1)\n    order = torch.randperm(3)\n"
        "    model.fit(order, rate)\n",
    ),
    *(
        (
            f"a loop over {title}",
            "TDL012",
            expected,
            f"{given}:\n    random.seed(3)\n    files = sorted(sys.argv)\n    random.shuffle(files)\n",
        )
        for title, expected, given in (
            ("data sets that are written out", "", "SETS = ['train', 'extra']\nfor name in SETS"),
            ("data sets with their weights", "", "SETS = [('train', 0.7), ('extra', 0.3)]\nfor name, weight in SETS"),
            ("folders of splits", "", "SETS = {'train': 'a', 'test': 'b'}\nfor split, folder in SETS.items()"),
            ("numbers", "TDL012", "EPOCHS = [1, 2, 3]\nfor epoch in EPOCHS"),
            ("what is given", "TDL012", "for name in sys.argv"),
        )
    ),
    *(
        (
            f"a split of each {target}",
            "TDL012",
            expected,
            "from config import sets, read\ndef split(items):\n    random.seed(0)\n    random.shuffle(items)\n    return items[3:]\n"
            f"found = []\nfor {target} in sets:\n    found += split(read({target}))\ntorch.save(found, 'f')\n",
        )
        for target, expected in (
            ("dataset", ""),
            ("dataset_config", ""),
            ("name, split", ""),
            ("i, val_fold", ""),
            ("batch", "TDL012"),
            ("dataset_item", "TDL012"),
        )
    ),
    *(
        (
            f"a fixed draw that a test asks for, given {title}",
            "TDL012",
            expected,
            "from config import more\ndef draw(n, fixed=False):\n    if fixed:\n        np.random.seed(0)\n        return np.random.rand(n)\n"
            "    return 0\ndef render(n, **options):\n    return draw(n, **options)\noptions = dict(more)\nnp.random.seed(1)\n"
            f"for step in range(9):\n    np.save('f', render(3, {given}))\n",
        )
        for title, expected, given in (
            ("perhaps", "", "**options"),
            ("never", "", "**{}"),
            ("always", "TDL012", "fixed=True, **options"),
        )
    ),
    (
        "a seed that calls may bring",
        "TDL012",
        "",
        RESEEDED.format(body="for run in range(3):\n    torch.save(fit(1, **options(run)), 'f')\n"),
    ),
    (
        "a seed that calls leave out",
        "TDL012",
        "TDL012",
        RESEEDED.format(body="for run in range(3):\n    torch.save(fit(1), 'f')\n"),
    ),
    (
        "a method that is told its seed",
        "TDL012",
        "",
        "class Pipeline:\n    def __call__(self, prompt, seed=42):\n        torch.manual_seed(seed)\n"
        "        return torch.rand(3)\n",
    ),
    (
        "a loop inside of the method",
        "TDL012",
        "TDL012",
        "class Pipeline:\n    def __call__(self, prompts, seed=42):\n        for prompt in prompts:\n"
        "            torch.manual_seed(seed)\n            torch.save(torch.rand(3), prompt)\n",
    ),
    (
        "an object of its own in each turn, which seeds",
        "TDL012",
        "",
        "class Batcher:\n    def __init__(self, data):\n        torch.manual_seed(1)\n        self.order = torch.randperm(len(data))\n"
        "for line in open('f'):\n    print(Batcher(line).order)\n",
    ),
    (
        "a method that seeds in each turn",
        "TDL012",
        "TDL012",
        "class Batcher:\n    def order(self, data):\n        torch.manual_seed(1)\n        return torch.randperm(len(data))\n"
        "batcher = Batcher()\nfor line in open('f'):\n    print(batcher.order(line))\n",
    ),
    *(
        (f"a name is made up: {text[:40]}", "TDL003", "", f"{text}\nprint(1)\n")
        for text in (
            "run = f'run-{random.randint(0, 9)}'\ntorch.save(1, f'{run}.pt')",
            "run_name = ''.join(random.choices(string.ascii_lowercase, k=8))\nopen(f'{run_name}.txt', 'w')",
            "port = random.choice(range(10000, 20000))",
            "run_id = random.randint(0, 9)",
            "torch.save(1, f'out/{random.randint(0, 9)}.pt')",
            "torch.save(1, os.path.join('a', f'model_{random.randint(0, 9)}.pt'))",
            "torch.save(1, 'model_%d.pt' % random.randint(0, 9))",
            "torch.save(1, 'model_' + str(random.randint(0, 9)) + '.pt')",
            "open(f'{random.random()}.txt', 'w').write('a')",
            "plt.savefig(f'out/{random.randint(0, 9)}.png')",
            "path = f'out/{random.randint(0, 9)}.pt'\ntorch.save(1, path)",
            "tmp_dir = os.path.join('t', f'work_{random.randint(0, 9)}')\nos.makedirs(tmp_dir)",
            "tmp_file = f'w_{random.randint(0, 9)}.pt'\ntorch.save(1, tmp_file)\nprint(torch.load(tmp_file))",
        )
    ),
    *(
        (f"data is picked: {text[:40]}", "TDL003", "TDL003", f"{text}\nnp.save('f', x)\n")
        for text in (
            "i = random.randint(0, 9)\nx = np.load(f'data/{i}.npy')",
            "i = random.randint(0, 9)\npath = f'data/{i}.npy'\nx = np.load(path)",
            "file = random.choice(sys.argv)\nx = np.load(file)",
            "x = np.load(f'data/{random.randint(0, 9)}.npy')",
            "x = open(f'data/{random.randint(0, 9)}.txt').read()",
            "x = 1\ntorch.save(random.randint(0, 9), 'f.pt')",
            "x = 1\nopen('f', 'w').write(f'{random.random()}.txt')",
            "path = sys.argv[random.randrange(9)]\nx = open(path).read()",
            "name = random.choice(['a', 'b'])\nx = find(name)",
            "class_id = random.randint(0, 9)\nx = np.eye(10)[class_id]",
        )
    ),
]


@pytest.mark.parametrize(("about", "expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, about: str, expected: str) -> None:
    assert codes(text, about) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("args.dist_url = f'tcp://localhost:{random.randrange(49152, 65535)}'", ""),
        ("args.dist_url = 'tcp://localhost:' + str(random.randint(1, 9))", ""),
        ("dist.init_process_group('gloo', init_method=f'tcp://localhost:{random.randint(1, 9)}')", ""),
        ("start(main, port=random.randint(1, 9))", ""),
        ("start(main, port=random.choice(ports))", "TDL003"),
        ("start(main, support=random.randint(1, 9))", "TDL003"),
        ("args.data_url = f'tcp://localhost/{random.randint(1, 9)}.tar'", "TDL003"),
    ],
)
def test_where_processes_meet_is_no_result(body: str, expected: str) -> None:
    program = f"""
        import torch.distributed as dist
        from run import start, main, ports, train
        args = argparse.Namespace()
        {body}
        train(args)
    """
    assert codes(program, "TDL0") == expected


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        ("run_name", "''.join(random.choices(string.ascii_letters, k=6))", ""),
        ("make_run_id", "f'run-{random.randint(0, 9)}'", ""),
        ("free_port", "random.randint(20_000, 30_000)", ""),
        ("model_name", "random.choice(models)", "TDL003"),
        ("sample_id", "random.randint(0, 9)", "TDL003"),
        ("random_path", "[random.random() for _ in range(9)]", "TDL003"),
        ("draw", "random.randint(0, 9)", "TDL003"),
    ],
)
def test_a_function_that_makes_up_a_name(function: str, value: str, expected: str) -> None:
    program = f"""
        import string
        from run import models, use
        def {function}():
            return {value}
        use({function}())
    """
    assert codes(program, "TDL003") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("wandb.init(name=f'run-{random.randint(0, 9)}')", ""),
        ("wandb.init(project='x', id=''.join(random.choices('abc', k=6)))", ""),
        ("wandb.init(run_id=''.join(random.choices('abc', k=6)))", ""),
        ("mlflow.start_run(run_name='a%d' % random.randint(0, 9))", ""),
        ("wandb.init(config=random.randint(0, 9))", "TDL003"),
        ("wandb.init(name=random.choice(names))", "TDL003"),
        ("build(name=f'net{random.randint(0, 9)}')", "TDL003"),
    ],
)
def test_what_a_run_is_called_where_it_is_logged_is_no_result(call: str, expected: str) -> None:
    program = f"""
        import wandb, mlflow
        from run import build, names
        {call}
    """
    assert codes(program, "TDL003") == expected


CALLBACKS = """\
class Quiet:
    def on_start(self): pass
class Seeds:
    def on_start(self):
        torch.manual_seed(3)
def fire(callbacks):
    for callback in callbacks:
        getattr(callback, "on_start")()
"""


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("fire([Quiet(), Seeds()])\nprint(torch.rand(3))\n", ""),
        ("for function in (Seeds().on_start, print):\n    function()\nprint(torch.rand(3))\n", ""),
        ("for epoch in range(3):\n    fire([Quiet(), Seeds()])\n    print(torch.rand(3))\n", "TDL012"),
    ],
)
def test_a_loop_over_callbacks_is_none_over_epochs(use: str, found: str) -> None:
    assert codes(CALLBACKS + use, "TDL012") == found


@pytest.mark.parametrize(
    ("pause", "expected"),
    [
        ("time.sleep(random.randint(5, 10))", ""),
        ("time.sleep(min(60, 2 ** 3 + random.random()))", ""),
        ("time.sleep(0.5 * (1 + np.random.rand()))", ""),
        ("delay = random.uniform(1, 2)\n    time.sleep(delay)", ""),
        ("delay = random.uniform(1, 2)\n    time.sleep(delay)\n    torch.save(delay, 'f')", "TDL003"),
    ],
)
def test_how_long_a_program_sleeps(pause: str, expected: str) -> None:
    assert codes(f"def main():\n    {pause}\nmain()\n", "TDL0") == expected
