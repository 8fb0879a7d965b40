import asyncio
from pathlib import Path

import httpx2
import pytest
from sandbox_rig import rig

from deeprepo_sandbox.github import Fault, primary, secondary

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


def test_a_fault_can_wait_and_last(tmp_path: Path) -> None:
    """A fault lets some requests pass and then strikes as often as it was told."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            at.gh.fail("*", "/pulls/1$", Fault(500, skip=1, times=2))
            found = [(await at.call("GET", "/pulls/1")).status_code for _ in range(4)]
            assert found == [200, 500, 500, 200]

    asyncio.run(run())


def test_limits_speak_with_and_without_headers(tmp_path: Path) -> None:
    """The secondary limit comes with or without retry-after, the primary one with the time of its end."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            for fault in (secondary(7), secondary(), secondary(status=429), primary(2_000_000_000)):
                at.gh.fail("GET", "/pulls/1$", fault)
            answers = [await at.call("GET", "/pulls/1") for _ in range(4)]
            assert [answer.status_code for answer in answers] == [403, 403, 429, 403]
            assert [answer.headers.get("retry-after") for answer in answers] == ["7", None, None, None]
            assert answers[3].headers["x-ratelimit-reset"] == "2000000000"
            assert "secondary rate limit" in answers[1].text

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


def test_the_head_moves_between_two_reads(tmp_path: Path) -> None:
    """Something can happen at the moment of a request: here a push right after the pull request was read."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            before = at.gh.pull(1).head_sha
            push = lambda: at.repo.force_push("feature", {"b.txt": "1\n"})  # noqa: E731 - said where it is used
            at.gh.fail("GET", "/pulls/1$", Fault(status=None, after=True, run=push))
            heads = [(await at.ok("GET", "/pulls/1"))["head"]["sha"] for _ in range(2)]
            assert (heads[0], heads[1] != before) == (before, True)
            answer = await at.review(commit_id=before)
            assert (answer.status_code, "not part of the pull request" in answer.text) == (422, True)

    asyncio.run(run())


def test_every_request_is_written_down(tmp_path: Path) -> None:
    """The log has method, path, operation, status, body and the login of every request, faults included."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            at.gh.fail("GET", "/pulls$", Fault(500))
            await at.call("GET", "/pulls?state=all")
            await at.ok("POST", "/issues/1/comments", COMMENT)
            broken, done = at.gh.requests
            assert (broken.path, broken.status) == ("/api/v3/repos/acme/shop/pulls?state=all", 500)
            assert (done.operation, done.status, done.body, done.login) == (
                "issues/create-comment",
                201,
                COMMENT,
                "deeprepo[bot]",
            )

    asyncio.run(run())
