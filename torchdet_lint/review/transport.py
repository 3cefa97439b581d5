"""HTTP, as little of it as REST clients need: one request, one response, by the standard library."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from http.client import HTTPException
from typing import IO, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from torchdet_lint.review.errors import ReviewError

TIMEOUT = 30.0
"""Seconds that a server may be silent."""


class Request(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


class Response(NamedTuple):
    """`headers` are by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Transport: TypeAlias = Callable[[Request], Response]
"""Sends a request. Raises LostError where no whole response comes."""


class LostError(Exception):
    """No response; whether the server has done what it was asked to is not known."""


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows redirects on the same server only, since the request carries a token."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2] or req.get_method() != "GET":
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def over_http(timeout: float = TIMEOUT) -> Transport:
    """The transport over the network; proxies are those of the environment."""
    opener = urllib.request.build_opener(_SameServer)

    def send(request: Request) -> Response:
        asked = urllib.request.Request(  # noqa: S310 (the scheme was checked by `checked_url`)
            request.url, data=request.body, headers=dict(request.headers), method=request.method
        )
        try:
            try:
                with opener.open(asked, timeout=timeout) as answer:
                    return Response(answer.status, _lower(answer.headers), answer.read())
            except urllib.error.HTTPError as error:
                with error:
                    return Response(error.code, _lower(error.headers), error.read())
        except urllib.error.URLError as error:
            raise LostError(str(error.reason)) from None
        except (OSError, HTTPException) as error:
            raise LostError(str(error) or type(error).__name__) from None

    return send


def checked_url(url: str) -> str:
    """The address of an API without a slash at its end. Raises ReviewError for what is none, without repeating secrets in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ReviewError("the address of the API cannot be read; it should be like https://api.github.com") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ReviewError(
            "the address of the API must begin with https:// and hold no user; it should be like https://api.github.com"
        )
    return url.rstrip("/")


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
