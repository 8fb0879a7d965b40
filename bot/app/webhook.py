"""Receive GitHub's webhook deliveries.

Verify the signature, read the payload, and store a job before answering.
Every comment is accepted here. A delivery doesn't say who has write access, so the limits on comments apply
in the job, which asks GitHub first.

If a person pushes too often, their changes are delayed, but never dropped. A review makes up to 60 of the
5,000 requests per hour that GitHub allows an installation. Pushes that arrive during a delay are reviewed
together. Jobs for closed pull requests are delayed in the same way.
"""

import asyncio
import json
import logging
import re
import time
from collections import Counter
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from githubkit import webhooks
from pydantic import SecretStr
from starlette.requests import ClientDisconnect

from bot import github
from bot.app.connections import BodyBuffer
from bot.app.logs import log
from bot.app.running_server import RunningServer
from bot.commands.context import WRITERS
from bot.errors import HostError, StorageError
from bot.review import written
from bot.storage.people import People
from bot.values import Cancel, CatchUp, CommandJob, IgnoredDelivery, Job, PullRef, ReviewJob
from bot.values.daily import DAY, HOUR
from bot.workflow import events

# A body must arrive in this time: github.com waits 10 seconds, GitHub Enterprise Server 30
BODY_SECONDS = 30.0
MAX_BODY_BYTES = 25 << 20  # GitHub sends no larger body
SMALL_BODY_BYTES = 512 << 10  # most of GitHub's bodies are much smaller, some tens of kilobytes
MAX_BUFFERED_BYTES = 48 << 20  # for each buffer: all bodies that are arriving at the same time
_EVENT_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SIGNATURE = re.compile(r"sha256=[0-9a-fA-F]{64}")
_GUID = re.compile(r"[A-Za-z0-9-]{1,64}")
UNSIGNED = "X-Hub-Signature-256 is missing or does not match the webhook secret"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
WRITER_CHANGES = 120  # changes per hour that a person with write access can make without delay
UNDELAYED_CHANGES = 12  # the same for a person without write access
# Timeout for asking GitHub about access; GitHub itself waits 10 seconds for our response
ACCESS_SECONDS = 3.0
DELAY_STEP, MAX_DELAY = 30.0, 900.0  # seconds of delay for each change above the limit, and the maximum
DeliveryOutcome = Literal["queued", "known", "ignored"]
_log = log("webhook")
router = APIRouter()


@router.post("/webhook")
async def webhook(request: Request) -> Response:
    """Handle one delivery. Answer 202 once its job is on disk, else with an error."""
    server: RunningServer = request.app.state.server
    try:
        raw = await request.app.state.bodies.read(request.headers, request.stream())
        start = time.perf_counter()
        arrival = read(request.headers, raw, server.secret)
        outcome, reason = await _take(server, arrival, request.app.state.admission)
    except HTTPException as refusal:
        return _refuse(server, refusal, request)
    except TimeoutError:
        return _refuse(server, HTTPException(HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time"), request)
    except ClientDisconnect:
        return _refuse(server, HTTPException(HTTPStatus.BAD_REQUEST, "the sender closed the connection"), request)
    seconds = time.perf_counter() - start
    server.metrics.delivery(arrival.event, outcome, seconds)
    # Check events that concern other apps arrive by the hundred, so ignored ones are only logged at debug
    # level.
    is_expected = outcome != "ignored" or (arrival.event in events.ACTIONS and not arrival.event.startswith("check_"))
    level = logging.INFO if is_expected else logging.DEBUG
    facts = {"delivery": arrival.guid, "outcome": outcome, "reason": reason or None}
    _log("delivery", level=level, event=arrival.event, action=arrival.action or None, ms=1000 * seconds, **facts)
    return JSONResponse({"delivery": arrival.guid, "outcome": outcome, "reason": reason}, HTTPStatus.ACCEPTED)


async def _take(server: RunningServer, arrival: "Delivery", admission: "Admission") -> tuple[DeliveryOutcome, str]:
    """Store a job for the delivery's request. Return the outcome, with the reason if the delivery is ignored.

    Raises HTTPException if the job cannot be stored.
    """
    job = events.read(arrival.event, arrival.payload, server.ours)
    if isinstance(job, CommandJob):  # what people typed is only stored masked
        also = tuple((word, written.of_typed_words(argument)) for word, argument in job.also)
        job = replace(job, argument=written.of_typed_words(job.argument), also=also)
    if isinstance(job, IgnoredDelivery):
        return "ignored", job.reason
    if isinstance(job, CatchUp):
        server.catch_up_now.set()
        return "queued", ""
    try:
        delay = await admission.delay(job, arrival.guid)
        fresh = await server.jobs.submit(job, arrival.guid, delay=delay)
    except StorageError as error:
        server.catch_up_now.set()
        _log("a delivery could not be stored", level=logging.ERROR, delivery=arrival.guid, reason=str(error))
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "the delivery could not be stored. Send it again") from None
    return "queued" if fresh else "known", ""


def _refuse(server: RunningServer, refusal: HTTPException, request: Request) -> Response:
    """The headers are not logged, because anyone can send a request."""
    status, reason = refusal.status_code, refusal.detail
    server.metrics.delivery("other", f"refused {status}")
    _log("refused", status=status, reason=reason, peer=request.client.host if request.client else None)
    headers = {"retry-after": "60"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    if request.headers.get("content-length", "x") not in {"", "0"}:
        headers["connection"] = "close"  # the rest of the body is not read
    return JSONResponse({"detail": reason}, status, headers)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event that GitHub delivered. A redelivery has the same `guid`."""

    event: str
    guid: str
    payload: Mapping[str, Any]

    @property
    def action(self) -> str:
        """The event's action, such as "opened", or "" if this event has none."""
        action = self.payload.get("action")
        return action if isinstance(action, str) and len(action) <= 64 else ""  # noqa: PLR2004 - actions are short


@dataclass(slots=True)
class Bodies:
    """Reads request bodies before their signature can be verified, so their senders may be anyone.

    Small and large bodies have separate memory limits, so large bodies cannot crowd out GitHub's deliveries.
    """

    small: BodyBuffer = field(default_factory=partial(BodyBuffer, MAX_BUFFERED_BYTES))
    large: BodyBuffer = field(default_factory=partial(BodyBuffer, MAX_BUFFERED_BYTES))

    async def read(self, headers: Mapping[str, str], chunks: AsyncIterable[bytes]) -> bytes:
        """Return the whole body.

        Raises HTTPException if the headers show that this is not a delivery, or as soon as the body is too
        long. Raises TimeoutError if the body arrives too slowly.
        """
        if not _SIGNATURE.fullmatch(headers.get("x-hub-signature-256", "")):
            raise HTTPException(HTTPStatus.UNAUTHORIZED, UNSIGNED)
        length = headers.get("content-length", str(MAX_BODY_BYTES))
        if not (length.isascii() and length.isdecimal()):
            raise HTTPException(HTTPStatus.BAD_REQUEST, "Content-Length is not a number")
        is_small = len(length) <= len(str(SMALL_BODY_BYTES)) and int(length) <= SMALL_BODY_BYTES
        body = None
        if len(length) <= len(str(MAX_BODY_BYTES)) and int(length) <= MAX_BODY_BYTES:
            buffer = self.small if is_small else self.large
            body = await buffer.read(chunks, SMALL_BODY_BYTES if is_small else MAX_BODY_BYTES, BODY_SECONDS)
        if body is None:
            raise HTTPException(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a delivery may not exceed {MAX_BODY_BYTES >> 20} MB"
            )
        return body


def read(headers: Mapping[str, str], raw: bytes, secret: SecretStr) -> Delivery:
    """Return the delivery in a request. Raises HTTPException if it is not valid."""
    if not has_valid_signature(secret.get_secret_value(), raw, headers.get("x-hub-signature-256")):
        raise HTTPException(HTTPStatus.UNAUTHORIZED, UNSIGNED)
    event, guid = headers.get("x-github-event", ""), headers.get("x-github-delivery", "")
    if not _EVENT_NAME.fullmatch(event):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "X-GitHub-Event is missing or invalid")
    if not _GUID.fullmatch(guid):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "X-GitHub-Delivery is missing or invalid")
    return Delivery(event, guid, _payload(headers.get("content-type", ""), raw))


def has_valid_signature(secret: str, raw: bytes, header: str | None) -> bool:
    """Return whether the signature header matches the body and the secret.

    The comparison takes constant time.
    githubkit also accepts SHA-1 signatures, so anything but SHA-256 is refused first.
    """
    if not header or not header.isascii() or not header.startswith("sha256="):
        return False
    return webhooks.verify(secret, raw, header)


def _payload(kind: str, raw: bytes) -> Mapping[str, Any]:
    """Return a body's JSON object. An App's settings on GitHub decide whether bodies are JSON or a form."""
    name = kind.partition(";")[0].strip().lower()
    if name not in {JSON, FORM}:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the content type is neither {JSON} nor {FORM}")
    try:
        text = raw.decode() if name == JSON else parse_qs(raw.decode("ascii"), strict_parsing=True)["payload"][0]
        payload = json.loads(text, parse_constant=_reject_constant)
    except KeyError:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the form has no field `payload`") from None
    except RecursionError:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the payload is nested too deeply") from None
    except ValueError:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the payload is not valid JSON") from None
    if not isinstance(payload, dict):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the payload is not a JSON object")
    return payload


def _reject_constant(name: str) -> None:
    raise ValueError(name)


@dataclass(slots=True)
class Admission:
    """Limits how many changes are accepted per hour, by installation and person.

    A redelivery is counted once.
    `may_write` asks GitHub, because a delivery can show a person with write access as an outsider. The counts
    cover this process only.
    """

    people: People
    may_write: Callable[[PullRef, str], Awaitable[bool]]
    _hour: int = 0  # hours since 1970
    _deliveries: set[str] = field(default_factory=set)
    # By (installation, login), and strangers by installation
    _counts: Counter[object] = field(default_factory=Counter)
    _writers: dict[tuple[int, str], bool] = field(default_factory=dict)  # by repository and login

    async def delay(self, job: Job, delivery: str, now: float | None = None) -> float | None:
        """Count a person's change, and return its delay in seconds, or None for the usual delay.

        Raises StorageError.
        """
        now = time.time() if now is None else now
        if self._hour != now // HOUR:
            self._hour = int(now // HOUR)
            self._deliveries.clear()
            self._counts.clear()
            self._writers.clear()
        if not isinstance(job, ReviewJob | Cancel) or not job.actor or delivery in self._deliveries:
            return None
        who, scope = (job.pull.repository, job.actor), job.pull.installation
        is_writer = not job.stranger or self._writers.get(who)
        is_stranger = not (is_writer or await self.people.is_writer(job.pull, job.actor, now - DAY))
        above = max(self._counts[scope, job.actor], self._counts[scope] // 4) - UNDELAYED_CHANGES
        if is_stranger and above > 0 and who not in self._writers:
            self._writers[who] = await self.may_write(job.pull, job.actor)
            if self._writers[who]:
                is_stranger = False
                self._counts[scope] -= self._counts[scope, job.actor]
        by_actor = self._counts[scope, job.actor]
        self._deliveries.add(delivery)
        self._counts.update([(scope, job.actor), *([scope] if is_stranger else [])])
        if not is_stranger:
            return DELAY_STEP if by_actor >= WRITER_CHANGES else None
        return min(MAX_DELAY, DELAY_STEP * above) if above > 0 else None


async def may_write(server: RunningServer, pull: PullRef, login: str) -> bool:
    """Return whether GitHub confirms in time that a person has write access."""
    with suppress(HostError, TimeoutError):
        async with asyncio.timeout(ACCESS_SECONDS), github.open_pull(server.identity, pull, server.pace) as host:
            return await host.permission(login) in WRITERS
    return False
