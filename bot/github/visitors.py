"""People who sign in with GitHub: who they are, and which installations of the App they administer.

Their token is used for these questions and revoked; it is stored nowhere.
"""

import base64
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx2
from pydantic import SecretStr

from bot import __version__
from bot.errors import HostDown, HostError, HostRefused
from bot.github import apps, client
from bot.github.client import GitHubClient
from bot.github.identity import Identity, site
from bot.github.pace import RequestPace
from bot.github.tokens import Bearer, Token

PATIENCE = 10.0  # seconds for an answer while somebody looks at an empty page
MOST = 5  # pages of installations
MOST_REPOSITORIES = 50  # pages of repositories of one installation: who has more uses the link of the server's log
METADATA = {"metadata": "read"}


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
    """The address at GitHub where a person agrees. `verifier` stays here: only its hash is sent (PKCE)."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = {
        "client_id": door.client_id,
        "redirect_uri": door.back,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{site(api)}/login/oauth/authorize?{urlencode(asked)}"


async def visitor(identity: Identity, door: Door, code: str, verifier: str, pace: RequestPace) -> Visitor:
    """Who has come back with this code. Raises HostRefused and HostDown."""
    token = Token(first=await _exchanged(identity.api, door, code, verifier))
    try:
        async with client.opened(identity.api, Bearer(token), pace, token=token) as asked:
            me = await asked.get("user")
            found = [
                int(data["id"])
                async for data in asked.pages("user/installations", key="installations", most=MOST)
                if await _administers(data, int(me["id"]), asked, identity, pace)
            ]
            return Visitor(str(me["login"]), tuple(found))
    except (KeyError, TypeError, ValueError):
        raise HostDown("GitHub's answer about the person who signs in cannot be read") from None
    finally:
        with suppress(HostError):
            await _revoked(identity.api, door, await token.current())


async def _administers(
    data: Mapping[str, object], me: int, asked: GitHubClient, identity: Identity, pace: RequestPace
) -> bool:
    """Whether a person administers an installation: it is on their own account, or every repository of it is theirs to administer.

    An organization's owners administer all of its repositories. To ask for their membership the App would need a permission more.
    """
    account = data.get("account")
    if data.get("suspended_at") or str(data.get("app_id")) != identity.app_id or not isinstance(account, dict):
        return False
    if account.get("type") == "User":
        return account.get("id") == me
    count = 0
    path = f"user/installations/{data['id']}/repositories"
    async for repository in asked.pages(path, key="repositories", most=MOST_REPOSITORIES):
        if not (repository.get("permissions") or {}).get("admin"):
            return False
        count += 1
    return count > 0 and count >= await _whole(identity, int(str(data["id"])), pace)


async def _whole(identity: Identity, installation: int, pace: RequestPace) -> int:
    """How many repositories an installation has."""
    async with apps.acting(identity, installation, METADATA, pace) as inside:
        return int((await inside.get("installation/repositories", per_page=1))["total_count"])


async def _exchanged(api: str, door: Door, code: str, verifier: str) -> SecretStr:
    """The person's token for the code that GitHub gave their browser. GitHub refuses with status 200 and the name of an error."""
    asked = {
        "client_id": door.client_id,
        "client_secret": door.client_secret.get_secret_value(),
        "code": code,
        "redirect_uri": door.back,
        "code_verifier": verifier,
    }
    try:
        async with _plain() as http:
            answer = await http.post(f"{site(api)}/login/oauth/access_token", data=asked)
            said = answer.json()
            token = said.get("access_token")
    except (httpx2.HTTPError, ValueError, AttributeError) as error:
        raise HostDown(f"GitHub did not answer the sign-in ({type(error).__name__})") from None
    if answer.is_error or not isinstance(token, str) or not token:
        raise HostRefused(f"GitHub refused the sign-in ({_name(said)})", answer.status_code)
    return SecretStr(token)


def _name(said: Mapping[str, object]) -> str:
    """The error's name, where it is one: nothing else of the answer is repeated."""
    name = str(said.get("error", ""))
    return name if name.replace("_", "").isalpha() and name.isascii() else "no reason given"


async def _revoked(api: str, door: Door, token: SecretStr) -> None:
    """End the person's token. If GitHub does not answer, it ends by itself within hours."""
    secret = door.client_secret.get_secret_value()
    with suppress(httpx2.HTTPError):
        async with _plain() as http:
            await http.request(
                "DELETE",
                f"{api.rstrip('/')}/applications/{door.client_id}/token",
                json={"access_token": token.get_secret_value()},
                auth=(door.client_id, secret),
                headers={"accept": "application/vnd.github+json"},
            )


def _plain() -> httpx2.AsyncClient:
    headers = {"accept": "application/json", "user-agent": f"deeprepo/{__version__}"}
    return httpx2.AsyncClient(timeout=PATIENCE, headers=headers, follow_redirects=False)
