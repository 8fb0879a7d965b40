"""The web face of a running server: what GitHub, a load balancer and a monitoring system may ask of it."""

import asyncio
import logging
import time
from typing import Any, Literal

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import ClientDisconnect

from bot import __version__
from bot.app import delivery, operator
from bot.app.admission import Admission
from bot.app.delivery import Delivery
from bot.app.logs import log
from bot.app.running_server import RunningServer
from bot.errors import StorageError
from bot.values import NothingAsked, PackageSurvey
from bot.workflow import events

PATIENCE = 30.0  # seconds for a body: GitHub itself waits for ten, a GitHub Enterprise Server for thirty
NO_CONSUMERS = "DEEPREPO_CONSUMERS is off"
Outcome = Literal["queued", "known", "ignored"]
_log = log("webhook")


probes, hooks, pages = APIRouter(), APIRouter(), APIRouter()


def create(server: RunningServer, *, web: bool = True) -> FastAPI:
    """The application over what was opened. Without `web` it has the probes alone, as a worker needs them."""
    app = FastAPI(openapi_url=None)
    app.state.server = server
    app.state.arriving = delivery.Arriving()
    app.state.admission = Admission(server.store.people)
    app.include_router(probes)
    if web:
        app.include_router(hooks)
        app.include_router(pages)
        operator.add_to(app, server)
    return app


@pages.get("/setup")
@pages.get("/setup/done")
async def set_up() -> Response:
    """The set-up page's addresses, loaded again after the set-up."""
    return RedirectResponse("/", 303)


@probes.get("/healthz")
async def healthz() -> dict[str, Any]:
    """Whether the process answers."""
    return {"alive": True, "version": __version__}


@probes.get("/readyz")
async def readyz(request: Request) -> Response:
    """Whether deliveries can be stored and worked on, and if not, why."""
    server: RunningServer = request.app.state.server
    reason = await server.unready()
    return JSONResponse({"ready": not reason, "reason": reason}, 503 if reason else 200)


@probes.get("/metrics")
async def metrics(request: Request) -> Response:
    """The counters, for Prometheus."""
    server: RunningServer = request.app.state.server
    return Response(server.metrics.tell(await server.counts(), await server.outcomes()), media_type=CONTENT_TYPE_LATEST)


@hooks.post("/webhook")
async def webhook(request: Request) -> Response:
    """One delivery of GitHub's. Answered with 202 once what it asks for is on disk."""
    server: RunningServer = request.app.state.server
    try:
        async with asyncio.timeout(PATIENCE):
            delivery.check_headers(request.headers)
            raw = await delivery.body(request.headers, request.stream(), request.app.state.arriving)
        start = time.perf_counter()
        arrival = delivery.read(request.headers, raw, server.secret)
        outcome, reason = await _take(server, arrival, request.app.state.admission)
    except HTTPException as refusal:
        return _refuse(server, refusal, request)
    except TimeoutError:
        return _refuse(server, HTTPException(408, "the body did not arrive in time"), request)
    except ClientDisconnect:
        return _refuse(server, HTTPException(400, "the sender went away"), request)
    seconds = time.perf_counter() - start
    server.metrics.delivery(arrival.event, outcome, seconds)
    # Of what asks for nothing, the checks of others come by the hundred.
    is_expected = outcome != "ignored" or (arrival.event in events.ACTIONS and not arrival.event.startswith("check_"))
    level = logging.INFO if is_expected else logging.DEBUG
    facts = {"delivery": arrival.guid, "outcome": outcome, "reason": reason or None}
    _log("delivery", level=level, event=arrival.event, action=arrival.action or None, ms=1000 * seconds, **facts)
    return JSONResponse({"delivery": arrival.guid, "outcome": outcome, "reason": reason}, 202)


async def _take(server: RunningServer, arrival: Delivery, admission: Admission) -> tuple[Outcome, str]:
    """Store what a delivery asks for until it is done, or say why it is ignored. Raises HTTPException where it cannot be stored."""
    ask = events.read(arrival.event, arrival.payload, server.ours)
    if isinstance(ask, NothingAsked):
        return "ignored", ask.reason
    if isinstance(ask, PackageSurvey) and not server.looks_at_consumers:
        return "ignored", NO_CONSUMERS
    try:
        decision = await admission.admit(ask, arrival.guid)
        if decision.reason:
            return "ignored", decision.reason
        fresh = await server.jobs.submit(ask, arrival.guid, delay=decision.delay)
    except StorageError as error:
        _log("a delivery could not be stored", level=logging.ERROR, delivery=arrival.guid, reason=str(error))
        raise HTTPException(503, "the delivery could not be stored: send it again") from None
    return "queued" if fresh else "known", ""


def _refuse(server: RunningServer, refusal: HTTPException, request: Request) -> Response:
    """The answer to what was not taken. Its headers are a stranger's: none of them is logged.

    The connection ends with it: what is left of the body is not read, however long the sender goes on.
    """
    status, reason = refusal.status_code, refusal.detail
    server.metrics.delivery("other", f"refused {status}")
    _log("refused", status=status, reason=reason, peer=request.client.host if request.client else None)
    more = {"retry-after": "60"} if status == 503 else {}  # noqa: PLR2004 - come again
    if request.headers.get("content-length", "x") not in {"", "0"}:
        more["connection"] = "close"  # what is left of the body is not read
    return JSONResponse({"detail": reason}, status, more)
