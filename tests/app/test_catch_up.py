from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from serving import Served, served, settings

from bot import app
from bot.app.maintenance import catch_up
from bot.values import Job, ReviewJob
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github.serving import serving


@asynccontextmanager
async def installed(gh: sandbox.GitHub, folder: Path, **options: object) -> AsyncIterator[Served]:
    """Start a server for the sandbox's App on a port."""
    names = {"app_id": gh.app_id, "private_key": gh.private_key, "webhook_secret": gh.secret}
    given = settings(folder, github_api=gh.api, **names, **options)
    async with served(given) as server, serving(app.create(server.opened)) as origin:
        gh.listen(f"{origin}/webhook")
        yield server


def triggers(asks: list[Job]) -> list[tuple[int, str]]:
    """Return the number and the trigger of each review."""
    return [(ask.pull.number, ask.trigger) for ask in asks if isinstance(ask, ReviewJob)]


async def test_deliveries_missed_during_downtime_are_recovered(tmp_path: Path) -> None:
    """A failed delivery is requested again, unless it arrived later or failed four times.

    A pull request without any delivery is found once in GitHub's list.
    """
    async with sandbox.github(tmp_path / "gh", webhook="http://127.0.0.1:9/webhook", secret="s" * 20) as gh:
        repo = await gh.repository("acme", "shop", files={"a.py": "x = 1\n"})
        numbers = []
        for name in ("first", "second", "third"):
            await repo.commit(name, {"a.py": f"{name} = 2\n"})
            numbers.append(await repo.open_pull(name, title=name, draft=name == "third"))
        await gh.settle()
        (failed,) = [one for one in gh.deliveries if one.payload["number"] == numbers[0]]
        others = [replace(failed, id=gh.world.id(), guid=guid) for guid in ("came", "came", *["in vain"] * 4, "star")]
        others[1].status_code, others[-1].event = 202, "star"
        gh.world.deliveries[:] = [*others, failed]
        async with installed(gh, tmp_path / "data") as server:
            done = await server.worked(2)
            assert sorted(triggers(done)) == [(numbers[0], "opened"), (numbers[1], "catch-up")]
            await gh.settle()
            await catch_up(server.opened)
            assert {one.guid for one in gh.deliveries if one.redelivery} == {failed.guid}
            assert server.opened.ours.login == gh.login
            again = [listed.job for listed in await server.opened.jobs.list_jobs()]
            assert (numbers[1], "catch-up") not in triggers(again)
        assert gh.violations == ()
