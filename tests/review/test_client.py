from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.review.servers import Answer, GitHub, Server, serving
from torchdet_lint.review.client import Client, StatusError, checked_token
from torchdet_lint.review.errors import RefusedError, ReviewError
from torchdet_lint.review.transport import LostError, Request, Response, checked_url, over_http


class Played:
    """A transport that plays answers, and a clock that only sleeping moves."""

    def __init__(self, *answers: Response | LostError) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []
        self.slept: list[float] = []

    def __call__(self, request: Request) -> Response:
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, LostError):
            raise answer
        return answer

    def client(self) -> Client:
        return Client(
            self, "https://api.example.org", {"Authorization": "Bearer secret"}, self.slept.append, lambda: 1000.0
        )


def answer(status: int, value: object = None, **headers: str) -> Response:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Response(status, named, b"" if value is None else json.dumps(value).encode())


OK = answer(200, {"ok": 1})


@pytest.mark.parametrize(
    ("first", "slept"),
    [
        (answer(429, retry_after="7"), [7.0]),
        (answer(429, retry_after="Thu, 01 Jan 1970 00:17:10 GMT"), [30.0]),
        (answer(403, retry_after="3"), [3.0]),
        (
            answer(403, {"message": "API rate limit exceeded"}, x_ratelimit_remaining="0", x_ratelimit_reset="1042"),
            [42.0],
        ),
        (answer(403, {"message": "You have exceeded a secondary rate limit."}), [60.0]),
        (answer(429), [2.0]),
        (answer(429, ratelimit_remaining="0", ratelimit_reset="1005"), [5.0]),
        (answer(500), [2.0]),
        (answer(502, retry_after="0"), [0.0]),
        (answer(503), [2.0]),
    ],
)
def test_a_busy_server_is_waited_for(first: Response, slept: list[float]) -> None:
    played = Played(first, OK)
    assert played.client().send("POST", "/x", {}) == {"ok": 1}
    assert played.slept == slept
    assert len(played.asked) == 2


def test_waits_grow_and_end() -> None:
    played = Played(answer(503, {"message": "down"}))
    with pytest.raises(ReviewError, match=r"GET https://api\.example\.org/x: 503: down"):
        played.client().get("/x")
    assert played.slept == [2.0, 4.0, 8.0, 16.0]


def test_no_wait_for_a_server_that_asks_for_hours() -> None:
    played = Played(answer(429, retry_after="7200"))
    with pytest.raises(ReviewError, match=r"asks to wait 7200 s \(429\); try again later"):
        played.client().get("/x")
    assert played.slept == []


def test_what_may_have_been_written_is_not_written_again() -> None:
    played = Played(LostError("timed out"), OK)
    with pytest.raises(ReviewError, match="no answer: timed out"):
        played.client().send("POST", "/x", {})
    assert len(played.asked) == 1
    assert Played(LostError("timed out"), OK).client().get("/x") == {"ok": 1}


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        (answer(401), StatusError, "the token is not accepted"),
        (
            answer(403, {"message": "Resource not accessible by integration"}),
            RefusedError,
            "403: Resource not accessible",
        ),
        (answer(404), RefusedError, "404"),
        (
            answer(422, {"message": "No", "errors": [{"field": "line"}]}),
            StatusError,
            '422: No; \\[{"field": "line"}\\]',
        ),
        (answer(307), StatusError, "has moved"),
        (Response(200, {}, b"<html>"), ReviewError, "no JSON"),
    ],
)
def test_other_answers_are_errors_in_one_line_without_the_token(
    given: Response, kind: type[ReviewError], said: str
) -> None:
    with pytest.raises(kind, match=said) as raised:
        Played(given).client().send("POST", "/x", {})
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_pages_end_with_the_first_that_is_not_full() -> None:
    played = Played(answer(200, list(range(100))), answer(200, list(range(50))))
    assert len(list(played.client().pages("/x?a=1"))) == 150
    assert [each.url.partition("?")[2] for each in played.asked] == [
        "a=1&per_page=100&page=1",
        "a=1&per_page=100&page=2",
    ]
    with pytest.raises(ReviewError, match="not the answer of such an API"):
        list(Played(answer(200, {})).client().pages("/x"))


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "schlüssel", "nul\0"])
def test_a_token_that_no_header_can_hold_is_not_repeated(token: str) -> None:
    with pytest.raises(ReviewError, match="GITHUB_TOKEN: holds no token") as raised:
        checked_token(token, "GITHUB_TOKEN")
    assert token not in str(raised.value)
    assert checked_token(" good\n", "X") == "good"


@pytest.mark.parametrize(
    "url", ["ftp://x", "file:///etc/passwd", "https://", "https://user:pass@host/", "http://[", "api.github.com"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ReviewError) as raised:
        checked_url(url)
    assert "pass" not in str(raised.value)
    assert checked_url("https://github.example.org/api/v3/") == "https://github.example.org/api/v3"


def test_over_http() -> None:
    class Echo(Server):
        def answer(self, asked: object, query: dict[str, str]) -> Answer:
            return Answer(418, {"q": query}, (("X-Thing", "1"),))

    with serving(Echo()) as server:
        got = over_http(5)(Request("POST", f"{server.url}/x?a=b", {"A": "b"}, b"{}"))
        assert (got.status, got.headers["x-thing"], json.loads(got.body)) == (418, "1", {"q": {"a": "b"}})
        url = server.url
    with pytest.raises(LostError):
        over_http(1)(Request("GET", url, {}))


def redirecting(to: Callable[[Server], str]) -> Server:
    class Redirecting(Server):
        def answer(self, asked: object, query: dict[str, str]) -> Answer:
            return Answer(200, {}) if asked.path == "/there" else Answer(301, {}, (("Location", to(self)),))  # type: ignore[attr-defined]

    return Redirecting()


def test_a_token_goes_to_no_other_server(github: GitHub) -> None:
    with serving(redirecting(lambda _: f"{github.url}/there")) as server:
        assert over_http(5)(Request("GET", f"{server.url}/x", {"Authorization": "Bearer t"})).status == 301
    assert github.asked == []
    with serving(redirecting(lambda server: f"{server.url}/there")) as server:
        assert over_http(5)(Request("GET", f"{server.url}/x", {})).status == 200
        assert over_http(5)(Request("DELETE", f"{server.url}/x", {})).status == 301
