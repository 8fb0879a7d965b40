"""The addresses of the operator's pages. A person who has not signed in is asked first; what is not theirs is not there."""

import secrets
import time
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import StringConstraints

from bot.app.logs import log
from bot.app.operator import plots, responses, signing_in, views
from bot.app.operator.gate import Gate, SignedIn, key_of
from bot.app.operator.signing_in import AtGate, Form, NotSignedIn, Session
from bot.app.running_server import RunningServer
from bot.errors import StorageError, UsageError
from bot.storage.listing import DAY
from bot.values.review import ReviewStatus
from bot.workflow.jobs import asks

LARGEST = (1 << 63) - 1  # an id that a database takes
Id = Annotated[str, StringConstraints(max_length=400, pattern="^[!-~]*$")]  # of a job, as it is in an address
Days = Literal["7", "30", "90"]
_log = log("operator")
router = APIRouter()


def add_to(app: FastAPI, server: RunningServer) -> None:
    """Add the pages to an application. An address that makes no sense names a page that is not there."""
    app.state.gate = Gate(server, key_of(server.app.private_key))
    app.include_router(signing_in.router)
    app.include_router(router)
    app.exception_handler(NotSignedIn)(signing_in.again)
    app.exception_handler(RequestValidationError)(lambda *_: responses.missing())
    app.exception_handler(StorageError)(lambda _, error: responses.page("broken.html.j2", 503, why=str(error)))


@router.get("/")
async def home(
    gate: AtGate,
    session: Session,
    days: Days = "30",
    repositories: Literal["", "all"] = "",
) -> Response:
    """Return the period in figures, plots and repositories."""
    overview = await views.overview(gate.server, session, int(days), whole=repositories == "all")
    queue, unready = await views.queue(gate.server, session), await gate.server.unready()
    return _page("overview.html.j2", gate, session, "overview", view=overview, queue=queue, unready=unready)


@router.get("/reviews")
async def reviews(
    gate: AtGate,
    session: Session,
    repository: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
    state: ReviewStatus | Literal[""] = "",
    after: Id = "",
) -> Response:
    """Return the finished reviews, newest first."""
    listing, name = gate.server.store.listing, ""
    if repository is not None:
        name = await listing.name_of(repository, session.scope) or ""
        if not name:
            return responses.missing()
    try:
        page = await listing.page(session.scope, views.ROWS, repository=repository, state=state, after=after)
    except UsageError:
        return responses.missing()
    first_of = None if after else repository
    rules = () if first_of is None else await gate.server.store.rules.of(first_of, session.scope)
    values = {"name": name, "repository": repository, "state": state, "after": after, "rules": rules}
    return _page("reviews.html.j2", gate, session, "reviews", page=page, **values)


@router.get("/reviews/{job:path}")
async def review(gate: AtGate, session: Session, job: Id) -> Response:
    """Return one review: what it found, what it read, what it cost, turn by turn."""
    view = await views.review(gate.server, session, job)
    return responses.missing() if view is None else _page("review.html.j2", gate, session, "reviews", view=view)


@router.get("/worth")
async def worth(gate: AtGate, session: Session, days: Days = "30") -> Response:
    """Return what became of the findings of merged pull requests, and what one that was fixed cost."""
    since = time.time() - int(days) * DAY
    view = await gate.server.store.worths.since(session.scope, since)
    return _page(
        "worth.html.j2",
        gate,
        session,
        "worth",
        view=view,
        days=int(days),
        result_parts=plots.parts(asdict(view.results)),
        most=views.ROWS,
    )


@router.get("/queue")
async def queue(gate: AtGate, session: Session) -> Response:
    """Return the page with running, waiting and failed work."""
    return _page("queue.html.j2", gate, session, "queue", queue=await views.queue(gate.server, session))


@router.post("/retry")
async def retry(gate: AtGate, session: Session, fields: Form) -> Response:
    """Retry a failed job."""
    if not signing_in.is_from_session(session, fields):
        return responses.redirect("/queue")
    name = fields.get("failure", "").replace("\0", "")  # no database takes one
    failure = await gate.server.store.failures.one(name, session.scope)
    ask = asks.read(failure.ask) if failure is not None else None
    if failure is None or ask is None:
        return responses.missing()
    await gate.server.jobs.submit(ask, f"retry-{secrets.token_hex(8)}")
    await gate.server.store.failures.clear(failure.id)
    _log("retrying a failed job", pull=failure.pull.key, by=session.login)
    return responses.redirect("/queue")


@router.get("/page.{kind}")
async def file(kind: Literal["css", "js", "svg"]) -> Response:
    """Return the style and the icon of the pages, and the script that keeps a page with something under way up to date."""
    return responses.file(f"page.{kind}")


def _page(template: str, gate: Gate, session: SignedIn, here: str, **values: Any) -> Response:  # noqa: ANN401
    server = gate.server
    slug = server.ours.login.removesuffix("[bot]")  # "" until GitHub has told the server its name
    return responses.page(
        template,
        200,
        session=session,
        here=here,
        address=views.address,
        at_github=lambda name, number: views.at_github(server, name, number),
        install=views.install(server, slug),
        **values,
    )
