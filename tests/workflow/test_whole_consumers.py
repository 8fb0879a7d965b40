"""Repositories that use the reviewed one, on a server: found by their manifests in the background, read with narrow tokens, shown to few."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from families import few
from prices import BROKEN, LIBRARY, USER
from whole import Whole, whole

from bot.cli import consumers
from bot.values import PackageSurvey
from bot.workflow import clones
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

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


def test_a_consumer_is_found_and_its_line_named(tmp_path: Path) -> None:
    """After the installation the index knows who takes what; the review of a private library names the line of a private user."""

    async def go() -> None:
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

    asyncio.run(go())


def test_every_token_reads_one_repository_or_those_that_are_looked_at(tmp_path: Path) -> None:
    """No token for contents is good for the whole installation, none that is made for a consumer can write."""

    async def go() -> None:
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

    asyncio.run(go())


def test_a_public_library_names_no_private_consumer(tmp_path: Path) -> None:
    """Its readers learn that there is one; a stranger's change, of which the index is not even asked, nothing."""

    async def go() -> None:
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

    asyncio.run(go())


def test_a_push_to_the_default_branch_refreshes_the_index(tmp_path: Path) -> None:
    """Who takes the package no longer is no consumer; a push to another branch asks for nothing."""

    async def go() -> None:
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

    asyncio.run(go())


def test_the_file_of_the_base_branch_narrows_and_that_of_the_change_does_not(tmp_path: Path) -> None:
    """Only what the base branch names is looked at, if it names anything; what the change names is nobody's concern."""

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES, okapi=USER | LINES) as (stage, repo):
            await repo.push("main", {".deeprepo.yml": "consumers: [acme/okapi]\n"})
            await stage.quiet()
            await repo.commit("feature", BROKEN | {".deeprepo.yml": "consumers: [acme/quagga]\n"})
            text = await reviewed(stage, repo)
            assert "acme/okapi:zanzibar/checkout.py" in text
            assert "quagga" not in text

    asyncio.run(go())


def test_what_cannot_be_fetched_or_read_costs_a_line(tmp_path: Path) -> None:
    """A consumer whose clone is gone and whose repository gives nothing is open; the review of the others stands."""

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES, okapi=USER | LINES) as (stage, repo):
            clones.forget(stage.data, [stage.gh.world.repository("acme", "quagga").id])  # type: ignore[union-attr]
            stage.gh.fail("GET", "quagga.git", sandbox.Fault(status=500, times=99))
            text = await reviewed(stage, repo)
            assert "acme/okapi:zanzibar/checkout.py" in text
            assert "1 of 2 repositories that use this one, or may use it, were looked at" in text

    asyncio.run(go())


UNREAD = {
    "a line that is too long": {
        "pyproject.toml": '[project]\ndependencies = ["shop-prices"]\nname = "' + "a" * 20_001 + '"\n'
    },
    "another encoding": {"requirements.txt": "".join(f"{letter}\0" for letter in "shop-prices\n")},
    "more than is read": {"requirements.txt": "flask\n" * 400_000},
    "the marks of a merge": {"requirements.txt": "<<<<<<< a\nshop-prices\n>>>>>>> b\n"},
    "a syntax error": {"pyproject.toml": '[project\ndependencies = ["shop-prices"]\n'},
}


@pytest.mark.parametrize("files", UNREAD.values(), ids=UNREAD)
def test_a_consumer_whose_manifest_cannot_be_read_is_open(tmp_path: Path, files: dict[str, str]) -> None:
    """It may use the library: the review has a line for it, as on the command line, and is not complete; the list names the manifest."""

    async def go() -> None:
        async with at(tmp_path, okapi=USER | LINES, quagga=LINES | files) as (stage, repo):
            text = await reviewed(stage, repo)
            assert "acme/okapi:zanzibar/checkout.py" in text
            assert re.search(r"1 of 2 repositories that use this one(, or may use it,)? were looked at", text)
            assert f"acme/quagga was not looked at: it was looked at in part: {next(iter(files))}" in text
            rows = await stage.server.store.packages.unread(10)
            assert [(one.user, one.unread.split()[0]) for one in rows] == [("acme/quagga", next(iter(files)))]

    asyncio.run(go())


def test_a_manifest_that_cannot_be_read_and_names_nothing_of_the_library_opens_nothing(tmp_path: Path) -> None:
    """Neither does one of another language; such repositories are not even told of."""

    async def go() -> None:
        damaged = {
            "pyproject.toml": '[project\ndependencies = ["flask"]\n',
            "Cargo.toml": "[dependencies\nshop-prices\n",
        }
        async with at(tmp_path, quagga=LINES | damaged) as (stage, repo):
            text = await reviewed(stage, repo)
            assert "quagga" not in text
            assert "repositories" not in text.partition("<details>")[0]

    asyncio.run(go())


def test_a_public_library_names_no_private_repository_that_may_use_it(tmp_path: Path) -> None:
    """Its readers learn that one was not looked at, those of a stranger's change nothing."""

    async def go() -> None:
        async with at(tmp_path, quagga=LINES | UNREAD["a syntax error"]) as (stage, repo):
            repo.repository.private = False
            text = await reviewed(stage, repo)
            assert "was not looked at" in text
            assert not [
                word for word in ("quagga", "pyproject") if word in repr(stage.gh.pull(1, "acme/prices").comments)
            ]
            assert "was not looked at" not in await reviewed(stage, repo, "strange", fork=True)

    asyncio.run(go())


def test_a_library_whose_own_manifest_cannot_be_read_tells_that_its_users_are_not_known(tmp_path: Path) -> None:
    """Nobody can be found by its packages."""

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
            await repo.push("main", {"pyproject.toml": "[project\n"})
            await stage.quiet()
            text = await reviewed(stage, repo)
            assert "Which repositories use this one is not known to the end: pyproject.toml" in text

    asyncio.run(go())


def test_a_repository_that_was_never_read_is_told_of_without_its_name(tmp_path: Path) -> None:
    """A note, for those who may learn that there is one; the list has the reason."""

    async def go() -> None:
        async with whole(tmp_path) as stage:
            stage.gh.subscribe("push")
            stage.gh.fail("GET", "quagga.git", sandbox.Fault(status=500, times=99))
            repo = await stage.gh.repository("acme", "prices", files=LIBRARY, private=True)
            await stage.gh.repository("acme", "quagga", files=USER | LINES, private=True)
            await stage.gh.install()
            await stage.quiet()
            text = await reviewed(stage, repo)
            assert "not every repository that may use it could be read" in text
            assert "quagga" not in text
            (row,) = await stage.server.store.packages.unread(10)
            assert (row.user, row.unread) == ("acme/quagga", "GitHub did not give it")
            repo.repository.private = False
            assert "not every repository" not in await reviewed(stage, repo, "strange", fork=True)

    asyncio.run(go())


def test_an_installation_that_ends_takes_the_index_and_the_clones_along(tmp_path: Path) -> None:
    """Nothing of a repository that the App may no longer see is kept."""

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES) as (stage, _):
            user = stage.gh.world.repository("acme", "quagga")
            assert user is not None
            await stage.gh.withdraw(sandbox.Repo(stage.gh.world, user))
            await stage.quiet()
            assert list(clones.folder(stage.data).iterdir()) == []
            assert user.id not in await stage.server.store.packages.homes(stage.gh.installation)

    asyncio.run(go())


def test_nothing_is_looked_up_unless_the_operator_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the switch a push and an installation ask for nothing, and a job that was stored before does nothing."""
    monkeypatch.delenv("DEEPREPO_CONSUMERS")

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
            await stage.server.jobs.submit(PackageSurvey(stage.gh.installation), "by-hand")
            await stage.quiet()
            assert await stage.server.store.packages.homes(stage.gh.installation) == {}
            assert "repositories that use this one" not in await reviewed(stage, repo)

    asyncio.run(go())


def test_a_repository_that_cannot_be_read_holds_up_no_other(tmp_path: Path) -> None:
    """One without a commit, one whose manifest is no text, one that git does not give: each has its row, and the last keeps what was known."""

    async def go() -> None:
        async with at(tmp_path, aardwolf={"pyproject.toml": "[project"}, quagga=USER | LINES) as (stage, _):
            user = sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga"))  # type: ignore[arg-type]
            stage.gh.fail("GET", "quagga.git", sandbox.Fault(status=500, times=99))
            await user.push("main", {"NEWS.md": "1\n"})
            await stage.gh.repository("acme", "zebra", files=USER, private=True)
            await stage.gh.install()
            await stage.quiet()
            rows = await stage.server.store.packages.known_uses(10)
            assert sorted(one.user for one in rows) == ["acme/quagga", "acme/zebra"]
            homes = {
                home.name: home.problem
                for home in (await stage.server.store.packages.homes(stage.gh.installation)).values()
            }
            assert homes["acme/quagga"] == "GitHub did not give it"
            assert {name for name, problem in homes.items() if not problem} >= {
                "acme/aardwolf",
                "acme/zebra",
                "acme/prices",
            }

    asyncio.run(go())


def test_the_list_of_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`deeprepo consumers --server` prints who takes what from whom, at which version, and when it was read."""
    monkeypatch.setenv("DEEPREPO_DATA", str(tmp_path / "data"))

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES, zebra=UNREAD["the marks of a merge"]):
            pass

    asyncio.run(go())
    assert consumers.command(server=True) == 0
    text = capsys.readouterr().out
    assert "not known: requirements.txt holds the marks of a merge" in text
    words = text.split()
    assert words[words.index("acme/quagga") :][:4] == ["acme/quagga", "shop-prices", "acme/prices", ">=1.2,<2"]


def test_the_first_review_tells_that_users_are_not_known_yet(tmp_path: Path) -> None:
    """Before the index has the repository, a review says so, once; the next one has looked."""

    async def go() -> None:
        async with whole(tmp_path) as stage:
            repo = await stage.gh.repository("acme", "prices", files=LIBRARY, private=True)
            await stage.gh.repository("acme", "quagga", files=USER | LINES, private=True)
            assert "Which repositories use this one is not known yet" in await reviewed(stage, repo)
            await repo.push("feature", {"NEWS.md": "1\n"})
            await stage.quiet()
            (text,) = [one.body for one in stage.gh.pull(1, "acme/prices").comments if "## deeprepo" in one.body]
            assert "not known yet" not in text
            assert "acme/quagga:zanzibar/checkout.py" in text

    asyncio.run(go())


def test_a_repository_that_only_names_a_schema_is_looked_at_if_the_file_names_it(tmp_path: Path) -> None:
    """No manifest ties it to the reviewed one: the file of the base branch does, and a change cannot."""
    schema = {"schema.sql": "CREATE TABLE orders (id int, vat_rate int);\n"}
    reads = LINES | {"report.py": 'ROWS = "SELECT vat_rate FROM orders"\n'}
    dropped = {"schema.sql": "CREATE TABLE orders (id int);\n"}

    async def go() -> None:
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

    asyncio.run(go())


def test_a_remark_shows_a_model_no_more_than_may_be_shown_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the reviewed repository is public, a question about the finding brings no word of the private consumer to a provider."""

    def say(body: Mapping[str, Any]) -> Reply:
        is_remark = "hand in the reply" in str(body).lower()
        return Reply(
            data={"answer": "So.", "quotes": [], "withdraw": []} if is_remark else {"answer": "Read.", "findings": []}
        )

    async def go() -> None:
        async with doubles.openai_server(say) as double:
            for name, value in (("WORKER", "compatible/reader"), ("BASE_URL", double.base_url), ("EFFORT", "low")):
                monkeypatch.setenv(f"DEEPREPO_{name}", value)
            async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
                assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo)
                pull = stage.gh.pull(1, "acme/prices")
                (thread,) = [one for one in pull.review_comments if "quagga" in one.body]
                for is_private in (True, False):
                    repo.repository.private = is_private
                    before = len(double.requests)
                    await repo.reply(1, thread.id, "@deeprepo Why is this wrong?", sandbox.MAINTAINER)
                    await stage.quiet()
                    asked = repr(double.requests[before:])
                    assert "Why is this wrong?" in asked
                    assert not [word for word in PRIVATE if word in asked]

    asyncio.run(go())


def _texts(pull: Any) -> dict[object, str]:  # noqa: ANN401 - the sandbox's pull request
    """Everything of it that readers see."""
    comments = {("comment", one.id): one.body for one in (*pull.comments, *pull.review_comments)}
    return comments | {("check", one.id): f"{one.title} {one.summary} {one.text}" for one in pull.checks}


async def _publish(stage: Whole, repo: sandbox.Repo) -> None:
    """The reviewed library is published."""
    repo.repository.private = False


async def _hide(stage: Whole, repo: sandbox.Repo) -> None:
    """The consumer does not let others see its lines any more."""
    user = sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga"))  # type: ignore[arg-type]
    await user.push("main", {".deeprepo.yml": "as_consumer: existence\n"})


async def _take_its_name(stage: Whole, repo: sandbox.Repo) -> None:
    """The consumer is renamed, a public one that takes the package too gets its name, and the library is published."""
    user = sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga"))  # type: ignore[arg-type]
    user.rename("quagga-internal")
    await user.push("main", {"NEWS.md": "renamed\n", "requirements.txt": "flask\n"})
    await stage.quiet()
    files = {"requirements.txt": "shop-prices>=1.2,<2\n", "open/app.py": "import shop_prices\n"}
    await stage.gh.repository("acme", "quagga", files=files, private=False)
    await stage.gh.install()
    await stage.quiet()
    await _publish(stage, repo)


def _tells_of_a_consumer(body: Mapping[str, Any]) -> Reply:
    """A reader whose finding about the library names what it was shown of a consumer."""
    text = str(body["messages"])
    finding = {
        "path": "shop_prices/__init__.py", "quote": "    return sum(items)", "line": 2, "severity": "high", "category": "logic",
        "title": "zanzibar/checkout.py counts with tax for customer 77123", "why": "It passes 0.2.", "evidence": [], "claims": [],
        "consequence": "Wrong sums.", "suggestion": None, "trigger": "total([77123], 0.2)",
    }  # fmt: skip
    is_shown = "zanzibar" in text and "return sum(items)" in text
    return Reply(data={"answer": "Read.", "findings": [finding] if is_shown else [], "look_ups": [], "unsettled": []})


@pytest.mark.parametrize(
    ("way", "change"),
    few([(way, change) for way in ("push", "rewrite", "again") for change in (_publish, _hide)], 0, 3),
    ids=lambda one: str(one)[:20],
)
def test_what_a_model_wrote_beside_hidden_lines_is_forgotten(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    change: Callable[[Whole, sandbox.Repo], Awaitable[None]],
) -> None:
    """In the next round, after a rewritten head and in another pull request: its finding names no consumer, and tells of it."""

    async def go() -> None:
        async with doubles.openai_server(doubles.PerModel({"reader": _tells_of_a_consumer})) as double:
            for name, value in (("WORKER", "openai/reader"), ("BASE_URL", double.base_url)):
                monkeypatch.setenv(f"DEEPREPO_{name}", value)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
            async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
                await repo.push("main", {".deeprepo.yml": "strategy: fanout\nverify: false\n"})
                await reviewed(stage, repo)
                before = _texts(stage.gh.pull(1, "acme/prices"))
                assert "customer 77123" in repr(before)
                await change(stage, repo)
                await stage.quiet()
                number = 1
                if way == "push":
                    await repo.push("feature", {"NEWS.md": "1\n"})
                elif way == "rewrite":
                    await repo.force_push("feature", BROKEN, "The same, told otherwise")
                else:
                    await repo.close(1)
                    await stage.quiet()
                    number = await repo.open_pull("feature", title="Prices again")
                await stage.quiet()
                after = _texts(stage.gh.pull(number, "acme/prices"))
                written = [body for key, body in after.items() if body != before.get(key)]
                assert written
                assert not [word for body in written for word in PRIVATE if word in body]

    asyncio.run(go())


def test_a_namesake_shows_nothing_of_the_repository_before_it(tmp_path: Path) -> None:
    """Neither an answer nor the next round tells the path or the line of a private consumer whose name a public one has now."""

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
            first = await reviewed(stage, repo)
            assert "acme/quagga:zanzibar/checkout.py" in first
            number = first.partition(". total() has a new")[0][-1]
            await _take_its_name(stage, repo)
            before = _texts(stage.gh.pull(1, "acme/prices"))
            for command in (f"explain {number}", f"fix {number}", f"ignore {number} so"):
                await repo.comment(1, f"/deeprepo {command}", author=sandbox.MAINTAINER)
                await stage.quiet()
            await repo.push("feature", {"NEWS.md": "1\n"})
            await stage.quiet()
            after = _texts(stage.gh.pull(1, "acme/prices"))
            written = [body for key, body in after.items() if body != before.get(key)]
            assert len(written) >= 3
            assert not [word for body in written for word in ("zanzibar", "77123") if word in body]

    asyncio.run(go())


@pytest.mark.parametrize(
    ("change", "is_shown"), few([(_publish, False), (_hide, False), (None, True)], 0), ids=lambda one: str(one)[:20]
)
def test_what_a_command_answers_is_asked_again(
    tmp_path: Path, change: Callable[[Whole, sandbox.Repo], Awaitable[None]] | None, is_shown: bool
) -> None:
    """No command writes a word of a consumer that may not be shown any more, nor does the page that follows; else all of it stays.

    What is ignored then is ignored: the finding is the same.
    """
    more = {"shop_prices/more.py": "def rest(items, tax):\n    return 0\n"}
    partly_read = {"pyproject.toml": "<<<<<<< a\nshop-prices\n>>>>>>> b\n"}  # the coverage has a line for it

    async def go() -> None:
        async with at(tmp_path, quagga=USER | LINES | partly_read) as (stage, repo):
            await repo.push("main", more | {"shop_prices/uses.py": "from .more import rest\n\nrest([], 1)\n"})
            await repo.commit("feature", {"shop_prices/more.py": "def rest(items):\n    return 0\n"})
            first = await reviewed(stage, repo)
            assert "acme/quagga:zanzibar/checkout.py" in first
            theirs, own = (first.partition(f". {name}() has a new")[0][-1] for name in ("total", "rest"))
            if change is not None:
                await change(stage, repo)
                await stage.quiet()
            commands = ("explain {0}", "fix", "fix {0}", "rules", "ignore {1} measured", "explain {0}", "ignore {0} so")
            written = []
            for command in commands:
                before = _texts(stage.gh.pull(1, "acme/prices"))
                text = f"/deeprepo {command.format(theirs, own)}"
                await repo.comment(1, text, author=sandbox.MAINTAINER)
                await stage.quiet()
                after = _texts(stage.gh.pull(1, "acme/prices"))
                written += [body for key, body in after.items() if body != before.get(key)]
            assert any(word in body for word in PRIVATE for body in written) is is_shown
            (summary,) = [one.body for one in stage.gh.pull(1, "acme/prices").comments if "## deeprepo" in one.body]
            assert "2 findings are suppressed" in summary

    asyncio.run(go())


def test_the_operators_page_names_no_private_consumer(tmp_path: Path) -> None:
    """Who administers what is left of an installation may not see a consumer that has left it: the page says that one breaks."""

    async def go() -> None:
        partly_read = {"pyproject.toml": "<<<<<<< a\nshop-prices\n>>>>>>> b\n"}
        async with at(tmp_path, quagga=USER | LINES | partly_read) as (stage, repo):
            assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo)
            await stage.gh.withdraw(sandbox.Repo(stage.gh.world, stage.gh.world.repository("acme", "quagga")))  # type: ignore[arg-type]
            await stage.quiet()
            for one in (stage.repo, repo):
                one.add("ann", "admin")
            stage.gh.callbacks(f"{stage.address}/signin/done")
            async with httpx2.AsyncClient(base_url=stage.address, trust_env=False) as browser:
                stage.gh.browse("ann")
                away = (await browser.get("/signin/github")).headers["location"]
                asked = {name: values[0] for name, values in parse_qs(urlsplit(away).query).items()} | {"login": "ann"}
                agreed = await browser.post(f"{stage.gh.world.origin}/login/oauth/authorize", data=asked)
                assert (await browser.get(agreed.headers["location"])).status_code == 303
                (address,) = set(re.findall(r'href="(/reviews/review~[^"]+)"', (await browser.get("/reviews")).text))
                page = (await browser.get(address)).text
            assert "a repository that you may not be able to see" in page
            assert not [word for word in PRIVATE if word in page]

    asyncio.run(go())


def test_nothing_of_a_thread_is_shown_to_a_model_that_may_not_be_shown_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own comment at its top tells of the consumer: neither a question nor a remark takes it along, also after the next round."""

    def say(body: Mapping[str, Any]) -> Reply:
        text = str(body).lower()
        reply = {"answer": "So.", "quotes": []} | ({"sketch": None} if "sketch" in text else {"withdraw": []})
        return Reply(data=reply if "hand in the reply" in text else {"answer": "Read.", "findings": []})

    async def go() -> None:
        async with doubles.openai_server(say) as double:
            for name, value in (("WORKER", "compatible/reader"), ("BASE_URL", double.base_url), ("EFFORT", "low")):
                monkeypatch.setenv(f"DEEPREPO_{name}", value)
            async with at(tmp_path, quagga=USER | LINES) as (stage, repo):
                assert "acme/quagga:zanzibar/checkout.py" in await reviewed(stage, repo)
                (thread,) = [one for one in stage.gh.pull(1, "acme/prices").review_comments if "quagga" in one.body]
                await _publish(stage, repo)
                for news in ("", "1\n"):
                    if news:
                        await repo.push("feature", {"NEWS.md": news})
                        await stage.quiet()
                    before = len(double.requests)
                    for text in ("/deeprepo ask Why is this wrong?", "@deeprepo Why is this wrong?"):
                        await repo.reply(1, thread.id, text, sandbox.MAINTAINER)
                        await stage.quiet()
                    asked = repr(double.requests[before:])
                    assert asked.count("Why is this wrong?") >= 2
                    assert not [word for word in PRIVATE if word in asked]

    asyncio.run(go())
