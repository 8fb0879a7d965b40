"""Signing in and out: GitHub's web flow, the link in the server's log, and the button that ends a session.

GitHub reports who a person is and which installations of the App they administer. Their token is used only
for these questions, and then revoked. It is not stored.
"""

import base64
import hashlib
import hmac
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from githubkit import OAuthTokenAuthStrategy, UnauthAuthStrategy
from starlette.requests import ClientDisconnect

from bot.app.connections import BodyBuffer
from bot.app.logs import log
from bot.app.operator import responses
from bot.app.operator.gate import COOKIES, Door, Gate, SignedIn, Visitor, inside
from bot.errors import HostDown, HostError, HostRefused
from bot.github import RequestPace, apps, client
from bot.github.client import GitHubClient, HiddenText
from bot.github.identity import Identity, site

MAX_FORM_BYTES, MAX_FORM_FIELDS = 8192, 20  # bytes and fields of a form
SIGN_IN_SECONDS = 10.0  # seconds for a form, and for an answer while somebody looks at an empty page
SPENT = "This link is invalid or was already used. Run `deeprepo status --link` on the server to get a new one."
SIGN_IN_LOST = "The sign-in took too long, or it was started in another browser. Try again."
NONE = "does not administer any installation of this App. Ask an owner of the organization or the person who runs this server."
_log = log("signin")
router = APIRouter()


class NotSignedIn(Exception):  # noqa: N818 - an answer
    """Raised if no person has signed in, or if GitHub has to confirm their right."""


async def gate_of(request: Request) -> Gate:
    """Return who lets people in here."""
    gate: Gate = request.app.state.gate
    return gate


AtGate = Annotated[Gate, Depends(gate_of)]


async def session_of(request: Request, gate: AtGate) -> SignedIn:
    """Return whose request this is. Raises NotSignedIn."""
    session = await gate.session(request)
    if session is None or not session.is_current:
        raise NotSignedIn
    return session


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form; none if the form is too long or does not arrive."""
    room: BodyBuffer = request.app.state.forms
    try:
        data = await room.read(request.stream(), MAX_FORM_BYTES, SIGN_IN_SECONDS) or b""
        fields = parse_qs(data.decode("utf-8", "replace"), max_num_fields=MAX_FORM_FIELDS)
    except (ValueError, TimeoutError, ClientDisconnect):
        return {}
    return {name: values[0] for name, values in fields.items()}


Session = Annotated[SignedIn, Depends(session_of)]
Form = Annotated[dict[str, str], Depends(form_of)]


def is_from_session(session: SignedIn, fields: dict[str, str]) -> bool:
    """Return whether a form was sent from a page of this session: no other site knows its id."""
    return hmac.compare_digest(session.id.encode(), fields.get("form", "").encode("utf-8", "replace"))


@router.get("/signin")
async def ask(request: Request, token: str = "", back: str = "/") -> Response:
    """Show the sign-in page.

    A link's token is sent by a button, so that programs that open links don't use it up.
    """
    return _sign_in_page(request, token=token, back=inside(back))


@router.post("/signin")
async def by_link(request: Request, gate: AtGate, fields: Form) -> Response:
    """Come in by the link of the log."""
    if not await gate.use_link(fields.get("token", "")):
        return _failure_page(request, SPENT, "an invalid sign-in link was used")
    response = responses.redirect("/")
    await gate.begin(response, request, None)
    _log("the operator signed in with the link", peer=_peer(request))
    return response


@router.get("/signin/github")
async def leave(request: Request, gate: AtGate, back: str = "/") -> Response:
    """Go to GitHub."""
    door = gate.door(request)
    if door is None:
        return _sign_in_page(request, status=404)
    response = responses.redirect("/")
    leaving = gate.leave(response, request, back)
    address = authorize(gate.server.options.github_api, door, leaving.state, leaving.verifier)
    response.headers["location"] = address
    return response


@router.get("/signin/done")
async def finish_sign_in(request: Request, gate: AtGate, code: str = "", state: str = "", error: str = "") -> Response:
    """Come back from GitHub."""
    door, leaving = gate.door(request), gate.departure(request, state)
    if door is None or leaving is None:  # any site can send a browser here
        return _sign_in_page(request, status=400, wrong=SIGN_IN_LOST)
    if error or not code:
        return _failure_page(request, "GitHub did not confirm who you are.", "no code")
    pace = RequestPace(patience=0, backoff=0.2, timeout=SIGN_IN_SECONDS)
    try:
        visitor = await look_up_visitor(gate.server.identity, door, code, leaving.verifier, pace)
    except HostError as wrong:
        return _failure_page(request, f"{wrong}. Try again.", str(wrong))
    if not visitor.installations:
        refusal = _failure_page(request, f"@{visitor.login} {NONE}", "administers nothing", 403)
        await gate.end(refusal, request)  # a person who lost the right is signed out
        return refusal
    response = responses.redirect(leaving.back)
    response.delete_cookie(COOKIES["leaving"])
    await gate.begin(response, request, visitor)
    _log("a user signed in", login=visitor.login, installations=len(visitor.installations))
    return response


@router.post("/signout")
async def out(request: Request, gate: AtGate, fields: Form) -> Response:
    """Leave."""
    response = responses.redirect("/signin")
    session = await gate.session(request)
    if session is not None and is_from_session(session, fields):
        await gate.end(response, request)
    return response


async def again(request: Request, _: Exception) -> Response:
    """Send a person to the sign-in page, from which they return here."""
    gate: Gate = request.app.state.gate
    query = f"?{request.url.query}" if request.url.query else ""
    back = f"{request.url.path}{query}" if request.method == "GET" else "/"
    way = "/signin/github" if await gate.session(request) is not None and gate.door(request) is not None else "/signin"
    return responses.redirect(f"{way}?{urlencode({'back': back})}" if back != "/" else way)


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
    return responses.page("signin.html.j2", status, **values)


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""


MOST_PAGES = 5  # of installations
MOST_REPOSITORIES = 50  # pages of repositories of one installation: who has more uses the link of the server's log


def authorize(api: str, door: Door, state: str, verifier: str) -> str:
    """Make the address at GitHub where a person agrees. `verifier` stays here: only its hash is sent (PKCE)."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = {
        "client_id": door.client_id,
        "redirect_uri": door.back,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{site(api)}/login/oauth/authorize?{urlencode(query)}"


async def look_up_visitor(identity: Identity, door: Door, code: str, verifier: str, pace: RequestPace) -> Visitor:
    """Look up who has come back with this code. Raises HostRefused and HostDown."""
    token, secret = await _exchange(identity.api, door, code, verifier, pace), door.client_secret.get_secret_value()
    auth = OAuthTokenAuthStrategy(door.client_id, HiddenText(secret), token)
    async with client.open_client(identity.api, auth, pace) as github_client:
        try:
            me: Any = await github_client.json(github_client.rest.users.async_get_authenticated())
            listing = github_client.rest.apps.async_list_installations_for_authenticated_user
            installation_ids = [
                int(data["id"])
                async for data in github_client.pages(listing, "installations", MOST_PAGES)
                if await _administers(data, int(me["id"]), github_client, identity, pace)
            ]
            return Visitor(str(me["login"]), tuple(installation_ids))
        except (KeyError, TypeError, ValueError):
            raise HostDown("GitHub's answer about the user could not be read") from None
        finally:
            with suppress(HostError):  # if GitHub does not answer, the token ends by itself within hours
                await github_client.json(github_client.rest.apps.async_delete_token(door.client_id, access_token=token))


async def _administers(
    data: Mapping[str, object], me: int, github_client: GitHubClient, identity: Identity, pace: RequestPace
) -> bool:
    """Whether a person administers an installation: it is on their own account, or every repository of it is theirs to administer.

    An organization's owners administer all of its repositories. To ask for their membership the App would need a permission more.
    """
    account = data.get("account")
    if data.get("suspended_at") or str(data.get("app_id")) != identity.app_id or not isinstance(account, dict):
        return False
    if account.get("type") == "User":
        return account.get("id") == me
    count, number = 0, int(str(data["id"]))
    listing = partial(github_client.rest.apps.async_list_installation_repos_for_authenticated_user, number)
    async for repository in github_client.pages(listing, "repositories", MOST_REPOSITORIES):
        if not (repository.get("permissions") or {}).get("admin"):
            return False
        count += 1
    return count > 0 and count >= await _whole(identity, number, pace)


async def _whole(identity: Identity, installation: int, pace: RequestPace) -> int:
    """Count the repositories of an installation."""
    async with apps.acting(identity, installation, {"metadata": "read"}, pace) as inside:
        listing = inside.rest.apps.async_list_repos_accessible_to_installation
        return int((await inside.json(listing(per_page=1)))["total_count"])


async def _exchange(api: str, door: Door, code: str, verifier: str, pace: RequestPace) -> HiddenText:
    """Exchange the code of a person's browser for their token. GitHub refuses with status 200 and the name of an error.

    githubkit's own exchange sends no verifier.
    """
    form = {
        "client_id": door.client_id,
        "client_secret": door.client_secret.get_secret_value(),
        "code": code,
        "redirect_uri": door.back,
        "code_verifier": verifier,
    }
    address, headers = f"{site(api)}/login/oauth/access_token", {"Accept": "application/json"}
    async with client.open_client(api, UnauthAuthStrategy(), pace) as github_client:
        reply: Any = await github_client.json(
            github_client.github.arequest("POST", address, data=form, headers=headers)
        )
    token = reply.get("access_token") if isinstance(reply, dict) else None
    if not isinstance(token, str) or not token:
        raise HostRefused(f"GitHub refused the sign-in ({_name(reply)})", 200)
    return HiddenText(token)


def _name(reply: object) -> str:
    """The error's name, where it is one: nothing else of the answer is repeated."""
    name = str(reply.get("error", "")) if isinstance(reply, dict) else ""
    return name if name.replace("_", "").isalpha() and name.isascii() else "no reason given"
