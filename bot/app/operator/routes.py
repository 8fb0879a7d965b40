"""The routes of the operator's pages.

Visitors without a session are sent to the sign-in page. Anything that a session may not see answers 404.
"""

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
from bot.app.operator.sessions import Session, SessionManager, key_of
from bot.app.operator.signing_in import FormDep, ManagerDep, NotSignedIn, SessionDep
from bot.app.running_server import RunningServer
from bot.errors import StorageError, UsageError
from bot.storage.listing import DAY
from bot.values.review import ReviewStatus
from bot.workflow.jobs import records

MAX_ID = (1 << 63) - 1  # the largest integer that the databases accept
JobId = Annotated[str, StringConstraints(max_length=400, pattern="^[!-~]*$")]
Days = Literal["7", "30", "90"]
_log = log("operator")
router = APIRouter()


def add_to(app: FastAPI, server: RunningServer) -> None:
    """Add the pages to an application. Requests with invalid parameters answer 404."""
    app.state.session_manager = SessionManager(server, key_of(server.app.private_key))
    app.include_router(signing_in.router)
    app.include_router(router)
    app.exception_handler(NotSignedIn)(signing_in.redirect_to_sign_in)
    app.exception_handler(RequestValidationError)(lambda *_: responses.missing())
    app.exception_handler(StorageError)(lambda _, error: responses.page("broken.html.j2", 503, why=str(error)))


@router.get("/")
async def home(
    manager: ManagerDep,
    session: SessionDep,
    days: Days = "30",
    repositories: Literal["", "all"] = "",
) -> Response:
    """Show the overview of a period: figures, plots and repositories."""
    overview = await views.overview(manager.server, session, int(days), whole=repositories == "all")
    queue, unready = await views.queue(manager.server, session), await manager.server.unready()
    return _page(
        "overview.html.j2",
        manager,
        session,
        "overview",
        view=overview,
        queue=queue,
        unready=unready,
        warning=await manager.server.warning(),
    )


@router.get("/reviews")
async def reviews(
    manager: ManagerDep,
    session: SessionDep,
    repository: Annotated[int | None, Query(ge=0, le=MAX_ID)] = None,
    state: ReviewStatus | Literal[""] = "",
    after: JobId = "",
) -> Response:
    """Show the finished reviews, newest first. `after` is the ID of the previous page's last review."""
    listing, name = manager.server.store.listing, ""
    if repository is not None:
        name = await listing.name_of(repository, session.scope) or ""
        if not name:
            return responses.missing()
    try:
        page = await listing.page(session.scope, views.PAGE_ROWS, repository=repository, state=state, after=after)
    except UsageError:
        return responses.missing()
    rules_of = None if after else repository  # a repository's first page also lists its learned rules
    rules = () if rules_of is None else await manager.server.store.rules.of(rules_of, session.scope)
    values = {"name": name, "repository": repository, "state": state, "after": after, "rules": rules}
    return _page("reviews.html.j2", manager, session, "reviews", page=page, **values)


@router.get("/reviews/{job:path}")
async def review(manager: ManagerDep, session: SessionDep, job: JobId) -> Response:
    """Show one review: its findings, its coverage, and its model calls and costs by turn."""
    view = await views.review(manager.server, session, job)
    return responses.missing() if view is None else _page("review.html.j2", manager, session, "reviews", view=view)


@router.get("/worth")
async def worth(manager: ManagerDep, session: SessionDep, days: Days = "30") -> Response:
    """Show the outcomes of findings on merged pull requests, and the cost per fixed finding."""
    since = time.time() - int(days) * DAY
    view = await manager.server.store.worths.since(session.scope, since)
    return _page(
        "worth.html.j2",
        manager,
        session,
        "worth",
        view=view,
        days=int(days),
        result_parts=plots.parts(asdict(view.results)),
        most=views.PAGE_ROWS,
    )


@router.get("/queue")
async def queue(manager: ManagerDep, session: SessionDep) -> Response:
    """Show running, waiting and failed jobs."""
    return _page("queue.html.j2", manager, session, "queue", queue=await views.queue(manager.server, session))


@router.post("/retry")
async def retry(manager: ManagerDep, session: SessionDep, fields: FormDep) -> Response:
    """Submit a failed job again, and return to the queue."""
    if not signing_in.is_from_session(session, fields):
        return responses.redirect("/queue")
    name = fields.get("failure", "").replace("\0", "")  # PostgreSQL rejects NUL characters
    failure = await manager.server.store.failures.one(name, session.scope)
    job = records.read(failure.ask) if failure is not None else None
    if failure is None or job is None:
        return responses.missing()
    await manager.server.jobs.submit(job, f"retry-{secrets.token_hex(8)}")
    await manager.server.store.failures.clear(failure.id)
    _log("retrying a failed job", pull=failure.pull.key, by=session.login)
    return responses.redirect("/queue")


@router.get("/page.{kind}")
async def file(kind: Literal["css", "js", "svg"]) -> Response:
    """Return the pages' style sheet, icon, or the script that refreshes pages with running jobs."""
    return responses.file(f"page.{kind}")


def _page(template: str, manager: SessionManager, session: Session, here: str, **values: Any) -> Response:  # noqa: ANN401
    server = manager.server
    slug = server.ours.login.removesuffix("[bot]")  # "" until the server has learned its name from GitHub
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
