"""Repositories that use the reviewed one, on a server: found by their manifests in the background, read with narrow tokens, shown to few."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from prices import BROKEN, LIBRARY, USER
from whole import Whole, whole

from bot.cli import consumers
from bot.workflow import clones
from deeprepo_sandbox import github as sandbox

LINES = {".deeprepo.yml": "as_consumer: lines\n"}
PRIVATE = ("quagga", "zanzibar", "77123")


@pytest.fixture(autouse=True)
def switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator has switched it on and lets lines be shown."""
    monkeypatch.setenv("DEEPREPO_CONSUMERS", "owner")
    monkeypatch.setenv("DEEPREPO_CONSUMERS_SHOWN", "lines")


@asynccontextmanager
async def at(folder: Path, **repositories: dict[str, str]) -> AsyncIterator[tuple[Whole, sandbox.Repo]]:
    """A server that knows a library; and these repositories beside it, private ones."""
    async with whole(folder) as stage:
        stage.gh.subscribe("push")
        repo = await stage.gh.repository("acme", "prices", files=LIBRARY, private=True)
        for name, files in repositories.items():
            await stage.gh.repository("acme", name, files=files, private=True)
        await stage.gh.install()
        await stage.quiet()
        yield stage, repo


async def reviewed(stage: Whole, repo: sandbox.Repo, branch: str = "feature", **how: object) -> str:
    """The summary of the review of a change that breaks users."""
    await repo.commit(branch, BROKEN | {f"{branch}.txt": "a head of its own\n"})
    number = await repo.open_pull(branch, title="Prices", **how)  # type: ignore[arg-type]
    await stage.quiet()
    pull = stage.gh.pull(number, "acme/prices")
    (found,) = [one.body for one in pull.comments if "## deeprepo" in one.body]
    return found


async def test_a_consumer_is_found_and_its_line_named(tmp_path: Path) -> None:
    """After the installation the index knows who takes what; the review of a private library names the line of a private user."""
    async with at(tmp_path, quagga=USER | LINES, other={"README.md": "nothing\n"}) as (stage, repo):
        rows = await stage.server.store.packages.known_uses(10)
        assert [(one.user, one.offerer, one.package, one.version) for one in rows] == [
            ("acme/quagga", "acme/prices", "shop-prices", ">=1.2,<2")
        ]
        kept = [path.name.partition("-")[0] for path in clones.folder(stage.data).iterdir()]
        assert kept == [str(stage.gh.world.repository("acme", "quagga").id)]  # type: ignore[union-attr]
        before = len(stage.gh.requests)
        assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo)
        assert not [one for one in stage.gh.requests[before:] if "quagga.git" in one.path]  # the clone is at hand


async def test_every_token_reads_one_repository_or_those_that_are_looked_at(tmp_path: Path) -> None:
    """No token for contents is good for the whole installation, none that is made for a consumer can write."""
    async with at(tmp_path, quagga=USER | LINES, other={"README.md": "nothing\n"}) as (stage, repo):
        await reviewed(stage, repo)
        minted = [one for one in stage.gh.requests if one.path.endswith("/access_tokens")]
        asked = [
            (one.body["permissions"], one.body.get("repository_ids"))
            for one in minted
            if "repositories" not in one.body  # that of the organization's defaults is named
        ]
        wide = [permissions for permissions, ids in asked if not ids]
        assert wide
        assert [permissions for permissions in wide if "contents" in permissions] == []
        ids = {name: stage.gh.world.repository("acme", name).id for name in ("quagga", "other")}  # type: ignore[union-attr]
        theirs = [permissions for permissions, chosen in asked if set(ids.values()) & set(chosen or ())]
        assert theirs
        assert all(permissions == {"contents": "read"} for permissions in theirs)
        assert all(len(chosen) == 1 for _, chosen in asked if chosen)


async def test_a_public_library_names_no_private_consumer(tmp_path: Path) -> None:
    """Its readers learn that there is one; a stranger's change, of which the index is not even asked, nothing."""
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


async def test_a_push_to_the_default_branch_refreshes_the_index(tmp_path: Path) -> None:
    """Who takes the package no longer is no consumer; a push to another branch asks for nothing."""
    async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
        user = sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga"))  # type: ignore[arg-type]
        await user.commit("side", {"x.txt": "1\n"})
        await user.push("side", {"requirements.txt": "flask\n"})
        await stage.quiet()
        assert await stage.server.store.packages.known_uses(10)
        await user.push("main", {"requirements.txt": "flask\n"})
        await stage.quiet()
        assert await stage.server.store.packages.known_uses(10) == ()
        assert "repositories that use this one" not in await reviewed(stage, repo)


async def test_the_file_of_the_base_branch_narrows_and_that_of_the_change_does_not(tmp_path: Path) -> None:
    """Only what the base branch names is looked at, if it names anything; what the change names is nobody's concern."""
    async with at(tmp_path, quagga=USER | LINES, okapi=USER | LINES) as (stage, repo):
        await repo.push("main", {".deeprepo.yml": "consumers: [acme/okapi]\n"})
        await stage.quiet()
        await repo.commit("feature", BROKEN | {".deeprepo.yml": "consumers: [acme/quagga]\n"})
        text = await reviewed(stage, repo)
        assert "acme/okapi:zanzibar/checkout.py" in text
        assert "quagga" not in text


MERGE = {"requirements.txt": "<<<<<<< a\nshop-prices\n>>>>>>> b\n"}  # marks of one that is under way


async def test_an_installation_that_ends_takes_the_index_and_the_clones_along(tmp_path: Path) -> None:
    """Nothing of a repository that the App may no longer see is kept."""
    async with at(tmp_path, quagga=USER | LINES) as (stage, _):
        user = stage.gh.world.repository("acme", "quagga")
        assert user is not None
        await stage.gh.withdraw(sandbox.Repo(stage.gh.world, user))
        await stage.quiet()
        assert list(clones.folder(stage.data).iterdir()) == []
        assert user.id not in await stage.server.store.packages.homes(stage.gh.installation)


async def test_the_list_of_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`deeprepo consumers --server` prints who takes what from whom, at which version, and when it was read."""
    monkeypatch.setenv("DEEPREPO_DATA", str(tmp_path / "data"))

    async with at(tmp_path, quagga=USER | LINES, zebra=MERGE):
        pass
    assert await asyncio.to_thread(consumers.command, server=True) == 0
    text = capsys.readouterr().out
    assert "not known: requirements.txt holds the marks of a merge" in text
    words = text.split()
    assert words[words.index("acme/quagga") :][:4] == ["acme/quagga", "shop-prices", "acme/prices", ">=1.2,<2"]


async def test_a_repository_that_only_names_a_schema_is_looked_at_if_the_file_names_it(tmp_path: Path) -> None:
    """No manifest ties it to the reviewed one: the file of the base branch does, and a change cannot."""
    schema = {"schema.sql": "CREATE TABLE orders (id int, vat_rate int);\n"}
    reads = LINES | {"report.py": 'ROWS = "SELECT vat_rate FROM orders"\n'}
    dropped = {"schema.sql": "CREATE TABLE orders (id int);\n"}

    async with at(tmp_path, quagga=reads) as (stage, repo):
        await repo.push("main", schema)
        await repo.commit("feature", dropped | {".deeprepo.yml": "consumers: [acme/quagga]\n"})
        number = await repo.open_pull("feature", title="Prices")
        await stage.quiet()
        assert "quagga" not in repr(stage.gh.pull(number, "acme/prices").comments)
        await repo.push("main", {".deeprepo.yml": "consumers: [acme/quagga]\n"})
        await repo.commit("other", dropped)
        number = await repo.open_pull("other", title="Prices")
        await stage.quiet()
        assert "acme/quagga:report.py" in repr(stage.gh.pull(number, "acme/prices").comments)
