"""Which pull or merge request this is, from options and from what CI systems put into the environment.

GitHub Actions: https://docs.github.com/actions/reference/workflows-and-actions/variables and the event's payload;
GitLab: https://docs.gitlab.com/ci/variables/predefined_variables/.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from torchdet_lint.review.client import checked_token
from torchdet_lint.review.errors import ReviewError
from torchdet_lint.review.transport import checked_url

GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
GITLAB_TOKENS = ("TORCHDET_LINT_GITLAB_TOKEN", "GITLAB_TOKEN")


class Given(NamedTuple):
    """What the command line says about the request."""

    forge: str | None = None
    repository: str | None = None
    number: int | None = None
    api_url: str | None = None


class Revisions(NamedTuple):
    """The commits that the environment names, "" where it names none."""

    base: str = ""
    head: str = ""


class Target(NamedTuple):
    """Where comments go. `repository` is `owner/name` on GitHub, a number or a path on GitLab. `token` is never shown."""

    forge: str
    api: str
    repository: str
    number: int
    token: str

    def __repr__(self) -> str:
        return f"Target({self.forge}, {self.api}, {self.repository}, {self.number})"


def forge(given: Given, environ: Mapping[str, str]) -> str:
    """Which forge this is for; GitHub where nothing says otherwise."""
    return given.forge or ("gitlab" if environ.get("GITLAB_CI") and not environ.get("GITHUB_ACTIONS") else "github")


def revisions(environ: Mapping[str, str]) -> Revisions:
    """The base and the head of the request that the environment is about."""
    if environ.get("GITHUB_ACTIONS"):
        pull = _pull(environ)
        return Revisions(_sha(pull, "base"), _sha(pull, "head"))
    if environ.get("GITLAB_CI"):
        base = environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
        # In a pipeline for merged results the commit is none of the merge request's.
        head = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environ.get("CI_COMMIT_SHA", "")
        return Revisions(base, head if base else "")
    return Revisions()


def target(given: Given, environ: Mapping[str, str]) -> Target:
    """Where to post. Raises ReviewError, naming the option and the variable, for what neither says."""
    return _github(given, environ) if forge(given, environ) == "github" else _gitlab(given, environ)


def _github(given: Given, environ: Mapping[str, str]) -> Target:
    repository = given.repository or environ.get("GITHUB_REPOSITORY", "")
    if repository.count("/") != 1 or not all(_plain(part) for part in repository.split("/")):
        raise ReviewError(
            f"--post: no repository to post to{_not(repository)}; give --repository OWNER/NAME (or GITHUB_REPOSITORY)"
        )
    number = given.number or _pull(environ).get("number") or _number_of_ref(environ.get("GITHUB_REF", ""))
    if not isinstance(number, int) or number < 1:
        raise ReviewError(
            "--post: no pull request to post to: this run is for none; give --number N, or run on pull_request events"
        )
    api = checked_url(given.api_url or environ.get("GITHUB_API_URL") or "https://api.github.com")
    return Target("github", api, repository, number, _token(environ, GITHUB_TOKENS))


def _gitlab(given: Given, environ: Mapping[str, str]) -> Target:
    repository = given.repository or environ.get("CI_MERGE_REQUEST_PROJECT_ID") or environ.get("CI_PROJECT_ID", "")
    if not repository:
        raise ReviewError(
            "--post: no project to post to; give --repository GROUP/NAME or its number (or CI_MERGE_REQUEST_PROJECT_ID)"
        )
    iid = environ.get("CI_MERGE_REQUEST_IID", "")
    number = given.number or (int(iid) if iid.isdecimal() else 0)
    if number < 1:
        raise ReviewError("--post: no merge request to post to; give --number N, or run in merge request pipelines")
    api = checked_url(given.api_url or environ.get("CI_API_V4_URL") or "https://gitlab.com/api/v4")
    return Target("gitlab", api, repository, number, _token(environ, GITLAB_TOKENS))


def _token(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    for name in names:
        if environ.get(name, "").strip():
            return checked_token(environ[name], name)
    raise ReviewError(f"--post: no token; set {' or '.join(names)} in the environment of this step")


def _pull(environ: Mapping[str, str]) -> dict[str, Any]:
    """The pull request of the event that a workflow runs for; {} where it is for none. Raises ReviewError."""
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            event = json.load(file)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not JSON"
        raise ReviewError(f"GITHUB_EVENT_PATH: {path} cannot be read: {reason}") from None
    pull = event.get("pull_request") if isinstance(event, dict) else None
    return pull if isinstance(pull, dict) else {}


def _sha(pull: Mapping[str, Any], side: str) -> str:
    found = pull.get(side)
    sha = found.get("sha") if isinstance(found, dict) else None
    return sha if isinstance(sha, str) else ""


def _number_of_ref(ref: str) -> int | None:
    """The number in `refs/pull/N/merge`."""
    parts = ref.split("/")
    return int(parts[2]) if parts[:2] == ["refs", "pull"] and len(parts) > 2 and parts[2].isdecimal() else None


def _plain(part: str) -> bool:
    return (
        bool(part)
        and part not in (".", "..")
        and all(char.isalnum() or char in "-_." for char in part)
        and part.isascii()
    )


def _not(text: str) -> str:
    return f" (not {text[:80]})" if text else ""
