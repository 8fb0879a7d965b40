"""Repositories: whole, as beside a token, and in three words."""

from deeprepo_sandbox.github.bodies import rehome, stamp
from deeprepo_sandbox.github.bodies.people import user
from deeprepo_sandbox.github.description import example
from deeprepo_sandbox.github.things import Json, Repository
from deeprepo_sandbox.github.world import World

DROPPED = ("organization", "parent", "source", "template_repository", "temp_clone_token", "license")


def repository(world: World, which: Repository, *, full: bool = False) -> Json:
    """A repository. `full` is the answer of GET R itself, with what it was forked from."""
    made: Json = rehome(example("repos/get"), world, which.full_name)
    for name in DROPPED:
        made.pop(name, None)
    made |= _facts(world, which)
    if not full:
        return {name: made[name] for name in made if name not in {"subscribers_count", "network_count"}}
    if which.parent is not None:
        above = repository(world, which.parent)
        made |= {"parent": above, "source": above}
    return made


def _facts(world: World, which: Repository) -> Json:
    web = f"{world.origin}/{which.full_name}"
    open_pulls = sum(pull.state == "open" for pull in which.pulls.values())
    return {
        "id": which.id,
        "node_id": f"R_kgDO{which.id}",
        "name": which.name,
        "full_name": which.full_name,
        "owner": user(world, which.owner),
        "private": which.private,
        "visibility": ("internal" if which.internal else "private") if which.private else "public",
        "html_url": web,
        "fork": which.parent is not None,
        "git_url": f"git:{world.origin.removeprefix('http:')}/{which.full_name}.git",
        "ssh_url": f"git@127.0.0.1:{which.full_name}.git",
        "mirror_url": None,
        "language": None,
        "license": None,
        "default_branch": which.default_branch,
        "open_issues_count": open_pulls,
        "open_issues": open_pulls,
        "pushed_at": stamp(max([which.created_at, *(pull.updated_at for pull in which.pulls.values())])),
        "created_at": stamp(which.created_at),
        "updated_at": stamp(which.created_at),
    }


def brief(world: World, which: Repository) -> Json:
    """A repository in three words, as in check runs."""
    return {"id": which.id, "url": f"{world.api}/repos/{which.full_name}", "name": which.name}


def short(which: Repository) -> Json:
    """A repository as the events of an installation name it."""
    return {
        "id": which.id,
        "node_id": f"R_kgDO{which.id}",
        "name": which.name,
        "full_name": which.full_name,
        "private": which.private,
    }
