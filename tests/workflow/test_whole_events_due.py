"""A review that is due stays due, whatever somebody without write permission does to the pull request, at a real server."""

import asyncio
from pathlib import Path

from whole import Whole, whole

from bot.values import PullRef


def at_pull(at: Whole, number: int) -> PullRef:
    """The pull request as storage names it."""
    return PullRef(at.repo.installation, at.repo.id, "acme", "shop", number)


async def test_a_command_survives_a_strangers_buttons_and_closing_answers_it(tmp_path: Path) -> None:
    """Pressed again and again while a commanded review waits, `Re-run` takes nothing from it; closed, the person is told."""
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
