"""What a day may cost where the server itself dies: `deeprepo serve` as a process, killed during a paid call."""

import asyncio
import time
from pathlib import Path

import pytest
from killed import serving
from whole import BASE, BROKEN, SECRET

from bot import storage
from bot.models import prices
from bot.values import Usage
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers as doubles

MODEL = "openai/gpt-5.4-mini"
USED = Usage(2_000, 1_000)
BUDGET, CAP = 0.3, 0.35


async def spent(folder: Path) -> tuple[int, float]:
    """What counts under the caps of the day."""
    async with storage.open_store(f"sqlite:///{folder}/data/deeprepo.db") as store:
        return await store.spending.journals_and_dollars(time.time())


@pytest.mark.slow
def test_a_server_killed_while_it_pays_keeps_its_day(tmp_path: Path) -> None:
    """The reservation counts while it is dead, then what may be billed; the review is finished, and the cap holds from then on."""

    async def go() -> None:
        reply = doubles.Reply(data={"answer": "One.", "findings": []}, delay=1.0, usage=USED)
        script = doubles.PerModel({"gpt-5.4-mini": reply})
        async with (
            doubles.openai_server(script) as model,
            sandbox.github(tmp_path / "gh", secret=SECRET) as gh,
        ):
            settings = {"WORKER": MODEL, "BASE_URL": model.openai_url, "USD": str(BUDGET), "CAP_USD_PER_DAY": str(CAP)}
            repo = await gh.repository("acme", "shop", files={**BASE, ".deeprepo.yml": "strategy: direct\n"})
            await repo.commit("feature", BROKEN)

            async def ended(number: int) -> None:
                async with asyncio.timeout(30):
                    while True:
                        checks = gh.pull(number).checks  # of its head
                        if checks and all(check.status == "completed" for check in checks):
                            return
                        await asyncio.sleep(0.05)

            async with serving(tmp_path, gh, **settings) as server:
                number = await repo.open_pull("feature", title="Prices without tax", body="")
                async with asyncio.timeout(30):
                    while not model.count:  # noqa: ASYNC110 - a socket tells nobody
                        await asyncio.sleep(0.02)
                server.kill()
                server.wait()
            assert await spent(tmp_path) == (1, BUDGET)
            async with serving(tmp_path, gh, **settings):
                await ended(number)
                jobs, counted = await spent(tmp_path)
                billed = model.count * (prices.dollars(MODEL, USED) or 0.0)
                assert model.count == 2, (gh.pull(number).checks, (tmp_path / "log").read_text()[-3000:])
                assert jobs == 1
                assert billed <= counted <= CAP
                for mark in range(3):
                    await repo.push("feature", {"shop/price.py": BROKEN["shop/price.py"] + f"# {mark}\n"})
                    await ended(number)
            billed = model.count * (prices.dollars(MODEL, USED) or 0.0)
            jobs, counted = await spent(tmp_path)
            assert billed <= counted <= CAP

    asyncio.run(go())
