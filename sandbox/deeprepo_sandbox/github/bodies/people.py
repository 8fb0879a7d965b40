"""People, Apps and installations."""

from deeprepo_sandbox.github.bodies import rehome, stamp
from deeprepo_sandbox.github.description import example
from deeprepo_sandbox.github.things import App, Installation, Json, User
from deeprepo_sandbox.github.world import World


def user(world: World, who: User) -> Json:
    """Somebody, as in every place where GitHub names a person."""
    api, own = f"{world.api}/users/{who.login}", f"{world.origin}/{who.login}"
    if who.type == "Bot":
        own = f"{world.origin}/apps/{who.login.removesuffix('[bot]')}"
    return {
        "login": who.login,
        "id": who.id,
        "node_id": f"U_kgDO{who.id}",
        "avatar_url": f"{world.origin}/avatars/{who.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": own,
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": who.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def app(world: World, which: App) -> Json:
    """An App, as in GET /app and beside everything that it wrote."""
    installed = sum(found.app is which for found in world.installations.values())
    return {
        "id": which.id,
        "client_id": which.client_id,
        "slug": which.slug,
        "node_id": f"A_kwDO{which.id}",
        "owner": user(world, which.owner),
        "name": which.name,
        "description": "",
        "external_url": world.origin,
        "html_url": f"{world.origin}/apps/{which.slug}",
        "created_at": stamp(which.created_at),
        "updated_at": stamp(which.created_at),
        "permissions": dict(which.permissions),
        "events": list(which.events),
        "installations_count": installed,
    }


def installation(world: World, which: Installation) -> Json:
    """An installation, with the fields that GitHub's own example leaves out."""
    made: Json = rehome(example("apps/get-repo-installation"), world, "")
    facts = {
        "id": which.id,
        "client_id": which.app.client_id,
        "account": user(world, which.account),
        "access_tokens_url": f"{world.api}/app/installations/{which.id}/access_tokens",
        "repositories_url": f"{world.api}/installation/repositories",
        "html_url": f"{world.origin}/organizations/{which.account.login}/settings/installations/{which.id}",
        "app_id": which.app.id,
        "app_slug": which.app.slug,
        "target_id": which.account.id,
        "target_type": which.account.type,
        "repository_selection": "all" if which.chosen_repositories is None else "selected",
        "permissions": dict(which.app.permissions),
        "events": list(which.app.events),
        "created_at": stamp(which.created_at),
        "updated_at": stamp(which.created_at),
        "suspended_at": stamp(which.suspended_at),
        "suspended_by": user(world, which.account) if which.suspended_at else None,
    }
    return made | facts
