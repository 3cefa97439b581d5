"""Neovim as the editor, where it is installed: its own client, and what its buffers hold afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

NEOVIM = shutil.which("nvim")

pytestmark = [
    pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed"),
    pytest.mark.skipif(find_spec("pygls") is None, reason='the server needs pygls: pip install "torchdet-lint[lsp]"'),
]

FILES = {
    "pyproject.toml": "",
    "train.py": "import torch\nfrom lib import seed\nseed()\nmodel = torch.nn.Linear(2, 2)\nmodel(torch.ones(1, 2)).sum().backward()\n",
    "lib.py": "import torch\n\n\ndef seed():\n    torch.manual_seed(0)\n",
    "data.py": 'import os\n\n\ndef classes(root):\n    x = "é🎲", {n: i for i, n in enumerate(os.listdir(root))}\n    return x\n',
}

SCRIPT = """
local function shown(buffer)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(found, (each.lnum + 1) .. ":" .. each.col .. " " .. tostring(each.code))
  end
  return table.concat(found, ", ")
end
local function say(what, value) io.stdout:write(vim.fn.json_encode({ what, value }) .. "\\n") end
local function is_so(condition) return vim.wait(40000, condition, 50) end
local function ask(buffer, method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, params, 40000) or {}) do return answer.result end
end

local start = vim.lsp.start_client or vim.lsp.start
local client = start({ name = "torchdet_lint", cmd = vim.fn.json_decode(vim.env.SERVER), root_dir = vim.fn.getcwd() })
local buffers = {}
for _, name in ipairs({ "train.py", "lib.py", "data.py" }) do
  vim.cmd("edit " .. name)
  buffers[name] = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffers[name], client)
end
is_so(function() return #vim.diagnostic.get(buffers["data.py"]) > 0 end)
say("data", shown(buffers["data.py"]))
say("train", shown(buffers["train.py"]))
vim.api.nvim_buf_set_lines(buffers["lib.py"], 4, 5, false, { "    pass" })
is_so(function() return #vim.diagnostic.get(buffers["train.py"]) > 0 end)
say("train", shown(buffers["train.py"]))
local line = { start = { line = 4, character = 0 }, ["end"] = { line = 4, character = 60 } }
local actions = ask(buffers["data.py"], "textDocument/codeAction", { range = line, context = { diagnostics = {} } })
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
say("fixed", vim.api.nvim_buf_get_lines(buffers["data.py"], 4, 5, false)[1])
is_so(function() return #vim.diagnostic.get(buffers["data.py"]) == 0 end)
say("data", shown(buffers["data.py"]))
local page = ask(buffers["train.py"], "textDocument/hover", { position = { line = 3, character = 10 } })
say("page", page.contents.value:sub(1, 10))
vim.cmd("qa!")
"""


def test_neovim_shows_fixes_and_explains(tmp_path: Path) -> None:
    assert NEOVIM is not None
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "run.lua").write_text(SCRIPT, encoding="utf-8")
    environment = {
        **os.environ,
        **{f"XDG_{name}_HOME": str(tmp_path / "home") for name in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "SERVER": json.dumps([sys.executable, "-m", "torchdet_lint", "server"]),
    }
    command = (NEOVIM, "--headless", "-u", "NONE", "-c", "luafile run.lua", "-c", "cquit")
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    told = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("[")]
    assert told == [
        ["data", "5:46 TDL105"],  # in bytes, as Neovim counts
        ["train", ""],
        ["train", "4:8 TDL001"],
        ["fixed", '    x = "é🎲", {n: i for i, n in enumerate(sorted(os.listdir(root)))}'],
        ["data", ""],
        ["page", "**TDL001**"],
    ], ran.stderr
