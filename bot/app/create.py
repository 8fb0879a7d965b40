"""Create the web application: the webhook, the operator's pages, health probes and metrics."""

import time
from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from bot.app import operator, webhook
from bot.app.connections import BodyBuffer
from bot.app.running_server import RunningServer
from bot.app.webhook import Admission, Bodies
from bot.machine import build

MAX_FORM_BUFFER_BYTES = 2 << 20  # all forms that are arriving at the same time
probes, pages = APIRouter(), APIRouter()


def create(server: RunningServer, *, web: bool = True) -> FastAPI:
    """Return the application for an opened server, or only its probes without `web`, as in a worker."""
    app = FastAPI(openapi_url=None)
    app.state.server = server
    app.state.bodies, app.state.forms = Bodies(), BodyBuffer(MAX_FORM_BUFFER_BYTES)
    app.state.admission = Admission(server.store.people, partial(webhook.may_write, server))
    app.include_router(probes)
    if web:
        app.include_router(webhook.router)
        app.include_router(pages)
        operator.add_to(app, server)
    return app


@pages.get("/setup")
@pages.get("/setup/done")
async def redirect_from_setup() -> Response:
    """Redirect to the home page if a setup page is reloaded after the setup."""
    return RedirectResponse("/", 303)


@probes.get("/healthz")
async def healthz() -> dict[str, Any]:
    """Report that the process is alive."""
    return {"alive": True, "version": build.name()}


@probes.get("/readyz")
async def readyz(request: Request) -> Response:
    """Report whether deliveries can be stored, and why not. A warning says what delays or weakens reviews."""
    server: RunningServer = request.app.state.server
    reason, warning = await server.unready(), await server.warning()
    found = {"ready": not reason, "reason": reason} | ({"warning": warning} if warning else {})
    return JSONResponse(found, 503 if reason else 200)


@probes.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus's text format."""
    server: RunningServer = request.app.state.server
    idle = time.time() - server.jobs.idle_since if server.jobs.idle_since else 0.0
    text = server.metrics.render(await server.counts(), await server.outcomes(), idle)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
