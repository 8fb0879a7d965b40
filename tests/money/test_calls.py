import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.secrets.masking import Masks
from deeprepo.rlm.errors import BadAnswer, PromptTooLong, ProviderDown, ProviderRefused, RateLimited, TimedOut
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls, Slot
from deeprepo.rlm.values import Completion, Limits, Message, Prompt, Schema, Usage
from deeprepo_sandbox.scripted import ScriptedModel

ANSWER = Schema(
    "verdict",
    "a verdict",
    {"type": "object", "properties": {"ok": {"type": "boolean"}, "why": {"type": "string"}}, "required": ["ok"]},
)
FREE = Limits(usd=None)


def prompt(text: str, answer: Schema | None = None) -> Prompt:
    return Prompt((Message("user", text),), answer, max_tokens=100)


class Waits:
    """Pauses that take no time and are recorded."""

    def __init__(self) -> None:
        self.seconds = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def door(limits: Limits = FREE, journal: Journal | None = None, waits: Waits | None = None) -> Calls:
    return Calls(Budget(limits), journal or Journal(), Masks(), pause=waits or Waits(), chance=lambda: 0.0)


def many(calls: Calls, model: ScriptedModel, texts: list[str], answer: Schema | None = None) -> list[Slot]:
    return asyncio.run(calls.many(model, [prompt(text, answer) for text in texts], "worker"))


def echo(asked: Prompt) -> str:
    return f"re {asked.messages[-1].text}"


def test_replies_keep_the_order_of_their_prompts() -> None:
    """64 prompts get 64 replies in order, with 64 requests and journal lines, in parallel after the first."""
    calls, model = door(), ScriptedModel(echo, delay=0.5)
    replies = many(calls, model, [f"q{i}" for i in range(64)])
    assert [reply.text for reply in replies] == [f"re q{i}" for i in range(64)]
    lines = [line for line in calls.journal.lines if line["kind"] == "call"]
    assert (len(model.prompts), len(lines), calls.budget.cost().calls) == (64, 64, 64)
    assert model.peak >= 63


def test_identical_prompts_are_sent_once() -> None:
    """An identical request is sent once per run, within a batch and after it."""
    calls, model = door(), ScriptedModel(echo)
    replies = many(calls, model, ["same"] * 5)
    assert [reply.text for reply in replies] == ["re same"] * 5
    many(calls, model, ["same"])
    assert len(model.prompts) == 1


def test_concurrency_is_limited() -> None:
    """No more calls are in flight than the limit allows."""
    model = ScriptedModel(echo, delay=0.001)
    many(door(Limits(usd=None, concurrency=3)), model, [str(i) for i in range(12)])
    assert model.peak == 3


def test_errors_stay_in_their_slots() -> None:
    """A refused prompt does not affect the others and is not sent again."""
    model = ScriptedModel(lambda p: ProviderRefused("too long") if p.messages[-1].text == "b" else "fine")
    first, second, third = many(door(), model, ["a", "b", "c"])
    assert (first.text, str(second), third.text) == ("fine", "too long", "fine")
    assert len(model.prompts) == 3


def test_retry_waits_as_the_server_requests() -> None:
    """429 waits for Retry-After, a server error for increasing times, and each attempt is a journal line."""
    model = ScriptedModel([RateLimited("slow down", 7.0), ProviderDown("502"), "fine"])
    waits = Waits()
    calls = door(waits=waits)
    assert many(calls, model, ["q"])[0].text == "fine"
    assert waits.seconds[0] == pytest.approx(7.0, abs=0.1)
    assert 1.0 in waits.seconds
    lines = [line for line in calls.journal.lines if line["kind"] == "call"]
    assert [line.get("error", "ok") for line in lines] == ["RateLimited: slow down", "ProviderDown: 502", "ok"]
    assert calls.budget.cost().failed_calls == 2


def test_deadline_keeps_finished_slots() -> None:
    """At the deadline, finished replies are kept, and the other slots say why they have none."""

    class Slow(ScriptedModel):
        async def complete(self, asked: Prompt) -> Completion:
            await asyncio.sleep(60 if asked.messages[-1].text == "slow" else 0)
            return await super().complete(asked)

    calls = door(Limits(usd=None, seconds=2.0))
    fast, slow = many(calls, Slow(echo), ["fast", "slow"])
    assert fast.text == "re fast"
    assert "limit of 2 seconds is reached" in str(slow)
    *_, cut, last = calls.journal.lines
    assert (cut["error"], last["kind"], last["error"]) == ("cancelled", "failed", "BudgetSpent")


def test_answer_that_does_not_match_the_schema_is_requested_again() -> None:
    """An answer that does not match its schema is requested again, with the error."""
    model = ScriptedModel([{"why": "no verdict"}, {"ok": True}])
    assert many(door(), model, ["q"], ANSWER)[0].data == {"ok": True}
    again = model.prompts[1].messages
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert "the answer lacks 'ok'" in again[-1].text


def test_unparsable_reply_is_requested_once_more() -> None:
    """The second request says what was wrong; a root doesn't end because of one malformed tool call."""
    unreadable = BadAnswer("m wrote a tool call that the provider could not read")
    calls, model = door(), ScriptedModel([unreadable, "better"])
    (reply,) = many(calls, model, ["q"])
    assert reply.text == "better"
    assert "could not read" in model.prompts[1].messages[-1].text


def test_second_unusable_answer_is_a_failure() -> None:
    """Two unusable answers are a failure that counts, not an empty answer."""
    calls, model = door(), ScriptedModel(["prose", {"ok": "yes"}])
    error = many(calls, model, ["q"], ANSWER)[0]
    assert isinstance(error, BadAnswer)
    assert "the answer.ok must be boolean, not str" in str(error)
    assert (len(model.prompts), calls.budget.cost().failed_calls) == (2, 1)


def test_incomplete_last_journal_line_is_ignored(tmp_path: Path) -> None:
    """An incomplete last line after a crash is ignored, and the next line is valid."""
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    many(door(journal=journal), ScriptedModel(["one"]), ["a"])
    journal.close()
    with path.open("a") as file:
        file.write('{"kind": "call", "key": "123", "re')
    journal = Journal(path)
    many(door(journal=journal), ScriptedModel(["two"]), ["b"])
    journal.close()
    assert json.loads(path.read_text().splitlines()[-1])["reply"]["text"] == "two"
    journal = Journal(path)
    replies = many(door(journal=journal), ScriptedModel([]), ["a", "b"])
    journal.close()
    assert [reply.text for reply in replies] == ["one", "two"]


CUT = Completion("half an ans", Usage(10, 100), "length")


def sent(calls: Calls) -> list[int]:
    return [line["max_tokens"] for line in calls.journal.lines if line["kind"] == "request"]


def test_truncated_answer_is_retried_with_twice_the_tokens() -> None:
    """A cut answer is requested once more with at least twice the tokens; both are paid."""
    calls, model = door(), ScriptedModel([CUT, {"ok": True}], "openai/gpt-4o")
    assert many(calls, model, ["q"], ANSWER)[0].data == {"ok": True}
    assert [len(asked.messages) for asked in model.prompts] == [1, 1]
    assert sent(calls)[1] >= 2 * sent(calls)[0]
    assert calls.budget.cost().calls == 2


def test_answer_truncated_twice_is_an_error() -> None:
    """A second cut answer is an error that names the effort setting; a root gets the cut answer."""
    for schema in (ANSWER, None):
        error = many(door(), ScriptedModel([CUT, CUT]), ["q"], schema)[0]
        assert isinstance(error, BadAnswer)
        assert "cut off at 100 tokens" in str(error)
        assert "models.thinking" in str(error)
    asked = replace(prompt("q"), tool=ANSWER)
    assert asyncio.run(door().complete(ScriptedModel([CUT, CUT]), asked, "root")).stop == "length"


def test_timed_out_call_is_retried_once_and_booked() -> None:
    """A time-out may be billed, so each is booked at its reservation, and there is only one retry."""
    calls, model = door(Limits(usd=1.0)), ScriptedModel([TimedOut("silence")] * 9, price=0.000001)
    assert isinstance(many(calls, model, ["q"])[0], TimedOut)
    assert len(model.prompts) == 2
    assert calls.budget.cost().usd > 2 * 16_384 * 0.000001
    assert all(line["usage"][1] == 16_384 for line in calls.journal.lines if line["kind"] == "call")


def test_silently_truncated_prompt_is_an_error() -> None:
    """A server that reports half of a prompt's tokens has cut it: an error and a note name the setting."""
    text = "def total(prices, tax): return sum(prices) * (1 + tax)\n" * 700
    calls, model = door(), ScriptedModel(lambda _: Completion("fine", Usage(4096, 5)), "ollama/qwen3")
    error = many(calls, model, [text])[0]
    assert isinstance(error, PromptTooLong)
    assert error.window == calls.sizes.window(model) == 4096
    assert "OLLAMA_CONTEXT_LENGTH" in str(error)
    assert any("models.context" in note for note in calls.budget.notes)


def test_prompt_over_the_context_window_is_refused_locally() -> None:
    """With `context` set, a longer prompt is refused locally, and a shorter one leaves room for the reply."""
    calls, model = door(Limits(usd=None, context=4_096)), ScriptedModel(echo, "ollama/qwen3")
    long, short = many(calls, model, ["word " * 5_000, "word " * 1_000])
    assert isinstance(long, PromptTooLong)
    assert isinstance(short, Completion)
    assert len(model.prompts) == 1
    assert model.prompts[0].max_tokens < 4_096 - 1_000


def test_small_budget_lowers_output_tokens_and_never_exceeds_the_cap() -> None:
    """Even a reasoning model that uses all its output tokens in many parallel calls stays below the cap."""

    def greedy(asked: Prompt) -> Completion:
        return Completion("fine", Usage(20, asked.max_tokens))

    for usd in (0.001, 0.01, 0.1, 1.0):
        calls = door(Limits(usd=usd))
        model = ScriptedModel(greedy, "openai/gpt-5.4-mini", price=4.5e-6, delay=0.001)
        many(calls, model, [f"question {i}" for i in range(60)])
        assert 0 < calls.budget.cost().usd <= usd or usd < 0.002
