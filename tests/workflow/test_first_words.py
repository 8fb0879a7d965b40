"""What the check run of a server's review says while a slow model still reads."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from whole import BROKEN, whole

from bot.errors import HostDown
from bot.values.progress import Progress, Reading
from bot.workflow.progress import progress
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

FILES = Reading(1, ("a.py",))
READING = replace(FILES, units=1)


def test_the_check_run_says_what_is_read_before_any_model_has_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files, parts, who depends on them, and what code has proven: while the model's reply is still awaited."""

    async def go() -> None:
        async with doubles.openai_server(Reply(fault="hang")) as model:
            monkeypatch.setenv("DEEPREPO_WORKER", "compatible/worker")
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            async with whole(tmp_path) as at:
                number = await at.opened(files=BROKEN)
                await at.until(lambda: any("Found by code" in (one.summary or "") for one in at.gh.pull(number).checks))
                (check,) = at.gh.pull(number).checks
                await at.repo.close(number)

                assert check.status == "in_progress"
                assert model.count == 1
                assert "Reading 1 changed file: `shop/price.py`" in check.summary
                assert "1 unchanged file depends on what changed: `shop/cart.py`" in check.summary
                assert "**Found by code so far: 1 finding**" in check.summary
                assert "`shop/cart.py`:5" in check.summary

    asyncio.run(go())


def test_the_first_words_go_out_at_once_and_later_ones_when_they_differ() -> None:
    """The files are told before the checks by code are done, and these as soon as they are; a failure of GitHub loses one update, not the next."""

    async def go() -> None:
        told: list[Progress] = []
        heard = asyncio.Condition()

        async def update(now: Progress) -> None:
            async with heard:
                told.append(now)
                heard.notify_all()
            if len(told) == 1:
                raise HostDown("busy")

        async def until(count: int) -> None:
            async with heard:
                await heard.wait_for(lambda: len(told) >= count)

        async with progress(update, every=30.0) as say:
            say("reading a..b")
            say(FILES)
            await until(1)
            say(READING)
            say(replace(READING, is_checked=True))
            await until(2)
            say("not told before 30 seconds are over")
        async with progress(update, every=0.01) as say:
            say(READING)
            await until(3)
            say("turn 1")
            await until(4)

        done = replace(READING, is_checked=True)
        assert told == [
            Progress(FILES, "reading a..b"),
            Progress(done, "reading a..b"),
            Progress(READING),
            Progress(READING, "turn 1"),
        ]

    asyncio.run(go())
