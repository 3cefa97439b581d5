"""What an editor sees, from outside: a process and two pipes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from torchdet_lint.cli import main

helper = pytest.importorskip("tests.server.editor", reason='the server needs pygls: pip install "torchdet-lint[lsp]"')
types = pytest.importorskip("lsprotocol.types")
applied, edit = helper.applied, helper.edit

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.editor import Editor, Play

TRAIN = "model = torch.nn.Linear(2, 2)\nmodel(torch.ones(1, 2)).sum().backward()\n"
UNSEEDED = f"import torch\n{TRAIN}"
SEEDED = f"import torch\ntorch.manual_seed(0)\n{TRAIN}"
LISTING = "import os\n\n\ndef classes(root):\n    return {name: index for index, name in enumerate(os.listdir(root))}\n"
BY_HAND = {
    "train.py": f"import torch\nfrom lib import seed\nseed()\n{TRAIN}",
    "lib.py": "import torch\n\n\ndef seed():\n    torch.manual_seed(0)\n",
}
NO_SEED = "import torch\n\n\ndef seed():\n    pass\n"


def pulling() -> Any:
    """An editor that asks for diagnostics."""
    return types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        ),
        text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
    )


async def pull(editor: Editor, path: str, known: str | None = None) -> Any:
    named = types.TextDocumentIdentifier(editor.uri(path))
    return await editor.text_document_diagnostic_async(types.DocumentDiagnosticParams(named, previous_result_id=known))


def test_what_is_open_is_checked_as_it_is_in_the_editor(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        assert editor.capabilities.diagnostic_provider is None
        editor.open("train.py")
        await editor.shows("train.py", "2 TDL001")
        (shown,) = editor.diagnostics[editor.uri("train.py")]
        assert shown.source == "torchdet-lint"
        assert shown.severity == types.DiagnosticSeverity.Error
        assert "never seeds" in shown.message
        assert "\nhelp: " in shown.message
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
        editor.open("lib.py")
        await editor.shows("train.py")
        editor.change("lib.py", NO_SEED)
        await editor.shows("train.py", "4 TDL001")
        editor.close("lib.py")  # the change is dropped
        await editor.shows("train.py")
        (editor.root / "lib.py").write_text(NO_SEED)  # by somebody else
        editor.watched("lib.py")
        await editor.shows("train.py", "4 TDL001")

    play(BY_HAND, scenario)


def test_a_helper_that_is_being_typed_makes_no_noise_elsewhere(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("train.py")
        editor.open("lib.py")
        await editor.shows("train.py")
        for text in ("def seed(\n", "import torch\ndef seed():\n    torch.manual_seed(\n", 'x = """\n'):
            editor.change("lib.py", text)
            await editor.until(lambda: [code.split()[1] for code in editor.codes("lib.py") or ()] == ["TDL999"])
            assert await editor.actions("train.py", 4) == []
            assert editor.codes("train.py") == []
        editor.change("lib.py", NO_SEED)
        await editor.shows("train.py", "4 TDL001")
        await editor.shows("lib.py")
        editor.change("train.py", "x = (\n")  # a file that is held back has its own fault only
        await editor.until(lambda: [code.split()[1] for code in editor.codes("train.py") or ()] == ["TDL999"])
        editor.open(".venv/lib.py", "x = 1\n")
        await editor.shows(".venv/lib.py")
        editor.change(".venv/lib.py", "x = (\n")
        await editor.hover("train.py", 1, 1)
        assert editor.codes(".venv/lib.py") == []

    play(BY_HAND, scenario)


def test_an_editor_may_ask_and_is_told_to_ask_again(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin(capabilities=pulling())
        provider = editor.capabilities.diagnostic_provider
        assert provider.inter_file_dependencies
        assert not provider.workspace_diagnostics
        editor.open("train.py")
        editor.open("lib.py")
        first = await pull(editor, "train.py")
        assert list(first.items) == []
        assert (await pull(editor, "train.py", first.result_id)).kind == "unchanged"
        assert editor.refreshes == 0
        editor.change("lib.py", NO_SEED)
        await editor.until(lambda: editor.refreshes == 1)
        second = await pull(editor, "train.py", first.result_id)
        assert [each.code for each in second.items] == ["TDL001"]
        assert editor.diagnostics == {}

    play(BY_HAND, scenario)


def test_an_editor_that_cannot_be_told_to_ask_again_is_sent_what_is_new(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        asks = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
        await editor.begin(capabilities=types.ClientCapabilities(text_document=asks))
        assert editor.capabilities.diagnostic_provider is None
        editor.open("train.py")
        await editor.shows("train.py", "2 TDL001")

    play({"train.py": UNSEEDED}, scenario)


@pytest.mark.parametrize(("encoding", "start"), [(None, 13), ("utf-16", 13), ("utf-8", 18), ("utf-32", 11)])
def test_columns_are_counted_as_agreed(encoding: str | None, start: int, play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        general = types.GeneralClientCapabilities(position_encodings=[encoding] if encoding else None)
        await editor.begin(capabilities=types.ClientCapabilities(general=general))
        editor.open("train.py")
        await editor.shows("train.py", "2 TDL001")
        assert editor.ranges("train.py") == [(1, start + 8, 1, start + 8 + 21)]
        editor.change("train.py", edit(2, start, start + 5, "net = model"))  # behind characters of all widths
        await editor.until(lambda: editor.ranges("train.py") == [(1, start + 14, 1, start + 14 + 21)])

    play({"train.py": f'import torch\nx = "é🎲🎲"; {TRAIN}'}, scenario)


def test_form_feeds_and_separators_end_no_line(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("train.py")
        await editor.shows("train.py", "3 TDL001")
        editor.change("train.py", edit(2, 0, 0, "torch.manual_seed(0); "))
        await editor.shows("train.py")

    play({"train.py": f'import torch\r\nx = "a\x0cb\u2028c\x85"\r\n{TRAIN}'}, scenario)


def test_fixes_are_offered_and_say_what_they_are(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("data.py")
        editor.open("train.py")
        safe, ignored = await editor.actions("data.py", 5)
        assert safe.title.startswith("TDL105: sort")
        assert safe.is_preferred
        assert applied(LISTING, safe.edit, editor.uri("data.py")) == LISTING.replace(
            "os.listdir(root)", "sorted(os.listdir(root))"
        )
        assert applied(LISTING, ignored.edit, editor.uri("data.py")).endswith(
            "  # tdl: ignore[TDL105] as it is on disk\n"
        )
        unsafe = (await editor.actions("train.py", 2))[0]
        assert "(unsafe" in unsafe.title
        assert not unsafe.is_preferred
        fixed = applied(UNSEEDED, unsafe.edit, editor.uri("train.py"))
        editor.change("train.py", fixed)
        await editor.shows("train.py")
        assert await editor.actions("train.py", 1, [types.CodeActionKind.Refactor]) == []

    async def with_reason(editor: Editor) -> None:
        begin = editor.begin
        editor.begin = lambda: begin(options={"ignoreReason": "as it is on disk"})  # type: ignore[method-assign]
        await scenario(editor)

    play({"data.py": LISTING, "train.py": UNSEEDED}, with_reason)


def test_a_comment_that_is_there_is_added_to(play: Play) -> None:
    text = LISTING.replace("))}", "))}  # tdl: ignore[TDL106] why")

    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("data.py")
        ignored = (await editor.actions("data.py", 5))[-1]
        assert "ignore[TDL106, TDL105] why" in applied(text, ignored.edit, editor.uri("data.py"))

    play({"data.py": text}, scenario)


def test_an_editor_with_snippets_selects_the_reason(play: Play) -> None:
    able = types.WorkspaceEditClientCapabilities(document_changes=True, snippet_edit_support=True)

    async def scenario(editor: Editor) -> None:
        workspace = types.WorkspaceClientCapabilities(workspace_edit=able)
        await editor.begin(capabilities=types.ClientCapabilities(workspace=workspace))
        editor.open("data.py")
        ignored = (await editor.actions("data.py", 5))[-1]
        (change,) = ignored.edit.document_changes
        assert change.text_document.version == 1
        assert change.edits[0].snippet.value == "  # tdl: ignore[TDL105] ${1:reason}"

    play({"data.py": LISTING}, scenario)


@pytest.mark.parametrize("resolves", [True, False])
def test_all_safe_fixes_at_once(resolves: bool, play: Play) -> None:
    text = LISTING + LISTING.replace("classes", "others") + "\n\ndef two():\n    return 2  # tdl: ignore[TDL105]\n"

    async def scenario(editor: Editor) -> None:
        support = types.ClientCodeActionResolveOptions(properties=["edit"]) if resolves else None
        document = types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(resolve_support=support)
        )
        await editor.begin(capabilities=types.ClientCapabilities(text_document=document))
        editor.open("data.py", text)
        editor.open("train.py")
        (action,) = await editor.actions("data.py", 1, [types.CodeActionKind.SourceFixAll])
        assert action.kind == "source.fixAll.torchdet-lint"
        assert (action.edit is None) is resolves
        if resolves:
            action = await editor.code_action_resolve_async(action)
        fixed = applied(text, action.edit, editor.uri("data.py"))
        assert fixed.count("sorted(os.listdir(root))") == 2
        assert "tdl:" not in fixed
        editor.change("data.py", fixed)
        await editor.shows("data.py")
        assert await editor.actions("train.py", 1, [types.CodeActionKind.SourceFixAll]) == []  # its fix is unsafe

    play({"data.py": "", "train.py": UNSEEDED}, scenario)


def test_the_page_of_a_rule(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("data.py")
        page = await editor.hover("data.py", 5, 60)
        assert page.startswith("**TDL105** unordered-file-listing")
        assert "**Instead.**" in page
        assert await editor.hover("data.py", 1, 1) is None
        text = LISTING.replace("))}", "))}  # tdl: ignore[TDL105, TDL999]")
        editor.change("data.py", text)
        assert (await editor.hover("data.py", 5, text.splitlines()[4].index("TDL999") + 3)).startswith("**TDL999**")

    play({"data.py": LISTING}, scenario)


def test_every_folder_has_its_configuration(play: Play) -> None:
    files = {
        "one/train.py": UNSEEDED,
        "one/pyproject.toml": "",
        "two/train.py": UNSEEDED,
        "two/torchdet-lint.toml": 'ignore = ["TDL001"]\n',
    }

    async def scenario(editor: Editor) -> None:
        await editor.begin("one", "two")
        for path in ("one/train.py", "two/train.py"):
            editor.open(path)
        await editor.shows("one/train.py", "2 TDL001")
        await editor.shows("two/train.py")
        (editor.root / "two" / "torchdet-lint.toml").write_text('severity = { TDL001 = "note" }\n')
        editor.watched("two/torchdet-lint.toml")
        await editor.shows("two/train.py", "2 TDL001")
        assert editor.diagnostics[editor.uri("two/train.py")][0].severity == types.DiagnosticSeverity.Information
        folder = types.WorkspaceFolder(editor.uri("two"), "two")
        editor.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added=[], removed=[folder]))
        )
        await editor.hover("two/train.py", 1, 1)
        await editor.shows("two/train.py", "2 TDL001")

    play(files, scenario)


def test_a_configuration_that_is_wrong_is_said_once(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        watches = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        workspace = types.WorkspaceClientCapabilities(did_change_watched_files=watches)
        await editor.begin(capabilities=types.ClientCapabilities(workspace=workspace))
        await editor.until(lambda: len(editor.registered) == 1)
        assert editor.registered[0].method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        editor.open("train.py")
        await editor.shows("train.py", "2 TDL001")
        (editor.root / "torchdet-lint.toml").write_text('selct = ["TDL1"]\n')
        editor.watched("torchdet-lint.toml")
        await editor.shows("train.py")
        editor.change("train.py", UNSEEDED + "\n")
        await editor.hover("train.py", 1, 1)
        (message,) = editor.messages
        assert message.startswith("torchdet-lint: torchdet-lint.toml: ")
        assert "selct" in message
        assert "Traceback" not in message
        (editor.root / "torchdet-lint.toml").write_text("")
        editor.watched("torchdet-lint.toml")
        await editor.shows("train.py", "2 TDL001")
        assert len(editor.messages) == 1

    play({"train.py": UNSEEDED}, scenario)


def test_what_the_editor_sets_lies_above_files(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin(options={"config": {"select": ["TDL105"]}})
        editor.open("train.py")
        await editor.shows("train.py")
        settings = {"torchdet-lint": {"config": {"severity": {"TDL001": "warning"}}}}
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
        await editor.shows("train.py", "2 TDL001")
        assert editor.diagnostics[editor.uri("train.py")][0].severity == types.DiagnosticSeverity.Warning
        editor.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"torchdet-lint": {"config": {"nope": 1}}})
        )
        await editor.until(lambda: bool(editor.messages))
        assert "the editor's settings" in editor.messages[0]

    play({"train.py": UNSEEDED}, scenario)


def test_files_that_are_nowhere_but_in_the_editor(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("new.py", UNSEEDED)
        await editor.shows("new.py", "2 TDL001")
        (editor.root / "train.py").unlink()
        editor.open("train.py", UNSEEDED)
        await editor.shows("train.py", "2 TDL001")
        editor.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem("untitled:Untitled-1", "python", 1, UNSEEDED))
        )
        editor.open(".venv/lib.py", UNSEEDED)
        await editor.shows(".venv/lib.py")
        editor.open("latin.py", "# -*- coding: latin-1 -*-\nx = 'é'\n" + UNSEEDED)
        await editor.shows("latin.py", "4 TDL001")
        editor.open("broken.py", "x = (\n")
        await editor.until(lambda: any("TDL999" in each for each in editor.codes("broken.py") or ()))
        assert editor.messages == []

    play({"train.py": UNSEEDED}, scenario)


def test_no_state_of_a_buffer_gets_into_the_cache(play: Play) -> None:
    def shelves(root: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in root.glob(".torchdet_lint_cache/shelves/*")}

    async def scenario(editor: Editor) -> None:
        await editor.begin()
        editor.open("train.py")
        editor.open("lib.py")
        await editor.shows("train.py", "4 TDL001")
        await editor.hover("lib.py", 1, 1)
        before = shelves(editor.root)
        assert before  # what is on the disk is kept, as by any run
        editor.change("lib.py", BY_HAND["lib.py"])
        await editor.shows("train.py")
        editor.change("train.py", UNSEEDED)
        await editor.shows("train.py", "2 TDL001")
        assert shelves(editor.root) == before
        (editor.root / "train.py").write_text(UNSEEDED)
        (editor.root / "lib.py").write_text(BY_HAND["lib.py"])
        for path in ("lib.py", "train.py"):
            named = types.TextDocumentIdentifier(editor.uri(path))
            editor.text_document_did_save(types.DidSaveTextDocumentParams(named))
        await editor.hover("train.py", 1, 1)
        assert shelves(editor.root) != before

    play(BY_HAND | {"lib.py": NO_SEED}, scenario)


def test_a_question_that_is_taken_back_and_one_that_makes_no_sense(play: Play) -> None:
    async def scenario(editor: Editor) -> None:
        await editor.begin(capabilities=pulling())
        editor.open("train.py")
        named = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(editor.uri("train.py")))
        asked = editor.protocol.send_request(types.TEXT_DOCUMENT_DIAGNOSTIC, named, msg_id="one")
        editor.cancel_request(types.CancelParams(id="one"))
        with pytest.raises(Exception, match="cancel"):
            await asyncio.wrap_future(asked)
        elsewhere = types.DocumentDiagnosticParams(types.TextDocumentIdentifier("file:///nowhere.py"))
        assert (await editor.text_document_diagnostic_async(elsewhere)).items in ([], ())
        with pytest.raises(Exception, match="not defined") as told:
            await editor.workspace_execute_command_async(types.ExecuteCommandParams("nothing"))
        assert "Traceback" not in str(told.value)
        assert "File " not in str(getattr(told.value, "data", ""))
        editor.text_document_did_change(  # of what was never opened
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(1, editor.uri("x.py")), [])
        )
        assert [each.code for each in (await pull(editor, "train.py")).items] == ["TDL001"]

    play({"train.py": UNSEEDED}, scenario)


CELLS = (
    "import torch\n%matplotlib inline\n",
    "model = torch.nn.Linear(2, 2)\n",
    "model(torch.ones(1, 2)).sum().backward()",
)


def test_notebooks_by_their_cells(play: Play) -> None:
    def cell(number: int) -> str:
        return f"vscode-notebook-cell:/nb.ipynb#c{number}"

    def item(number: int, text: str) -> Any:
        return types.TextDocumentItem(cell(number), "python", 1, text)

    async def scenario(editor: Editor) -> None:
        client = types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities())
        await editor.begin(capabilities=types.ClientCapabilities(notebook_document=client))
        assert editor.capabilities.notebook_document_sync is not None
        uri, code = editor.uri("nb.ipynb"), types.NotebookCellKind.Code
        notebook = types.NotebookDocument(
            uri, "jupyter-notebook", 1, [types.NotebookCell(code, cell(at)) for at in range(3)]
        )
        items = [item(at, text) for at, text in enumerate(CELLS)]
        editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        await editor.until(lambda: [each.code for each in editor.diagnostics.get(cell(1), ())] == ["TDL001"])
        assert editor.diagnostics[cell(1)][0].range.start == types.Position(0, 8)
        named = types.VersionedNotebookDocumentIdentifier(2, uri)
        array = types.NotebookCellArrayChange(1, 0, [types.NotebookCell(code, cell(7))])
        added = types.NotebookDocumentCellChangeStructure(array, did_open=[item(7, "torch.manual_seed(0)\n")])
        change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(structure=added))
        editor.notebook_document_did_change(types.DidChangeNotebookDocumentParams(named, change))
        await editor.until(lambda: editor.diagnostics[cell(1)] == [])
        text = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, cell(7)),
            [
                types.TextDocumentContentChangeWholeDocument(
                    "import os\nx = {each: at for at, each in enumerate(os.listdir('.'))}\n"
                )
            ],
        )
        change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[text]))
        editor.notebook_document_did_change(types.DidChangeNotebookDocumentParams(named, change))
        await editor.until(lambda: [each.code for each in editor.diagnostics.get(cell(7), ())] == ["TDL105"])
        at = types.Range(types.Position(1, 0), types.Position(1, 0))
        only = types.CodeActionContext([], only=[types.CodeActionKind.SourceFixAll])
        (action,) = await editor.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(cell(7)), at, only)
        )
        assert (
            applied("import os\nx = {each: at for at, each in enumerate(os.listdir('.'))}\n", action.edit, cell(7))
            == "import os\nx = {each: at for at, each in enumerate(sorted(os.listdir('.')))}\n"
        )
        closed = [types.TextDocumentIdentifier(cell(at)) for at in (0, 1, 2, 7)]
        editor.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(uri), closed)
        )
        await editor.until(lambda: editor.diagnostics[cell(7)] == [])

    play({"nb.ipynb": json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})}, scenario)


@pytest.mark.parametrize("said", [b"", b"garbage\r\n\r\n", b'Content-Length: 7\r\n\r\n{"a": x'])
def test_an_editor_that_goes_away_or_talks_nonsense(said: bytes, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "torchdet_lint", "server")
    ran = subprocess.run(
        command, cwd=tmp_path, env=helper.ENVIRONMENT, input=said, capture_output=True, timeout=60, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr == b""
    assert b"Traceback" not in ran.stdout


def test_without_the_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["server"]) == 2
    assert capsys.readouterr().err == (
        'torchdet-lint: the server needs pygls, which is not installed: pip install "torchdet-lint[lsp]"\n'
    )
