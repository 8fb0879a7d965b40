"""The deliveries of GitHub: verified, read, and stored before they are answered. Nothing is believed before its signature.

Every comment is accepted here. A delivery doesn't say who has write access, so the limits on comments apply in the job, after GitHub was asked.

Changes are never dropped, but delayed: a review costs up to sixty of the 5,000 requests that GitHub grants an installation in an hour, and the
pushes that arrive during a delay become one review. What closing leaves to do at GitHub is delayed in the same way.
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
from bot.values import Ask, Cancel, CatchUp, CommandAsk, IgnoredDelivery, PullRef, Retitled, ReviewAsk
from bot.values.daily import DAY, HOUR
from bot.workflow import events
from bot.workflow.hooks import hooks

BODY_SECONDS = 30.0  # seconds for a body: GitHub itself waits for ten, a GitHub Enterprise Server for thirty
MAX_BODY_BYTES = 25 << 20  # bytes of a body; GitHub sends no more
SMALL_BODY_BYTES = 512 << 10  # bytes of a small body: GitHub's have some tens of kilobytes
MOST_TOGETHER = 48 << 20  # bytes of all bodies of one room that are arriving at one time
_EVENT_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SIGNATURE = re.compile(r"sha256=[0-9a-fA-F]{64}")
_GUID = re.compile(r"[A-Za-z0-9-]{1,64}")
UNSIGNED = "X-Hub-Signature-256 is missing or does not match the webhook secret"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
CHANGES = 120  # changes of a person without delay
UNDELAYED_CHANGES = 12  # changes of a stranger without delay
ACCESS_SECONDS = 3.0  # seconds for a question about access, of the ten that GitHub waits for an answer
DELAY_STEP, MAX_DELAY = 30.0, 900.0  # seconds for each further one, and at most
DeliveryOutcome = Literal["queued", "known", "ignored"]
_log = log("webhook")
router = APIRouter()


@router.post("/webhook")
async def webhook(request: Request) -> Response:
    """Take one delivery of GitHub's, and answer 202 once what it asks for is on disk."""
    server: RunningServer = request.app.state.server
    try:
        raw = await request.app.state.bodies.read(request.headers, request.stream())
        start = time.perf_counter()
        arrival = read(request.headers, raw, server.secret)
        outcome, reason = await _take(server, arrival, request.app.state.admission)
    except HTTPException as refusal:
        return _refuse(server, refusal, request)
    except TimeoutError:
        return _refuse(server, HTTPException(408, "the body did not arrive in time"), request)
    except ClientDisconnect:
        return _refuse(server, HTTPException(400, "the sender closed the connection"), request)
    seconds = time.perf_counter() - start
    server.metrics.delivery(arrival.event, outcome, seconds)
    # Of what asks for nothing, the checks of others come by the hundred.
    is_expected = outcome != "ignored" or (arrival.event in events.ACTIONS and not arrival.event.startswith("check_"))
    level = logging.INFO if is_expected else logging.DEBUG
    facts = {"delivery": arrival.guid, "outcome": outcome, "reason": reason or None}
    _log("delivery", level=level, event=arrival.event, action=arrival.action or None, ms=1000 * seconds, **facts)
    return JSONResponse({"delivery": arrival.guid, "outcome": outcome, "reason": reason}, 202)


async def _take(server: RunningServer, arrival: "Delivery", admission: "Admission") -> tuple[DeliveryOutcome, str]:
    """Store what a delivery asks for until it is done, or say why it is ignored. Raises HTTPException where it cannot be stored."""
    ask = events.read(arrival.event, arrival.payload, server.ours)
    if isinstance(ask, CommandAsk):  # it is stored until it is carried out
        also = tuple((word, written.of_typed_words(argument)) for word, argument in ask.also)
        ask = replace(ask, argument=written.of_typed_words(ask.argument), also=also)
    if isinstance(ask, IgnoredDelivery):
        return "ignored", ask.reason
    if isinstance(ask, CatchUp):
        server.is_called.set()
        return "queued", ""
    if unwanted := next(filter(None, (hook.refusal(ask, server.operator) for hook in hooks())), ""):
        return "ignored", unwanted
    try:
        delay = await admission.delay(ask, arrival.guid)
        fresh = await server.jobs.submit(ask, arrival.guid, delay=delay)
    except StorageError as error:
        _log("a delivery could not be stored", level=logging.ERROR, delivery=arrival.guid, reason=str(error))
        raise HTTPException(503, "the delivery could not be stored. Send it again") from None
    return "queued" if fresh else "known", ""


def _refuse(server: RunningServer, refusal: HTTPException, request: Request) -> Response:
    """Return the answer to a refused request.

    Its headers come from a stranger, so they are not logged.

    The connection ends, and the rest of the body is not read.
    """
    status, reason = refusal.status_code, refusal.detail
    server.metrics.delivery("other", f"refused {status}")
    _log("refused", status=status, reason=reason, peer=request.client.host if request.client else None)
    more = {"retry-after": "60"} if status == 503 else {}  # noqa: PLR2004 - come again
    if request.headers.get("content-length", "x") not in {"", "0"}:
        more["connection"] = "close"  # what is left of the body is not read
    return JSONResponse({"detail": reason}, status, more)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What GitHub says has happened. A redelivery has the same `guid`."""

    event: str
    guid: str
    payload: Mapping[str, Any]

    @property
    def action(self) -> str:
        """What kind of the event, "" where it has no kinds."""
        action = self.payload.get("action")
        return action if isinstance(action, str) and len(action) <= 64 else ""  # noqa: PLR2004 - a word, not a text


@dataclass(slots=True)
class Bodies:
    """The bodies that are arriving, of senders who may merely imitate the form of a signature: small ones have a room of their own."""

    small: BodyBuffer = field(default_factory=partial(BodyBuffer, MOST_TOGETHER))
    large: BodyBuffer = field(default_factory=partial(BodyBuffer, MOST_TOGETHER))

    async def read(self, headers: Mapping[str, str], chunks: AsyncIterable[bytes]) -> bytes:
        """Return the whole body. Raises HTTPException before it is read if it cannot be a delivery, and as soon as it is known to be too long."""
        if not _SIGNATURE.fullmatch(headers.get("x-hub-signature-256", "")):
            raise HTTPException(401, UNSIGNED)
        length = headers.get("content-length", str(MAX_BODY_BYTES))
        if not (length.isascii() and length.isdecimal()):
            raise HTTPException(400, "Content-Length is not a number")
        is_small = len(length) <= len(str(SMALL_BODY_BYTES)) and int(length) <= SMALL_BODY_BYTES
        body = None
        if len(length) <= len(str(MAX_BODY_BYTES)) and int(length) <= MAX_BODY_BYTES:
            room = self.small if is_small else self.large
            body = await room.read(chunks, SMALL_BODY_BYTES if is_small else MAX_BODY_BYTES, BODY_SECONDS)
        if body is None:
            raise HTTPException(413, f"a delivery may not exceed {MAX_BODY_BYTES >> 20} MB")
        return body


def read(headers: Mapping[str, str], raw: bytes, secret: SecretStr) -> Delivery:
    """Return the delivery, if GitHub has sent it. Raises HTTPException."""
    if not genuine(secret.get_secret_value(), raw, headers.get("x-hub-signature-256")):
        raise HTTPException(401, UNSIGNED)
    event, guid = headers.get("x-github-event", ""), headers.get("x-github-delivery", "")
    if not _EVENT_NAME.fullmatch(event):
        raise HTTPException(400, "X-GitHub-Event is missing or invalid")
    if not _GUID.fullmatch(guid):
        raise HTTPException(400, "X-GitHub-Delivery is missing or invalid")
    return Delivery(event, guid, _payload(headers.get("content-type", ""), raw))


def genuine(secret: str, raw: bytes, header: str | None) -> bool:
    """Return whether the signature was made with the secret, over these very bytes. Takes the same time for each wrong one.

    githubkit also verifies signatures made with SHA-1: those are refused before.
    """
    if not header or not header.isascii() or not header.startswith("sha256="):
        return False
    return webhooks.verify(secret, raw, header)


def _payload(kind: str, raw: bytes) -> Mapping[str, Any]:
    """The JSON object of a body, in either of the forms that an App can choose at GitHub."""
    name = kind.partition(";")[0].strip().lower()
    if name not in {JSON, FORM}:
        raise HTTPException(415, f"the content type is neither {JSON} nor {FORM}")
    try:
        text = raw.decode() if name == JSON else parse_qs(raw.decode("ascii"), strict_parsing=True)["payload"][0]
        payload = json.loads(text, parse_constant=_reject_constant)
    except KeyError:
        raise HTTPException(400, "the form has no field `payload`") from None
    except RecursionError:
        raise HTTPException(400, "the payload is nested too deeply") from None
    except ValueError:
        raise HTTPException(400, "the payload is not valid JSON") from None
    if not isinstance(payload, dict):
        raise HTTPException(400, "the payload is not a JSON object")
    return payload


def _reject_constant(name: str) -> None:
    raise ValueError(name)


@dataclass(slots=True)
class Admission:
    """The changes that this process accepted in this hour, by installation and person. A copy of a delivery counts once.

    `may_write` asks GitHub, because a delivery may call a person with write access a stranger.
    """

    people: People
    may_write: Callable[[PullRef, str], Awaitable[bool]]
    _hour: int = 0  # since 1970
    _deliveries: set[str] = field(default_factory=set)
    _counts: Counter[object] = field(default_factory=Counter)
    _writers: dict[tuple[int, str], bool] = field(default_factory=dict)  # by repository and login

    async def delay(self, ask: Ask, delivery: str, now: float | None = None) -> float | None:
        """Count a person's change and return how long it waits, in seconds; None for the usual delay. Raises StorageError."""
        now = time.time() if now is None else now
        if self._hour != now // HOUR:
            self._hour = int(now // HOUR)
            self._deliveries.clear()
            self._counts.clear()
            self._writers.clear()
        if not isinstance(ask, ReviewAsk | Retitled | Cancel) or not ask.actor or delivery in self._deliveries:
            return None
        who, scope = (ask.pull.repository, ask.actor), ask.pull.installation
        is_writer = not ask.stranger or self._writers.get(who)
        is_stranger = not (is_writer or await self.people.is_writer(ask.pull, ask.actor, now - DAY))
        above = self._above(scope, ask.actor)
        if is_stranger and above > 0 and who not in self._writers:
            self._writers[who] = await self.may_write(ask.pull, ask.actor)
            if self._writers[who]:
                is_stranger = False
                self._counts[scope] -= self._counts[scope, ask.actor]
        by_actor = self._counts[scope, ask.actor]
        self._deliveries.add(delivery)
        self._counts.update([(scope, ask.actor), *([scope] if is_stranger else [])])
        if not is_stranger:
            return DELAY_STEP if by_actor >= CHANGES else None
        return min(MAX_DELAY, DELAY_STEP * above) if above > 0 else None

    def _above(self, scope: int, actor: str) -> int:
        """Return by how many changes a stranger is above the undelayed ones."""
        return max(self._counts[scope, actor], self._counts[scope] // 4) - UNDELAYED_CHANGES


async def may_write(server: RunningServer, pull: PullRef, login: str) -> bool:
    """Return whether GitHub says in time that a person has write access."""
    with suppress(HostError, TimeoutError):
        async with asyncio.timeout(ACCESS_SECONDS), github.open_pull(server.identity, pull, server.pace) as host:
            return await host.permission(login) in WRITERS
    return False
