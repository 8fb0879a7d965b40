"""What a call costs that gave no reply of use: what the server has billed is booked, whatever the provider and the way to fail."""

import asyncio
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot import models
from bot.errors import BadAnswer, DeepRepoError
from bot.journal.codec import Start
from bot.journal.reader import JournalCosts, costs, costs_of
from bot.journal.writer import Journal
from bot.llm.budget import Budget
from bot.llm.calls import Calls
from bot.llm.sending import TRIES
from bot.values import Cost, Limits, Message, Prompt, PullRequest, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply

PROVIDERS = ("openai/gpt-5.4-mini", "gemini/gemini-2.5-flash", "anthropic/claude-haiku-4-5")
BILLED = Usage(2_000, 400)
WORDS = "word " * 320  # its output
PLAIN = Modes(streams=False)
ASKED = Prompt((Message("user", "x" * 6_000),), max_tokens=1_000)
PULL = PullRequest("A change", "", "b" * 40, "c" * 40, "main", "feature", "/repo/.git")
START = Start(PULL, {}, "openai/big", "openai/small", "1.0")

# A whole reply with its count of tokens: just that is booked.
COUNTED = {
    "a tool call that could not be read": (Reply(WORDS, ending="malformed_function_call", usage=BILLED), None),
    "the same in one piece": (Reply(WORDS, ending="malformed_function_call", usage=BILLED), PLAIN),
    "a failure on the provider's side": (Reply(WORDS, ending="error", usage=BILLED), None),
    "a content filter": (Reply(WORDS, ending="content_filter", usage=BILLED), None),
    "a refusal": (Reply(WORDS, stop="refusal", usage=BILLED), None),
    "a reply that is too long": (Reply(WORDS, stop="length", usage=BILLED), None),
    "no message": (Reply(WORDS, lacks=("choices", "content"), usage=BILLED), PLAIN),
    "an error beside the reply": (Reply(WORDS, fault="error", error="overloaded_error", usage=BILLED), PLAIN),
    "an error with a count alone": (
        Reply(WORDS, fault="error", error="invalid_request_error", lacks=("choices", "content"), usage=BILLED),
        PLAIN,
    ),
}
# A reply that broke off, or that nobody counted: its prompt and what arrived of it are booked at least.
ARRIVED = {
    error: (Reply(WORDS, fault="error", error=error, usage=BILLED), None)
    for error in (
        "overloaded_error",
        "rate_limit_error",
        "api_error",
        "timeout_error",
        "invalid_request_error",
        "context_length_exceeded",
        "authentication_error",
    )
} | {
    "a stream that is dropped": (Reply(WORDS, fault="drop", usage=BILLED), None),
    "a stream without its end": (Reply(WORDS, fault="truncate", usage=BILLED), None),
    "a stream that falls silent": (Reply(WORDS, fault="stall", usage=BILLED), None),
    "no count": (Reply(WORDS, lacks=("usage",)), PLAIN),
}
# Nobody knows what was written: what was reserved is booked.
UNKNOWN = {
    "a reply in one piece that breaks off": (Reply(WORDS, fault="drop", usage=BILLED), PLAIN),
    "half an object": (Reply(WORDS, fault="truncate", usage=BILLED), PLAIN),
    "a connection that is lost": (Reply(WORDS, fault="lost", usage=BILLED), None),
    "silence": (Reply(WORDS, fault="hang", usage=BILLED), None),
    "a gateway that would not wait": (Reply(status=504), None),
}
# Turned away before anything was done: nothing is booked.
TURNED_AWAY = {
    "429": (Reply(status=429, retry_after="400"), None),
    "529": (Reply(status=529, retry_after="400"), None),
    "503": (Reply(status=503), None),
    "500": (Reply(status=500), None),
    "400": (Reply(status=400), None),
    "401": (Reply(status=401), None),
    "an overload before the first word": (Reply(fault="deny", error="overloaded_error"), None),
}


class Time:
    """A clock that waits move on at once."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def calls_for(limits: Limits, journal: Journal | None = None) -> Calls:
    time = Time()
    return Calls(Budget(limits, time), journal or Journal(), pause=time.pause, clock=time)


def opened(name: str, script: doubles.Script, modes: Modes | None = None) -> Any:  # noqa: ANN401 - a context manager
    serve = doubles.anthropic_server if name.startswith("anthropic/") else doubles.openai_server
    return serve(script, modes=modes)


def fail(name: str, how: tuple[Reply, Modes | None]) -> tuple[Calls, int, DeepRepoError | None]:
    """One call to a server that fails in this way: its accounts, the requests that the server saw, and what was raised."""
    reply, modes = how
    timeout = 0.2 if reply.fault in {"hang", "stall"} else 20.0

    async def run() -> tuple[Calls, int, DeepRepoError | None]:
        async with opened(name, reply, modes) as server:
            model = models.connect(name, "key", server.base_url, timeout)
            calls, raised = calls_for(Limits(usd=50.0, seconds=900.0)), None
            try:
                await calls.complete(model, ASKED, "worker")
            except DeepRepoError as error:
                raised = error
            finally:
                await model.close()
            return calls, server.count, raised

    return asyncio.run(run())


def of_the_day(calls: Calls) -> JournalCosts:
    return costs_of(json.dumps(line).encode() for line in calls.journal.lines)


def booked(calls: Calls, requests: int) -> Usage:
    """The tokens that are booked. The server's own settlement of the day must know the same calls and the same dollars."""
    cost = calls.budget.cost()
    assert cost.usd is not None
    assert (calls.budget.in_flight, cost.calls) == (0, requests)
    assert of_the_day(calls) == JournalCosts(requests, pytest.approx(cost.usd))
    return cost.usage


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("how", COUNTED.values(), ids=COUNTED)
def test_a_counted_reply_costs_what_was_counted(name: str, how: tuple[Reply, Modes | None]) -> None:
    """A reply of no use that came with its tokens is booked with just these, each time."""
    calls, requests, _ = fail(name, how)
    assert requests in range(1, TRIES + 1)
    assert booked(calls, requests) == Usage(requests * BILLED.input, requests * BILLED.output)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("how", ARRIVED.values(), ids=ARRIVED)
def test_a_broken_reply_costs_what_arrived(name: str, how: tuple[Reply, Modes | None]) -> None:
    """What broke off is booked by what is known of it, and uses up a try, whatever its error stands for."""
    calls, requests, _ = fail(name, how)
    usage = booked(calls, requests)
    assert requests in range(1, TRIES + 1)
    assert usage.input >= requests * BILLED.input
    assert usage.output >= requests * BILLED.output // 2


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("how", UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_cost_is_what_was_reserved(name: str, how: tuple[Reply, Modes | None]) -> None:
    """Where the provider had the prompt and nobody knows what it wrote, the reservation counts."""
    calls, requests, _ = fail(name, how)
    reserved = [line["reserved"] for line in calls.journal.lines if line["kind"] == "request"]
    usage = booked(calls, requests)
    assert requests in range(1, TRIES + 1)
    assert calls.budget.cost().usd == pytest.approx(sum(reserved))
    assert usage.output >= requests * BILLED.output


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("how", TURNED_AWAY.values(), ids=TURNED_AWAY)
def test_what_was_turned_away_costs_nothing(name: str, how: tuple[Reply, Modes | None]) -> None:
    """A provider that refuses a request before it works on it bills nothing, and no call of the day is counted."""
    calls, requests, raised = fail(name, how)
    assert requests >= 1
    assert raised is not None
    assert (calls.budget.cost().usage, calls.budget.cost().usd) == (Usage(), 0.0)
    assert of_the_day(calls) == JournalCosts(0, 0.0)


@pytest.mark.parametrize("name", PROVIDERS)
def test_where_nobody_listens_nothing_is_booked(name: str) -> None:
    """A refused connection has cost nothing."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    async def run() -> Calls:
        model, calls = models.connect(name, "key", f"http://127.0.0.1:{port}", 5.0), calls_for(Limits(usd=1.0))
        with pytest.raises(DeepRepoError):
            await calls.complete(model, ASKED, "worker")
        await model.close()
        return calls

    calls = asyncio.run(run())
    assert (calls.budget.cost().usage, calls.budget.cost().usd) == (Usage(), 0.0)
    assert of_the_day(calls) == JournalCosts(0, 0.0)


def test_a_page_of_a_proxy_costs_what_was_reserved() -> None:
    """A page with the status 200 may hide a call that was made: what was reserved counts."""
    calls, requests, _ = fail(PROVIDERS[0], (Reply(fault="page"), None))
    assert booked(calls, requests).input >= requests * BILLED.input


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    "reply",
    [
        Reply(ending="malformed_function_call"),
        Reply(fault="error", error="overloaded_error"),
        Reply(fault="error", error="rate_limit_error"),
        Reply(fault="lost"),
    ],
    ids=lambda reply: reply.error or reply.ending or reply.fault,
)
def test_the_cap_holds_over_calls_that_fail(name: str, reply: Reply) -> None:
    """However many calls fail, a provider that heeds the cap of a reply has billed no more than the cap in dollars."""
    cap, billed = 0.05, [0.0]

    async def run() -> Calls:
        def play(body: Mapping[str, Any]) -> Reply:
            room = int(body.get("max_completion_tokens") or body["max_tokens"])
            wrote = min(room, 2_000)
            cut = wrote // 2 if reply.fault == "error" else wrote
            billed[0] += model.price(Usage(BILLED.input, cut)) or 0.0
            return Reply(
                "abc " * wrote, ending=reply.ending, fault=reply.fault, error=reply.error, usage=Usage(2_000, wrote)
            )

        async with opened(name, play) as server:
            model = models.connect(name, "key", server.base_url, 20.0)
            calls = calls_for(Limits(usd=cap, seconds=900.0))
            for number in range(60):
                prompt = Prompt((Message("user", f"{number}" + "x" * 6_000),), max_tokens=1_000)
                await asyncio.gather(calls.complete(model, prompt, "worker"), return_exceptions=True)
            await model.close()
        return calls

    calls = asyncio.run(run())
    assert "cap of $0.05" in calls.budget.refused
    assert 0.0 < billed[0] <= cap


@pytest.mark.parametrize(
    ("name", "how"),
    [
        (PROVIDERS[1], COUNTED["a tool call that could not be read"]),
        (PROVIDERS[2], ARRIVED["overloaded_error"]),
        (PROVIDERS[0], UNKNOWN["half an object"]),
    ],
    ids=["counted", "arrived", "unknown"],
)
def test_a_resumed_review_keeps_what_failures_cost(name: str, how: tuple[Reply, Modes | None], tmp_path: Path) -> None:
    """A review that goes on from its journal asks nothing again and counts the same calls, tokens and dollars."""
    limits = Limits(usd=50.0, seconds=900.0, calls=100)

    async def run() -> tuple[list[tuple[Cost, int | None]], int]:
        outcomes: list[tuple[Cost, int | None]] = []
        async with opened(name, *how) as server:
            for _ in range(2):
                model, journal = models.connect(name, "key", server.base_url, 20.0), Journal(tmp_path / "journal")
                journal.begin(START)
                calls = calls_for(limits, journal)
                with pytest.raises(DeepRepoError):
                    await calls.complete(model, ASKED, "worker")
                journal.close()
                await model.close()
                outcomes.append((calls.budget.cost(), calls.budget.left().calls))
            return outcomes, server.count

    (first, second), requests = asyncio.run(run())
    assert second == first
    assert first[0].calls == requests
    assert costs(tmp_path / "journal") == JournalCosts(requests, pytest.approx(first[0].usd))


def test_a_call_that_could_not_be_read_is_named() -> None:
    """The model's own call that the provider could not read is a bad answer: asked once, paid once."""
    _, requests, raised = fail(PROVIDERS[1], COUNTED["a tool call that could not be read"])
    assert (requests, type(raised)) == (1, BadAnswer)
