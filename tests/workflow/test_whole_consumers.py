"""Consumers that a repository's settings list, on a server.

They are read with narrow tokens, and shown only to those who may see them.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from prices import BROKEN, LIBRARY, USER
from whole import Whole, whole

from deeprepo_sandbox import github as sandbox

ALLOWS = {".deeprepo.yml": "shown_to: [acme/prices]\n"}
LISTS = {".deeprepo.yml": "consumers: [acme/quagga, acme/nobody]\n"}
PRIVATE = ("zanzibar", "77123")
HIDDEN = "Listed repositories that this review may not show were not checked."


@asynccontextmanager
async def at(
    folder: Path, *, private: bool = True, **repositories: dict[str, str]
) -> AsyncIterator[tuple[Whole, sandbox.Repo]]:
    """Start a server with a library repository that lists consumers, and these private repositories."""
    async with whole(folder) as stage:
        repo = await stage.gh.repository("acme", "prices", files=LIBRARY | LISTS, private=private)
        for name, files in repositories.items():
            await stage.gh.repository("acme", name, files=files, private=True)
        await stage.gh.install()
        yield stage, repo


async def reviewed(stage: Whole, repo: sandbox.Repo, branch: str = "feature", **how: object) -> str:
    """Open a pull request that breaks consumers, and return the review's summary."""
    await repo.commit(branch, BROKEN | {f"{branch}.txt": "a head of its own\n"})
    number = await repo.open_pull(branch, title="Prices", **how)  # type: ignore[arg-type]
    await stage.quiet()
    pull = stage.gh.pull(number, f"acme/{repo.repository.name}")
    (found,) = [one.body for one in pull.comments if "## deeprepo" in one.body]
    return found


async def test_private_consumer_is_shown_only_if_it_allows_it_and_the_author_can_write(tmp_path: Path) -> None:
    """Without the consumer's permission, or for a stranger's change, the review shows nothing about it."""
    async with at(tmp_path, quagga=USER) as (stage, repo):
        text = await reviewed(stage, repo)
        assert HIDDEN in text
        assert not [word for word in PRIVATE if word in repr(stage.gh.pull(1, "acme/prices"))]
        user = sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga"))  # type: ignore[arg-type]
        await user.push("main", ALLOWS)
        before = len(stage.gh.requests)
        assert "quagga" not in await reviewed(stage, repo, "strange", fork=True)
        assert not [one for one in stage.gh.requests[before:] if "quagga.git" in one.path]
        assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo, "allowed")


async def test_public_library_never_shows_a_private_consumer(tmp_path: Path) -> None:
    """Everybody can read the review of a public library, so it shows nothing about a private consumer."""
    async with at(tmp_path, private=False, quagga=USER | ALLOWS) as (stage, repo):
        assert HIDDEN in await reviewed(stage, repo)
        assert not [word for word in PRIVATE if word in repr(stage.gh.pull(1, "acme/prices"))]
        rows = await stage.server.store.listing.database.run(
            lambda c: c.exec_driver_sql("SELECT output FROM review").all()
        )
        assert not [word for word in PRIVATE for row in rows if word.encode() in bytes(row[0])]


async def test_a_change_cannot_list_consumers(tmp_path: Path) -> None:
    """Only consumers that the base branch lists are searched."""
    async with at(tmp_path, quagga=USER | ALLOWS, okapi=USER | ALLOWS) as (stage, repo):
        await repo.commit("feature", BROKEN | {".deeprepo.yml": "consumers: [acme/okapi]\n"})
        text = await reviewed(stage, repo)
        assert "acme/quagga:zanzibar/checkout.py" in text
        assert "okapi" not in text
