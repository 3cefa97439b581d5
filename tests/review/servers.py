"""Servers that behave as the documentation of GitHub's and GitLab's REST APIs says, refusals included, for what reviews need."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

Item = dict[str, Any]
S = TypeVar("S", bound="Server")


class Asked(NamedTuple):
    method: str
    path: str
    value: Any
    headers: dict[str, str]


class Answer(NamedTuple):
    status: int
    value: Any = None
    headers: tuple[tuple[str, str], ...] = ()


class Server:
    """Keeps what it was asked. `refusals` are answers for the next requests of a method, before anything else happens."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.refusals: list[tuple[str, Answer]] = []
        self.ids = iter(range(1000, 100_000))

    def handle(self, asked: Asked, query: dict[str, str]) -> Answer:
        self.asked.append(asked)
        for index, (method, answer) in enumerate(self.refusals):
            if method == asked.method:
                del self.refusals[index]
                return answer
        return self.answer(asked, query)

    def answer(self, asked: Asked, query: dict[str, str]) -> Answer:
        raise NotImplementedError

    def writes(self) -> list[str]:
        return [f"{each.method} {each.path}" for each in self.asked if each.method != "GET"]


def page(items: list[Item], query: dict[str, str]) -> Answer:
    size, number = int(query.get("per_page", "30")), int(query.get("page", "1"))
    assert size <= 100
    return Answer(200, items[size * (number - 1) : size * number])


class GitHub(Server):
    """One pull request, number 7 of `octo/lab`. `shown` are the lines of its diff, by path and side."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = {"ghs-secret": {"login": "github-actions[bot]", "type": "Bot", "writes": True, "asks": False}}
        self.comments: list[Item] = []
        self.reviews: list[Item] = []
        self.shown: dict[str, list[range]] = {}

    def answer(self, asked: Asked, query: dict[str, str]) -> Answer:
        user = self.tokens.get(asked.headers.get("authorization", "").removeprefix("Bearer "))
        if not asked.headers.get("user-agent") or not asked.headers.get("x-github-api-version"):
            return Answer(403, {"message": "Request forbidden by administrative rules."})
        if user is None:
            return Answer(401, {"message": "Bad credentials"})
        if asked.path == "/user":
            return Answer(200, {"login": user["login"]}) if user["asks"] else self.refused()
        if not user["writes"] and asked.method != "GET":
            return self.refused()
        author = {"login": user["login"], "type": user["type"]}
        if match := re.fullmatch(r"/repos/octo/lab/pulls/comments/(\d+)", asked.path):
            return self.change(self.comments, int(match[1]), asked, "PATCH")
        if match := re.fullmatch(r"/repos/octo/lab/pulls/7/reviews/(\d+)", asked.path):
            return self.change(self.reviews, int(match[1]), asked, "PUT")
        if asked.path == "/repos/octo/lab/pulls/7/comments" and asked.method == "GET":
            return page(self.comments, query)
        if asked.path == "/repos/octo/lab/pulls/7/reviews":
            return page(self.reviews, query) if asked.method == "GET" else self.create(asked.value, author)
        return Answer(404, {"message": "Not Found"})

    @staticmethod
    def refused() -> Answer:
        return Answer(403, {"message": "Resource not accessible by integration"})

    def change(self, items: list[Item], number: int, asked: Asked, method: str) -> Answer:
        found = [each for each in items if each["id"] == number]
        if not found:
            return Answer(404, {"message": "Not Found"})
        if asked.method == "DELETE" and items is self.comments:
            items.remove(found[0])
            return Answer(204)
        assert asked.method == method
        found[0]["body"] = asked.value["body"]
        return Answer(200, found[0])

    def create(self, value: Item, author: Item) -> Answer:
        if value.get("event") != "COMMENT" or not value.get("body"):
            return Answer(422, {"message": "Unprocessable Entity", "errors": ["Body is required"]})
        assert len(value["comments"]) <= 30, "abuse"
        for each in value["comments"]:
            start = each.get("start_line", each["line"])
            if "start_line" in each and start >= each["line"]:
                return Answer(
                    422, {"message": "Validation Failed", "errors": ["start_line must precede the end line."]}
                )
            assert each["side"] == "RIGHT"
            if not any(start in lines and each["line"] in lines for lines in self.shown.get(each["path"], ())):
                return Answer(422, {"message": "Validation Failed", "errors": ["Line could not be resolved"]})
        self.reviews.append(
            {"id": next(self.ids), "body": value["body"], "user": author, "commit_id": value.get("commit_id")}
        )
        for each in value["comments"]:
            self.comments.append({"id": next(self.ids), "user": author, "in_reply_to_id": None, **each})
        return Answer(200, self.reviews[-1])


class GitLab(Server):
    """One merge request, number 3 of the project `group/lab` (42). `lines` are those of its diff: (new line, old line or None)."""

    def __init__(self) -> None:
        super().__init__()
        self.users = {"glpat-secret": {"id": 5, "username": "bot", "writes": True}}
        self.discussions: list[Item] = []
        self.versions = [{"base_commit_sha": "b", "start_commit_sha": "s", "head_commit_sha": "h"}]
        self.lines: dict[tuple[str, str], set[tuple[int, int | None]]] = {}

    def answer(self, asked: Asked, query: dict[str, str]) -> Answer:
        user = self.users.get(asked.headers.get("private-token", ""))
        if user is None:
            return Answer(401, {"message": "401 Unauthorized"})
        if asked.path == "/user":
            return Answer(200, user)
        match = re.fullmatch(r"/projects/(42|group%2Flab)/merge_requests/3/(.*)", asked.path)
        if match is None:
            return Answer(404, {"message": "404 Not found"})
        if not user["writes"] and asked.method != "GET":
            return Answer(403, {"message": "403 Forbidden"})
        author = {"id": user["id"], "username": user["username"]}
        if asked.method == "GET":
            return page({"versions": self.versions, "discussions": self.discussions}[match[2]], query)
        if asked.method == "POST":
            return self.create(match[2], asked.value, author)
        return self.change(match[2], asked)

    def create(self, what: str, value: Item, author: Item) -> Answer:
        note = {"id": next(self.ids), "author": author, "system": False, **value}
        if what == "discussions":
            at = value["position"]
            assert at["position_type"] == "text"
            known = {key: at[key] for key in ("base_sha", "start_sha", "head_sha")}
            version = {key.replace("_sha", "_commit_sha"): sha for key, sha in known.items()}
            lines = self.lines.get((at["old_path"], at["new_path"]), set())
            if version not in self.versions or (at["new_line"], at.get("old_line")) not in lines:
                return Answer(
                    400,
                    {
                        "message": '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}'
                    },
                )
        self.discussions.append({"id": f"d{note['id']}", "individual_note": what == "notes", "notes": [note]})
        return Answer(201, self.discussions[-1])

    def change(self, what: str, asked: Asked) -> Answer:
        number = int(what.rpartition("/")[2])
        for discussion in self.discussions:
            for note in discussion["notes"]:
                if note["id"] == number:
                    if asked.method == "DELETE":
                        discussion["notes"].remove(note)
                        self.discussions = [each for each in self.discussions if each["notes"]]
                        return Answer(204)
                    note["body"] = asked.value["body"]
                    return Answer(200, note)
        return Answer(404, {"message": "404 Not found"})


@contextmanager
def serving(server: S) -> Iterator[S]:
    """The server, on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            url = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            value = json.loads(self.rfile.read(length)) if length else None
            headers = {name.lower(): text for name, text in self.headers.items()}
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            answer = server.handle(Asked(self.command, url.path, value, headers), query)
            data = b"" if answer.value is None else json.dumps(answer.value).encode()
            self.send_response(answer.status)
            for name, text in (("Content-Length", str(len(data))), *answer.headers):
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Nothing."""

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._any)

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
