import asyncio
import json
from pathlib import Path

import pytest

from bot.errors import BadAnswer, BudgetSpent, ProviderDown, ProviderRefused, RateLimited
from bot.models.scripted import ScriptedModel
from bot.rlm.budget import Budget
from bot.rlm.calls import Calls, Slot
from bot.rlm.gate import Gate
from bot.rlm.journal import Journal
from bot.values import Completion, Limits, Message, Prompt, Schema, Usage

ANSWER = Schema(
    "verdict",
    "a verdict",
    {"type": "object", "properties": {"ok": {"type": "boolean"}, "why": {"type": "string"}}, "required": ["ok"]},
)
FREE = Limits(usd=None)


def prompt(text: str, answer: Schema | None = None) -> Prompt:
    return Prompt((Message("user", text),), answer, max_tokens=100)


class Waits:
    """Pauses that pass at once, and are remembered."""

    def __init__(self) -> None:
        self.seconds = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def door(limits: Limits = FREE, journal: Journal | None = None, waits: Waits | None = None) -> Calls:
    return Calls(Budget(limits), journal or Journal(), pause=waits or Waits(), chance=lambda: 0.0)


def many(calls: Calls, model: ScriptedModel, texts: list[str], answer: Schema | None = None) -> list[Slot]:
    return asyncio.run(calls.many(model, [prompt(text, answer) for text in texts], "worker"))


def echo(asked: Prompt) -> str:
    return f"re {asked.messages[-1].text}"


def test_order_is_kept_and_requests_equal_calls() -> None:
    """64 prompts: 64 replies in order, 64 requests, 64 journal lines, all at once."""
    calls, model = door(), ScriptedModel(echo, delay=0.01)
    replies = many(calls, model, [f"q{i}" for i in range(64)])
    assert [reply.text for reply in replies] == [f"re q{i}" for i in range(64)]
    lines = [line for line in calls.journal.lines if line["kind"] == "call"]
    assert (len(model.prompts), len(lines), calls.budget.cost().calls) == (64, 64, 64)
    assert model.peak == 64


def test_identical_prompts_are_sent_once() -> None:
    """The same request in one run is one request, in a batch and after it."""
    calls, model = door(), ScriptedModel(echo)
    replies = many(calls, model, ["same"] * 5)
    assert [reply.text for reply in replies] == ["re same"] * 5
    many(calls, model, ["same"])
    assert len(model.prompts) == 1


def test_concurrency_has_a_cap() -> None:
    """No more calls are in flight than the limits allow."""
    model = ScriptedModel(echo, delay=0.001)
    many(door(Limits(usd=None, concurrency=3)), model, [str(i) for i in range(12)])
    assert model.peak == 3


def test_errors_stay_in_their_slots() -> None:
    """A refused prompt does not take its neighbours with it, and is not sent again."""
    model = ScriptedModel(lambda p: ProviderRefused("too long") if p.messages[-1].text == "b" else "fine")
    first, second, third = many(door(), model, ["a", "b", "c"])
    assert (first.text, str(second), third.text) == ("fine", "too long", "fine")
    assert len(model.prompts) == 3


def test_retry_waits_as_told() -> None:
    """429 waits for Retry-After, a server fault for a growing time; each try is a line of the journal."""
    model = ScriptedModel([RateLimited("slow down", 7.0), ProviderDown("502"), "fine"])
    waits = Waits()
    calls = door(waits=waits)
    assert many(calls, model, ["q"])[0].text == "fine"
    assert waits.seconds[0] == 7.0
    assert 2.0 in waits.seconds
    lines = [line for line in calls.journal.lines if line["kind"] == "call"]
    assert [line.get("error", "ok") for line in lines] == [
        "RateLimited: slow down",
        "ProviderDown: 502",
        "ok",
    ]
    assert calls.budget.cost().failed_calls == 2


def test_four_tries_are_all() -> None:
    """A provider that stays down ends in its error after four requests."""
    model = ScriptedModel([ProviderDown(f"{n}") for n in range(9)])
    assert str(many(door(), model, ["q"])[0]) == "3"
    assert len(model.prompts) == 4


def test_no_wait_beyond_the_deadline() -> None:
    """A pause longer than the time that is left is not begun."""
    model = ScriptedModel([RateLimited("later", 1000.0)])
    waits = Waits()
    assert isinstance(many(door(Limits(usd=None, seconds=60), waits=waits), model, ["q"])[0], RateLimited)
    assert waits.seconds == []


def test_deadline_keeps_finished_slots() -> None:
    """At the deadline what has come back stays, the rest says why it did not."""

    class Slow(ScriptedModel):
        async def complete(self, asked: Prompt) -> Completion:
            await asyncio.sleep(60 if asked.messages[-1].text == "slow" else 0)
            return await super().complete(asked)

    calls = door(Limits(usd=None, seconds=0.2))
    fast, slow = many(calls, Slow(echo), ["fast", "slow"])
    assert fast.text == "re fast"
    assert "cap of 0.2 seconds is reached" in str(slow)
    *_, cut, last = calls.journal.lines
    assert (cut["error"], last["kind"], last["error"]) == ("cancelled", "failed", "BudgetSpent")


def test_budget_spent_in_a_batch_keeps_finished_slots() -> None:
    """A cap in the middle of a batch: the paid replies stay, the others were never sent."""
    calls, model = door(Limits(usd=0.05)), ScriptedModel(lambda _: Completion("fine", Usage(30, 50)), price=0.0001)
    replies = many(calls, model, [f"question {i}" for i in range(20)])
    done = [reply for reply in replies if isinstance(reply, Completion)]
    refused = [reply for reply in replies if isinstance(reply, BudgetSpent)]
    assert len(done) + len(refused) == 20
    assert len(done) == len(model.prompts) == 5  # $0.008 each; the sixth could cost $0.0138 with $0.01 left
    assert "cap of $0.05" in calls.budget.refused
    assert calls.budget.cost().usd <= 0.05


def test_misfit_is_repaired_once() -> None:
    """An answer that does not fit its schema is asked for again, with what was wrong in it."""
    model = ScriptedModel([{"why": "no verdict"}, {"ok": True}])
    assert many(door(), model, ["q"], ANSWER)[0].data == {"ok": True}
    again = model.prompts[1].messages
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert "the answer lacks 'ok'" in again[-1].text


def test_second_misfit_is_a_bad_answer() -> None:
    """Twice unusable is a failure that counts, not an empty answer."""
    calls, model = door(), ScriptedModel(["prose", {"ok": "yes"}])
    error = many(calls, model, ["q"], ANSWER)[0]
    assert isinstance(error, BadAnswer)
    assert "the answer.ok must be boolean, not str" in str(error)
    assert (len(model.prompts), calls.budget.cost().failed_calls) == (2, 1)


def test_nothing_is_paid_twice(tmp_path: Path) -> None:
    """A second run over the same journal sends nothing and shows the same cost."""
    path = tmp_path / "journal.jsonl"
    costs = []
    for script in ([Completion("one", Usage(10, 5))], []):
        journal = Journal(path)
        calls = door(Limits(), journal)
        model = ScriptedModel(script, price=0.001)
        assert many(calls, model, ["q", "q"])[0].text == "one"
        costs.append((len(model.prompts), calls.budget.cost()))
        journal.close()
    assert [sent for sent, _ in costs] == [1, 0]
    assert costs[0][1] == costs[1][1]


def test_journal_survives_a_torn_line(tmp_path: Path) -> None:
    """A line that a crash tore is ignored, and the next one is whole again."""
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


def test_journal_is_private(tmp_path: Path) -> None:
    """The file is its owner's alone: the code under review stands in it."""
    path = tmp_path / "deep" / "journal.jsonl"
    journal = Journal(path)
    many(door(journal=journal), ScriptedModel(["fine"]), ["the secret plan"])
    journal.close()
    assert path.stat().st_mode & 0o077 == 0
    assert "secret plan" in path.read_text()


def test_gate_halves_once_per_round_and_grows_slowly() -> None:
    """Calls in flight at one 429 halve the width once; successes widen it again by one per width."""

    async def go() -> None:
        gate = Gate(64, lambda: 0.0, Waits())
        rounds = [await gate.enter() for _ in range(64)]
        for round_ in rounds:
            gate.narrow(round_, 0.0)
        assert gate.width == 32
        gate.narrow(rounds[0] + 1, 0.0)
        assert gate.width == 16
        for _ in range(16):
            gate.widen()
        assert 16.9 < gate.width < 17

    asyncio.run(go())


def test_cancelled_waiter_hands_its_place_on() -> None:
    """A call that is cancelled while it waits does not keep the next one waiting."""

    async def go() -> None:
        gate = Gate(1, lambda: 0.0, Waits())
        await gate.enter()
        first, second = asyncio.create_task(gate.enter()), asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        gate.leave()
        first.cancel()
        await asyncio.wait_for(second, 1)
        assert gate.running == 1
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(go())
