"""A review that is due stays due, whatever somebody without write permission does to the pull request, at a real server."""

import asyncio
from pathlib import Path

from whole import BROKEN, Whole, whole

from bot.values import PullRef
from deeprepo_sandbox.github import git


def at_pull(at: Whole, number: int) -> PullRef:
    """The pull request as storage names it."""
    return PullRef(at.repo.installation, at.repo.id, "acme", "shop", number)


def test_an_event_that_starts_no_review_ends_none(tmp_path: Path) -> None:
    """Closed and opened again at once, made ready at once: what opening has asked for is reviewed."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "triggers: {events: [opened, push], drafts: true}\n"})
            one = await at.opened("one", fork=True, author="stranger")
            await at.repo.close(one, by="stranger")
            await at.repo.reopen(one, by="stranger")
            two = await at.opened("two", fork=True, author="stranger", draft=True)
            await at.repo.set_draft(two, False, by="stranger")  # noqa: FBT003 - of the sandbox
            await at.quiet()
            for number in (one, two):
                assert "1 finding" in at.summary(number)

    asyncio.run(go())


def test_a_command_survives_a_strangers_buttons_and_closing_answers_it(tmp_path: Path) -> None:
    """Pressed again and again while a commanded review waits, `Re-run` takes nothing from it; closed, the person is told."""

    async def go() -> None:
        async with whole(tmp_path, reviews=1) as at:
            await at.repo.commit("main", {".deeprepo.yml": "triggers: {events: []}\n"})
            number, other = await at.opened(fork=True, author="stranger"), await at.opened("other")
            await at.quiet()
            check = at.gh.pull(number).checks[-1].id
            await at.repo.comment(number, "/deeprepo full review", author="maintainer")
            while not await at.server.jobs.reviews(at_pull(at, number)):  # noqa: ASYNC110 - a database tells nobody
                await asyncio.sleep(0.02)
            for _ in range(3):
                await at.repo.rerequest(check, by="stranger")
            (ask,) = (await at.server.jobs.reviews(at_pull(at, number))).values()
            assert (ask.trigger, ask.full, ask.actor) == ("command", True, "maintainer")
            await at.quiet()
            assert "1 finding" in at.summary(number)
            await at.repo.comment(other, "/deeprepo review", author="maintainer")
            while not await at.server.jobs.reviews(at_pull(at, other)):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await at.repo.close(other, by="stranger")
            await at.quiet()
            assert "was closed before" in at.replies(other)[0] or "1 finding" in at.summary(other)

    asyncio.run(go())


def test_pushes_count_however_they_come(tmp_path: Path) -> None:
    """Closed, pushed to and opened again: that is a push too, after which automatic reviews pause."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "pause_after: 1\n"})
            number = await at.reviewed(fork=True, author="stranger")
            for mark in range(2):
                await at.repo.close(number, by="stranger")
                pull = at.repo.repository.pulls[number]
                files = {"shop/price.py": BROKEN["shop/price.py"] + f"# {mark}\n"}
                made = await git.commit(pull.source.git, "feature", pull.head_sha, files, "more", "stranger")
                await git.fetch(at.repo.repository.git, pull.source.git, f"+refs/heads/feature:refs/pull/{number}/head")
                pull.head_sha = made
                await at.repo.reopen(number, by="stranger")
                await at.quiet()
            assert len(await at.server.store.reviews.heads(at_pull(at, number))) == 2
            assert "pause" in (at.gh.pull(number).checks[-1].title or "")

    asyncio.run(go())
