"""The ways in and out: GitHub's web flow, the link of the server's log, and the button that ends a session."""

import hmac
import logging
from typing import Annotated
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.app.logs import log
from bot.app.operator import answers, visitors
from bot.app.operator.gate import COOKIES, Gate, SignedIn, inside
from bot.errors import HostError
from bot.github import RequestPace

MOST, FIELDS = 8192, 20  # bytes and fields of a form
SPENT = "This link is not valid, or was used before. `deeprepo status --link` on the server makes a new one."
LOST = "The sign-in took too long, or was begun in another browser. Try again."
NONE = "does not administer any installation of this App. Ask an owner of the organization or the person who runs this server."
_log = log("signin")
router = APIRouter()


class NotSignedIn(Exception):  # noqa: N818 - an answer
    """Nobody has signed in, or GitHub has to confirm their right."""


async def gate_of(request: Request) -> Gate:
    """Who lets people in here."""
    gate: Gate = request.app.state.gate
    return gate


AtGate = Annotated[Gate, Depends(gate_of)]


async def session_of(request: Request, gate: AtGate) -> SignedIn:
    """Whose request this is. Raises NotSignedIn."""
    session = gate.session(request)
    if session is None or not session.is_current:
        raise NotSignedIn
    return session


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; none if the form is too long."""
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST:
            return {}
    try:
        fields = parse_qs(data.decode("utf-8", "replace"), max_num_fields=FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


Session = Annotated[SignedIn, Depends(session_of)]
Form = Annotated[dict[str, str], Depends(form_of)]


def is_from_session(session: SignedIn, fields: dict[str, str]) -> bool:
    """Whether a form was sent from a page of this session: no other site knows its id."""
    return hmac.compare_digest(session.id.encode(), fields.get("form", "").encode("utf-8", "replace"))


@router.get("/signin")
async def ask(request: Request, token: str = "", back: str = "/") -> Response:
    """The page that asks who is there. A link's token is sent on by a button: a program that looks at links uses none up."""
    return _sign_in_page(request, token=token, back=inside(back))


@router.post("/signin")
async def by_link(request: Request, gate: AtGate, fields: Form) -> Response:
    """Come in by the link of the log."""
    if not gate.use_link(fields.get("token", "")):
        return _failure_page(request, SPENT, "a link that is not valid")
    response = answers.redirect("/")
    gate.begin(response, request, None)
    _log("the operator has signed in by the link", peer=_peer(request))
    return response


@router.get("/signin/github")
async def leave(request: Request, gate: AtGate, back: str = "/") -> Response:
    """Go to GitHub."""
    door = gate.door(request)
    if door is None:
        return _sign_in_page(request, status=404)
    response = answers.redirect("/")
    leaving = gate.leave(response, request, back)
    address = visitors.authorize(gate.server.place.github_api, door, leaving.state, leaving.verifier)
    response.headers["location"] = address
    return response


@router.get("/signin/done")
async def come_back(request: Request, gate: AtGate, code: str = "", state: str = "", error: str = "") -> Response:
    """Come back from GitHub."""
    door, leaving = gate.door(request), gate.departure(request, state)
    if door is None or leaving is None:  # any site can send a browser here
        return _sign_in_page(request, status=400, wrong=LOST)
    if error or not code:
        return _failure_page(request, "GitHub did not confirm who you are.", "no code")
    pace = RequestPace(patience=0, backoff=0.2, timeout=visitors.PATIENCE)
    try:
        visitor = await visitors.visitor(gate.server.identity, door, code, leaving.verifier, pace)
    except HostError as wrong:
        return _failure_page(request, f"{wrong}. Try again.", str(wrong))
    if not visitor.installations:
        refusal = _failure_page(request, f"@{visitor.login} {NONE}", "administers nothing", 403)
        gate.end(refusal, request)  # a person who lost the right is signed out
        return refusal
    response = answers.redirect(leaving.back)
    response.delete_cookie(COOKIES["leaving"])
    gate.begin(response, request, visitor)
    _log("somebody has signed in", login=visitor.login, installations=len(visitor.installations))
    return response


@router.post("/signout")
async def out(request: Request, gate: AtGate, fields: Form) -> Response:
    """Leave."""
    response = answers.redirect("/signin")
    session = gate.session(request)
    if session is not None and is_from_session(session, fields):
        gate.end(response, request)
    return response


def again(request: Request) -> Response:
    """Ask somebody who has not signed in, or whose right GitHub has to confirm; afterwards they come back here."""
    gate: Gate = request.app.state.gate
    query = f"?{request.url.query}" if request.url.query else ""
    back = f"{request.url.path}{query}" if request.method == "GET" else "/"
    way = "/signin/github" if gate.session(request) is not None and gate.door(request) is not None else "/signin"
    return answers.redirect(f"{way}?{urlencode({'back': back})}" if back != "/" else way)


def _failure_page(request: Request, wrong: str, why: str, status: int = 400) -> Response:
    """The sign-in page with what went wrong."""
    _log("a sign-in failed", level=logging.WARNING, why=why, peer=_peer(request))
    response = _sign_in_page(request, status=status, wrong=wrong)
    response.delete_cookie(COOKIES["leaving"])
    return response


def _sign_in_page(
    request: Request, *, status: int = 200, wrong: str = "", token: str = "", back: str = "/"
) -> Response:
    gate: Gate = request.app.state.gate
    values = {"github": gate.door(request) is not None, "wrong": wrong, "token": token, "back": back}
    return answers.page("signin.html.j2", status, **values)


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""
