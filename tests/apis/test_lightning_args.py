"""Trainers that are made from the command line, as only old versions of Lightning do."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

PROGRAM = """
    import {library} as pl
    pl.seed_everything(3)
    class Net(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(2, 2)
    parser = pl.Trainer.add_argparse_args(argparse.ArgumentParser())
    trainer = pl.Trainer.from_argparse_args(parser.parse_args())
    trainer.fit(Net())
"""


@pytest.mark.parametrize("library", ["pytorch_lightning", "lightning.pytorch"])
def test_a_trainer_from_the_command_line_trains(library: str) -> None:
    assert codes(PROGRAM.format(library=library), "TDL0 TDL203") == "TDL203"
