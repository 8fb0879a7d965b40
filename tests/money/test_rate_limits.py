import asyncio
import selectors
import time
from collections.abc import Iterator
from typing import Any

import pytest

from bot.secrets.masking import Masks
from deeprepo.rlm.errors import RateLimited, TimedOut
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls, Slot
from deeprepo.rlm.values import Completion, Limits, Message, Prompt, Usage

PROMPT_TOKENS = 10_000
LATENCY = 8.0


class Hours(selectors.DefaultSelector):
    """A selector that does not wait but advances its clock instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready and timeout:
            self.now += timeout
        return ready


class Loop(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time."""

    def __init__(self) -> None:
        self.hours = Hours()
        super().__init__(self.hours)

    def time(self) -> float:
        return self.hours.now


class Bucket:
    """A provider with a limit on tokens per minute or on parallel calls, as documented by real ones."""

    name = "openai/gpt-4o"

    def __init__(self, loop: Loop, tpm: int = 0, *, hint: bool = False, slots: int = 0) -> None:
        self.loop, self.tpm, self.hint, self.slots = loop, tpm, hint, slots
        self.level, self.at, self.flying = float(tpm), 0.0, 0
        self.count = self.refused = 0

    def price(self, _: Usage) -> float:
        return 0.0

    async def complete(self, _: Prompt) -> Completion:
        self.count += 1
        now = self.loop.time()
        self.level = min(float(self.tpm), self.level + (now - self.at) * self.tpm / 60)
        self.at = now
        if (self.tpm and self.level < PROMPT_TOKENS) or (self.slots and self.flying >= self.slots):
            self.refused += 1
            wait = (PROMPT_TOKENS - self.level) * 60 / self.tpm if self.tpm else 1.0
            raise RateLimited("429", wait if self.hint else None)
        self.level -= PROMPT_TOKENS
        self.flying += 1
        await asyncio.sleep(LATENCY)
        self.flying -= 1
        return Completion("ok", Usage(PROMPT_TOKENS, 200))

    async def close(self) -> None:
        """Do nothing, because nothing is open."""


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def asked(loop: Loop, model: Bucket, number: int = 60, seconds: float = 900.0) -> list[Slot]:
    async def go() -> list[Slot]:
        calls = Calls(Budget(Limits(usd=None, seconds=seconds), clock=loop.time), Journal(), Masks(), clock=loop.time)
        prompts = [Prompt((Message("user", f"{n:05d}" + "x" * 30_000),)) for n in range(number)]
        return await calls.many(model, prompts, "worker")

    return loop.run_until_complete(go())


def test_rate_limit_longer_than_the_review_fails_immediately(loop: Loop) -> None:
    """At a daily limit there is one request and no waiting, and the error says how long the wait would be."""

    class Daily(Bucket):
        async def complete(self, _: Prompt) -> Completion:
            self.count += 1
            raise RateLimited("asked for fewer calls, try again in 80000 s", 80_000.0)

    model = Daily(loop)
    replies = asked(loop, model)
    assert {type(reply) for reply in replies} == {RateLimited}
    assert "is too short to wait for it" in str(replies[0])
    assert loop.time() < 1
    assert model.count == 1


def test_wait_for_a_provider_says_until_when(loop: Loop) -> None:
    """A check that shows only "Reviewing" for minutes would look as if the review hung."""

    class Once(Bucket):
        async def complete(self, prompt: Prompt) -> Completion:
            if not self.count:
                self.count += 1
                raise RateLimited("asked for fewer calls", 80.0)
            return await super().complete(prompt)

    waits = list[tuple[float, str]]()
    calls = Calls(Budget(Limits()), Journal(), Masks(), on_wait=lambda until, why: waits.append((until, str(why))))
    loop.run_until_complete(calls.many(Once(loop), [Prompt((Message("user", "x"),))], "worker"))
    ((until, why),) = waits
    assert (60 < until - time.time() <= 80, why) == (True, "asked for fewer calls")


class Queue(Bucket):
    """A private server that answers `slots` calls at once. The client waits `patience` seconds."""

    name, is_own = "compatible/model", True

    def __init__(self, loop: Loop, slots: int, seconds: float, patience: float) -> None:
        super().__init__(loop)
        self.places, self.seconds, self.patience = asyncio.Semaphore(slots), seconds, patience

    async def serve(self) -> None:
        async with self.places:
            await asyncio.sleep(self.seconds)

    async def complete(self, _: Prompt) -> Completion:
        self.count += 1
        served = asyncio.ensure_future(self.serve())  # a server doesn't notice that its client has left
        if not (await asyncio.wait([served], timeout=self.patience))[0]:
            raise TimedOut("no reply")
        return Completion("ok", Usage(10, 2))


@pytest.mark.parametrize(
    ("slots", "number", "seconds", "patience", "requests", "most"),
    [
        (2, 24, 1.001, 4.0, 26, 15.0),
        (2, 64, 1.0, 300.0, 64, 33.0),
        (64, 50, 0.2, 4.0, 50, 0.5),
        (20, 200, 1.0, 60.0, 200, 12.0),
    ],
)
def test_private_server_gets_as_many_calls_as_it_answers_at_once(
    loop: Loop, slots: int, number: int, seconds: float, patience: float, requests: int, most: float
) -> None:
    """A server with two slots isn't flooded, and one with 64 gets all calls after the first ones."""
    model = Queue(loop, slots, seconds, patience)
    replies = asked(loop, model, number)
    assert [reply.text for reply in replies if isinstance(reply, Completion)] == ["ok"] * number
    assert model.count <= requests
    assert loop.time() <= most
