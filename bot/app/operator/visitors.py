"""People who sign in with GitHub: who they are, and which installations of the App they administer.

Their token is used for these questions and revoked; it is stored nowhere.
"""

import base64
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from githubkit import OAuthTokenAuthStrategy, UnauthAuthStrategy
from pydantic import SecretStr

from bot.errors import HostDown, HostError, HostRefused
from bot.github import apps, client
from bot.github.client import GitHubClient, HiddenText
from bot.github.identity import Identity, site
from bot.github.pace import RequestPace

PATIENCE = 10.0  # seconds for an answer while somebody looks at an empty page
MOST = 5  # pages of installations
MOST_REPOSITORIES = 50  # pages of repositories of one installation: who has more uses the link of the server's log


@dataclass(frozen=True, slots=True)
class Door:
    """What the App signs people in with. `back` is where GitHub sends them afterwards."""

    client_id: str
    client_secret: SecretStr
    back: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody at GitHub, and the installations that they administer."""

    login: str
    installations: tuple[int, ...]


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


async def visitor(identity: Identity, door: Door, code: str, verifier: str, pace: RequestPace) -> Visitor:
    """Look up who has come back with this code. Raises HostRefused and HostDown."""
    token, secret = await _exchange(identity.api, door, code, verifier, pace), door.client_secret.get_secret_value()
    auth = OAuthTokenAuthStrategy(door.client_id, HiddenText(secret), token)
    async with client.open_client(identity.api, auth, pace) as github_client:
        try:
            me: Any = await github_client.answer(github_client.rest.users.async_get_authenticated())
            listing = github_client.rest.apps.async_list_installations_for_authenticated_user
            installation_ids = [
                int(data["id"])
                async for data in github_client.pages(listing, "installations", MOST)
                if await _administers(data, int(me["id"]), github_client, identity, pace)
            ]
            return Visitor(str(me["login"]), tuple(installation_ids))
        except (KeyError, TypeError, ValueError):
            raise HostDown("GitHub's answer about the person who signs in cannot be read") from None
        finally:
            with suppress(HostError):  # if GitHub does not answer, the token ends by itself within hours
                await github_client.answer(
                    github_client.rest.apps.async_delete_token(door.client_id, access_token=token)
                )


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
        return int((await inside.answer(listing(per_page=1)))["total_count"])


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
        reply: Any = await github_client.answer(
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
