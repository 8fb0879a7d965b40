"""GitHub's refusals and the network's faults as our own errors, each with a sentence for the person who reads the log."""

import json
import re
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import httpx
from githubkit.exception import GitHubException, RequestError
from pydantic import ValidationError

from bot.errors import ConfigError, DeepRepoError, HostDown, HostError, HostLimited, HostRefused
from bot.github.pace import FIRST_WAIT

MAX_REFUSAL_CHARS = 300  # characters of GitHub's own words that are repeated
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)  # nothing has left this machine
# What may be asked twice. A change of a check run may not: it adds its annotations again. A token that is not revoked expires.
TWICE = re.compile(
    r"(?:GET|PUT) |DELETE (?!.*/token$)|PATCH (?!.*/check-runs/)|POST .*/(?:graphql|access_tokens|reactions|attempts)$"
)
OPAQUE = "not accessible by"  # GitHub's words for a permission that was not granted: they do not tell what to do
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:])")
LINE_END = re.compile(r"(?<![\s.:;,!?])\s*\n\s*(?=\S)")  # without a sign: what follows explains it
UNKNOWN_FORM = "GitHub sent a response in an unknown format"
MEANING = {
    401: "the key or token was rejected",
    403: "the App lacks the permission; an owner has to accept its permissions",
    404: "it does not exist, or the App is not installed there",
    409: "its state has changed",
    410: "it was deleted",
    422: "the request is invalid",
    451: "it is blocked for legal reasons",
}


class Repeatable(HostDown):
    """Another try does no harm: nothing has left this machine, or the request may be carried out twice."""


class Nameless(HostLimited):
    """A limit for which GitHub named no time."""


def failure(error: Exception) -> DeepRepoError:
    """Return our error for what the library raised. It holds neither the request nor the cause: both carry the token."""
    cause = error.exc if isinstance(error, RequestError) else error
    if isinstance(cause, DeepRepoError):
        return cause
    if isinstance(cause, httpx.LocalProtocolError | UnicodeError):
        return ConfigError("the key or token for GitHub contains invalid characters. Copy it again")
    if isinstance(cause, httpx.RequestError):
        if isinstance(cause, UNSENT):
            return Repeatable(f"GitHub cannot be reached for {route_of(cause.request)}: {type(cause).__name__}")
        return _down(cause.request, f"GitHub did not answer {route_of(cause.request)}: {type(cause).__name__}")
    if isinstance(cause, ValidationError | GitHubException):
        return unknown()
    return HostError(f"GitHub cannot be reached: {type(cause).__name__}")


def route_of(request: httpx.Request) -> str:
    """Return what is asked, for a sentence: "GET repos/o/n/pulls/1"."""
    path = re.sub(r"^/(?:api/v3/)?", "", request.url.path)
    return "a GraphQL request" if path.endswith("graphql") else f"{request.method} {path}"


def http_error(response: httpx.Response) -> HostError:
    """Return our error for an answer with a status of 400 or more."""
    status, words, what = response.status_code, _words(response), route_of(response.request)
    limited, seconds = _wait(status, response.headers, words)
    if limited:
        if seconds is None:
            return Nameless(f"GitHub asked us to wait: {words or what}", FIRST_WAIT)
        return HostLimited(f"GitHub asked us to wait for {seconds:.0f} s: {words or what}", seconds)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return _down(response.request, f"GitHub failed at {what} with {status}")
    return _refused(f"{what} with {status}", status, words, _fields(response))


def _refused(what: str, status: int, words: str, fields: frozenset[str] = frozenset()) -> HostRefused:
    """Our error for a refusal. What GitHub gives as its reason is that; what the status means is said where that does not tell."""
    is_told = (
        words and status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY} and OPAQUE not in words.lower()
    )
    meaning = "" if is_told else f", {MEANING.get(status, 'it is refused')}"
    return HostRefused(f"GitHub refused {what}{meaning}{f': “{words}”' if words else ''}", status, words, fields)


def graphql(response: httpx.Response) -> None:
    """Raise HostError if an answer of GraphQL has errors, which come with the status 200 and perhaps with a part of the data."""
    data = _json(response)
    if not isinstance(data, dict) or not (data.get("data") or data.get("errors")):
        raise unknown()
    faults = [fault for fault in data.get("errors") or () if isinstance(fault, dict)]
    if not faults:
        return
    what, kinds = route_of(response.request), {str(fault.get("type")) for fault in faults}
    words = "; ".join(str(fault.get("message")) for fault in faults)[:MAX_REFUSAL_CHARS]
    if kinds & {"RATE_LIMIT", "RATE_LIMITED"} or "rate limit" in words.lower():
        raise Nameless(f"GitHub asked us to wait: {words}", FIRST_WAIT)
    if kinds & {"SERVICE_UNAVAILABLE", "INTERNAL"} or words.lower().startswith("something went wrong"):
        raise Repeatable(f"GitHub failed at {what}: {words}")
    status = 404 if "NOT_FOUND" in kinds else 403 if "FORBIDDEN" in kinds else 422
    raise _refused(what, status, words)


def unknown(lacks: str = "") -> HostRefused:
    """Return our error for an answer that is not what was asked for. It may be a passing fault of something in between."""
    return HostRefused(f"{UNKNOWN_FORM}{f': {lacks} is missing' if lacks else ''}", HTTPStatus.OK)


def _down(request: httpx.Request, sentence: str) -> HostDown:
    """GitHub's failure at a request."""
    return (Repeatable if TWICE.match(f"{request.method} {request.url.path}") else HostDown)(sentence)


def _wait(status: int, headers: httpx.Headers, words: str) -> tuple[bool, float | None]:
    """Whether an answer is a rate limit, and how many seconds it asks to wait; None: it names no time."""
    words = words.lower()
    if status == HTTPStatus.UNPROCESSABLE_ENTITY:
        return "submitted too quickly" in words, None
    if status not in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
        return False, None
    asked, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if asked.isdecimal():
        return True, float(asked)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        now = time.time()
        with suppress(KeyError, ValueError):  # the clock that the reset time was read from
            now = parsedate_to_datetime(headers["date"]).timestamp()
        return True, max(0.0, float(reset) - now) + 1
    limit = "rate limit" in words or "abuse detection" in words
    return status == HTTPStatus.TOO_MANY_REQUESTS or limit, None


def _words(response: httpx.Response) -> str:
    """What GitHub gives as its reason, on one line: its errors, else its message. No address of a machine is in it: others read this too."""
    data, words = _json(response), list[str]()
    for error in _errors(data):
        message = error.get("message") or " ".join(str(error[key]) for key in ("field", "code") if error.get(key))
        words += [str(message)] if message else []
    if isinstance(data, dict) and data.get("message") and not words:
        words = [str(data["message"])]
    message = LINE_END.sub(": ", "; ".join(dict.fromkeys(words)).strip())
    return ADDRESS.sub("(an address)", " ".join(message.split()))[:MAX_REFUSAL_CHARS]


def _fields(response: httpx.Response) -> frozenset[str]:
    """The fields of the request that GitHub names in its errors."""
    return frozenset(str(error["field"]) for error in _errors(_json(response)) if error.get("field"))


def _errors(data: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """The errors of an answer: GitHub sends texts and objects."""
    errors = data.get("errors") if isinstance(data, dict) else None
    rows = errors if isinstance(errors, list) else [errors] if errors else []
    return [row if isinstance(row, dict) else {"message": str(row)} for row in rows]


def _json(response: httpx.Response) -> Any:  # noqa: ANN401 - JSON
    """The body, None where something in between answered with a page of its own."""
    with suppress(ValueError, RecursionError):
        return json.loads(response.content)
