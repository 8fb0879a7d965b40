"""Convert GitHub's JSON to our values, and its errors to our exceptions, with a message for the log."""

import json
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar, cast

import httpx
from githubkit.exception import GitHubException, RequestError
from githubkit.utils import UNSET
from pydantic import TypeAdapter, ValidationError

from bot.errors import ConfigError, DeepRepoError, HostDown, HostError, HostLimited, HostLocked, HostRefused
from bot.values import BotIdentity, CommentKind, PostedComment, PullFacts, RepositoryFacts

Value = TypeVar("Value")
_adapter: Callable[[type], TypeAdapter[Any]] = cache(TypeAdapter)
# For each value class, the JSON paths of the fields that have another name on GitHub
PULL = {
    "author": "user.login",
    "author_type": "user.type",
    "base_ref": "base.ref",
    "base_sha": "base.sha",
    "head_ref": "head.ref",
    "head_repository": "head.repo.id",
    "head_sha": "head.sha",
    "url": "html_url",
}
BASE_REPOSITORY = {
    "name": "base.repo.full_name",
    "pages": "base.repo.html_url",
    "default_branch": "base.repo.default_branch",
    "private": "base.repo.private",
}
POSTED = {"author": "user.login", "url": "html_url", "head": "commit_id"}


def at(data: Any, path: str) -> Any:  # noqa: ANN401 - JSON
    """Return the field at a dotted path.

    Return None if it or its parent is null, and UNSET if it is missing.
    """
    for name in path.split("."):
        if not isinstance(data, dict):
            return None if data is None else UNSET
        data = data.get(name, UNSET)
    return data


def value(kind: type[Value], data: Any, paths: Mapping[str, str] | None = None, /, **more: object) -> Value:  # noqa: ANN401 - JSON
    """Create a dataclass instance from JSON. Raises HostRefused if the data is unexpected.

    `paths` are the JSON paths of fields with another name, and `more` are the values of fields that are not
    in the JSON. If a string is null, it becomes "".
    """
    form, json_paths, values = cast("Any", kind), paths or {}, dict[str, object]()
    for field in fields(form):
        found = more[field.name] if field.name in more else at(data, json_paths.get(field.name, field.name))
        if found is not UNSET and (found is not None or field.type is str):
            values[field.name] = "" if found is None else found
    try:
        return cast("Value", _adapter(form).validate_python(values))
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise unknown(f"{kind.__name__} {json_paths.get(name, name)}") from None


def pull(data: Any) -> PullFacts:  # noqa: ANN401 - JSON
    """Return a pull request from JSON. It counts as coming from a fork even if the fork was deleted."""
    labels = [at(label, "name") for label in at(data, "labels") or ()]
    fork = at(data, "head.repo.id") != at(data, "base.repo.id")
    repository = value(RepositoryFacts, data, BASE_REPOSITORY)
    return value(PullFacts, data, PULL, labels=labels, fork=fork, repository=repository)


def read_comment(data: Any, kind: CommentKind, bot_identity: BotIdentity) -> PostedComment:  # noqa: ANN401 - JSON
    """Return a comment or review from JSON. The author is "" if their account was deleted."""
    login, author, app = at(data, "user.login"), at(data, "user.type"), at(data, "performed_via_github_app.id")
    created = at(data, "submitted_at" if kind == "whole" else "created_at")
    return value(
        PostedComment,
        data,
        POSTED,
        kind=kind,
        bot=author == "Bot",
        ours=bot_identity.wrote(login, author, app) and bot_identity.is_in_scope(at(data, "body") or ""),
        created_at=created or "",
        is_outdated=kind == "review" and at(data, "subject_type") != "file" and not isinstance(at(data, "line"), int),
        thread=(at(data, "in_reply_to_id") or at(data, "id")) if kind == "review" else 0,
    )


FIRST_WAIT, MAX_WAIT = 60.0, 3600.0
MAX_REFUSAL_CHARS = 300  # characters quoted from GitHub's messages
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)  # errors before anything was sent
# Requests that are safe to retry. Updating a check run is not, because that would add its annotations again.
# Revoking a token isn't retried either, because the token expires anyway.
RETRYABLE_REQUEST = re.compile(
    r"(?:GET|PUT) |DELETE (?!.*/token$)|PATCH (?!.*/check-runs/)|POST .*/(?:graphql|access_tokens|reactions|attempts)$"
)
LOCKED = re.compile(r"\bissue is locked\b|\block prevents\b")  # GitHub's words for a locked conversation
NO_COMMENTS = "The conversation is locked, so GitHub accepts no comments from deeprepo. Unlock it, then comment `/deeprepo review`."
OPAQUE = "not accessible by"  # GitHub's words for a missing permission, which do not say what to do
PERMISSIONS = "x-accepted-github-permissions"  # the header that names the missing ones
IP_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:])")
LINE_END = re.compile(r"(?<![\s.:;,!?])\s*\n\s*(?=\S)")  # a line break without punctuation before it
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


class RetryableError(HostDown):
    """A failure after which a retry is safe, because nothing was sent or the request can be repeated."""


class LimitWithoutTimeError(HostLimited):
    """A rate limit for which GitHub gave no time to wait."""


def failure(error: Exception) -> DeepRepoError:
    """Return our error for one of githubkit's.

    It contains neither the request nor its cause: both contain the token.
    """
    cause = error.exc if isinstance(error, RequestError) else error
    if isinstance(cause, DeepRepoError):
        return cause
    if isinstance(cause, httpx.LocalProtocolError | UnicodeError):
        return ConfigError("the key or token for GitHub contains invalid characters. Copy it again")
    if isinstance(cause, httpx.RequestError):
        if isinstance(cause, UNSENT):
            return RetryableError(f"GitHub cannot be reached for {route_of(cause.request)}: {type(cause).__name__}")
        return _down(cause.request, f"GitHub did not answer {route_of(cause.request)}: {type(cause).__name__}")
    if isinstance(cause, ValidationError | GitHubException):
        return unknown()
    return HostError(f"GitHub cannot be reached: {type(cause).__name__}")


def route_of(request: httpx.Request) -> str:
    """Return the request's route for a message, such as "GET repos/o/n/pulls/1"."""
    path = re.sub(r"^/(?:api/v3/)?", "", request.url.path)
    return "a GraphQL request" if path.endswith("graphql") else f"{request.method} {path}"


def http_error(response: httpx.Response) -> HostError:
    """Return our error for a response with a status of 400 or more."""
    status, words, what = response.status_code, _words(response), route_of(response.request)
    limited, seconds = _wait(status, response.headers, words)
    if limited:
        if seconds is None:
            return LimitWithoutTimeError(f"GitHub asked us to wait: {words or what}", FIRST_WAIT)
        return HostLimited(f"GitHub asked us to wait for {seconds:.0f} s: {words or what}", seconds)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return _down(response.request, f"GitHub failed at {what} with {status}")
    lacks = OPAQUE in words.lower() or PERMISSIONS in response.headers
    return _refused(f"{what} with {status}", status, words, _fields(response), lacks_permission=lacks)


def _refused(
    what: str, status: int, words: str, fields: frozenset[str] = frozenset(), *, lacks_permission: bool = True
) -> HostRefused:
    """Return our error for a refusal, with GitHub's reason, or the status's meaning if that is unclear.

    Without a word about permissions, a 403 may be an incident at GitHub, which passes.
    """
    if status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY} and LOCKED.search(words):
        return HostLocked(NO_COMMENTS, status, words, fields)
    is_clear = (
        words and status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY} and OPAQUE not in words.lower()
    )
    may_pass = status == HTTPStatus.FORBIDDEN and not lacks_permission
    meaning = "" if is_clear or may_pass else f", {MEANING.get(status, 'it is refused')}"
    told = f"GitHub refused {what}{meaning}{f': “{words}”' if words else ''}"
    return HostRefused(told, status, words, fields, may_pass=may_pass)


def graphql(response: httpx.Response) -> None:
    """Raise HostError if a GraphQL response has errors, which come with status 200 and partial data."""
    data = _json(response)
    if not isinstance(data, dict) or not (data.get("data") or data.get("errors")):
        raise unknown()
    faults = [fault for fault in data.get("errors") or () if isinstance(fault, dict)]
    if not faults:
        return
    what, kinds = route_of(response.request), {str(fault.get("type")) for fault in faults}
    words = "; ".join(str(fault.get("message")) for fault in faults)[:MAX_REFUSAL_CHARS]
    if kinds & {"RATE_LIMIT", "RATE_LIMITED"} or "rate limit" in words.lower():
        raise LimitWithoutTimeError(f"GitHub asked us to wait: {words}", FIRST_WAIT)
    if kinds & {"SERVICE_UNAVAILABLE", "INTERNAL"} or words.lower().startswith("something went wrong"):
        raise RetryableError(f"GitHub failed at {what}: {words}")
    status = 404 if "NOT_FOUND" in kinds else 403 if "FORBIDDEN" in kinds else 422
    raise _refused(what, status, words)


def unknown(lacks: str = "") -> HostRefused:
    """Return our error for a response in an unknown format. `lacks` says what is missing in the response."""
    return HostRefused(f"{UNKNOWN_FORM}{f': {lacks} is missing' if lacks else ''}", HTTPStatus.OK)


def _down(request: httpx.Request, sentence: str) -> HostDown:
    """Return our error for a request that GitHub failed to answer. It says whether a retry is safe."""
    return (RetryableError if RETRYABLE_REQUEST.match(f"{request.method} {request.url.path}") else HostDown)(sentence)


def _wait(status: int, headers: httpx.Headers, words: str) -> tuple[bool, float | None]:
    """Return whether a response is a rate limit, and the seconds to wait (None if it gives no time)."""
    words = words.lower()
    if status == HTTPStatus.UNPROCESSABLE_ENTITY:
        return "submitted too quickly" in words, None
    if status not in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
        return False, None
    retry_after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if retry_after.isdecimal():
        return True, float(retry_after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        github_now = time.time() - clock_ahead(headers)  # the reset time refers to GitHub's clock
        return True, max(0.0, float(reset) - github_now) + 1
    limit = "rate limit" in words or "abuse detection" in words
    return status == HTTPStatus.TOO_MANY_REQUESTS or limit, None


def clock_ahead(headers: Mapping[str, str]) -> float:
    """Return by how many seconds our clock is ahead of GitHub's, or 0 if the response has no date."""
    try:
        return time.time() - parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return 0.0


def _words(response: httpx.Response) -> str:
    """Return GitHub's reason on one line, from the response's errors or message, without IP addresses."""
    data, words = _json(response), list[str]()
    for error in _errors(data):
        message = error.get("message") or " ".join(str(error[key]) for key in ("field", "code") if error.get(key))
        words += [str(message)] if message else []
    if isinstance(data, dict) and data.get("message") and not words:
        words = [str(data["message"])]
    message = LINE_END.sub(": ", "; ".join(dict.fromkeys(words)).strip())
    return IP_ADDRESS.sub("(an address)", " ".join(message.split()))[:MAX_REFUSAL_CHARS]


def _fields(response: httpx.Response) -> frozenset[str]:
    return frozenset(str(error["field"]) for error in _errors(_json(response)) if error.get("field"))


def _errors(data: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """GitHub also sends errors as plain strings."""
    errors = data.get("errors") if isinstance(data, dict) else None
    rows = errors if isinstance(errors, list) else [errors] if errors else []
    return [row if isinstance(row, dict) else {"message": str(row)} for row in rows]


def _json(response: httpx.Response) -> Any:  # noqa: ANN401 - JSON
    """Return the body's JSON, or None if it is not JSON, as when a proxy answers with its own page."""
    with suppress(ValueError, RecursionError):
        return json.loads(response.content)
