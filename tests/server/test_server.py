"""What an editor sees, from outside: a process and two pipes."""

from __future__ import annotations

from lsprotocol import types

from tests.server.editor import Editor, Play

TRAIN = "model = torch.nn.Linear(2, 2)\nmodel(torch.ones(1, 2)).sum().backward()\n"
UNSEEDED = f"import torch\n{TRAIN}"
SEEDED = f"import torch\ntorch.manual_seed(0)\n{TRAIN}"


def test_what_is_open_is_checked_as_it_is_in_the_editor(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("train.py")
        await editor.shows("train.py", "2 TDL001")
        editor.change("train.py", SEEDED)
        await editor.shows("train.py")
        editor.change("train.py", "\n" + UNSEEDED)
        await editor.shows("train.py", "3 TDL001")
        editor.close("train.py")
        await editor.shows("train.py")
        assert (editor.root / "train.py").read_text() == UNSEEDED

    play({"train.py": UNSEEDED}, scenario)


def test_a_change_of_a_helper_is_seen_in_the_files_that_depend_on_it(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("train.py")
        editor.open("helper.py")
        await editor.shows("train.py")
        editor.change("helper.py", "import torch\ndef seed():\n    pass\n")
        await editor.shows("train.py", "4 TDL001")

    files = {
        "train.py": f"import torch\nfrom helper import seed\nseed()\n{TRAIN}",
        "helper.py": "import torch\ndef seed():\n    torch.manual_seed(0)\n",
    }
    play(files, scenario)
