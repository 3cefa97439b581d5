"""Posting to GitLab, against a server that behaves as its documentation says."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.review.conftest import BENCHMARK, CLEAN, LOADER, Ran, Repo
from tests.review.servers import Answer, GitLab

Review = Callable[..., Ran]
TOKEN = "glpat-secret"
CALL = "import torch\nfrom torch.utils.data import DataLoader\n\n\ndef load(data):\n    return DataLoader(\n        data,\n        batch_size=4,\n        shuffle=True,\n    )\n"


@pytest.fixture
def merge(repo: Repo, gitlab: GitLab, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a merge request, in the environment that GitLab CI makes. `call.py` has an edited line inside of a call."""
    repo.commit({"old name.py": CALL})
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    repo.git("mv", "old name.py", "call.py")
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("CI_API_V4_URL", gitlab.url)
    monkeypatch.setenv("CI_MERGE_REQUEST_PROJECT_ID", "42")
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "3")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base)
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    gitlab.versions[0] |= {"base_commit_sha": base, "start_commit_sha": base}
    gitlab.lines = {
        ("new.py", "new.py"): {(line, None) for line in (1, 2, 3)},
        ("old name.py", "call.py"): {(5, 5), (6, 6), (7, 7), (8, None), (9, 9), (10, 10), (11, 11)},
    }
    push(repo, gitlab, monkeypatch, {"new.py": BENCHMARK, "call.py": CALL.replace("=4", "=8")})
    return repo


def push(repo: Repo, gitlab: GitLab, monkeypatch: pytest.MonkeyPatch, files: dict[str, str | bytes | None]) -> None:
    head = repo.commit(files)
    monkeypatch.setenv("CI_COMMIT_SHA", head)
    gitlab.versions.insert(0, {**gitlab.versions[0], "head_commit_sha": head})


def positions(gitlab: GitLab) -> list[tuple[str, str, int, int | None]]:
    found = [each["notes"][0]["position"] for each in gitlab.discussions if not each["individual_note"]]
    return [(at["old_path"], at["new_path"], at["new_line"], at.get("old_line")) for at in found]


def test_threads_on_added_and_on_unchanged_lines(merge: Repo, gitlab: GitLab, review: Review) -> None:
    ran = review("--post")
    assert ran == Ran(1, "", "torchdet-lint: comments: 2 posted, 0 there already, 0 outdated ones deleted\n")
    added, (*names, line, old_line) = positions(gitlab)
    assert added == ("new.py", "new.py", 3, None)
    assert names == ["old name.py", "call.py"]
    assert line == old_line  # the end of the call, or what a suggestion replaces in it
    assert line in (9, 10)
    (note,) = [each["notes"][0] for each in gitlab.discussions if each["individual_note"]]
    assert "introduces 1 warning. 1 finding on changed lines was there before." in note["body"]
    assert TOKEN not in json.dumps(gitlab.discussions) + ran.err


def test_a_second_run_says_nothing_again(merge: Repo, gitlab: GitLab, review: Review) -> None:
    review("--post")
    before = gitlab.writes()
    assert "0 posted, 2 there already, 0 outdated" in review("--post").err
    assert gitlab.writes() == before


def test_outdated_threads_go_unless_somebody_answered(
    merge: Repo, gitlab: GitLab, review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    review("--post")
    gitlab.discussions[1]["notes"].append({"id": 1, "body": "Why?", "author": {"id": 9}, "system": False})
    push(merge, gitlab, monkeypatch, {"new.py": CLEAN, "call.py": CALL.replace("shuffle=True", "shuffle=False")})
    assert "0 posted, 0 there already, 1 outdated" in review("--post").err
    assert [each["notes"][0]["position"]["new_path"] for each in gitlab.discussions if not each["individual_note"]] == [
        "call.py"
    ]
    assert "introduces no findings" in gitlab.discussions[-1]["notes"][0]["body"]


def test_system_notes_are_no_answers_and_notes_of_others_are_not_ours(
    merge: Repo, gitlab: GitLab, review: Review
) -> None:
    review("--post")
    gitlab.discussions[0]["notes"].append({"id": 1, "body": "changed this line", "author": {"id": 9}, "system": True})
    gitlab.discussions[0]["notes"][0]["position"]["new_line"] = None
    gitlab.discussions[1]["notes"][0]["author"] = {"id": 9}
    assert "2 posted, 0 there already, 1 outdated" in review("--post").err


def test_a_line_that_gitlab_does_not_show_is_said_in_the_note(merge: Repo, gitlab: GitLab, review: Review) -> None:
    gitlab.lines = {}
    assert "0 posted" in review("--post").err
    assert "`new.py:3:1` **TDL201**" in gitlab.discussions[0]["notes"][0]["body"]


def test_a_pipeline_for_merged_results_is_about_the_source_branch(
    merge: Repo, gitlab: GitLab, review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", merge.git("rev-parse", "HEAD"))
    merge.git("checkout", "-q", "-b", "merged", "main")
    merge.commit({"other.py": LOADER})
    merge.git("merge", "-q", "--no-edit", "feature")
    monkeypatch.setenv("CI_COMMIT_SHA", merge.git("rev-parse", "HEAD"))
    assert "2 posted" in review("--post").err


def test_a_token_that_may_not_write_speaks_through_the_log(merge: Repo, gitlab: GitLab, review: Review) -> None:
    gitlab.users[TOKEN]["writes"] = False
    ran = review("--post")
    assert ran.status == 1
    assert "new.py:3:1: TDL201 warning" in ran.out
    assert "403 Forbidden; this token may not comment there" in ran.err


def test_a_project_by_its_path_and_a_busy_server(merge: Repo, gitlab: GitLab, review: Review) -> None:
    gitlab.refusals = [
        ("GET", Answer(429, None, (("Retry-After", "0"),))),
        ("POST", Answer(500, None, (("Retry-After", "0"),))),
    ]
    assert "2 posted" in review("--post", "--repository", "group/lab").err


@pytest.mark.parametrize(
    ("variables", "args", "said"),
    [
        ({"GITLAB_TOKEN": ""}, (), "no token; set TORCHDET_LINT_GITLAB_TOKEN or GITLAB_TOKEN"),
        ({"GITLAB_TOKEN": "wrong"}, (), "the token is not accepted (401)"),
        ({"CI_MERGE_REQUEST_IID": ""}, (), "no merge request to post to"),
        ({"CI_MERGE_REQUEST_PROJECT_ID": ""}, (), "no project to post to"),
        ({}, ("--number", "4"), "no merge request 4 of project 42"),
        ({}, ("--repository", "group/other"), "no merge request 3 of project group/other"),
        ({}, ("--head", "main"), "the merge request is at "),
        ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": ""}, (), "give --base REV"),
    ],
)
def test_trouble_is_one_line(
    variables: dict[str, str],
    args: tuple[str, ...],
    said: str,
    merge: Repo,
    gitlab: GitLab,
    review: Review,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ran = review("--post", *args)
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert TOKEN not in ran.err
    assert gitlab.writes() == []
