"""Register a GitHub App: build its manifest, and exchange GitHub's code for the App's credentials."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from githubkit import UnauthAuthStrategy
from pydantic import ValidationError

from bot.config.server import App
from bot.errors import HostDown, HostRefused
from bot.github import RequestPace, client
from bot.github.apps import site
from bot.machine import files
from bot.workflow import events

# GitHub sends installation events without a subscription.
EVENTS = tuple(name for name in events.ACTIONS if not name.startswith("installation"))
PERMISSIONS = {
    "metadata": "read",
    "contents": "write",  # GitHub resolves no thread without it; `/deeprepo fix` commits
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",  # the reaction to a command
    "merge_queues": "read",
}
# Descriptions of permissions whose name does not explain them
PERMISSION_NAMES = {
    "contents": "code (to resolve threads, and for /deeprepo fix)",
    "issues": "issues (the reactions to commands)",
}
MAX_NAME_CHARS = 34
CODE = re.compile(r"[A-Za-z0-9_-]{1,128}")
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


CALLBACK_PATH = "/signin/done"  # GitHub redirects here after a user signs in to the operator's pages


def manifest(public: str, redirect_url: str, organization: str) -> str:
    """Return the App's manifest as JSON.

    `public` is this server's URL for GitHub. GitHub sends the browser to `redirect_url` after creating the
    App.
    """
    name = f"deeprepo {organization}".strip()[:MAX_NAME_CHARS]
    return json.dumps(
        {
            "name": name,
            "url": public,
            "description": "Reviews pull requests beyond their diff.",
            "public": False,
            "hook_attributes": {"url": f"{public}/webhook", "active": True},
            "redirect_url": redirect_url,
            "callback_urls": [f"{public}{CALLBACK_PATH}"],
            "default_events": list(EVENTS),
            "default_permissions": PERMISSIONS,
        }
    )


def permissions(access: str) -> str:
    """Return a phrase that lists the permissions with this access, "read" or "write"."""
    names = [
        PERMISSION_NAMES.get(name, name.replace("_", " ")) for name, level in PERMISSIONS.items() if level == access
    ]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def new_app(api: str, organization: str, state: str) -> str:
    """Return the URL on GitHub to which the manifest is submitted."""
    owner = f"/organizations/{organization}" if organization else ""
    return f"{site(api)}{owner}/settings/apps/new?state={quote(state)}"


def install(api: str, slug: str) -> str:
    """Return the URL of GitHub's page for installing the App on repositories."""
    return f"{site(api)}/apps/{slug}/installations/new"


async def convert(api: str, code: str) -> dict[str, Any]:
    """Exchange the code that GitHub gave the browser for the App's credentials.

    Raises HostRefused and HostDown.
    """
    if not CODE.fullmatch(code):
        raise HostRefused("the code from GitHub is missing or damaged. Start again", 422)
    try:
        async with client.open_client(api, UnauthAuthStrategy(), RequestPace(patience=0)) as github_client:
            registration: Any = await github_client.json(github_client.rest.apps.async_create_from_manifest(code))
            return dict(registration)
    except HostRefused as refusal:
        sentence = f"GitHub answered {refusal.status}: the code is valid for one hour and can be used once. Start again"
        raise HostRefused(sentence, refusal.status) from None
    except HostDown:  # the original message contains the code, which is a secret
        raise HostDown("GitHub did not answer. Try again") from None


def store(app: dict[str, Any], path: Path, public: str = "") -> None:
    """Store the credentials and the server's public URL for the next start.

    Only this user can read the file. Raises HostRefused if GitHub's answer lacks a credential.
    """
    credentials = {
        "app_id": str(app.get("id", "")),
        "private_key": app.get("pem") or "",
        "webhook_secret": app.get("webhook_secret") or "",
        "client_id": app.get("client_id") or "",
        "client_secret": app.get("client_secret") or "",
    }
    try:
        App.model_validate(credentials)
    except ValidationError as error:
        names = ", ".join(str(item["loc"][0]) for item in error.errors())
        raise HostRefused(
            f"GitHub's answer does not contain {names}. Delete the new App on GitHub and start again", 422
        ) from None
    files.write(path, json.dumps(credentials | {"public_url": public}), below=path.parent, private=True, folders=True)
