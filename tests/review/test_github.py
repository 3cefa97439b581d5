"""Posting to GitHub, against a server that behaves as its documentation says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.review.conftest import BENCHMARK, CLEAN, LOADER, Ran, Repo
from tests.review.servers import Answer, GitHub
from torchdet_lint.review.comments import marked

Review = Callable[..., Ran]
TOKEN = "ghs-secret"


@pytest.fixture
def pull(repo: Repo, github: GitHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Repo:
    """A repository with a pull request of one file, in the environment that Actions makes."""
    repo.commit({"old.py": LOADER})
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    head = repo.commit({"new.py": BENCHMARK})
    github.shown = {"new.py": [range(1, 4)]}
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_API_URL", github.url)
    monkeypatch.setenv("GITHUB_REPOSITORY", "octo/lab")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    at_head(tmp_path, base, head)
    return repo


def at_head(tmp_path: Path, base: str, head: str) -> None:
    pull = {"number": 7, "base": {"sha": base}, "head": {"sha": head}}
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": pull}))


def pushed(repo: Repo, tmp_path: Path, files: dict[str, str | bytes | None]) -> None:
    at_head(tmp_path, repo.git("rev-parse", "main"), repo.commit(files))


def test_a_review_with_comments(pull: Repo, github: GitHub, review: Review) -> None:
    ran = review("--post")
    assert ran == Ran(1, "", "torchdet-lint: comments: 1 posted, 0 there already, 0 outdated ones deleted\n")
    (comment,) = github.comments
    assert (comment["path"], comment["line"], comment["side"]) == ("new.py", 3, "RIGHT")
    assert "start_line" not in comment
    assert marked(comment["body"]) is not None
    (posted,) = github.reviews
    assert posted["commit_id"] == pull.git("rev-parse", "HEAD")
    assert posted["body"].startswith("**torchdet-lint**: This change introduces 1 warning.")
    assert all(
        TOKEN not in text for text in (ran.out, ran.err, json.dumps(github.comments), json.dumps(github.reviews))
    )


def test_a_second_run_says_nothing_again(pull: Repo, github: GitHub, review: Review) -> None:
    review("--post")
    before = github.writes()
    assert "0 posted, 1 there already, 0 outdated" in review("--post").err
    assert github.writes() == before


def test_nothing_is_written_where_there_is_nothing_to_say(
    pull: Repo, github: GitHub, review: Review, tmp_path: Path
) -> None:
    pushed(pull, tmp_path, {"new.py": CLEAN})
    assert review("--post").status == 0
    assert github.writes() == []


def test_outdated_comments_go_and_the_summary_follows(
    pull: Repo, github: GitHub, review: Review, tmp_path: Path
) -> None:
    review("--post")
    pushed(pull, tmp_path, {"new.py": CLEAN})
    assert "0 posted, 0 there already, 1 outdated ones deleted" in review("--post").err
    assert github.comments == []
    (posted,) = github.reviews
    assert "introduces no findings" in posted["body"]


def test_an_answered_comment_stays_and_is_not_repeated(
    pull: Repo, github: GitHub, review: Review, tmp_path: Path
) -> None:
    review("--post")
    reply = {
        "id": 1,
        "in_reply_to_id": github.comments[0]["id"],
        "body": "Why?",
        "user": {"login": "a", "type": "User"},
    }
    github.comments.append(reply)
    github.comments[0]["line"] = None  # its line was edited since
    assert "0 posted, 1 there already, 0 outdated" in review("--post").err
    pushed(pull, tmp_path, {"new.py": CLEAN})
    assert "0 outdated" in review("--post").err
    assert len(github.comments) == 2


def test_a_comment_whose_line_is_gone_is_replaced(pull: Repo, github: GitHub, review: Review) -> None:
    review("--post")
    first = github.comments[0]
    first["line"] = None
    assert "1 posted, 0 there already, 1 outdated" in review("--post").err
    assert [each["line"] for each in github.comments] == [3]
    assert first not in github.comments
    assert [each["body"].partition("\n")[0] for each in github.reviews] == [
        "torchdet-lint has looked at this change again; see its latest review.",
        "**torchdet-lint**: This change introduces 1 warning.",
    ]


def test_a_comment_that_would_be_said_otherwise_now_is_edited(pull: Repo, github: GitHub, review: Review) -> None:
    review("--post")
    text, github.comments[0]["body"] = (
        github.comments[0]["body"],
        "Old words.\n\n" + github.comments[0]["body"].split("\n\n")[-1],
    )
    review("--post")
    assert [each["body"] for each in github.comments] == [text]
    assert github.writes()[-1].startswith("PATCH ")


def test_comments_of_others_are_left_alone_whatever_they_hold(pull: Repo, github: GitHub, review: Review) -> None:
    review("--post")
    mark = github.comments[0]["body"].split("\n\n")[-1]
    stolen = {"id": 1, "path": "new.py", "line": 3, "body": f"x {mark}", "user": {"login": "mallory", "type": "User"}}
    github.comments[:] = [stolen]
    assert "1 posted, 0 there already, 0 outdated" in review("--post").err
    assert stolen in github.comments


def test_with_a_token_of_a_user_only_their_comments_are_ours(pull: Repo, github: GitHub, review: Review) -> None:
    review("--post")
    github.tokens[TOKEN] = {"login": "someone", "type": "User", "writes": True, "asks": True}
    assert "1 posted, 0 there already, 0 outdated" in review("--post").err
    assert "0 posted, 1 there already, 0 outdated" in review("--post").err


def test_at_most_thirty_comments_and_the_rest_in_the_body(
    pull: Repo, github: GitHub, review: Review, tmp_path: Path
) -> None:
    text = "from torch.utils.data import DataLoader\n\n\ndef f(data):\n" + "".join(
        f"    a{number} = DataLoader(data, batch_size={number}, shuffle=True)\n" for number in range(1, 41)
    )
    pushed(pull, tmp_path, {"new.py": text})
    github.shown = {"new.py": [range(1, 45)]}
    assert "30 posted" in review("--post").err
    assert github.reviews[-1]["body"].count("**TDL101**") == 10
    before = github.writes()
    assert "0 posted, 30 there already" in review("--post").err
    assert github.writes() == before


def test_findings_outside_of_the_diff_are_in_the_body(
    pull: Repo, github: GitHub, review: Review, tmp_path: Path
) -> None:
    helper = "import torch\n\n\ndef fix():\n" + "    x = 1\n" * 20 + "    torch.manual_seed(0)\n"
    main = "from helper import fix\nimport torch\n\nfix()\n" + "y = 1\n" * 20 + "torch.nn.Linear(2, 2)\n"
    pull.git("checkout", "-q", "main")
    pull.commit({"helper.py": helper, "train.py": main})
    pull.git("checkout", "-q", "feature")
    pull.git("reset", "-q", "--hard", "main")
    pushed(pull, tmp_path, {"helper.py": helper.replace("    torch.manual_seed(0)\n", "    pass\n")})
    github.shown = {"helper.py": [range(22, 26)]}
    ran = review("--post")
    assert ran.status == 1
    assert github.comments == []
    assert "`train.py:25:1` **TDL001**" in github.reviews[-1]["body"]


def test_a_diff_that_github_sees_otherwise_is_said_in_the_body(pull: Repo, github: GitHub, review: Review) -> None:
    github.shown = {}
    assert review("--post").status == 1
    assert github.comments == []
    assert "`new.py:3:1` **TDL201**" in github.reviews[-1]["body"]


def test_a_token_of_a_fork_speaks_through_the_log(pull: Repo, github: GitHub, review: Review) -> None:
    github.tokens[TOKEN]["writes"] = False
    ran = review("--post")
    assert ran.status == 1
    assert ran.out.startswith("::warning title=torchdet-lint (TDL201),file=new.py,line=3,")
    assert "403: Resource not accessible by integration; this token may not comment there" in ran.err
    assert TOKEN not in ran.err
    assert review("--post", "--exit-zero").status == 0


def test_a_busy_server_is_asked_again(pull: Repo, github: GitHub, review: Review) -> None:
    limited = Answer(403, {"message": "You have exceeded a secondary rate limit"}, (("Retry-After", "0"),))
    github.refusals = [("GET", Answer(502, None, (("Retry-After", "0"),))), ("POST", limited)]
    assert review("--post").status == 1
    assert len(github.comments) == 1


def test_what_is_not_committed_is_not_posted(pull: Repo, github: GitHub, review: Review) -> None:
    pull.write({"generated.py": BENCHMARK, "old.py": LOADER + BENCHMARK})
    review("--post")
    assert [each["path"] for each in github.comments] == ["new.py"]


def test_options_stand_in_for_the_environment(
    pull: Repo, github: GitHub, review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_API_URL", "GITHUB_TOKEN"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("GH_TOKEN", TOKEN)
    args = (
        "--post",
        "--forge",
        "github",
        "--base",
        "main",
        "--repository",
        "octo/lab",
        "--number",
        "7",
        "--api-url",
        github.url,
    )
    assert "1 posted" in review(*args).err
    assert json.loads(review(*args, "--format", "json").out)["new"] != []


class TestTrouble:
    """One clear line, status 2, nothing written."""

    @pytest.fixture(autouse=True)
    def nothing_written(self, pull: Repo, github: GitHub) -> object:
        yield
        assert github.writes() == []

    @staticmethod
    def told(ran: Ran) -> str:
        assert ran.status == 2
        assert ran.err.count("\n") == 1
        assert TOKEN not in ran.err
        return ran.err

    def test_no_token(self, review: Review, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GITHUB_TOKEN", "")
        assert "no token; set GITHUB_TOKEN or GH_TOKEN" in self.told(review("--post"))

    def test_a_token_that_is_not_accepted(self, review: Review, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN + "x")
        assert "the token is not accepted (401)" in self.told(review("--post"))

    def test_another_repository(self, review: Review) -> None:
        assert "no pull request 7 of octo/other" in self.told(review("--post", "--repository", "octo/other"))
        assert "(not a/b/c); give --repository OWNER/NAME" in self.told(review("--post", "--repository", "a/b/c"))
        assert "give --repository OWNER/NAME" in self.told(review("--post", "--repository", "../x"))

    def test_another_number(self, review: Review) -> None:
        assert "no pull request 8 of octo/lab" in self.told(review("--post", "--number", "8"))

    def test_no_pull_request(self, review: Review, tmp_path: Path) -> None:
        (tmp_path / "event.json").write_text('{"ref": "refs/heads/main"}')
        assert "this run is for none; give --number N" in self.told(review("--post"))

    def test_an_event_that_cannot_be_read(self, review: Review, tmp_path: Path) -> None:
        (tmp_path / "event.json").write_text("{")
        assert "GITHUB_EVENT_PATH" in self.told(review("--post"))

    def test_a_head_that_was_not_fetched(self, review: Review, tmp_path: Path, pull: Repo) -> None:
        at_head(tmp_path, pull.git("rev-parse", "main"), "ab" * 20)
        assert f"no commit {'ab' * 20} in this repository" in self.told(review("--post"))

    def test_no_server(self, review: Review) -> None:
        assert "must begin with https://" in self.told(review("--post", "--api-url", "ftp://x"))
