"""Reviews of pull requests on GitHub.

https://docs.github.com/rest/pulls/reviews and https://docs.github.com/rest/pulls/comments: a review is created with all of
its comments at once; `line`, `side`, `start_line` and `start_side` say where each stands, and must be within one piece of
the diff. A comment whose lines are gone has no `line` any more. A review cannot be deleted, so the summaries of earlier ones
are replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchdet_lint import __version__
from torchdet_lint.review.client import Client, StatusError
from torchdet_lint.review.comments import SUPERSEDED, Comment, Planned, marked, marker, summary
from torchdet_lint.review.compare import Noted
from torchdet_lint.review.environment import Target
from torchdet_lint.review.errors import RefusedError, ReviewError
from torchdet_lint.review.posting import Done, Plan, Posted, plan
from torchdet_lint.review.transport import Transport


def client(target: Target, transport: Transport) -> Client:
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {target.token}",
        "User-Agent": f"torchdet-lint/{__version__}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    return Client(transport, target.api, headers)


def review_value(comments: Sequence[Comment], body: str, commit: str) -> dict[str, Any]:
    """The request that creates a review. `body` is required for the event COMMENT."""
    value = {"event": "COMMENT", "body": body, "comments": [_comment_value(each) for each in comments]}
    return {"commit_id": commit, **value} if commit else value


def post(api: Client, target: Target, said: Planned, noted: Sequence[Noted], commit: str) -> Done:
    """Makes the pull request show what there is to say. Raises RefusedError where the token may not write, and ReviewError."""
    pull = f"/repos/{target.repository}/pulls/{target.number}"
    posted, reviews = _ours(api, pull, target)
    todo = plan(said.comments, posted)
    body = summary(noted, _unsaid(said, noted, todo))
    if todo.create or (noted and not reviews):
        _create(api, pull, todo, noted, said, commit)
        for earlier in reviews:
            _rewrite(api, pull, earlier, f"{SUPERSEDED}\n\n{marker('summary', '0')}")
    elif reviews:
        _rewrite(api, pull, reviews[-1], body)
    for each, text in todo.update:
        api.send("PATCH", f"/repos/{target.repository}/pulls/comments/{each.ref}", {"body": text})
    for each in todo.delete:
        api.remove(f"/repos/{target.repository}/pulls/comments/{each.ref}")
    return Done(len(todo.create), todo.kept, len(todo.delete))


def _create(api: Client, pull: str, todo: Plan, noted: Sequence[Noted], said: Planned, commit: str) -> None:
    """Creates the review. Where GitHub's diff is another one than ours (422), everything is said in its body."""
    try:
        api.send(
            "POST", f"{pull}/reviews", review_value(todo.create, summary(noted, _unsaid(said, noted, todo)), commit)
        )
    except StatusError as error:
        if error.status != 422 or not todo.create:
            raise
        unsaid = [*_of(noted, {each.fingerprint for each in todo.create}), *_unsaid(said, noted, todo)]
        api.send("POST", f"{pull}/reviews", review_value((), summary(noted, unsaid), commit))


def _unsaid(said: Planned, noted: Sequence[Noted], todo: Plan) -> list[Noted]:
    return [*_of(noted, todo.unsaid), *said.elsewhere]


def _of(noted: Sequence[Noted], fingerprints: set[str] | frozenset[str]) -> list[Noted]:
    return [each for each in noted if each.finding.fingerprint in fingerprints]


def _ours(api: Client, pull: str, target: Target) -> tuple[list[Posted], list[dict[str, Any]]]:
    """The comments and the reviews that earlier runs have left. Raises ReviewError where there is no such pull request."""
    try:
        comments = list(api.pages(f"{pull}/comments"))
        login = _login(api)
        reviews = [each for each in api.pages(f"{pull}/reviews") if _is_ours(each, login, "summary")]
    except StatusError as error:
        if error.status == 404:
            raise ReviewError(
                f"{target.api} shows this token no pull request {target.number} of {target.repository}; is it the right "
                "repository and number, and may the token read it?"
            ) from None
        if error.status == 403:
            raise RefusedError(str(error)) from None
        raise
    answered = {each.get("in_reply_to_id") for each in comments if not _is_ours(each, login, "finding")}
    return [_posted(each, answered) for each in comments if _is_ours(each, login, "finding")], reviews


def _login(api: Client) -> str | None:
    """Whose token this is; None for that of an installation (such as Actions' own), which may not ask."""
    try:
        found = api.get("/user")
    except StatusError:
        return None
    return found.get("login") if isinstance(found, dict) else None


def _is_ours(item: dict[str, Any], login: str | None, kind: str) -> bool:
    """Whether we have written it: the mark alone can be copied by anybody."""
    user = item.get("user") or {}
    ours = user.get("login") == login if login is not None else user.get("type") == "Bot"
    mark = marked(item.get("body") or "")
    return bool(ours) and mark is not None and mark[0] == kind


def _posted(item: dict[str, Any], answered: set[Any]) -> Posted:
    mark = marked(item["body"])
    name = mark[1] if mark else ""
    return Posted(item["id"], name, item["body"], item.get("path", ""), item.get("line"), item["id"] in answered)


def _rewrite(api: Client, pull: str, review: dict[str, Any], body: str) -> None:
    if review.get("body", "").rstrip() != body.rstrip():
        api.send("PUT", f"{pull}/reviews/{review['id']}", {"body": body})


def _comment_value(comment: Comment) -> dict[str, Any]:
    value: dict[str, Any] = {"path": comment.path, "line": comment.last, "side": "RIGHT", "body": comment.body()}
    if comment.first < comment.last:
        value |= {"start_line": comment.first, "start_side": "RIGHT"}
    return value
