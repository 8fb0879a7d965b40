import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from serving import Served, served, settings

from bot import app
from bot.app.rounds import catch_up
from bot.app.unheard import DeliveryAttempt, missed_deliveries
from bot.values import Ask, ReviewAsk
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github.serving import serving


@asynccontextmanager
async def installed(gh: sandbox.GitHub, folder: Path, **place: object) -> AsyncIterator[Served]:
    """A server of the sandbox's App, on a port."""
    names = {"app_id": gh.app_id, "private_key": gh.private_key, "webhook_secret": gh.secret}
    given = settings(folder, github_api=gh.api, **names, **place)
    async with served(given) as server, serving(app.create(server.opened)) as origin:
        gh.listen(f"{origin}/webhook")
        yield server


def triggers(asks: list[Ask]) -> list[tuple[int, str]]:
    """Which pull requests were reviewed, and why."""
    return [(ask.pull.number, ask.trigger) for ask in asks if isinstance(ask, ReviewAsk)]


def test_what_was_missed_while_the_server_was_down_is_made_up_for(tmp_path: Path) -> None:
    """A delivery that failed is asked for again; a pull request of which no delivery is left is found in GitHub's list, once."""

    async def go() -> None:
        async with sandbox.github(tmp_path / "gh", webhook="http://127.0.0.1:9/webhook", secret="s" * 20) as gh:
            repo = await gh.repository("acme", "shop", files={"a.py": "x = 1\n"})
            numbers = []
            for name in ("first", "second", "third"):
                await repo.commit(name, {"a.py": f"{name} = 2\n"})
                numbers.append(await repo.open_pull(name, title=name, draft=name == "third"))
            await gh.settle()
            gh.world.deliveries[:] = [one for one in gh.deliveries if one.payload["number"] == numbers[0]]
            async with installed(gh, tmp_path / "data") as server:
                done = await server.worked(2)
                assert sorted(triggers(done)) == [(numbers[0], "opened"), (numbers[1], "catch-up")]
                await gh.settle()
                await catch_up(server.opened)
                assert server.opened.ours.login == gh.login
                again = [job.ask for job in await server.opened.jobs.list_jobs()]
                assert (numbers[1], "catch-up") not in triggers(again)
            assert gh.violations == ()

    asyncio.run(go())


def sent(guid: str, status: int, number: int = 1, event: str = "pull_request") -> DeliveryAttempt:
    """One attempt of a delivery."""
    return DeliveryAttempt(number, guid, event, "opened", "2026-01-01T00:00:00Z", status)


@pytest.mark.parametrize(
    ("attempts", "again"),
    [
        ([sent("a", 502)], [1]),
        ([sent("a", 0)], [1]),
        ([sent("a", 202)], []),
        ([sent("a", 202, 2), sent("a", 502)], []),
        ([sent("b", 500, 3), sent("a", 401, 2), sent("a", 0)], [2, 3]),
        ([sent("a", 500, number) for number in (4, 3, 2, 1)], []),
        ([sent("a", 500, event="star")], []),
    ],
)
def test_only_what_never_arrived_is_asked_for_again(attempts: list[DeliveryAttempt], again: list[int]) -> None:
    """Oldest first, the last attempt of each; what keeps failing, and what nobody reads, is left alone."""
    assert [one.id for one in missed_deliveries(attempts)] == again
