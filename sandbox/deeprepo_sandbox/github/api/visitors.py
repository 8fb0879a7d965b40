"""What a person who has agreed lets the App ask in their name: who they are, and which installations they reach."""

from deeprepo_sandbox.github.bodies import people, repositories
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404
from deeprepo_sandbox.github.description import example
from deeprepo_sandbox.github.things import Installation, Json, Repository, User

ADMIN, WRITE, READ = "admin", "write", "read"


async def me(call: Call) -> Answer:
    """GET /user."""
    made: Json = example("users/get-authenticated")
    return Answer(200, made | people.user(call.world, _person(call)))


async def installations(call: Call) -> Answer:
    """GET /user/installations: those of this App with a repository that was explicitly opened to the person."""
    rows = [people.installation(call.world, home) for home in _reachable(call)]
    return call.pages(rows, lambda part: {"total_count": len(rows), "installations": part})


async def accessible(call: Call) -> Answer:
    """GET /user/installations/N/repositories, with what the person may do in each."""
    home = find_or_404(next((home for home in _reachable(call) if home.id == call.params["installation_id"]), None))
    rows = [_permissions(call, one) for one in _open_to(call, home)]
    whole = {
        "total_count": len(rows),
        "repository_selection": "all" if home.chosen_repositories is None else "selected",
    }
    return call.pages(rows, lambda part: whole | {"repositories": part})


async def end_token(call: Call) -> Answer:
    """DELETE /applications/C/token: the App gives a person's token back."""
    text = str(call.body.get("access_token", ""))
    token = call.world.tokens.get(text)
    if token is None or token.app is not call.caller.client:
        raise GitHubRefusal(422, "Validation Failed")
    del call.world.tokens[text]
    return Answer(204)


def _person(call: Call) -> User:
    token = call.caller.token
    if token is None or token.installation is not None:
        raise GitHubRefusal(403, "Resource not accessible by integration")
    return token.user


def _reachable(call: Call) -> list[Installation]:
    token = call.caller.token
    mine = [home for home in call.world.installations.values() if token is not None and home.app is token.app]
    return [home for home in mine if _open_to(call, home)]


def _open_to(call: Call, home: Installation) -> list[Repository]:
    """The repositories of an installation that were explicitly opened to the person: that all may read one does not count."""
    person, world = _person(call), call.world
    held = [one for one in world.repositories.values() if not one.is_deleted and home in world.installations_of(one)]
    return [one for one in held if person is one.owner or one.people.get(person.login, "none") != "none"]


def _permissions(call: Call, one: Repository) -> Json:
    level = call.world.permission(_person(call).login, one)
    may = {
        "admin": level == ADMIN,
        "maintain": level == ADMIN,
        "push": level in {ADMIN, WRITE},
        "triage": level in {ADMIN, WRITE},
        "pull": True,
    }
    return repositories.repository(call.world, one) | {"permissions": may}


OPERATIONS: dict[str, Do] = {
    "users/get-authenticated": me,
    "apps/list-installations-for-authenticated-user": installations,
    "apps/list-installation-repos-for-authenticated-user": accessible,
    "apps/delete-token": end_token,
}
