"""What is paid according to the provider: cancellation and cached prefixes."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from waits import patience

from bot.secrets.masking import Masks
from deeprepo.rlm import models
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Limits, Message, Prompt, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

WIDE, NARROW = Limits(usd=None, concurrency=64), Limits(usd=None, concurrency=8)


def prompt(text: str) -> Prompt:
    return Prompt((Message("system", "the same for all"), Message("user", text)), max_tokens=50)


def lines(calls: Calls, kind: str) -> list[Mapping[str, Any]]:
    return [line for line in calls.journal.lines if line["kind"] == kind]


async def test_canceled_batch_sends_no_waiting_calls() -> None:
    """After canceling a batch, none of its waiting calls is sent, but later calls are."""
    full, more = asyncio.Event(), asyncio.Event()

    def slow(_: Mapping[str, Any]) -> Reply:
        (full if server.count == 8 else more if server.count > 8 else asyncio.Event()).set()
        return Reply("fine", delay=30.0)

    async with doubles.openai_server(slow) as server, asyncio.timeout(patience()):
        model = models.connect("compatible/worker", None, server.base_url)
        calls = Calls(Budget(NARROW), Journal(), Masks())
        batch = asyncio.create_task(calls.many(model, [prompt(str(n)) for n in range(200)], "worker"))
        await full.wait()
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch
        assert not more.is_set()
        alone = asyncio.create_task(calls.complete(model, prompt("one more"), "worker"))
        await more.wait()
        alone.cancel()
        await asyncio.gather(alone, return_exceptions=True)
        assert server.count == len(lines(calls, "call")) == 9
        assert calls.budget.in_flight == 0
        await model.close()


def test_cached_tokens_are_billed_as_cached() -> None:
    """Anthropic: the shared prefix is marked in the request, and cached tokens are billed as cached."""

    async def go() -> tuple[float | None, Mapping[str, Any], Calls]:
        reply = Reply("fine", usage=Usage(10_000, 100, cache_read=9_000))
        async with doubles.anthropic_server(reply) as server:
            model = models.connect("anthropic/claude-sonnet-4-5", "key", server.base_url)
            calls = Calls(Budget(Limits(usd=5.0)), Journal(), Masks())
            await calls.complete(model, prompt("a"), "worker")
            cost = calls.budget.cost().usd
            full = model.price(Usage(10_000, 100))
            assert cost is not None
            assert full is not None
            assert cost < full / 2
            await model.close()
            return cost, server.requests[0], calls

    cost, sent, calls = asyncio.run(go())
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert calls.budget.cost().usage.cache_read == 9_000
    assert cost == lines(calls, "call")[0]["usd"]
