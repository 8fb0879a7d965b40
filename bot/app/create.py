"""The web face of a running server: what GitHub, a load balancer and a monitoring system may ask of it."""

from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from bot import __version__
from bot.app import operator, webhook
from bot.app.connections import BodyBuffer
from bot.app.running_server import RunningServer
from bot.app.webhook import Admission, Bodies

MOST_FORMS = 2 << 20  # bytes of all forms that are arriving at one time
probes, pages = APIRouter(), APIRouter()


def create(server: RunningServer, *, web: bool = True) -> FastAPI:
    """Return the application for an opened server.

    Without `web`, it only has the probes, as a worker needs them.
    """
    app = FastAPI(openapi_url=None)
    app.state.server = server
    app.state.bodies, app.state.forms = Bodies(), BodyBuffer(MOST_FORMS)
    app.state.admission = Admission(server.store.people, partial(webhook.may_write, server))
    app.include_router(probes)
    if web:
        app.include_router(webhook.router)
        app.include_router(pages)
        operator.add_to(app, server)
    return app


@pages.get("/setup")
@pages.get("/setup/done")
async def set_up() -> Response:
    """Serve the set-up page, loaded again after the set-up."""
    return RedirectResponse("/", 303)


@probes.get("/healthz")
async def healthz() -> dict[str, Any]:
    """Return whether the process answers."""
    return {"alive": True, "version": __version__}


@probes.get("/readyz")
async def readyz(request: Request) -> Response:
    """Return whether deliveries can be stored and worked on, and if not, why."""
    server: RunningServer = request.app.state.server
    reason = await server.unready()
    return JSONResponse({"ready": not reason, "reason": reason}, 503 if reason else 200)


@probes.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the counters, for Prometheus."""
    server: RunningServer = request.app.state.server
    return Response(server.metrics.tell(await server.counts(), await server.outcomes()), media_type=CONTENT_TYPE_LATEST)
