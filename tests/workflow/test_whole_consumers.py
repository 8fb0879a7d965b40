"""Finding consumer repositories on a server.

They are indexed by their manifests in the background, read with narrow tokens, and shown only to those
who may see them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from prices import BROKEN, LIBRARY, USER
from whole import Whole, whole

from bot.features.consumers import command_line as consumers
from bot.features.consumers import packages
from deeprepo_sandbox import github as sandbox

LINES = {".deeprepo.yml": "as_consumer: lines\n"}
PRIVATE = ("quagga", "zanzibar", "77123")


@pytest.fixture(autouse=True)
def switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enable consumers for the owner's repositories and allow showing their lines."""
    monkeypatch.setenv("DEEPREPO_CONSUMERS", "owner")
    monkeypatch.setenv("DEEPREPO_CONSUMERS_SHOWN", "lines")


@asynccontextmanager
async def at(folder: Path, **repositories: dict[str, str]) -> AsyncIterator[tuple[Whole, sandbox.Repo]]:
    """Start a server with a library repository and these private repositories."""
    async with whole(folder) as stage:
        stage.gh.subscribe("push")
        repo = await stage.gh.repository("acme", "prices", files=LIBRARY, private=True)
        for name, files in repositories.items():
            await stage.gh.repository("acme", name, files=files, private=True)
        await stage.gh.install()
        await stage.quiet()
        yield stage, repo


async def reviewed(stage: Whole, repo: sandbox.Repo, branch: str = "feature", **how: object) -> str:
    """Open a pull request that breaks consumers, and return the review's summary."""
    await repo.commit(branch, BROKEN | {f"{branch}.txt": "a head of its own\n"})
    number = await repo.open_pull(branch, title="Prices", **how)  # type: ignore[arg-type]
    await stage.quiet()
    pull = stage.gh.pull(number, f"acme/{repo.repository.name}")
    (found,) = [one.body for one in pull.comments if "## deeprepo" in one.body]
    return found


async def test_consumer_is_found_and_its_broken_line_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Installation indexes who uses which package, as `deeprepo consumers --server` prints.

    The review of a private library names the line in a private consumer.
    """
    monkeypatch.setenv("DEEPREPO_DATA", str(tmp_path / "data"))
    async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
        kept = [path.name.partition("-")[0] for path in packages.clones_folder(stage.data).iterdir()]
        assert str(stage.gh.world.repository("acme", "quagga").id) in kept  # type: ignore[union-attr]
        before = len(stage.gh.requests)
        assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo)
        assert not [one for one in stage.gh.requests[before:] if "quagga.git" in one.path]  # the clone exists
        tokens_are_narrow(stage, "quagga")
    assert await asyncio.to_thread(consumers.command, server=True) == 0
    words = capsys.readouterr().out.split()
    assert words[words.index("acme/quagga") :][:4] == ["acme/quagga", "shop-prices", "acme/prices", ">=1.2,<2"]


def tokens_are_narrow(stage: Whole, *users: str) -> None:
    """Assert that contents tokens are for single repositories or the consumers, and read-only for those."""
    minted = [one for one in stage.gh.requests if one.path.endswith("/access_tokens")]
    asked = [
        (one.body["permissions"], one.body.get("repository_ids"))
        for one in minted
        if "repositories" not in one.body  # the token for the organization's defaults names its repository
    ]
    wide = [permissions for permissions, ids in asked if not ids]
    assert wide
    assert [permissions for permissions in wide if "contents" in permissions] == []
    ids = {stage.gh.world.repository("acme", name).id for name in users}  # type: ignore[union-attr]
    theirs = [permissions for permissions, chosen in asked if ids & set(chosen or ())]
    assert theirs
    assert all(permissions == {"contents": "read"} for permissions in theirs)
    assert all(len(chosen) == 1 or ids.issuperset(chosen) for _, chosen in asked if chosen)


async def test_public_library_never_names_a_private_consumer(tmp_path: Path) -> None:
    """Readers only learn that a consumer exists. For a stranger's change, the index is not even queried."""
    async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
        repo.repository.private = False
        text = await reviewed(stage, repo)
        assert "a repository that you may not be able to see" in text
        assert not [word for word in PRIVATE if word in repr(stage.gh.pull(1, "acme/prices"))]
        before = len(stage.gh.requests)
        assert "may not be able to see" not in await reviewed(stage, repo, "strange", fork=True)
        minted = [one for one in stage.gh.requests[before:] if one.path.endswith("/access_tokens")]
        consumer = stage.gh.world.repository("acme", "quagga").id  # type: ignore[union-attr]
        assert all(one.body["permissions"] != {} for one in minted)  # type: ignore[index]
        assert not [one for one in stage.gh.requests[before:] if "quagga" in one.path]
        rows = await stage.server.store.listing.database.run(
            lambda c: c.exec_driver_sql("SELECT output FROM review").all()
        )
        assert not [word for word in PRIVATE for row in rows if word.encode() in bytes(row[0])]
        assert consumer


async def test_push_refreshes_the_consumer_index_and_lost_access_deletes_entries(tmp_path: Path) -> None:
    """A repository that drops the package is no longer a consumer; one the App loses access to is deleted."""
    async with at(tmp_path, quagga=USER | LINES) as (stage, _):
        user = sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga"))  # type: ignore[arg-type]
        await user.commit("side", {"x.txt": "1\n"})
        await user.push("side", {"requirements.txt": "flask\n"})
        await stage.quiet()
        assert await stage.server.store.packages.known_uses(10)
        await user.push("main", {"requirements.txt": "flask\n"})
        await stage.quiet()
        assert await stage.server.store.packages.known_uses(10) == ()
        await stage.gh.withdraw(user)
        await stage.quiet()
        assert list(packages.clones_folder(stage.data).iterdir()) == []
        assert user.id not in await stage.server.store.packages.homes(stage.gh.installation)


async def test_unindexed_repository_is_indexed_for_the_next_review(tmp_path: Path) -> None:
    """No event announced it: the first review says that consumers are not known yet, the next names them."""
    async with at(tmp_path, quagga=USER | LINES) as (stage, _):
        repo = await stage.gh.repository("acme", "rates", files=LIBRARY, private=True)
        assert packages.NOT_YET in await reviewed(stage, repo)
        assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo, "second")


async def test_base_branch_settings_limit_the_consumers_and_the_change_cannot(tmp_path: Path) -> None:
    """Only consumers named on the base branch are searched."""
    reads = LINES | {"report.py": 'ROWS = "SELECT vat_rate FROM orders"\n'}
    async with at(tmp_path, quagga=USER | reads, okapi=USER | reads) as (stage, repo):
        await repo.push("main", {".deeprepo.yml": "consumers: [acme/okapi]\n"})
        await stage.quiet()
        await repo.commit("feature", BROKEN | {".deeprepo.yml": "consumers: [acme/quagga]\n"})
        text = await reviewed(stage, repo)
        assert "acme/okapi:zanzibar/checkout.py" in text
        assert "quagga" not in text
