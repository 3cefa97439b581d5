"""Threads of merge requests on GitLab.

https://docs.gitlab.com/api/discussions/#create-new-merge-request-thread: a thread on an added line has `new_line` only, one
on an unchanged line both `new_line` and `old_line`; both paths are required; the three commits are those of a version of the
merge request's diff (https://docs.gitlab.com/api/merge_requests/#list-merge-request-diff-versions).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from torchdet_lint import __version__
from torchdet_lint.review.client import Client, StatusError
from torchdet_lint.review.comments import Comment, Planned, marked, summary
from torchdet_lint.review.compare import Noted
from torchdet_lint.review.environment import Target
from torchdet_lint.review.errors import RefusedError, ReviewError
from torchdet_lint.review.posting import Done, Posted, plan
from torchdet_lint.review.transport import Transport


class Version(NamedTuple):
    """The commits of a version of a merge request's diff."""

    base: str
    start: str
    head: str


def client(target: Target, transport: Transport) -> Client:
    headers = {
        "Accept": "application/json",
        "PRIVATE-TOKEN": target.token,
        "User-Agent": f"torchdet-lint/{__version__}",
    }
    return Client(transport, target.api, headers)


def discussion_value(comment: Comment, version: Version | None) -> dict[str, Any]:
    """The request that opens a thread."""
    position: dict[str, Any] = {"position_type": "text", "old_path": comment.old_path, "new_path": comment.path}
    if version is not None:
        position |= {"base_sha": version.base, "start_sha": version.start, "head_sha": version.head}
    position["new_line"] = comment.last
    if comment.old_line is not None:
        position["old_line"] = comment.old_line
    return {"body": comment.body(gitlab=True), "position": position}


def post(api: Client, target: Target, said: Planned, noted: Sequence[Noted], head: str) -> Done:
    """Makes the merge request show what there is to say. Raises RefusedError where the token may not write, and ReviewError."""
    request = f"/projects/{quote(target.repository, safe='')}/merge_requests/{target.number}"
    version = _version(api, request, target, head)
    posted, notes = _ours(api, request)
    todo = plan(said.comments, posted, gitlab=True)
    lost = [each.fingerprint for each in todo.create if not _open(api, request, each, version)]
    unsaid = {*todo.unsaid, *lost}
    body = summary(noted, [*(each for each in noted if each.finding.fingerprint in unsaid), *said.elsewhere])
    if notes:
        if notes[-1].body.rstrip() != body.rstrip():
            api.send("PUT", f"{request}/notes/{notes[-1].ref[1]}", {"body": body})
    elif noted:
        api.send("POST", f"{request}/notes", {"body": body})
    for each, text in todo.update:
        api.send("PUT", f"{request}/discussions/{each.ref[0]}/notes/{each.ref[1]}", {"body": text})
    for each in todo.delete:
        api.remove(f"{request}/discussions/{each.ref[0]}/notes/{each.ref[1]}")
    return Done(len(todo.create) - len(lost), todo.kept, len(todo.delete))


def _version(api: Client, request: str, target: Target, head: str) -> Version:
    """The version of the diff that ends at our commit: lines are counted in it."""
    try:
        versions = [_version_of(each) for each in api.pages(f"{request}/versions")]
    except StatusError as error:
        if error.status == 404:
            raise ReviewError(
                f"{target.api} shows this token no merge request {target.number} of project {target.repository}; is it the "
                "right project and number, and may the token read it?"
            ) from None
        if error.status == 403:
            raise RefusedError(str(error)) from None
        raise
    for version in versions:
        if version.head == head:
            return version
    at = versions[0].head[:12] if versions else "no commit"
    raise ReviewError(
        f"the merge request is at {at}, not at {head[:12]}; run at its newest commit, or name it with --head"
    )


def _version_of(item: dict[str, Any]) -> Version:
    return Version(item["base_commit_sha"], item["start_commit_sha"], item["head_commit_sha"])


def _ours(api: Client, request: str) -> tuple[list[Posted], list[Posted]]:
    """The threads on lines and the notes that earlier runs have left: those of this token's own user."""
    user = api.get("/user")
    me = user.get("id") if isinstance(user, dict) else None
    threads: list[Posted] = []
    notes: list[Posted] = []
    for discussion in api.pages(f"{request}/discussions"):
        said = [note for note in discussion.get("notes", ()) if not note.get("system")]
        mark = marked(said[0].get("body") or "") if said and (said[0].get("author") or {}).get("id") == me else None
        if mark is not None:
            (threads if mark[0] == "finding" else notes).append(_posted(discussion["id"], said, mark[1]))
    return threads, notes


def _posted(discussion: str, notes: list[dict[str, Any]], name: str) -> Posted:
    first = notes[0]
    position = first.get("position") or {}
    return Posted(
        (discussion, first["id"]),
        name,
        first["body"],
        position.get("new_path") or "",
        position.get("new_line"),
        len(notes) > 1,
    )


def _open(api: Client, request: str, comment: Comment, version: Version) -> bool:
    """Opens a thread; false where GitLab's diff does not show the line (400)."""
    try:
        api.send("POST", f"{request}/discussions", discussion_value(comment, version))
    except StatusError as error:
        if error.status not in (400, 422):
            raise
        return False
    return True
