import asyncio
from pathlib import Path

from hosted import scene

from bot.github import RequestPace
from deeprepo_sandbox.github import Fault


async def test_each_observer_receives_each_response(tmp_path: Path) -> None:
    """Each observer receives each response's status and the remaining limit."""
    heard: list[tuple[int, int | None]] = []
    pace = RequestPace(between=0, backoff=0, on_answer=lambda status, left: heard.append((status, left)))
    async with scene(tmp_path, pace=pace) as at:
        at.gh.fail("GET", r"/pulls/1$", Fault(502))
        await at.host.facts()

    assert [status for status, _ in heard] == [200, 201, 502, 200, 204]
    assert heard[0][1] == 4999


async def test_writes_of_one_installation_are_spaced_out() -> None:
    """Parallel writes are spaced out, without delaying another installation."""
    pace, order = RequestPace(between=0.05), []

    async def write(installation: int) -> None:
        await pace.wait_for_turn(installation)
        order.append(installation)

    await asyncio.gather(*(write(installation) for installation in (1, 1, 1, 2)))

    assert order == [1, 2, 1, 1]
