"""The cost of failed calls: what the provider bills is booked, for every provider and kind of failure."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from bot.errors import DeepRepoError
from bot.review.journal import JournalCosts, costs, costs_of
from bot.secrets.masking import Masks
from bot.values import PullRequest
from deeprepo.rlm import models
from deeprepo.rlm.errors import BadAnswer
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.money.gate import TRIES
from deeprepo.rlm.values import Cost, Limits, Message, Prompt, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply

PROVIDERS = ("openai/gpt-5.4-mini", "gemini/gemini-2.5-flash", "anthropic/claude-haiku-4-5")
DIALECTS = PROVIDERS[1:]
BILLED = Usage(2_000, 400)
WORDS = "word " * 320  # the reply's text
PLAIN = Modes(streams=False)
ASKED = Prompt((Message("user", "x" * 6_000),), max_tokens=1_000)
PULL = PullRequest("A change", "", "b" * 40, "c" * 40, "main", "feature", "/repo/.git")
START = Start(asdict(PULL), {}, "openai/big", "openai/small", "1.0")

# Useless but complete replies: the usage that they report is booked.
SAID = {
    "a tool call that could not be read": (Reply(WORDS, ending="malformed_function_call", usage=BILLED), None),
    "a failure on the provider's side": (Reply(WORDS, ending="error", usage=BILLED), PLAIN),
    "an error beside the reply": (Reply(WORDS, fault="error", error="overloaded_error", usage=BILLED), PLAIN),
}
# Interrupted replies: the prompt and the received text are booked.
BROKE_OFF = {
    "an overload in the middle": (Reply(WORDS, fault="error", error="overloaded_error", usage=BILLED), None),
    "a rate limit in the middle": (Reply(WORDS, fault="error", error="rate_limit_error", usage=BILLED), None),
    "a refusal in the middle": (Reply(WORDS, fault="error", error="invalid_request_error", usage=BILLED), None),
    "a stream that is dropped": (Reply(WORDS, fault="drop", usage=BILLED), None),
    "a stream that falls silent": (Reply(WORDS, fault="stall", usage=BILLED), None),
    "half an object": (Reply(WORDS, fault="truncate", usage=BILLED), PLAIN),
    "an object that is dropped": (Reply(WORDS, fault="drop", usage=BILLED), PLAIN),
}
SILENT = (Reply(WORDS, fault="hang", usage=BILLED), None)
# Rejected before any work: nothing is booked.
TURNED_AWAY = {
    "429": (Reply(status=429, retry_after="400"), None),
    "529": (Reply(status=529, retry_after="400"), None),
    "503": (Reply(status=503), None),
    "504": (Reply(status=504), None),
    "the page of a proxy": (Reply(fault="page"), None),
    "500": (Reply(status=500), None),
    "400": (Reply(status=400), None),
    "401": (Reply(status=401), None),
    "an overload before the first word": (Reply(fault="deny", error="overloaded_error"), None),
}


class Time:
    """A clock that pauses advance immediately."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def calls_for(limits: Limits, journal: Journal | None = None) -> Calls:
    time = Time()
    return Calls(Budget(limits, time), journal or Journal(), Masks(), pause=time.pause, clock=time)


def opened(name: str, script: doubles.Script, modes: Modes | None = None) -> Any:  # noqa: ANN401 - a context manager
    serve = doubles.anthropic_server if name.startswith("anthropic/") else doubles.openai_server
    return serve(script, modes=modes)


def fail(name: str, how: tuple[Reply, Modes | None]) -> tuple[Calls, int, DeepRepoError | None]:
    """Make one call that fails this way; return the accounts, the number of requests, and the error."""
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
    """Return the booked tokens, after checking that the day's total has the same calls and dollars."""
    cost = calls.budget.cost()
    assert cost.usd is not None
    assert (calls.budget.in_flight, cost.calls) == (0, requests)
    assert of_the_day(calls) == JournalCosts(requests, pytest.approx(cost.usd))
    return cost.usage


def reserved(calls: Calls) -> float:
    """Return the dollars reserved for all requests together."""
    return sum(line["reserved"] for line in calls.journal.lines if line["kind"] == "request")


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("how", BROKE_OFF.values(), ids=BROKE_OFF)
def test_interrupted_reply_costs_the_prompt_and_the_received_text(name: str, how: tuple[Reply, Modes | None]) -> None:
    """An interrupted reply counts as an attempt, and the server's daily total has the same amount."""
    calls, requests, raised = fail(name, how)
    if raised is not None:  # another provider may accept the same reply
        assert requests in range(1, TRIES + 1)
        usage = booked(calls, requests)
        assert usage.input == pytest.approx(requests * BILLED.input, rel=0.05)
        assert 0 < usage.output <= requests * 2 * BILLED.output
        assert (calls.budget.cost().usd or 0.0) < reserved(calls) / 2


def usages_of_broken(name: str, before: Sequence[Reply], broken: Reply) -> list[Usage]:
    """Return what is booked for each broken reply, after complete replies to other requests."""
    replies = iter([*before, *[broken] * TRIES])

    async def run() -> list[Usage]:
        async with opened(name, lambda _: next(replies)) as server:
            model, calls = models.connect(name, "key", server.base_url, 20.0), calls_for(Limits(usd=50.0))
            for number in range(1, len(before) + 1):
                await calls.complete(model, replace(ASKED, number=number), "worker")
            with pytest.raises(DeepRepoError):
                await calls.complete(model, replace(ASKED, number=len(before) + 1), "worker")
            await model.close()
            return [Usage(*line["usage"]) for line in calls.journal.lines if "error" in line and "usage" in line]

    return asyncio.run(run())


def test_prompt_tokens_of_an_interrupted_reply_follow_the_servers_count() -> None:
    """The prompt's cost is derived from an earlier reply's token count, whatever the tokenizer."""
    counted = Usage(1_410, 20)  # our own estimate would be 2,001
    broken = usages_of_broken(PROVIDERS[0], [Reply("well", usage=counted)], Reply(WORDS, fault="drop", usage=counted))
    assert len(broken) == TRIES
    assert all(usage.input == pytest.approx(counted.input, rel=0.05) for usage in broken)


@pytest.mark.parametrize("name", DIALECTS)
def test_reply_tokens_of_an_interrupted_reply_follow_the_servers_count(name: str) -> None:
    """A complete reply shows the characters per token (here five), while a short one is ignored."""
    counted = Usage(2_000, len(WORDS) // 5)
    before = [Reply("word", usage=Usage(2_000, 900)), Reply(WORDS, usage=counted)]
    broken = usages_of_broken(name, before, Reply(WORDS, fault="drop"))
    assert len(broken) == TRIES
    assert all(usage.output == pytest.approx(counted.output / 2, rel=0.1) for usage in broken)  # half of it arrives


@pytest.mark.parametrize("name", PROVIDERS)
def test_callback_runs_just_before_a_request_is_sent(name: str) -> None:
    """The callback runs once the client is open and before the server receives the request."""
    seen: list[int] = []

    async def run() -> None:
        async with opened(name, Reply("well")) as server:
            model = models.connect(name, "key", server.base_url, 20.0)
            await model.complete(replace(ASKED, on_leaving=lambda: seen.append(server.count)))
            await model.close()

    asyncio.run(run())
    assert seen == [0]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_connection_lost_before_the_reply_costs_nothing(name: str, seconds: float) -> None:
    """The dollar cap still counts the prompt and the output possible by then, at most what was reserved."""
    calls, requests, raised = fail(name, (Reply(WORDS, fault="lost", delay=seconds), None))
    assert raised is not None
    assert (calls.budget.cost().usage, calls.budget.cost().usd) == (Usage(), 0.0)
    written = models.connect(name, "key").price(Usage(1_900, int(4_000 * seconds))) or 0.0
    dollars, _, _ = calls.budget.room("worker")
    assert requests * written < 50.0 - dollars <= reserved(calls)


@pytest.mark.parametrize("name", DIALECTS)
def test_silent_server_costs_the_reserved_amount(name: str) -> None:
    """The server accepted the request and sent nothing until the timeout: the reservation is booked."""
    calls, _, raised = fail(name, SILENT)
    assert raised is not None
    assert calls.budget.cost().usd == pytest.approx(reserved(calls))


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("how", SAID.values(), ids=SAID)
def test_unusable_reply_costs_its_reported_tokens(name: str, how: tuple[Reply, Modes | None]) -> None:
    """Each attempt is booked with the tokens that its reply reports."""
    calls, requests, raised = fail(name, how)
    if raised is not None:  # another provider may accept the same reply
        usage = booked(calls, requests)
        assert (usage.input, usage.output) == (requests * BILLED.input, requests * BILLED.output)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("how", TURNED_AWAY.values(), ids=TURNED_AWAY)
def test_rejected_request_costs_nothing(name: str, how: tuple[Reply, Modes | None]) -> None:
    """A rejected request is not billed and does not count as one of the day's calls."""
    calls, requests, raised = fail(name, how)
    assert requests >= 1
    assert raised is not None
    assert (calls.budget.cost().usage, calls.budget.cost().usd) == (Usage(), 0.0)
    assert of_the_day(calls) == JournalCosts(0, 0.0)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    "reply",
    [
        Reply(ending="malformed_function_call"),
        Reply(fault="error", error="overloaded_error"),
        Reply(fault="error", error="rate_limit_error"),
    ],
    ids=lambda reply: reply.error or reply.ending,
)
def test_cap_is_never_exceeded_by_failing_calls(name: str, reply: Reply) -> None:
    """However many calls fail, a provider that respects `max_tokens` bills at most the cap."""
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


@pytest.mark.parametrize("how", ["an overload in the middle", "half an object"])
def test_resumed_review_keeps_the_cost_of_failures(how: str, tmp_path: Path) -> None:
    """A resumed review repeats no request and counts the same calls, tokens and dollars."""
    limits = Limits(usd=50.0, seconds=900.0, calls=100)

    async def run() -> tuple[list[tuple[Cost, int | None]], int]:
        outcomes: list[tuple[Cost, int | None]] = []
        async with opened(PROVIDERS[2], *BROKE_OFF[how]) as server:
            for _ in range(2):
                model, journal = (
                    models.connect(PROVIDERS[2], "key", server.base_url, 20.0),
                    Journal(tmp_path / "journal"),
                )
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


def test_unparsable_tool_call_is_retried_once() -> None:
    """A tool call that the provider could not parse is a bad answer: it is retried once; both are paid."""
    _, requests, raised = fail(PROVIDERS[1], SAID["a tool call that could not be read"])
    assert (requests, type(raised)) == (2, BadAnswer)
