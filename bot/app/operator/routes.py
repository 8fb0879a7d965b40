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
Seen = Callable[[Gate, SignedIn], Awaitable[Response]]
_log = log("operator")
router = APIRouter(include_in_schema=False)
router.include_router(signing_in.router)


@router.get("/")
async def home(request: Request, days: str = "30", repositories: str = "") -> Response:
    """The period in figures, plots and repositories."""
    period = next((known for known in views.PERIODS if str(known) == days), None)

    async def seen(gate: Gate, session: SignedIn) -> Response:
        if period is None or repositories not in ("", "all"):
            return answers.missing()
        shown = await views.overview(gate.opened, session, period, whole=repositories == "all")
        queue = await views.queue(gate.opened, session)
        unready = await gate.opened.unready()
        return _shown("overview.html.j2", gate, session, "overview", view=shown, queue=queue, unready=unready)

    return await _for(request, seen)


@router.get("/reviews")
async def reviews(
    request: Request, repository: str = "", state: str = "", after: Annotated[str, Query(max_length=MOST)] = ""
) -> Response:
    """The finished reviews, newest first."""
    number = int(repository) if repository.isascii() and repository.isdigit() and len(repository) < 20 else None  # noqa: PLR2004

    async def seen(gate: Gate, session: SignedIn) -> Response:
        name = None
        if repository:
            known = number is not None and number <= LARGEST
            name = await gate.opened.store.listing.known(number or 0, session.scope) if known else None
            if name is None:
                return answers.missing()
        if state and state not in views.OUTCOMES:
            return answers.missing()
        try:
            page = await views.reviews(gate.opened, session, number, state, after)
        except UsageError:
            return answers.missing()
        rules = (
            await gate.opened.store.rules.of(number, session.scope) if name and number is not None and not after else ()
        )
        values = {"name": name or "", "repository": repository, "state": state, "after": after, "rules": rules}
        return _shown("reviews.html.j2", gate, session, "reviews", page=page, outcomes=views.OUTCOMES, **values)

    return await _for(request, seen)


@router.get("/reviews/{job:path}")
async def review(request: Request, job: str) -> Response:
    """One review: what it found, what it read, what it cost, turn by turn."""

    async def seen(gate: Gate, session: SignedIn) -> Response:
        found = None
        if len(job) <= MOST and job.isprintable():
            found = await views.review(gate.opened, session, job)
        if found is None:
            return answers.missing()
        return _shown("review.html.j2", gate, session, "reviews", view=found)

    return await _for(request, seen)


@router.get("/queue")
async def queue(request: Request) -> Response:
    """What runs and waits, and what came to nothing."""

    async def seen(gate: Gate, session: SignedIn) -> Response:
        return _shown("queue.html.j2", gate, session, "queue", queue=await views.queue(gate.opened, session))

    return await _for(request, seen)


@router.post("/retry")
async def retry(request: Request) -> Response:
    """Try again what came to nothing."""

    async def seen(gate: Gate, session: SignedIn) -> Response:
        said = await signing_in.form(request)
        if not signing_in.meant(gate.form(session), said, request):
            return answers.sent("/queue")
        name = said.get("failure", "")
        usable = len(name) <= MOST and name.isprintable()
        found = await gate.opened.store.failures.one(name, session.scope) if usable else None
        if found is None:
            return answers.missing()
        await gate.opened.jobs.submit(codec.read(found.ask), f"retry-{secrets.token_hex(8)}")
        await gate.opened.store.failures.clear(found.id)
        _log("what had failed is tried again", pull=found.pull.key, by=session.login)
        return answers.sent("/queue")

    return await _for(request, seen)


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


async def _for(request: Request, seen: Seen) -> Response:
    """A page for who has signed in."""
    gate: Gate = request.app.state.gate
    try:
        session = await gate.session(request)
        return await seen(gate, session) if session is not None else signing_in.again(request)
    except StorageError as error:
        return answers.shown("broken.html.j2", 503, why=str(error))


def _shown(template: str, gate: Gate, session: SignedIn, here: str, **values: Any) -> Response:  # noqa: ANN401
    opened = gate.opened
    slug = opened.ours.login.removesuffix("[bot]")  # "" until GitHub has told the server its name
    return answers.shown(
        template,
        200,
        session=session,
        form=gate.form(session),
        here=here,
        address=views.address,
        at_github=lambda name, number: views.at_github(opened, name, number),
        install=views.install(opened, slug),
        **values,
    )
