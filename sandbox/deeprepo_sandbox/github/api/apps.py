"""The App itself: its installations, their tokens, its deliveries, and the flow that registers an App."""

from deeprepo_sandbox.github import hooks
from deeprepo_sandbox.github.access import LEVELS
from deeprepo_sandbox.github.bodies import people, repositories, stamp
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404, invalid
from deeprepo_sandbox.github.things import App, Delivery, Installation, Json

FAILED = 400


async def get(call: Call) -> Answer:
    """GET /app."""
    return Answer(200, people.app(call.world, _app(call)))


async def installations(call: Call) -> Answer:
    """GET /app/installations."""
    mine = [home for home in call.world.installations.values() if home.app is _app(call)]
    return call.pages([people.installation(call.world, home) for home in mine])


async def one_installation(call: Call) -> Answer:
    """GET /app/installations/N."""
    return Answer(200, people.installation(call.world, _home(call)))


async def installation(call: Call) -> Answer:
    """GET R/installation."""
    homes = [home for home in call.world.installations_of(call.repository) if home.app is _app(call)]
    return Answer(200, people.installation(call.world, find_or_404(homes[0] if homes else None)))


async def create_token(call: Call) -> Answer:
    """POST /app/installations/N/access_tokens: the permissions asked for, never more than the App has."""
    world, home = call.world, _home(call)
    if home.suspended_at is not None:
        raise GitHubRefusal(403, "This installation has been suspended")
    granted = dict(call.body.get("permissions", home.app.permissions))
    for name, level in granted.items():
        has = home.app.permissions.get(name)
        if has is None or LEVELS.index(level) > LEVELS.index(has):
            raise GitHubRefusal(422, "The permissions requested are not granted to this installation.")
    chosen = _repository_ids(call, home)
    text, token = world.mint(home, granted | {"metadata": "read"}, chosen)
    said: Json = {
        "token": text,
        "expires_at": stamp(token.expires),
        "permissions": token.permissions,
        "repository_selection": "all" if chosen is None and home.chosen_repositories is None else "selected",
    }
    if chosen is not None:
        said["repositories"] = [repositories.repository(world, world.repositories[one]) for one in sorted(chosen)]
    return Answer(201, said)


def _repository_ids(call: Call, home: Installation) -> frozenset[int] | None:
    """The repositories that the token is asked for; None: all of the installation."""
    ids, names = call.body.get("repository_ids"), call.body.get("repositories")
    if ids is None and names is None:
        return None
    ours = {
        r.id: r for r in call.world.repositories.values() if not r.is_deleted and home in call.world.installations_of(r)
    }
    wanted = set(ids or ()) | {r.id for r in ours.values() if r.name in (names or ())}
    if not wanted or not wanted <= set(ours):
        raise GitHubRefusal(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    return frozenset(wanted)


async def revoke(call: Call) -> Answer:
    """DELETE /installation/token."""
    for text in [text for text, token in call.world.tokens.items() if token is call.caller.token]:
        del call.world.tokens[text]
    return Answer(204)


async def accessible(call: Call) -> Answer:
    """GET /installation/repositories."""
    world, token = call.world, call.caller.token
    home = token.installation if token else None
    mine = [r for r in world.repositories.values() if not r.is_deleted and home in tuple(world.installations_of(r))]
    shown = [
        repositories.repository(world, r)
        for r in mine
        if not token or token.repositories is None or r.id in token.repositories
    ]
    whole = {
        "total_count": len(shown),
        "repository_selection": "all" if home and home.chosen_repositories is None else "selected",
    }
    return call.pages(shown, lambda part: whole | {"repositories": part})


async def deliveries(call: Call) -> Answer:
    """GET /app/hook/deliveries: the newest first, page by page with a cursor."""
    wanted = call.query.get("status")
    rows = [one for one in reversed(call.world.deliveries) if one.status_code]
    if wanted:
        rows = [one for one in rows if (one.status_code < FAILED) == (wanted == "success")]
    size = min(int(call.query.get("per_page", "30")), 100)
    cursor = call.query.get("cursor", "")
    if cursor and not cursor.isdecimal():
        raise GitHubRefusal(400, "Invalid cursor")
    below = [one for one in rows if not cursor or one.id < int(cursor)]
    part = below[:size]
    link = {}
    if len(below) > size:
        link = {"link": f'<{call.world.api}{call.path}?per_page={size}&cursor={part[-1].id}>; rel="next"'}
    return Answer(200, [_delivery(one) for one in part], link)


def _delivery(one: Delivery) -> Json:
    return {
        "id": one.id,
        "guid": one.guid,
        "delivered_at": stamp(one.delivered_at),
        "redelivery": one.redelivery,
        "duration": one.duration,
        "status": one.status,
        "status_code": one.status_code,
        "event": one.event,
        "action": one.action,
        "installation_id": one.installation,
        "repository_id": one.repository,
        "throttled_at": None,
    }


async def redeliver(call: Call) -> Answer:
    """POST /app/hook/deliveries/N/attempts: the same GUID and body once more."""
    known = {one.id: one for one in call.world.deliveries}
    old = known.get(call.params["delivery_id"])
    if old is None:
        raise invalid("Delivery", "id")
    call.world.begin(hooks.hand_over(call.world, _app(call), hooks.again(call.world, old)))
    return Answer(202, {})


async def from_manifest(call: Call) -> Answer:
    """POST /app-manifests/CODE/conversions: what the browser's flow hands out, once."""
    made = call.world.apps[find_or_404(call.world.manifests.pop(call.params["code"], None))]
    said = people.app(call.world, made) | {
        "client_secret": made.client_secret,
        "webhook_secret": made.secret,
        "pem": made.private_key,
    }
    return Answer(201, said)


def _home(call: Call) -> Installation:
    """The installation of a path; another App's is none."""
    home = find_or_404(call.world.installations.get(call.params["installation_id"]))
    if home.app is not _app(call):
        raise GitHubRefusal(404, "Not Found")
    return home


def _app(call: Call) -> App:
    return find_or_404(call.caller.app)


OPERATIONS: dict[str, Do] = {
    "apps/get-authenticated": get,
    "apps/list-installations": installations,
    "apps/get-installation": one_installation,
    "apps/get-repo-installation": installation,
    "apps/create-installation-access-token": create_token,
    "apps/revoke-installation-access-token": revoke,
    "apps/list-repos-accessible-to-installation": accessible,
    "apps/list-webhook-deliveries": deliveries,
    "apps/redeliver-webhook-delivery": redeliver,
    "apps/create-from-manifest": from_manifest,
}
