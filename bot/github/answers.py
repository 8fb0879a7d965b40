"""GitHub's refusals and the network's faults as our own errors, each with a sentence for the person who reads the log."""

import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import HostDown, HostError, HostLimited, HostRefused
from bot.github.pace import UNNAMED

LONGEST = 300  # characters of GitHub's own words that are repeated
UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)  # nothing has left this machine
MEANING = {
    401: "our key or token is not accepted",
    403: "the App may not do this; an owner has to accept its permissions",
    404: "it does not exist (any more), or the App is not installed there",
    409: "it is in another state now",
    410: "it is gone",
    422: "it cannot be carried out",
    451: "it is blocked for legal reasons",
}


class Unsent(HostDown):
    """No connection came about, so nothing can have been written."""


class Unnamed(HostLimited):
    """A limit for which GitHub named no time."""

    def __init__(self, message: str) -> None:
        super().__init__(message, UNNAMED)


class _Fault(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    type: str | None = None
    message: str


class _GraphQL(BaseModel):
    """What every answer of GraphQL has: data or errors, and the status 200 in any case."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    data: dict[str, Any] | None = None
    errors: list[_Fault] | None = None


def graphql_data(answer: httpx2.Response, what: str) -> dict[str, Any]:
    """The data of an answer. Raises HostError if there are errors, also if they come with a part of the data."""
    try:
        read = _GraphQL.model_validate_json(answer.content)
    except ValidationError:
        read = _GraphQL()
    if read.errors:
        raise _faulty([(fault.type or "", fault.message) for fault in read.errors], what)
    if read.data is None:
        raise HostError(f"GitHub answered {what} in a form that is not known")
    return read.data


def unanswered(cause: Exception, what: str) -> HostDown:
    """No answer came. `what` was asked: "GET /repos/o/n/pulls/1"."""
    if isinstance(cause, UNSENT):
        return Unsent(f"GitHub cannot be reached for {what}: {type(cause).__name__}")
    return HostDown(f"GitHub did not answer {what}: {type(cause).__name__}")


def wait(status: int, headers: httpx2.Headers, message: str) -> tuple[bool, float | None]:
    """Whether an answer is a rate limit, and how many seconds it asks to wait; None: it does not say."""
    said = message.lower()
    if status == HTTPStatus.UNPROCESSABLE_ENTITY:
        return "submitted too quickly" in said, None
    if status not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS):
        return False, None
    asked = headers.get("retry-after", "")
    if asked.isdigit():
        return True, float(asked)
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdigit():
        return True, max(0.0, float(headers["x-ratelimit-reset"]) - _server_time(headers)) + 1
    limit = "rate limit" in said or "abuse detection" in said
    return status == HTTPStatus.TOO_MANY_REQUESTS or limit, None


def refused(response: httpx2.Response, what: str) -> HostError:
    """Our error for an answer with a status of 400 or more."""
    status, said = response.status_code, message(response)
    limited, seconds = wait(status, response.headers, said)
    if limited:
        if seconds is None:
            return Unnamed(f"GitHub asks to wait: {said or what}")
        return HostLimited(f"GitHub asks to wait for {seconds:.0f} s: {said or what}", seconds)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return HostDown(f"GitHub failed at {what} with {status}")
    meaning = MEANING.get(status, "it is refused")
    return HostRefused(f"GitHub refuses {what} with {status}, {meaning}{f': {said}' if said else ''}", status)


def message(response: httpx2.Response) -> str:
    """What GitHub says of its refusal, on one line."""
    try:
        data: Any = response.json()
    except ValueError:  # an error page of something in between
        return ""
    if not isinstance(data, dict):
        return ""
    errors = data.get("errors")
    parts = [data.get("message"), *(errors if isinstance(errors, list) else [errors])]
    words = [part.get("message") or part.get("code") if isinstance(part, dict) else part for part in parts]
    return " ".join("; ".join(str(word) for word in words if word).split())[:LONGEST]


def _faulty(errors: list[tuple[str, str]], what: str) -> HostError:
    said = "; ".join(text for _, text in errors)[:LONGEST]
    kinds = {kind for kind, _ in errors}
    if kinds & {"RATE_LIMIT", "RATE_LIMITED"} or "rate limit" in said.lower():
        return Unnamed(f"GitHub asks to wait: {said}")
    if kinds & {"SERVICE_UNAVAILABLE", "INTERNAL"} or said.lower().startswith("something went wrong"):
        return HostDown(f"GitHub failed at {what}: {said}")
    status = 404 if "NOT_FOUND" in kinds else 403 if "FORBIDDEN" in kinds else 422
    return HostRefused(f"GitHub refuses {what}, {MEANING[status]}: {said}", status)


def _server_time(headers: httpx2.Headers) -> float:
    """The clock that the reset time was read from."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return time.time()
