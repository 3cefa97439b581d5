"""Shapes of older training code: `Base.method(self, …)`, networks that are kept and loaded by their names, parts of texts."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

UNBOUND = """\
class Base:
    def __init__(self, flag):
        self.flag = flag
    def go(self, n):
        if self.flag or n > 1:
            torch.save(random.random(), 'f')
class Own(Base):
    def __init__(self):
        Base.__init__(self, {flag})
    def go(self, n):
        Base.go(self, {n})
Own().go(7)
"""


@pytest.mark.parametrize(("flag", "n", "expected"), [(False, 0, ""), (True, 0, "TDL003"), (False, 2, "TDL003")])
def test_a_method_of_a_base_that_is_handed_its_object(flag: bool, n: int, expected: str) -> None:
    assert codes(UNBOUND.format(flag=flag, n=n)) == expected


BY_NAME = """\
class Model:
    def __init__(self, train):
        self.train = train
        self.names = []
        self.netG = nn.Linear(2, 2)
        self.netD = nn.Linear(2, 2)
        self.names = {names}
    def setup(self):
        if not self.train:
            for name in self.names:
                if isinstance(name, str):
                    net = getattr(self, 'net' + name)
                    net.load_state_dict(torch.load('%s.pt' % name))
model = Model({train})
model.setup()
torch.save(model, 'f')
"""


@pytest.mark.parametrize(
    ("names", "train", "expected"),
    [
        ("['G', 'D']", False, ""),
        ("['G']", False, "TDL001"),
        ("['G', 'D']", True, "TDL001"),
        ("sys.argv", False, "TDL001"),
    ],
)
def test_networks_that_are_loaded_by_their_names(names: str, train: bool, expected: str) -> None:
    assert codes(BY_NAME.format(names=names, train=train), "TDL001") == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [("'crop'", ""), ("'crop_zoom'", "TDL003"), ("sys.argv[1]", "TDL003"), ("['zoom']", "TDL003")],
)
def test_a_part_of_a_text(given: str, expected: str) -> None:
    text = f"def go(how):\n    if 'zoom' in how: torch.save(random.random(), 'f')\ngo({given})\n"
    assert codes(text, "TDL003") == expected


def test_a_display_has_a_number_and_no_meaning() -> None:
    text = "class View:\n    def __init__(self): self.display_id = random.randint(0, 9)\ntorch.save(1, View().display_id)\n"
    assert codes(text, "TDL003") == ""
