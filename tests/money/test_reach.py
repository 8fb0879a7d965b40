"""An unusable provider gets only a few requests, but one that recovers is not given up."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from bot.secrets.masking import Masks
from deeprepo.rlm import models
from deeprepo.rlm.errors import (
    AccountRefused,
    ModelRefused,
    ProviderDown,
    ProviderError,
    QuotaExhausted,
)
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls, Slot
from deeprepo.rlm.values import Completion, Limits, Message, Model, Prompt
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Script

A_FEW = 4
MANY = 30
FORMS = 6  # formats in which a request is retried after an unexplained refusal
NOWHERE = "http://127.0.0.1:1/v1"


class Waits:
    """Pauses that take no time and are recorded."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


class Asked:
    """Makes many calls per model, and has their results, the requests sent and the pauses."""

    def __init__(self, name: str, script: Script | None, *later: str) -> None:
        self.waits, self.journal = Waits(), Journal()
        self.calls = Calls(Budget(Limits(usd=None)), self.journal, Masks(), pause=self.waits, chance=lambda: 0.0)
        self.slots: list[Slot] = []
        asyncio.run(self._run(script, (name, *later)))

    async def _run(self, script: Script | None, names: tuple[str, ...]) -> None:
        if script is None:
            await self._ask(NOWHERE, names)
            return
        async with doubles.openai_server(script) as server:
            await self._ask(server.base_url, names)
            assert self.requests <= server.count <= self.requests + FORMS

    async def _ask(self, url: str, names: tuple[str, ...]) -> None:
        for name in names:
            model: Model = models.connect(name, "key", url)
            try:
                prompts = [Prompt((Message("user", f"q{at}"),), max_tokens=100) for at in range(MANY)]
                self.slots += await self.calls.many(model, prompts, "worker")
            finally:
                await model.close()

    @property
    def requests(self) -> int:
        return sum(line["kind"] == "request" for line in self.journal.lines)

    @property
    def names(self) -> set[str]:
        """Return the models to which a request was sent."""
        return {line["model"] for line in self.journal.lines if line["kind"] == "request"}

    @property
    def errors(self) -> set[type]:
        return {type(slot) for slot in self.slots}


def question(body: Mapping[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


@pytest.mark.parametrize(
    ("script", "kind", "word"),
    [
        (Reply(status=401), AccountRefused, "refused the key"),
        (Reply(status=402), QuotaExhausted, "no credit left"),
        (Reply(status=403), ModelRefused, "refused the key"),
        (Reply(status=404), ModelRefused, "does not know the model"),
        (Reply(status=307), AccountRefused, "redirects"),
    ],
)
def test_permanent_error_is_requested_once(script: Reply, kind: type[ProviderError], word: str) -> None:
    """A wrong key, no credit, an unknown model or a wrong address: one request, and one error for all."""
    done = Asked("compatible/m", script)
    assert done.requests <= A_FEW  # one, plus those that a slow machine sent before the reply
    assert (done.errors, len(done.slots), done.waits.seconds) == ({kind}, MANY, [])
    assert all(word in str(slot) for slot in done.slots)
    assert word in str(done.calls.failure)


@pytest.mark.parametrize("script", [None, Reply(status=500), Reply(status=503), Reply(fault="drop")])
def test_unavailable_provider_is_retried_by_one_call_at_a_time(script: Reply | None) -> None:
    """For a closed port or a failing server, thirty calls cause four requests with growing pauses.

    On a slow machine, a few more are sent before the first has failed.
    """
    done = Asked("compatible/m", script)
    assert 4 <= done.requests < 4 + A_FEW
    assert (done.errors, done.waits.seconds) == ({ProviderDown}, [1.0, 2.0, 4.0])


def test_provider_that_was_given_up_gets_no_later_requests() -> None:
    """A rejected key applies to all of a provider's models, but an unknown or failing model only to itself."""
    assert Asked("compatible/a", Reply(status=401), "compatible/b").names == {"compatible/a"}
    done = Asked("compatible/a", doubles.PerModel({"b": "fine"}), "compatible/b")
    assert [type(slot) for slot in done.slots[::MANY]] == [ModelRefused, Completion]
    assert MANY < done.requests <= MANY + A_FEW
    failing = Asked(
        "compatible/a", lambda body: Reply("fine", status=500 if body["model"] == "a" else 200), "compatible/b"
    )
    assert [type(slot) for slot in failing.slots[::MANY]] == [ProviderDown, Completion]


def test_dead_server_blocks_no_other_server() -> None:
    """Models at another address or with another key are asked although their provider has the same name."""

    async def ask() -> tuple[list[Slot], list[float]]:
        waits = Waits()
        calls = Calls(Budget(Limits(usd=None)), Journal(), Masks(), pause=waits, chance=lambda: 0.0)
        async with doubles.openai_server("fine") as server:
            urls = {"dead": NOWHERE, "good": server.base_url}
            slots: list[Slot] = []
            for name in ("good", "dead", "good"):
                model = models.connect(f"compatible/{name}", "key", urls[name])
                slots += await calls.many(
                    model, [Prompt((Message("user", "q"),), max_tokens=100)], "worker", reuse=False
                )
                await model.close()
        return slots, waits.seconds

    slots, seconds = asyncio.run(ask())
    assert [type(slot) for slot in slots] == [Completion, ProviderDown, Completion]
    assert "no answer from compatible at 127.0.0.1:1." in str(slots[1])
    assert seconds == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("blip", [1, 3])
def test_recovered_provider_gets_all_calls(blip: int) -> None:
    """The first requests fail and a later one succeeds, so all calls are made."""
    left = [blip]

    def script(_: Mapping[str, Any]) -> Reply:
        left[0] -= 1
        return Reply(status=503) if left[0] >= 0 else Reply("fine")

    done = Asked("compatible/m", script)
    assert (done.errors, done.requests) == ({Completion}, MANY + blip)


def test_outage_during_a_review_ends_it_early() -> None:
    """After nine replies the server fails: open calls fail once, and one call retries three times."""
    seen: list[str] = []

    def script(body: Mapping[str, Any]) -> Reply:
        seen.append(question(body))
        return Reply("fine") if len(seen) < 10 else Reply(status=500)

    done = Asked("compatible/m", script, "compatible/n", "compatible/o")
    assert len(done.slots) == 3 * MANY
    assert sum(isinstance(slot, Completion) for slot in done.slots) == 9
    assert done.requests <= MANY + 3 + 3
