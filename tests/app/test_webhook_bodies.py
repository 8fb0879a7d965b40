"""Webhook bodies that GitHub would never send: a few of those that `make bench NAME=fuzz` sends by the thousand."""

import asyncio
from pathlib import Path

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
