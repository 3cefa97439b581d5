"""TDL011: who reads a seed that an object keeps, and what is taken for a caller that gives one."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes, project
from torchdet_lint.checks.seed_names import dead_parameters
from torchdet_lint.checks.seed_reads import AttributeReads
from torchdet_lint.project.names import Names

KEPT = """\
class Detector{bases}:
    def __init__(self, seed=0):
        self.seed = seed
        self.net = nn.Linear(2, 2)
{more}
p = argparse.ArgumentParser()
p.add_argument('--seed', type=int, default=0)
args = p.parse_args()
torch.manual_seed(args.seed)
detector = Detector(seed=args.seed)
torch.save(detector.net(torch.ones(2)), 'f')
"""


@pytest.mark.parametrize(
    "more",
    [
        "",
        "class Other:\n    def __init__(self):\n        self.seed = 1\n    def run(self):\n        return self.seed",
        "class Other:\n    def run(self, opts):\n        return opts.seed + self.cfg.seed",
    ],
    ids=["options", "another class", "settings"],
)
def test_nobody_reads_it(more: str) -> None:
    assert codes(KEPT.format(bases="", more=more), "TDL011") == "TDL011"
    assert codes(KEPT.format(bases="(nn.Module)", more=more), "TDL011") == "TDL011"
    lightning = "import lightning as L\n" + KEPT.format(bases="(L.LightningModule)", more=more)
    assert codes(lightning, "TDL011") == "TDL011"


@pytest.mark.parametrize(
    ("bases", "more"),
    [
        ("", "    def run(self):\n        torch.manual_seed(self.seed)"),
        ("", "def run(detector):\n    torch.manual_seed(detector.seed)"),
        ("", "def run(detector):\n    torch.manual_seed(getattr(detector, 'seed'))"),
        ("", "class Special(Detector):\n    def run(self):\n        torch.manual_seed(self.seed)"),
        ("", "class Mixin:\n    def run(self):\n        return self.seed\nclass Special(Mixin, Detector):\n    pass"),
        ("(library.Base)", ""),
        ("(nn.Module)", "def run(net):\n    return net.seed"),
    ],
    ids=["itself", "elsewhere", "by name", "derived", "beside it", "base from outside", "of a module"],
)
def test_somebody_may_read_it(bases: str, more: str) -> None:
    assert codes(("import library\n" if bases else "") + KEPT.format(bases=bases, more=more), "TDL011") == ""


def test_a_base_class_reads_it() -> None:
    base = "class Base:\n    def run(self):\n        torch.manual_seed(self.seed)\n"
    assert codes(base + KEPT.format(bases="(Base)", more=""), "TDL011") == ""


def test_objects_of_settings_are_read_as_options() -> None:
    assert codes(KEPT.replace("Detector", "RunConfig").format(bases="", more=""), "TDL011") == ""


@pytest.mark.parametrize("call", ["self.save_hyperparameters()", "self.save_hyperparameters('seed', logger=False)"])
def test_lightning_keeps_all_parameters(call: str) -> None:
    text = (
        "import lightning as L\nclass Net(L.LightningModule):\n    def __init__(self, seed=0):\n        super().__init__()\n"
        "        {call}\n    def setup(self, stage):\n        self.g = torch.Generator().manual_seed(self.hparams.seed)\n"
    )
    assert codes(text.format(call=call), "TDL011") == ""
    assert codes(text.format(call="self.n = 1"), "TDL011") == "TDL011"


def test_what_decorates_a_constructor_may_keep_its_parameters() -> None:
    text = (
        "from diffusers import ConfigMixin\nfrom diffusers.configuration_utils import register_to_config\n"
        "class Scheduler(ConfigMixin):\n    {decorator}\n    def __init__(self, seed=0):\n        self.n = 1\n"
    )
    assert codes(text.format(decorator="@register_to_config"), "TDL011") == ""
    assert codes(text.format(decorator="# none"), "TDL011") == "TDL011"


GAME = """\
class Game:
    def __init__(self, seed=None):
{init}
        random.seed(self.seed)
        self.roll = random.random()
def load():
    return read('f')['seed']
def main(seed=0):
    return [torch.tensor(Game({given}).roll) for i in range(3)]
torch.save(main(), 'f')
"""
BRANCHES = [
    "        self.seed = seed if seed is not None else random.randrange(9)",
    "        if seed is None:\n            seed = random.randrange(9)\n        self.seed = seed",
]


@pytest.mark.parametrize("init", BRANCHES)
@pytest.mark.parametrize("given", ["seed=seed + i", "i", "seed=int(sys.argv[1])", "load()", "seed=load() * 2 + i"])
def test_callers_that_give_a_seed(init: str, given: str) -> None:
    assert codes(GAME.format(init=init, given=given), "TDL005") == ""


@pytest.mark.parametrize("init", BRANCHES)
@pytest.mark.parametrize("given", ["", "None", "seed=None"])
def test_callers_that_give_none(init: str, given: str) -> None:
    assert codes(GAME.format(init=init, given=given), "TDL005") == "TDL005"


def test_who_derives_from_whom_is_read_without_lowering() -> None:
    """A project may have thousands of classes that name no seed."""
    files = {
        "keeps.py": "class Keeps:\n    def __init__(self, seed):\n        self.seed = seed\n",
        "many.py": "\n".join(f"class C{at}(Keeps):\n    x = {at}\n" for at in range(9)),
    }
    found = project(files)
    [dead] = dead_parameters(Names(found, "keeps.py", lambda name: name), found.body("keeps.py", 0))
    assert not AttributeReads(found).reads_stored("seed", dead.cls)
    assert found.lowered == 1
