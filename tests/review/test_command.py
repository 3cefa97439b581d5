"""`torchdet-lint review` on real repositories."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.review.conftest import BENCHMARK, CLEAN, LOADER, Ran, Repo

Review = Callable[..., Ran]


def found(ran: Ran) -> tuple[list[str], list[str]]:
    """The new findings and the touched ones of a JSON review, as `path:line code`."""
    value = json.loads(ran.out)
    return tuple([f"{each['path']}:{each['line']} {each['code']}" for each in value[key]] for key in ("new", "touched"))  # type: ignore[return-value]


def test_what_a_branch_adds_is_new_and_what_was_there_is_not(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": BENCHMARK})
    ran = review("--base", "main", "--format", "json")
    assert found(ran) == (["new.py:3 TDL201"], [])
    assert ran.status == 1
    assert review("--base", "main", "--format", "json", "--fail-on", "error").status == 0
    assert review("--base", "main", "--exit-zero").status == 0


def test_the_work_tree_as_it_is_is_the_head(repo: Repo, review: Review) -> None:
    repo.write(
        {
            "util.py": CLEAN + "\n\n" + LOADER,
            "untracked.py": BENCHMARK,
            ".gitignore": "ignored.py\n",
            "ignored.py": BENCHMARK,
        }
    )
    ran = review("--base", "main", "--format", "json")
    assert found(ran) == (["untracked.py:3 TDL201", "util.py:12 TDL101"], [])


def test_a_head_is_read_from_git_and_not_from_the_work_tree(repo: Repo, review: Review) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": BENCHMARK})
    repo.git("checkout", "-q", "main")
    repo.write({"dirty.py": LOADER})
    assert found(review("--base", "main", "--head", "feature", "--format", "json")) == (["new.py:3 TDL201"], [])
    assert "`new.py:3:1`" in review("--base", "main", "--head", "feature", "new.py").out


def test_nothing_is_written_to_the_work_tree_or_the_index(repo: Repo, review: Review) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": BENCHMARK})
    for path in repo.path.glob("*.py"):
        os.utime(path, (1, 1))  # so that git would want to refresh its index

    def state() -> dict[str, tuple[bytes, int]]:
        files = [path for path in repo.path.rglob("*") if path.is_file() and ".torchdet_lint_cache" not in path.parts]
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    before = state()
    assert review("--base", "main").status == 1
    assert review("--base", "main", "--head", "feature", "--no-cache").status == 1
    assert state() == before


def test_the_base_is_where_the_branches_part(repo: Repo, review: Review) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": BENCHMARK})
    repo.git("checkout", "-q", "main")
    repo.commit({"other.py": LOADER})
    repo.git("checkout", "-q", "feature")
    assert found(review("--base", "main", "--format", "json")) == (["new.py:3 TDL201"], [])


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"old.py": None, "pkg/new.py": LOADER + "\n\nx = 1\n"}, id="a file under another name"),
        pytest.param({"old.py": LOADER.replace("def load", "def make")}, id="a function under another name"),
        pytest.param({"old.py": "# first\n\n" + LOADER}, id="further down"),
        pytest.param({"old.py": "", "other.py": "import os\n\nA = 1\nB = 2\n" + LOADER}, id="in another file"),
    ],
)
def test_what_has_only_moved_is_not_new(files: dict[str, str | bytes | None], repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit(files)
    ran = review("--base", "main", "--format", "json")
    assert found(ran)[0] == []
    assert ran.status == 0


def test_a_second_one_of_what_moved_is_new(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"old.py": None, "a.py": LOADER, "b.py": LOADER})
    assert len(found(review("--base", "main", "--format", "json"))[0]) == 1


def test_an_edited_line_that_had_the_finding_before_is_touched_and_fails_nothing(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"old.py": LOADER.replace("=4", "=8")})
    ran = review("--base", "main", "--format", "json")
    assert found(ran) == ([], ["old.py:5 TDL101"])
    assert ran.status == 0
    repo.commit(
        {"old.py": LOADER.replace("=4", "=8") + "\n\ndef more(data):\n    return DataLoader(data, shuffle=True)\n"}
    )
    assert found(review("--base", "main", "--format", "json")) == (["old.py:9 TDL101"], ["old.py:5 TDL101"])


def test_the_configuration_of_the_head_holds_for_both_sides(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER, "torchdet-lint.toml": 'ignore = ["TDL101"]\n'})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"torchdet-lint.toml": 'fail-on = "error"\n', "new.py": BENCHMARK})
    ran = review("--base", "main", "--format", "json")
    assert found(ran) == (["new.py:3 TDL201"], [])
    assert ran.status == 0


def test_configuration_outside_of_the_repository_holds_too(repo: Repo, review: Review, tmp_path: Path) -> None:
    (tmp_path / "torchdet-lint.toml").write_text('[per-file-ignores]\n"project/new.py" = ["TDL201"]\n')
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": BENCHMARK, "more.py": BENCHMARK})
    assert found(review("--base", "main", "--head", "feature", "--format", "json")) == (["more.py:3 TDL201"], [])


def test_a_named_configuration_file_is_that_of_each_side(repo: Repo, review: Review) -> None:
    repo.commit({"lint/ours.toml": '[per-file-ignores]\n"../old.py" = ["ALL"]\n', "old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"lint/ours.toml": "", "new.py": BENCHMARK})
    assert found(review("--base", "main", "--config", "lint/ours.toml", "--format", "json"))[0] == ["new.py:3 TDL201"]


def test_from_a_folder_of_the_repository(repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"pkg/old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"pkg/new.py": BENCHMARK, "top.py": BENCHMARK})
    monkeypatch.chdir(repo.path / "pkg")
    assert found(review("--base", "main", "--format", "json"))[0] == ["pkg/new.py:3 TDL201"]
    assert found(review("--base", "main", "--format", "json", "..", str(repo.path)))[0] == [
        "pkg/new.py:3 TDL201",
        "top.py:3 TDL201",
    ]


def test_selection_options_are_those_of_check(repo: Repo, review: Review) -> None:
    repo.write({"new.py": BENCHMARK + LOADER})
    assert [each[-6:] for each in found(review("--base", "main", "--format", "json", "--select", "TDL101"))[0]] == [
        "TDL101"
    ]
    assert found(review("--base", "main", "--format", "json", "--min-severity", "error")) == ([], [])


def test_in_a_notebook_places_are_lines_of_the_raw_file(repo: Repo, review: Review) -> None:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": BENCHMARK.splitlines(keepends=True),
    }
    notebook = {"cells": [cell], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(notebook, indent=1)
    repo.write({"nb.ipynb": text})
    value = json.loads(review("--base", "main", "--format", "github-review").out)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "cudnn" in each)
    assert [(each["path"], each["line"], each.get("start_line")) for each in value["comments"]] == [
        ("nb.ipynb", line, None)
    ]


@pytest.mark.parametrize(
    "setting",
    ["diff.noprefix=true", "diff.mnemonicPrefix=true", "color.ui=always", "diff.external=false", "diff.suppressBlankEmpty=true",
     "diff.renames=false", "diff.orderFile=nowhere", "diff.context=0", "diff.submodule=log", "core.quotePath=true"],
)  # fmt: skip
def test_what_users_have_set_for_diffs_changes_nothing(setting: str, repo: Repo, review: Review) -> None:
    repo.commit({"spåce name.py": LOADER + "\n\n\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"spåce name.py": LOADER.replace("=4", "=8") + "\n\n\n" + BENCHMARK})
    key, _, value = setting.partition("=")
    repo.git("config", key, value)
    assert found(review("--base", "main", "--format", "json")) == (
        ["spåce name.py:11 TDL201"],
        ["spåce name.py:5 TDL101"],
    )


@pytest.mark.parametrize("attribute", ["-diff", "binary"])
def test_what_attributes_call_binary_is_reviewed(attribute: str, repo: Repo, review: Review) -> None:
    """As projects do it that do not want to see the diffs of their notebooks."""
    repo.commit({".gitattributes": f"*.py {attribute}\n", "a.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"a.py": LOADER + BENCHMARK, "b.py": LOADER, "c.py": "x = 1\n".encode("utf-16")})
    assert found(review("--base", "main", "--format", "json")) == (
        ["a.py:8 TDL201", "b.py:5 TDL101", "c.py:1 TDL999"],
        [],
    )


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names there are always text")
@pytest.mark.parametrize("committed", [True, False])
def test_files_whose_names_are_no_text_are_reviewed(committed: bool, repo: Repo, review: Review) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.write({os.fsdecode(b"odd\xff.py"): LOADER})
    if committed:
        repo.commit({})
    assert found(review("--base", "main", "--format", "json")) == (["odd\\xff.py:5 TDL101"], [])


def test_files_that_archives_leave_out_are_in_the_base(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER, ".gitattributes": "old.py export-ignore\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": CLEAN})
    assert found(review("--base", "main", "--format", "json")) == ([], [])


def test_forged_names_write_nothing_outside_of_the_temporary_folder(
    repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blob = repo.git("rev-parse", "HEAD:util.py")
    inner = repo.git("mktree", data=f"100644 blob {blob}\tevil.py\n")
    for _ in range(len(repo.path.parts) + 3):  # from `a` in the base to the folder of this test
        inner = repo.git("mktree", data=f"040000 tree {inner}\t..\n")
    top = repo.git("mktree", data=f"040000 tree {inner}\ta\n100644 blob {blob}\tutil.py\n")
    forged = repo.git("commit-tree", "-m", "forged", "-p", "HEAD", top)
    temporary = tmp_path / "one" / "two"
    temporary.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert review("--base", "HEAD", "--head", forged).status == 0
    assert not (tmp_path / "evil.py").exists()


def test_a_submodule_is_no_part_of_the_change(repo: Repo, review: Review, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    inner.commit({"inside.py": LOADER})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    repo.git("commit", "-qm", "a submodule")
    assert found(review("--base", "HEAD~1", "--format", "json")) == ([], [])


def test_a_diff_alone(repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repo.commit({"old.py": LOADER})
    repo.write({"old.py": LOADER + BENCHMARK})
    diff = repo.git("diff") + "\n"
    (tmp_path / "change.diff").write_text(diff)
    ran = review("--diff", str(tmp_path / "change.diff"), "--format", "json")
    assert found(ran) == (["old.py:8 TDL201"], [])
    assert ran.status == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(diff.encode())))
    assert review("--diff", "-", "--format", "json").out == ran.out


def test_a_diff_outside_of_any_repository(review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BENCHMARK)
    (tmp_path / "x.diff").write_text(
        "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,3 @@\n" + "".join(f"+{each}\n" for each in BENCHMARK.splitlines())
    )
    assert found(review("--diff", "x.diff", "--format", "json")) == (["a.py:3 TDL201"], [])


def test_outputs_are_written_besides(repo: Repo, review: Review, tmp_path: Path) -> None:
    repo.write({"new.py": BENCHMARK})
    ran = review("--base", "main", "--format", "json", "--output", f"markdown={tmp_path}/out.md")
    assert json.loads(ran.out)["schema"] == 1
    text = (tmp_path / "out.md").read_text()
    assert text.startswith("**torchdet-lint**: This change introduces 1 warning.")
    assert "### Introduced" in text


def test_a_change_without_findings_says_so(repo: Repo, review: Review) -> None:
    assert review("--base", "main") == Ran(0, "**torchdet-lint**: This change introduces no findings.\n", "")


class TestTrouble:
    """One clear line, status 2."""

    @staticmethod
    def told(ran: Ran) -> str:
        assert ran.status == 2
        assert ran.out == ""
        assert ran.err.startswith("torchdet-lint: ")
        assert ran.err.count("\n") == 1
        return ran.err

    def test_no_repository(self, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        assert "is in no git repository" in self.told(review("--base", "main"))

    def test_no_git(self, repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert "no git to ask" in self.told(review("--base", "main"))

    def test_unknown_revisions(self, repo: Repo, review: Review) -> None:
        assert "no commit nowhere in this repository" in self.told(review("--base", "nowhere"))
        assert "no commit --output=x in" in self.told(review("--base", "main", "--head", "--output=x"))
        repo.git("remote", "add", "origin", str(repo.path))
        assert "`git fetch --no-tags origin main`" in self.told(review("--base", "origin/main"))

    def test_an_empty_repository(self, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(Repo(tmp_path / "empty").path)
        assert "no commit main" in self.told(review("--base", "main"))

    def test_a_shallow_clone(self, repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        first = repo.git("rev-parse", "HEAD")
        repo.commit({"new.py": BENCHMARK})
        repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "clone"))
        monkeypatch.chdir(tmp_path / "clone")
        text = self.told(review("--base", first))
        assert f"no commit {first} in this shallow clone" in text
        assert "git fetch --no-tags --unshallow origin" in text

    def test_histories_that_are_cut_before_they_meet(
        self, repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        repo.git("checkout", "-q", "-b", "feature")
        repo.commit({"new.py": BENCHMARK})
        repo.git("checkout", "-q", "main")
        repo.commit({"util.py": CLEAN + "\n"})
        repo.git("clone", "-q", "--depth", "1", "--no-single-branch", f"file://{repo.path}", str(tmp_path / "clone"))
        monkeypatch.chdir(tmp_path / "clone")
        assert "does not reach back" in self.told(review("--base", "origin/feature"))

    def test_histories_that_never_meet(self, repo: Repo, review: Review) -> None:
        repo.git("checkout", "-q", "--orphan", "other")
        repo.commit({"util.py": LOADER})
        assert "share no history" in self.told(review("--base", "main"))

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("hello\n", "no unified diff"),
            ("--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n", "x.diff:5: the hunk of line 3 ends too early"),
            ("--- a/x.py\n+++ b/x.py\n@@ -a +b @@\n", "x.diff:3: not the head of a hunk"),
            ("diff --cc x.py\n@@@ -1,1 -1,1 +1,1 @@@\n", "a combined diff"),
        ],
    )
    def test_damaged_diffs(self, text: str, said: str, repo: Repo, review: Review) -> None:
        repo.write({"x.diff": text})
        assert said in self.told(review("--diff", "x.diff"))

    def test_usage(self, repo: Repo, review: Review) -> None:
        assert "give --base REV" in self.told(review())
        assert "--diff stands for" in self.told(review("--diff", "x", "--base", "main"))
        assert "x.diff cannot be read" in self.told(review("--diff", "x.diff"))
        assert "no such file or folder: gone.py" in self.told(review("--base", "main", "gone.py"))
        assert "on either side of the change: gone.py" in self.told(
            review("--base", "main", "--head", "main", "gone.py")
        )
        assert "write FORMAT=FILE" in self.told(review("--base", "main", "--output", "sarif=x"))


def test_a_detached_head_is_a_head(repo: Repo, review: Review) -> None:
    repo.commit({"new.py": BENCHMARK})
    repo.git("checkout", "-q", "--detach")
    assert found(review("--base", "HEAD~1", "--format", "json")) == (["new.py:3 TDL201"], [])


def test_a_file_that_is_gone_from_the_head(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": LOADER})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"old.py": None})
    assert found(review("--base", "main", "--format", "json")) == ([], [])
    assert review("--base", "main", "--head", "feature", "old.py").status == 0


def test_ci_names_the_base_and_the_head(
    repo: Repo, review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    head = repo.commit({"new.py": BENCHMARK})
    repo.git("checkout", "-q", "main")
    repo.commit({"other.py": LOADER})
    repo.git("merge", "-q", "--no-edit", "feature")  # what `actions/checkout` leaves for pull requests
    event: dict[str, Any] = {"pull_request": {"number": 7, "base": {"sha": base}, "head": {"sha": head}}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    ran = review("--format", "json")
    assert found(ran) == (["new.py:3 TDL201"], [])
    assert json.loads(ran.out)["head"] == head


def test_new_findings_are_tried_where_that_is_asked(repo: Repo, review: Review) -> None:
    repo.commit({"old.py": BENCHMARK})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit({"new.py": BENCHMARK})
    for more in (
        (),
        ("--head", "feature"),
    ):  # the work tree, and a tree of git's that is gone when the report is written
        value = json.loads(review("--base", "main", "--format", "json", "--verify", *more).out)
        assert [each["evidence"]["verdict"] for each in value["new"]] == ["needs-cuda"]
    assert "*Evidence*: needs-cuda (check cudnn-benchmark)" in review("--base", "main", "--verify").out
    assert "Evidence" not in review("--base", "main").out
