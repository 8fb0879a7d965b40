import asyncio
from pathlib import Path

import httpx2
import pytest
from sandbox_rig import rig

from deeprepo_sandbox.github import Fault

COMMENT = {"body": "x"}


@pytest.mark.parametrize(("after", "stored"), [(False, 0), (True, 1)])
def test_an_error_before_or_after_the_work(tmp_path: Path, after: bool, stored: int) -> None:
    """A 502 can come with nothing stored, or with everything stored; the next request is answered as ever."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            at.gh.fail("POST", "/comments$", Fault(502, after=after))
            assert (await at.refused("POST", "/issues/1/comments", COMMENT))[0] == 502
            assert len(at.gh.pull(1).comments) == stored
            await at.ok("POST", "/issues/1/comments", COMMENT)

    asyncio.run(run())


def test_the_hourly_limit_is_counted(tmp_path: Path) -> None:
    """Each answer says what is left of the hour; at nothing everything is refused until the hour is over."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            first, second = [int((await at.call("GET", "")).headers["x-ratelimit-remaining"]) for _ in range(2)]
            assert first - second == 1
            at.gh.world.remaining = 0
            answer = await at.call("GET", "")
            assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (403, "0")
            assert (await at.ok("GET", "//rate_limit"))["rate"]["remaining"] == 0
            at.gh.pass_time(minutes=61)
            head = f"Bearer {at.gh.token()}"
            await at.ok("GET", "", authorization=head)

    asyncio.run(run())


def test_a_connection_can_break_or_hang(tmp_path: Path) -> None:
    """The connection can end after the work was done, and an answer can stay out until the caller gives up."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            at.gh.fail("POST", "/comments$", Fault(drop=True, after=True))
            with pytest.raises(httpx2.RemoteProtocolError):
                await at.call("POST", "/issues/1/comments", COMMENT)
            assert len(at.gh.pull(1).comments) == 1
            at.gh.fail("GET", "/pulls/1$", Fault(hang=True))
            with pytest.raises(httpx2.ReadTimeout):
                await at.client.get("/repos/acme/shop/pulls/1", timeout=0.05)
            await at.ok("GET", "/pulls/1")

    asyncio.run(run())
