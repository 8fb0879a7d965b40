"""The routes for signing in and out.

Users sign in with GitHub's OAuth flow, and the operator with the link from the server's log. GitHub reports
who a user is and which of the App's installations they administer. The user's token is only used for these
requests, and then revoked. It is never stored.
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
from bot.app.operator.sessions import COOKIES, OAuthClient, Session, SessionManager, Visitor, local_path
from bot.errors import HostDown, HostError, HostRefused
from bot.github import RequestPace, apps, client
from bot.github.apps import Identity, site
from bot.github.client import GitHubClient, HiddenText

MAX_FORM_BYTES, MAX_FORM_FIELDS = 8192, 20
TIMEOUT_SECONDS = 10.0  # for receiving a form, and for requests to GitHub while a user waits
INVALID_LINK = "This link is invalid or was already used. Run `deeprepo status --link` on the server to get a new one."
NO_PENDING_SIGN_IN = "The sign-in took too long, or it was started in another browser. Try again."
NO_INSTALLATIONS = "does not administer any installation of this App. Ask an owner of the organization or the person who runs this server."
_log = log("signin")
router = APIRouter()


class NotSignedIn(Exception):  # noqa: N818 - leads to the sign-in page, not to an error
    """Raised if the request has no session, or if GitHub has to be asked again what the user administers."""


async def manager_of(request: Request) -> SessionManager:
    """Return the application's session manager."""
    manager: SessionManager = request.app.state.session_manager
    return manager


ManagerDep = Annotated[SessionManager, Depends(manager_of)]


async def session_of(request: Request, manager: ManagerDep) -> Session:
    """Return the request's session. Raises NotSignedIn."""
    session = await manager.session(request)
    if session is None or not session.is_current:
        raise NotSignedIn
    return session


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a submitted form, or {} if the form is too long or does not arrive."""
    buffer: BodyBuffer = request.app.state.forms
    try:
        data = await buffer.read(request.stream(), MAX_FORM_BYTES, TIMEOUT_SECONDS) or b""
        fields = parse_qs(data.decode("utf-8", "replace"), max_num_fields=MAX_FORM_FIELDS)
    except (ValueError, TimeoutError, ClientDisconnect):
        return {}
    return {name: values[0] for name, values in fields.items()}


SessionDep = Annotated[Session, Depends(session_of)]
FormDep = Annotated[dict[str, str], Depends(form_of)]


def is_from_session(session: Session, fields: dict[str, str]) -> bool:
    """Return whether a form has this session's ID, which other sites don't know."""
    return hmac.compare_digest(session.id.encode(), fields.get("form", "").encode("utf-8", "replace"))


@router.get("/signin")
async def show_sign_in(request: Request, token: str = "", back: str = "/") -> Response:
    """Show the sign-in page.

    A link's token is submitted by a button on this page, so that programs that preview links don't use it up.
    """
    return _sign_in_page(request, token=token, back=local_path(back))


@router.post("/signin")
async def sign_in_with_link(request: Request, manager: ManagerDep, fields: FormDep) -> Response:
    """Sign the operator in with the link from the server's log."""
    if not await manager.use_link(fields.get("token", "")):
        return _failure_page(request, INVALID_LINK, "an invalid sign-in link was used")
    response = responses.redirect("/")
    await manager.begin(response, request, None)
    _log("the operator signed in with the link", peer=_peer(request))
    return response


@router.get("/signin/github")
async def redirect_to_github(request: Request, manager: ManagerDep, back: str = "/") -> Response:
    """Start a sign-in by redirecting the browser to GitHub. `back` is the page to show afterwards."""
    oauth_client = manager.oauth_client(request)
    if oauth_client is None:
        return _sign_in_page(request, status=404)
    response = responses.redirect("/")
    pending = manager.start_sign_in(response, request, back)
    address = authorization_url(manager.server.options.github_api, oauth_client, pending.state, pending.verifier)
    response.headers["location"] = address
    return response


@router.get("/signin/done")
async def finish_sign_in(
    request: Request, manager: ManagerDep, code: str = "", state: str = "", error: str = ""
) -> Response:
    """Finish a sign-in when GitHub redirects the browser back, and start the session."""
    oauth_client, pending = manager.oauth_client(request), manager.pending_sign_in(request, state)
    if oauth_client is None or pending is None:  # any site can send a browser here
        return _sign_in_page(request, status=400, wrong=NO_PENDING_SIGN_IN)
    if error or not code:
        return _failure_page(request, "GitHub did not confirm who you are.", "no code")
    pace = RequestPace(patience=0, backoff=0.2, timeout=TIMEOUT_SECONDS)
    try:
        visitor = await look_up_visitor(manager.server.identity, oauth_client, code, pending.verifier, pace)
    except HostError as error_from_github:
        return _failure_page(request, f"{error_from_github}. Try again.", str(error_from_github))
    if not visitor.installations:
        refusal = _failure_page(request, f"@{visitor.login} {NO_INSTALLATIONS}", "administers nothing", 403)
        await manager.end(refusal, request)  # they may still have a session from when they administered one
        return refusal
    response = responses.redirect(pending.back)
    response.delete_cookie(COOKIES["leaving"])
    await manager.begin(response, request, visitor)
    _log("a user signed in", login=visitor.login, installations=len(visitor.installations))
    return response


@router.post("/signout")
async def sign_out(request: Request, manager: ManagerDep, fields: FormDep) -> Response:
    """End the session, and show the sign-in page."""
    response = responses.redirect("/signin")
    session = await manager.session(request)
    if session is not None and is_from_session(session, fields):
        await manager.end(response, request)
    return response


async def redirect_to_sign_in(request: Request, _: Exception) -> Response:
    """Redirect to the sign-in page, or directly to GitHub if a session only has to be checked again.

    After the sign-in, the browser returns to the requested page.
    """
    manager: SessionManager = request.app.state.session_manager
    query = f"?{request.url.query}" if request.url.query else ""
    back = f"{request.url.path}{query}" if request.method == "GET" else "/"
    has_session = await manager.session(request) is not None
    target = "/signin/github" if has_session and manager.oauth_client(request) is not None else "/signin"
    return responses.redirect(f"{target}?{urlencode({'back': back})}" if back != "/" else target)


def _failure_page(request: Request, wrong: str, why: str, status: int = 400) -> Response:
    """Log why a sign-in failed, and return the sign-in page with the error message `wrong`."""
    _log("a sign-in failed", level=logging.WARNING, why=why, peer=_peer(request))
    response = _sign_in_page(request, status=status, wrong=wrong)
    response.delete_cookie(COOKIES["leaving"])
    return response


def _sign_in_page(
    request: Request, *, status: int = 200, wrong: str = "", token: str = "", back: str = "/"
) -> Response:
    manager: SessionManager = request.app.state.session_manager
    values = {"github": manager.oauth_client(request) is not None, "wrong": wrong, "token": token, "back": back}
    return responses.page("signin.html.j2", status, **values)


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""


MAX_INSTALLATION_PAGES = 5
MAX_REPOSITORY_PAGES = 50  # per installation; owners of more repositories need the link from the server's log


def authorization_url(api: str, oauth_client: OAuthClient, state: str, verifier: str) -> str:
    """Return the URL on GitHub where a user authorizes the App, with the hash of `verifier` (PKCE)."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = {
        "client_id": oauth_client.client_id,
        "redirect_uri": oauth_client.redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{site(api)}/login/oauth/authorize?{urlencode(query)}"


async def look_up_visitor(
    identity: Identity, oauth_client: OAuthClient, code: str, verifier: str, pace: RequestPace
) -> Visitor:
    """Exchange an OAuth code, and look up the user and the installations that they administer.

    Raises HostRefused and HostDown.
    """
    token = await _exchange(identity.api, oauth_client, code, verifier, pace)
    secret = oauth_client.client_secret.get_secret_value()
    auth = OAuthTokenAuthStrategy(oauth_client.client_id, HiddenText(secret), token)
    async with client.open_client(identity.api, auth, pace) as github_client:
        try:
            me: Any = await github_client.json(github_client.rest.users.async_get_authenticated())
            listing = github_client.rest.apps.async_list_installations_for_authenticated_user
            installation_ids = [
                int(data["id"])
                async for data in github_client.pages(listing, "installations", MAX_INSTALLATION_PAGES)
                if await _administers(data, int(me["id"]), github_client, identity, pace)
            ]
            return Visitor(str(me["login"]), tuple(installation_ids))
        except (KeyError, TypeError, ValueError):
            raise HostDown("GitHub's answer about the user could not be read") from None
        finally:
            with suppress(HostError):  # if GitHub does not answer, the token still expires within hours
                await github_client.json(
                    github_client.rest.apps.async_delete_token(oauth_client.client_id, access_token=token)
                )


async def _administers(
    data: Mapping[str, object], me: int, github_client: GitHubClient, identity: Identity, pace: RequestPace
) -> bool:
    """Return whether a user administers an installation.

    They do if it is on their own account, or if they have admin access to all of its repositories, as an
    organization's owners do. Asking for their membership in the organization would require another
    permission.
    """
    account = data.get("account")
    if data.get("suspended_at") or str(data.get("app_id")) != identity.app_id or not isinstance(account, dict):
        return False
    if account.get("type") == "User":
        return account.get("id") == me
    count, number = 0, int(str(data["id"]))
    listing = partial(github_client.rest.apps.async_list_installation_repos_for_authenticated_user, number)
    async for repository in github_client.pages(listing, "repositories", MAX_REPOSITORY_PAGES):
        if not (repository.get("permissions") or {}).get("admin"):
            return False
        count += 1
    return count > 0 and count >= await _repository_count(identity, number, pace)


async def _repository_count(identity: Identity, installation: int, pace: RequestPace) -> int:
    async with apps.open_installation(identity, installation, {"metadata": "read"}, pace) as github_client:
        listing = github_client.rest.apps.async_list_repos_accessible_to_installation
        return int((await github_client.json(listing(per_page=1)))["total_count"])


async def _exchange(api: str, oauth_client: OAuthClient, code: str, verifier: str, pace: RequestPace) -> HiddenText:
    """Raises HostRefused and HostDown. githubkit can do this too, but without the PKCE verifier."""
    form = {
        "client_id": oauth_client.client_id,
        "client_secret": oauth_client.client_secret.get_secret_value(),
        "code": code,
        "redirect_uri": oauth_client.redirect_uri,
        "code_verifier": verifier,
    }
    address, headers = f"{site(api)}/login/oauth/access_token", {"Accept": "application/json"}
    async with client.open_client(api, UnauthAuthStrategy(), pace) as github_client:
        reply: Any = await github_client.json(
            github_client.github.arequest("POST", address, data=form, headers=headers)
        )
    token = reply.get("access_token") if isinstance(reply, dict) else None
    if not isinstance(token, str) or not token:  # GitHub reports errors with status 200
        raise HostRefused(f"GitHub refused the sign-in ({_error_name(reply)})", 200)
    return HiddenText(token)


def _error_name(reply: object) -> str:
    """Return the name of GitHub's error if it looks like one. Nothing else in the reply is shown to users."""
    name = str(reply.get("error", "")) if isinstance(reply, dict) else ""
    return name if name.replace("_", "").isalpha() and name.isascii() else "no reason given"
