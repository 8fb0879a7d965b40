"""Webhook bodies that GitHub would never send: a few of those that `make bench NAME=fuzz` sends by the thousand."""

import asyncio
from pathlib import Path

import pytest
from serving import SECRET, served, settings

from benchmarks import bodies

SOME = 150


def test_every_damaged_body_is_answered_with_the_status_that_is_right_for_it(tmp_path: Path) -> None:
    """Values, keys, numbers, bytes, encodings and depths that nobody expects: taken on, ignored or refused, and a whole delivery is queued."""

    async def go() -> None:
        wrong = []
        async with served(settings(tmp_path, debounce=600)) as server:
            for number in range(SOME):
                body = bodies.body(number)
                answer = await server.http.post(
                    "/webhook", content=body.raw, headers=body.head(SECRET, f"guid-{number}")
                )
                if answer.status_code not in body.right:
                    wrong.append((number, body.damage, answer.status_code, answer.text))
            whole = bodies.sound(1)
            answer = await server.http.post("/webhook", content=whole.raw, headers=whole.head(SECRET, "whole"))
            assert (answer.status_code, answer.json()["outcome"]) == (202, "queued")
        assert wrong == []

    asyncio.run(go())


def test_a_body_can_be_made_again_from_its_number() -> None:
    """What a run has found can be looked at later."""
    assert [bodies.body(number) for number in range(40)] == [bodies.body(number) for number in range(40)]


@pytest.mark.slow
def test_the_bodies_are_of_every_kind() -> None:
    """Taken on, refused, and of megabytes; each damage is among the first thousand."""
    made = [bodies.body(number) for number in range(1_000)]
    assert {status for body in made for status in body.right} >= {202, 400, 415}
    assert len({body.damage.partition(",")[0] for body in made}) >= len(set(bodies.DAMAGES))
    longest = [len(bodies.body(number).raw) for number in range(bodies.HUGE - 1, 4 * bodies.HUGE, bodies.HUGE)]
    assert longest == list(bodies.LARGEST)
