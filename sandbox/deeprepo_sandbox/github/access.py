"""Who is asking, and whether GitHub lets them: JWTs, tokens, and the permission that each operation needs."""

import base64
from binascii import Error

from deeprepo_sandbox.github import keys
from deeprepo_sandbox.github.call import Caller, GitHubRefusal
from deeprepo_sandbox.github.things import Repository, Token
from deeprepo_sandbox.github.world import World

LEVELS = ("read", "write", "admin")
BY_APP = {
    "apps/get-authenticated",
    "apps/list-installations",
    "apps/get-installation",
    "apps/create-installation-access-token",
    "apps/list-webhook-deliveries",
    "apps/redeliver-webhook-delivery",
    "apps/get-repo-installation",
}
BY_CLIENT = {"apps/delete-token"}
OPEN = {"apps/create-from-manifest"}
TALK = ("issues", "pull_requests")  # either will do on a pull request's conversation
NEEDS: dict[str, tuple[tuple[str, ...], str]] = {
    "repos/get": (("metadata",), "read"),
    "repos/get-collaborator-permission-level": (("metadata",), "read"),
    "repos/get-content": (("contents",), "read"),
    "repos/compare-commits-with-basehead": (("contents",), "read"),
    "repos/get-branch": (("contents",), "read"),
    "git/get-commit": (("contents",), "read"),
    "git/get-ref": (("contents",), "read"),
    "git/create-tree": (("contents",), "write"),
    "git/create-commit": (("contents",), "write"),
    "git/update-ref": (("contents",), "write"),
    "actions/list-workflow-runs-for-repo": (("actions",), "read"),
    "actions/cancel-workflow-run": (("actions",), "write"),
    "checks/create": (("checks",), "write"),
    "checks/update": (("checks",), "write"),
    "checks/list-annotations": (("checks",), "read"),
    "checks/list-for-ref": (("checks",), "read"),
    "issues/create-comment": (TALK, "write"),
    "issues/list-comments": (TALK, "read"),
    "issues/get-comment": (TALK, "read"),
    "issues/update-comment": (TALK, "write"),
    "issues/delete-comment": (TALK, "write"),
    "reactions/create-for-issue-comment": (TALK, "write"),
    "reactions/list-for-issue-comment": (TALK, "read"),
    "reactions/create-for-pull-request-review-comment": (("pull_requests",), "write"),
    "reactions/list-for-pull-request-review-comment": (("pull_requests",), "read"),
}


def needed_permissions(operation: str, method: str) -> tuple[tuple[str, ...], str]:
    """The permissions of which one is needed, and how much of it."""
    return NEEDS.get(operation, (("pull_requests",), "read" if method == "GET" else "write"))


def caller(world: World, authorization: str) -> Caller:
    """Who asks, by the header `authorization`. Raises Refused with 401 for what is unknown, revoked or too old."""
    kind, _, text = authorization.partition(" ")
    text = text.strip()
    if not kind:
        return Caller()
    if kind.lower() == "basic":
        name, text = _basic(text)
        client = next((app for app in world.apps.values() if app.client_id == name), None)
        if client is not None:
            if text != client.client_secret:
                raise GitHubRefusal(401, "Bad credentials")
            return Caller(client=client)
    if text.startswith("eyJ"):
        return _app(world, text)
    token = alive(world, text)
    if token is None:
        raise GitHubRefusal(401, "Bad credentials")
    if token.installation is not None and token.installation.suspended_at is not None:
        raise GitHubRefusal(403, f"Sorry. This installation owned by {token.installation.account.login} was suspended")
    return Caller(token.user, None, token)


def alive(world: World, text: str) -> Token | None:
    """A token that still opens something."""
    token = world.tokens.get(text)
    return token if token is not None and token.expires > world.now() else None


def allow(world: World, operation: str, method: str, who: Caller, repository: Repository | None) -> None:
    """Raise Refused unless the caller may do this."""
    if operation in OPEN:
        return
    if operation in BY_APP:
        if who.app is None:
            raise GitHubRefusal(401, "A JSON web token could not be decoded")
        return
    if operation in BY_CLIENT:
        if who.client is None:
            raise GitHubRefusal(404, "Not Found")
        return
    if who.app is not None:
        raise GitHubRefusal(401, "Bad credentials")
    if repository is not None:
        permissions, level = needed_permissions(operation, method)
        enter(world, who, repository, permissions, level)
    elif who.token is None:
        raise GitHubRefusal(401, "Requires authentication")


def enter(world: World, who: Caller, repository: Repository, permissions: tuple[str, ...], level: str) -> None:
    """Raise Refused unless the caller may come into this repository with one of the permissions at this level."""
    public = not repository.private and level == "read"
    token = who.token
    if token is None:
        if not public:
            raise GitHubRefusal(404, "Not Found") if level == "read" else GitHubRefusal(401, "Requires authentication")
        return
    if not sees(world, token, repository):
        if not public:
            raise (
                GitHubRefusal(404, "Not Found")
                if repository.private
                else GitHubRefusal(403, "Resource not accessible by integration")
            )
        return
    if public or "metadata" in permissions:
        return
    best = max(
        (LEVELS.index(token.permissions.get(name, "read")) for name in permissions if name in token.permissions),
        default=-1,
    )
    if best < LEVELS.index(level):
        raise GitHubRefusal(403, "Resource not accessible by integration")


def sees(world: World, token: Token, repository: Repository) -> bool:
    """Whether a token is good for this repository at all."""
    if token.repositories is not None:
        return repository.id in token.repositories
    if token.installation is not None:
        return token.installation in world.installations_of(repository)
    return world.permission(token.user.login, repository) != "none"


def _app(world: World, text: str) -> Caller:
    claimed = keys.issuer(text) or ""
    app = world.apps.get(int(claimed)) if claimed.isdecimal() else None
    if app is None:
        raise GitHubRefusal(401, "A JSON web token could not be decoded")
    why = keys.refusal(text, app.public_key, world.now())
    if why:
        raise GitHubRefusal(401, why)
    return Caller(app.bot, app)


def _basic(text: str) -> tuple[str, str]:
    """Name and password."""
    try:
        name, _, password = base64.b64decode(text, validate=True).decode().partition(":")
    except (Error, ValueError):
        return "", ""
    return name, password
