"""TDL601: checkpoints that do not hold what a resumed run needs to draw the same numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.programs import Files, apis, catalog, project
from torchdet_lint.catalog.versions import series
from torchdet_lint.checks import Context, check_facts, gather
from torchdet_lint.engine.options import silent
from torchdet_lint.finding import Finding


def resumed(files: Files) -> list[Finding]:
    """What the rule says when it is asked."""
    context = Context(project(files), apis(), catalog(), {"torch": series("2.6")}, frozenset())
    facts = gather(replace(context, codes=frozenset(("TDL601",))), silent)
    return list(check_facts(facts))


TEXT = """
import pickle

def main(path="last.pt"):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    model = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(model.parameters())
    start = 0
    if os.path.exists(path):
        {load}
    for epoch in range(start, 9):
        {reseed}
        loss = model({draw}).sum()
        loss.backward()
        optimizer.step()
        {save}

if __name__ == "__main__":
    main()
"""
DEFAULT = {
    "load": "state = torch.load(path); model.load_state_dict(state['model']); start = state['epoch']",
    "reseed": "pass",
    "draw": "torch.randn(4, 2)",
    "save": "torch.save({'model': model.state_dict(), 'epoch': epoch}, path)",
}


def program(parts: dict[str, str]) -> str:
    text = TEXT
    for name, part in (DEFAULT | parts).items():
        text = text.replace("{" + name + "}", part)
    return text


SPEAKS = {
    "the epoch": {},
    "the optimizer": {
        "load": "optimizer.load_state_dict(torch.load(path)['o'])",
        "save": "torch.save({'o': optimizer.state_dict()}, path)",
    },
    "the optimizer by itself": {
        "load": "optimizer.load_state_dict(torch.load(path))",
        "save": "torch.save(optimizer.state_dict(), path)",
    },
    "a dictionary that is filled": {"save": "s = {}; s['epoch'] = epoch; torch.save(s, path)"},
    "dict()": {"save": "torch.save(dict(epoch=epoch), path)"},
    "with get": {
        "load": "start = torch.load(path).get('global_step', 0)",
        "save": "torch.save({'global_step': 3}, path)",
    },
    "pickled": {"load": "start = pickle.load(open(path))['step']", "save": "pickle.dump({'step': epoch}, open(path))"},
    "an own generator": {"draw": "torch.tensor(rng.normal(size=(4, 2)))"},
    "a generator before the loop": {
        "load": "state = torch.load(path); start = state['epoch']; g = torch.Generator().manual_seed(3)",
        "draw": "torch.randn(4, 2, generator=g)",
    },
    "one seed in the loop": {"reseed": "torch.manual_seed(3)"},
    "options beside it": {"save": "torch.save({'args': argparse.Namespace(epochs=9), 'epoch': epoch}, path)"},
    "a key that only sounds like one": {"save": "torch.save({'criterion': 1, 'epoch': epoch}, path)"},
}


@pytest.mark.parametrize("parts", SPEAKS.values(), ids=SPEAKS.keys())
def test_speaks(parts):
    (found,) = resumed(program(parts))
    assert (found.code, found.severity, found.program) == ("TDL601", "note", "train.py")
    assert found.related[-1].label == "training goes on from it here"


SILENT = {
    "the state of torch": {"save": "torch.save({'epoch': epoch, 'rng': torch.get_rng_state()}, path)"},
    "the state in another file": {
        "save": "torch.save({'epoch': epoch}, path); torch.save(torch.cuda.get_rng_state_all(), 'r')"
    },
    "the state of NumPy": {"save": "torch.save({'epoch': epoch, 'n': np.random.get_state()}, path)"},
    "the state of Python": {"save": "torch.save({'epoch': epoch, 'p': random.getstate()}, path)"},
    "a generator for each epoch": {
        "reseed": "g = torch.Generator().manual_seed(epoch)",
        "draw": "torch.randn(4, 2, generator=g)",
    },
    "a NumPy generator for each epoch": {
        "reseed": "own = np.random.default_rng((0, epoch))",
        "draw": "torch.tensor(own.normal(size=(4, 2)))",
    },
    "the state of an own generator": {"save": "torch.save({'epoch': epoch, 'g': rng.bit_generator.state}, path)"},
    "under a name": {"save": "torch.save({'epoch': epoch, 'rng_state': collect()}, path)"},
    "options of another name": {
        "save": "p = argparse.ArgumentParser(); p.add_argument('--steps', default=3); torch.save(vars(p.parse_args()), path)"
    },
    "options that were parsed": {
        "save": "p = argparse.ArgumentParser(); p.add_argument('--epochs'); pickle.dump(p.parse_args(), open(path, 'wb'))"
    },
    "weights only": {"save": "torch.save(model.state_dict(), path)"},
    "only weights are loaded": {"load": "model.load_state_dict(torch.load(path)['model'])"},
    "nothing is loaded": {"load": "pass"},
    "nothing is saved": {"save": "pass"},
    "nothing is drawn": {"draw": "torch.ones(4, 2)"},
    "seed and epoch": {"reseed": "torch.manual_seed(1000 + epoch)"},
    "the loss function": {"save": "torch.save({'criterion': 1, 'opt': sys.argv, 'arch': 'x'}, path)"},
    "history in another file": {"load": "print(open(path).read()['epoch'])"},
}


@pytest.mark.parametrize("parts", SILENT.values(), ids=SILENT.keys())
def test_silent(parts):
    assert resumed(program(parts)) == []


RUNNER = """
from dataclasses import asdict, dataclass
import random
import torch

@dataclass
class Snapshot:
    model: dict
    finished_epoch: int

class Runner:
    def __init__(self):
        self.model = torch.nn.Linear(2, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=random.random())
    def resume(self, path):
        state = torch.load(path)
        self.optimizer.load_state_dict(state["o"])
    def save(self, path):
        torch.save(asdict(Snapshot(self.model.state_dict(), 3)), path)
"""


def test_it_stands_in_the_entry_file():
    main = "from runner import Runner\n\nif __name__ == '__main__':\n    r = Runner()\n    r.resume('a')\n    r.save('a')\n"
    (found,) = resumed({"runner.py": RUNNER, "main.py": main})
    assert (found.location.path, found.location.line) == ("main.py", 6)
    assert "`finished_epoch`" in found.message
    assert found.related[0].location.path == "runner.py"


def test_configuration_that_is_executed_makes_constants_options():
    text = """
resume = False
exec(open("configurator.py").read())
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=random.random())
if resume:
    optimizer.load_state_dict(torch.load("f")["o"])
torch.save({"epoch": 1}, "f")
"""
    assert len(resumed(text)) == 1
    assert resumed(text.replace('exec(open("configurator.py").read())', "exec('pass')")) == []


def test_off_unless_asked_for():
    rule = catalog().get("TDL601")
    assert not rule.default


CONVERTED = """
state = torch.load(sys.argv[1])
{use}
model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
print(model(torch.rand(1, 2)))
torch.save({{"epoch": state["epoch"], "optimizer": state["optimizer"]}}, sys.argv[2])
"""


@pytest.mark.parametrize(
    ("use", "count"),
    [
        ("pass", 0),
        ("torch.optim.SGD([torch.zeros(1)], 1).load_state_dict(state['optimizer'])", 1),
        ("torch.zeros(1, requires_grad=True).sum().backward()", 1),
        ("for step in range(state['epoch'], 9):\n    print(random.random())", 1),
    ],
)
def test_who_converts_a_checkpoint_does_not_resume(use, count):
    assert len(resumed(CONVERTED.format(use=use))) == count
