"""A client of a JSON API: pages, patience with a server that is busy, and errors in one line that hold no token."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from torchdet_lint.review.errors import RefusedError, ReviewError
from torchdet_lint.review.transport import LostError, Request, Response, Transport

TRIES = 5
LONGEST_WAIT = 120.0
"""Seconds between two tries. A server that asks for more is not waited for."""

UNSAID_WAIT = 60.0
"""Seconds to wait under a secondary rate limit that does not say how long it lasts: "at least one minute"
(https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
"""

PAGE = 100
MOST_PAGES = 100

_BUSY = (429, 500, 502, 503, 504)


class StatusError(ReviewError):
    """An answer that is none: `status` and what the server says."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Client:
    """`base` is the address that paths are added to; `headers` go with every request, those that authenticate among them."""

    transport: Transport
    base: str
    headers: Mapping[str, str]
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time

    def get(self, path: str) -> Any:
        return _value(self._send("GET", path, None))

    def send(self, method: str, path: str, value: Any = None) -> Any:
        """Raises StatusError, and RefusedError for 403 and 404."""
        try:
            return _value(self._send(method, path, value))
        except StatusError as error:
            if error.status in (403, 404):
                raise RefusedError(str(error)) from None
            raise

    def remove(self, path: str) -> None:
        """Deletes something, if it is there and ours to delete."""
        try:
            self.send("DELETE", path)
        except RefusedError:
            pass

    def pages(self, path: str) -> Iterator[Any]:
        """Every element of a list that comes in pages, which `page` and `per_page` choose. Raises StatusError."""
        joint = "&" if "?" in path else "?"
        for number in range(1, MOST_PAGES + 1):
            found = self.get(f"{path}{joint}per_page={PAGE}&page={number}")
            if not isinstance(found, list):
                raise ReviewError(f"{self.base}{path}: not the answer of such an API; is the address right?")
            yield from found
            if len(found) < PAGE:
                return

    def _send(self, method: str, path: str, value: Any) -> Response:
        body = None if value is None else json.dumps(value).encode()
        headers = {**self.headers, **({} if body is None else {"Content-Type": "application/json"})}
        request = Request(method, self.base + path, headers, body)
        for attempt in range(1, TRIES + 1):
            try:
                response = self.transport(request)
            except LostError as error:
                # What may have been written already is not written again.
                if method == "POST" or attempt == TRIES:
                    raise ReviewError(f"{self.base}: no answer: {error}; try again later") from None
                self.sleep(2.0 ** (attempt - 1))
                continue
            if response.status < 300:
                return response
            wait = self._wait(response, attempt)
            if wait is None or attempt == TRIES or wait > LONGEST_WAIT:
                raise StatusError(response.status, self._told(request, response, wait))
            self.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _wait(self, response: Response, attempt: int) -> float | None:
        """Seconds until another try makes sense; None where none does."""
        limited = response.status in (403, 429) and _is_rate_limit(response)
        if response.status not in _BUSY and not limited:
            return None
        headers = response.headers
        if (after := _seconds(headers.get("retry-after"), self.clock())) is not None:
            return after
        reset = headers.get("x-ratelimit-reset") or headers.get("ratelimit-reset") or ""
        if "0" in (headers.get("x-ratelimit-remaining"), headers.get("ratelimit-remaining")) and reset.isdigit():
            return max(1.0, float(reset) - self.clock())
        return UNSAID_WAIT * 2.0 ** (attempt - 1) if limited and response.status == 403 else 2.0**attempt

    def _told(self, request: Request, response: Response, wait: float | None) -> str:
        where = f"{request.method} {request.url.partition('?')[0]}"
        if response.status == 401:
            return f"{where}: the token is not accepted (401); is it the right one, and still valid?"
        if 300 <= response.status < 400:
            return f"{where}: has moved ({response.status}); name the repository by its present name"
        if wait is not None and wait > LONGEST_WAIT:
            return f"{where}: the server asks to wait {wait:.0f} s ({response.status}); try again later"
        return f"{where}: {response.status}{_reason(response)}"


def checked_token(token: str, where: str) -> str:
    """The token. Raises ReviewError, which does not repeat it, for what no header can hold."""
    token = token.strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ReviewError(f"{where}: holds no token: white space or a character that is not ASCII is in it")
    return token


def _is_rate_limit(response: Response) -> bool:
    if (
        response.status == 429
        or "retry-after" in response.headers
        or response.headers.get("x-ratelimit-remaining") == "0"
    ):
        return True
    return any(word in response.body.lower() for word in (b"rate limit", b"abuse detection"))


def _seconds(text: str | None, now: float) -> float | None:
    """What `Retry-After` says: a number of seconds, or a date (RFC 9110, 10.2.3)."""
    if text is None:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError):
        return None


def _value(response: Response) -> Any:
    if not response.body.strip():
        return None
    try:
        return json.loads(response.body)
    except ValueError:
        raise ReviewError(
            "the server answers with something that is no JSON; is the address of the API right?"
        ) from None


def _reason(response: Response) -> str:
    """What the server says about it, on one line and not at length."""
    try:
        said = json.loads(response.body)
    except ValueError:
        return ""
    parts = [said.get("message"), said.get("error"), said.get("errors")] if isinstance(said, dict) else []
    text = "; ".join(part if isinstance(part, str) else json.dumps(part) for part in parts if part)
    return f": {' '.join(text.split())[:300]}" if text else ""
