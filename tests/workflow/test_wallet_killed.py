"""What a day may cost where the server itself dies: `deeprepo serve` as a process, killed during a paid call."""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from whole import BASE, BROKEN, SECRET

from bot import storage
from bot.models import prices
from bot.values import Usage
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers as doubles

MODEL = "openai/gpt-5.4-mini"
USED = Usage(2_000, 1_000)
BUDGET, CAP = 0.3, 0.35
ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def serving(folder: Path, gh: sandbox.GitHub, model: doubles.Server) -> AsyncIterator["subprocess.Popen[bytes]"]:
    """The server, ready, with GitHub's webhook pointing at it."""
    env = {
        "APP_ID": gh.app_id,
        "PRIVATE_KEY": gh.private_key,
        "WEBHOOK_SECRET": SECRET,
        "GITHUB_API": gh.api,
        "DATA": str(folder / "data"),
        "PORT": "0",
        "DEBOUNCE": "0",
        "WRITE_PAUSE": "0",
        "WORKER": MODEL,
        "BASE_URL": model.openai_url,
        "USD": str(BUDGET),
        "CAP_USD_PER_DAY": str(CAP),
    }
    ours = {f"DEEPREPO_{name}": value for name, value in env.items()}
    log = folder / "log"
    with log.open("wb") as out:
        popen = subprocess.Popen(  # noqa: ASYNC220 - it runs beside us
            [sys.executable, "-m", "bot", "serve"],
            env={**os.environ, **ours, "OPENAI_API_KEY": "sk-pretended", "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=out,
            cwd=folder,
        )
    try:
        async with asyncio.timeout(30):
            while not (found := re.search(r"listening.*?(http://[^\s\"]+)", log.read_text())):
                assert popen.poll() is None, log.read_text()
                await asyncio.sleep(0.02)
        gh.listen(f"{found[1]}/webhook")
        yield popen
    finally:
        gh.listen(None)
        popen.kill()
        popen.wait()


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
            repo = await gh.repository("acme", "shop", files={**BASE, ".deeprepo.yml": "strategy: direct\n"})
            await repo.commit("feature", BROKEN)

            async def ended(number: int) -> None:
                async with asyncio.timeout(30):
                    while True:
                        checks = gh.pull(number).checks  # of its head
                        if checks and all(check.status == "completed" for check in checks):
                            return
                        await asyncio.sleep(0.05)

            async with serving(tmp_path, gh, model) as server:
                number = await repo.open_pull("feature", title="Prices without tax", body="")
                async with asyncio.timeout(30):
                    while not model.count:  # noqa: ASYNC110 - a socket tells nobody
                        await asyncio.sleep(0.02)
                server.kill()
                server.wait()
            assert await spent(tmp_path) == (1, BUDGET)
            async with serving(tmp_path, gh, model):
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
