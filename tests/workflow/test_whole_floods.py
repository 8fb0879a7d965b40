"""What strangers can make a server ask of GitHub, and whom they keep waiting."""

import asyncio
from pathlib import Path

import pytest
from test_wallet import purse
from test_whole_conversations import talk
from whole import whole

from bot.app import admission

NOTHING = "triggers: {events: []}\n"


def test_a_strangers_comments_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fifteen replies and commands of a stranger six are looked at; the others cost no request. The team is heard all the same."""

    async def go() -> None:
        async with talk(tmp_path, monkeypatch) as one:
            at, number = one.at, one.number
            top, before = one.thread("mean()"), len(at.gh.requests)
            for n in range(5):
                await at.repo.reply(number, top, f"hello {n}", author="stranger")
                await at.repo.comment(number, f"hi @deeprepo {n}", author="stranger")
                await at.repo.comment(number, "/deeprepo help", author="stranger")
            await at.quiet()
            spent = len(at.gh.requests) - before
            assert 0 < spent <= 12 * admission.COMMENTS_OF_STRANGER
            await at.repo.comment(number, "/deeprepo help", author="stranger")
            await at.quiet()
            assert len(at.gh.requests) == before + spent
            known = len(at.replies(number))
            await at.repo.comment(number, "/deeprepo help")
            await at.quiet()
            assert len(at.replies(number)) == known + 1

    asyncio.run(go())


@pytest.mark.slow
def test_many_strangers_together_are_bounded(tmp_path: Path) -> None:
    """With a name of its own for each comment an installation looks at sixty in an hour; another installation's strangers are heard."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": NOTHING})
            number = await at.opened()
            other = await at.gh.repository("victim", "app", files={"a.py": "x = 1\n"})
            await other.commit("feature", {"a.py": "x = 2\n"})
            theirs = await other.open_pull("feature", title="t")
            await at.quiet()
            before = len(at.gh.requests)
            for n in range(2 * admission.COMMENTS_OF_STRANGERS):
                await at.repo.comment(number, "/deeprepo frobnicate", author=f"stranger-{n}")
            await at.quiet()
            spent = len(at.gh.requests) - before
            await at.repo.comment(number, "/deeprepo frobnicate", author="one-more")
            await at.quiet()
            assert len(at.gh.requests) == before + spent
            await other.comment(theirs, "/deeprepo help", author="mallory")
            await at.until(lambda: any('"kind": "reply"' in c.body for c in at.gh.pull(theirs, "victim/app").comments))

    asyncio.run(go())


@pytest.mark.slow
def test_a_strangers_storm_of_pushes_becomes_few_reviews(tmp_path: Path) -> None:
    """After twelve changes in an hour each further one waits longer, and the last of them is one review."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "strategy: offline\n"})
            number = await at.opened(fork=True)
            await at.quiet()
            for n in range(admission.FREE + 3):
                await at.repo.push("feature", {"README.md": f"# {n}\n"})
                await at.gh.settle()
            (job,) = [one for one in await at.server.jobs.list_jobs() if one.state == "delayed"]
            assert job.ask.pull.number == number  # type: ignore[union-attr]
            own = await at.opened("feature-2")
            await at.until(lambda: bool(at.gh.pull(own).checks))

    asyncio.run(go())


@pytest.mark.slow
def test_a_strangers_closing_is_paced(tmp_path: Path) -> None:
    """Once the hour's changes are used up, closing, drafts and opening again cost next to no request each, and the running review is ended all the same."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(fork=True, author="stranger")
            for n in range(admission.CHANGES.stranger):
                await (at.repo.close if n % 2 == 0 else at.repo.reopen)(number, by="stranger")
            await at.gh.settle()
            while (counts := await at.server.jobs.counts())["running"] or counts["waiting"]:  # noqa: ASYNC110 - a database tells nobody
                await asyncio.sleep(0.1)
            before = len(at.gh.requests)
            for _ in range(8):
                await at.repo.close(number, by="stranger")
                await at.repo.reopen(number, by="stranger")
                await at.repo.set_draft(number, True, by="stranger")  # noqa: FBT003 - of the sandbox
                await at.repo.set_draft(number, False, by="stranger")  # noqa: FBT003
            await at.gh.settle()
            await asyncio.sleep(1)
            assert len(at.gh.requests) - before <= 12
            assert (await at.server.jobs.counts())["running"] == 0

    asyncio.run(go())


@pytest.mark.slow
def test_a_button_pays_only_for_who_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Re-run on a check is a push if a stranger has pressed it; pressed by the team it is a review that somebody asked for."""

    async def go() -> None:
        rules = "strategy: direct\nverify: false\ntriggers: {fork_reviews_per_day: 0}\n"
        async with purse(tmp_path, monkeypatch, rules=rules, delay=0.0) as p:
            number = await p.at.reviewed(fork=True)
            check = p.at.gh.pull(number).checks[-1].id
            await p.at.repo.rerequest(check, by="stranger")
            await p.at.quiet()
            assert p.model.count == 0
            await p.at.repo.rerequest(p.at.gh.pull(number).checks[-1].id)
            await p.at.quiet()
            assert p.model.count == 1

    asyncio.run(go())
