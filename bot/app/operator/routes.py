"""The addresses of the operator's pages. A person who has not signed in is asked first; what is not theirs is not there."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from bot.app.logs import log
from bot.app.operator import answers, signing_in, views
from bot.app.operator.gate import Gate, SignedIn
from bot.errors import StorageError, UsageError
from bot.jobs import codec

LARGEST = (1 << 63) - 1  # an id that a database takes
MOST = 400  # characters of a name in an address
Page = Callable[[Gate, SignedIn], Awaitable[Response]]
_log = log("operator")
router = APIRouter()
router.include_router(signing_in.router)


@router.get("/")
async def home(request: Request, days: str = "30", repositories: str = "") -> Response:
    """The period in figures, plots and repositories."""
    period = next((choice for choice in views.PERIODS if str(choice) == days), None)

    async def page(gate: Gate, session: SignedIn) -> Response:
        if period is None or repositories not in ("", "all"):
            return answers.missing()
        overview = await views.overview(gate.server, session, period, whole=repositories == "all")
        queue = await views.queue(gate.server, session)
        unready = await gate.server.unready()
        return _page("overview.html.j2", gate, session, "overview", view=overview, queue=queue, unready=unready)

    return await _for(request, page)


@router.get("/reviews")
async def reviews(
    request: Request, repository: str = "", state: str = "", after: Annotated[str, Query(max_length=MOST)] = ""
) -> Response:
    """The finished reviews, newest first."""
    number = int(repository) if repository.isascii() and repository.isdigit() and len(repository) < 20 else None  # noqa: PLR2004

    async def page(gate: Gate, session: SignedIn) -> Response:
        name = None
        if repository:
            is_number = number is not None and number <= LARGEST
            name = await gate.server.store.listing.name_of(number or 0, session.scope) if is_number else None
            if name is None:
                return answers.missing()
        if (state and state not in views.OUTCOMES) or not after.isprintable():
            return answers.missing()
        try:
            listing = gate.server.store.listing
            page = await listing.page(session.scope, views.ROWS, repository=number, state=state, after=after)
        except UsageError:
            return answers.missing()
        first = name and not after
        rules = await gate.server.store.rules.of(number, session.scope) if first and number is not None else ()
        values = {"name": name or "", "repository": repository, "state": state, "after": after, "rules": rules}
        return _page("reviews.html.j2", gate, session, "reviews", page=page, outcomes=views.OUTCOMES, **values)

    return await _for(request, page)


@router.get("/reviews/{job:path}")
async def review(request: Request, job: str) -> Response:
    """One review: what it found, what it read, what it cost, turn by turn."""

    async def page(gate: Gate, session: SignedIn) -> Response:
        page_values = None
        if len(job) <= MOST and job.isprintable():
            page_values = await views.review(gate.server, session, job)
        if page_values is None:
            return answers.missing()
        return _page("review.html.j2", gate, session, "reviews", view=page_values)

    return await _for(request, page)


@router.get("/queue")
async def queue(request: Request) -> Response:
    """What runs and waits, and what came to nothing."""

    async def page(gate: Gate, session: SignedIn) -> Response:
        return _page("queue.html.j2", gate, session, "queue", queue=await views.queue(gate.server, session))

    return await _for(request, page)


@router.post("/retry")
async def retry(request: Request) -> Response:
    """Try again what came to nothing."""

    async def page(gate: Gate, session: SignedIn) -> Response:
        fields = await signing_in.form(request)
        if not signing_in.is_from_session(gate.form(session), fields, request):
            return answers.redirect("/queue")
        name = fields.get("failure", "")
        usable = len(name) <= MOST and name.isprintable()
        failure = await gate.server.store.failures.one(name, session.scope) if usable else None
        ask = codec.read(failure.ask) if failure is not None else None
        if failure is None or ask is None:
            return answers.missing()
        await gate.server.jobs.submit(ask, f"retry-{secrets.token_hex(8)}")
        await gate.server.store.failures.clear(failure.id)
        _log("what had failed is tried again", pull=failure.pull.key, by=session.login)
        return answers.redirect("/queue")

    return await _for(request, page)


@router.get("/page.css")
async def style() -> Response:
    """How the pages look."""
    return answers.file("page.css")


@router.get("/page.svg")
async def icon() -> Response:
    """What a browser shows beside the title."""
    return answers.file("page.svg")


@router.get("/page.js")
async def script() -> Response:
    """What keeps a page with something under way up to date; every page works without it."""
    return answers.file("page.js")


async def _for(request: Request, page: Page) -> Response:
    """A page for who has signed in."""
    gate: Gate = request.app.state.gate
    try:
        session = gate.session(request)
        return await page(gate, session) if session is not None else signing_in.again(request)
    except StorageError as error:
        return answers.page("broken.html.j2", 503, why=str(error))


def _page(template: str, gate: Gate, session: SignedIn, here: str, **values: Any) -> Response:  # noqa: ANN401
    server = gate.server
    slug = server.ours.login.removesuffix("[bot]")  # "" until GitHub has told the server its name
    return answers.page(
        template,
        200,
        session=session,
        form=gate.form(session),
        here=here,
        address=views.address,
        at_github=lambda name, number: views.at_github(server, name, number),
        install=views.install(server, slug),
        **values,
    )
