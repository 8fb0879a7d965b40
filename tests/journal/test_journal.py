import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from bot.errors import UsageError
from bot.secrets.masking import Masks
from bot.values import PullRequest
from deeprepo.rlm.errors import BudgetSpent, ProviderRefused, TimedOut
from deeprepo.rlm.journal.codec import Start, key
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls, Slot
from deeprepo.rlm.values import Completion, Cost, Limits, Message, Prompt, Usage
from deeprepo_sandbox.scripted import Script, ScriptedModel

PULL = PullRequest("A change", "", "b" * 40, "c" * 40, "main", "feature", "/repo/.git")
START = Start(
    asdict(PULL),
    {"settings": {"usd": 1.0, "ignore": (), "instructions": (("*.py", "be kind"),)}},
    "p/root",
    "p/worker",
    "1.0",
)

ASKER = {"role": "worker", "model": "p/worker", "at": "", "try": 1}


def prompt(text: str) -> Prompt:
    return Prompt((Message("system", "You read code."), Message("user", text)), max_tokens=100)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def run(
    path: Path,
    script: Script,
    texts: Sequence[str],
    *,
    limits: Limits = Limits(usd=None),  # noqa: B008 - a frozen value
    start: Start = START,
    price: float | None = 0.001,
    then: Callable[[Journal], object] = lambda _: None,
) -> tuple[list[Slot], int, Cost, Calls]:
    """Run calls with a journal, ending like a killed process; return replies, request count, cost, calls."""

    async def go() -> tuple[list[Slot], int, Cost, Calls]:
        journal = Journal(path)
        try:
            journal.begin(start)
            calls = Calls(Budget(limits), journal, Masks(), pause=lambda _: asyncio.sleep(0), chance=lambda: 0.0)
            model = ScriptedModel(script, "p/worker", price=price)
            slots = await calls.many(model, [prompt(text) for text in texts], "worker")
            then(journal)
            return slots, len(model.prompts), calls.budget.cost(), calls
        finally:
            journal.close()

    return asyncio.run(go())


def fine(asked: Prompt) -> Completion:
    return Completion(f"re {asked.messages[-1].text}", Usage(10, 5))


def told(slots: Sequence[Slot]) -> list[str]:
    return [slot.text if isinstance(slot, Completion) else f"{type(slot).__name__}: {slot}" for slot in slots]


def test_resumed_command_sends_only_unanswered_prompts(tmp_path: Path) -> None:
    """Answered prompts are not sent again, others are, and the cost covers both runs."""
    path, texts = tmp_path / "j", [f"q{n}" for n in range(9)]
    run(path, fine, texts[:4])
    slots, sent, cost, _ = run(path, fine, texts[::-1])
    assert (told(slots), sent, cost.calls) == ([f"re {text}" for text in texts[::-1]], 5, 9)
    assert [row["kind"] for row in rows(path)].count("review") == 1
    assert rows(path)[10]["kind"] == "resumed" or any(row["kind"] == "resumed" for row in rows(path))


def test_request_is_recorded_before_it_is_sent(tmp_path: Path) -> None:
    """The journal shows requests in flight at a kill, and the next run repeats them."""
    path = tmp_path / "j"
    asyncio.run(_killed(path))
    assert [row["kind"] for row in rows(path)] == ["review", "message", "message", "request"]
    slots, sent, cost, _ = run(path, fine, ["q"])
    assert (told(slots), sent, cost.calls) == (["re q"], 1, 1)


async def _killed(path: Path) -> None:
    journal = Journal(path)
    journal.begin(START)
    journal.request(prompt("q"), key="k", **ASKER)
    journal.close()


class Waiting:
    """A model that sends its request when `may_leave` is set, and never answers."""

    name, tells_leaving = "p/worker", True

    def __init__(self) -> None:
        self.may_leave, self.was_asked, self.has_left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def complete(self, asked: Prompt) -> Completion:
        """Wait for permission, report that the request is sent, and wait forever."""
        self.was_asked.set()
        await self.may_leave.wait()
        if asked.on_leaving is not None:
            asked.on_leaving()
        self.has_left.set()
        await asyncio.sleep(3_600)
        raise AssertionError

    def price(self, usage: Usage) -> float:
        """Return the price at a fixed rate per token."""
        return 0.001 * (usage.input + usage.output)

    async def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize("has_left", [False, True])
def test_request_that_was_not_sent_costs_nothing(has_left: bool, tmp_path: Path) -> None:
    """If it is canceled or killed while the connection is prepared, no provider can bill it."""
    path = tmp_path / "j"

    async def go() -> tuple[list[str], Cost]:
        journal, model = Journal(path), Waiting()
        journal.begin(START)
        calls = Calls(Budget(Limits()), journal, Masks())
        task = asyncio.create_task(calls.complete(model, prompt("q"), "worker"))
        await model.was_asked.wait()
        if has_left:
            model.may_leave.set()
            await model.has_left.wait()
        at_a_kill = [row["kind"] for row in rows(path)]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        journal.close()
        return at_a_kill, calls.budget.cost()

    kinds, cost = asyncio.run(go())
    assert ("request" in kinds) == has_left
    assert bool(cost.usd) == has_left
    assert [row["kind"] for row in rows(path)][-2:] == ["request", "call"]


def cut_off(path: Path) -> None:
    """Write a journal that ends with a request in flight and a reservation of $0.25."""
    journal = Journal(path)
    journal.begin(START)
    asked = prompt("q")
    journal.request(asked, key=key(ScriptedModel(fine, "p/worker"), asked)[0], **ASKER, reserved=0.25)
    journal.close()


def test_request_interrupted_by_a_kill_is_booked_once_per_run(tmp_path: Path) -> None:
    """The provider may bill a request whose reply never arrived, so each resumed run books it once."""
    path = tmp_path / "j"
    cut_off(path)
    _, sent, cost, calls = run(path, fine, ["q"])
    assert (sent, cost.calls, cost.failed_calls) == (1, 2, 0)
    assert "The actual cost may be lower" in " ".join(calls.budget.notes)
    assert (cost.usd, cost.usage) == (pytest.approx(2 * 0.015), Usage(20, 10))
    assert run(path, fine, ["q"])[1:3] == (0, cost)


@pytest.mark.parametrize(("usd", "repeated", "answered"), [(0.2, 0, 0), (0.2, 1, 1), (0.6, 0, 2), (0.6, 1, 2)])
def test_caps_include_the_reservation_of_an_interrupted_request(
    usd: float, repeated: int, answered: int, tmp_path: Path
) -> None:
    """The reservation counts before the request is repeated, and also after its reply was recorded."""
    path = tmp_path / "j"
    cut_off(path)
    run(path, fine, ["q"] * repeated)
    slots = run(path, fine, ["q", "r"], limits=Limits(usd=usd))[0]
    assert [isinstance(slot, Completion) for slot in slots] == [number < answered for number in range(2)]


def test_failed_repetition_books_the_reserved_amount(tmp_path: Path) -> None:
    """If the repeated request fails, the reserved amount is booked."""
    path = tmp_path / "j"
    cut_off(path)
    _, _, cost, _ = run(path, [ProviderRefused("no")], ["q"])
    assert cost.usd == pytest.approx(0.25)
    assert run(path, fine, ["q"])[1:3] == (0, cost)


def test_timed_out_attempt_is_booked_the_same_when_resumed(tmp_path: Path) -> None:
    """A provider may bill a call that timed out, so a resumed run books the same cost."""
    path, limits = tmp_path / "j", Limits(usd=100.0)
    _, _, first, _ = run(path, [TimedOut("silent"), Completion("fine", Usage(10, 5))], ["q"], limits=limits)
    _, sent, again, _ = run(path, [], ["q"], limits=limits)
    assert (sent, again) == (0, first)
    assert first.usd is not None
    assert first.usd > 0.1


def test_recorded_refusal_applies_until_the_review_ends(tmp_path: Path) -> None:
    """A resumed run gets the recorded refusal, as later prompts depend on it. A new review tries again."""
    path = tmp_path / "j"
    first, _, cost, _ = run(path, [ProviderRefused("too long")], ["q"])
    again, sent, same, _ = run(path, fine, ["q", "q"])
    assert (told(again), sent, same) == (told(first) * 2, 0, cost)
    run(path, fine, [], then=lambda journal: journal.put("end", digests={}))  # ends the review
    slots, sent, _, _ = run(path, fine, ["q"])
    assert (told(slots), sent) == (["re q"], 1)


def test_resumed_run_refuses_the_same_calls(tmp_path: Path) -> None:
    """A resumed run refuses the same calls and sends nothing."""
    path, limits = tmp_path / "j", Limits(usd=None, calls=2)
    first, _, _, before = run(path, fine, ["a", "b", "c", "d"], limits=limits)
    again, sent, _, after = run(path, fine, ["a", "b", "c", "d"], limits=limits)
    assert (told(again), sent) == (told(first), 0)
    assert [isinstance(slot, BudgetSpent) for slot in again] == [False, False, True, True]
    assert after.budget.refused == before.budget.refused != ""


def test_unknown_price_is_noted_in_every_run(tmp_path: Path) -> None:
    """The note appears whether a call is sent or taken from the journal."""
    path, limits = tmp_path / "j", Limits(usd=1.0)
    notes = [run(path, fine, ["a"], limits=limits, price=None)[3].budget.notes for _ in range(2)]
    assert notes[0] == notes[1] != []


def test_different_settings_start_a_new_section_with_a_note(tmp_path: Path) -> None:
    """With a higher limit, recorded replies are reused, but recorded refusals are not."""
    path = tmp_path / "j"
    run(path, fine, ["a", "b"], limits=Limits(usd=None, calls=1))
    more = replace(START, brief={"settings": {**START.brief["settings"], "usd": 2.0}})
    journal = Journal(path)
    (note,) = journal.begin(more)
    journal.close()
    assert "other settings (usd)" in note
    slots, sent, cost, _ = run(path, fine, ["a", "b"], start=more)
    assert (told(slots), sent, cost.calls) == (["re a", "re b"], 1, 2)


def test_journal_of_another_change_is_refused(tmp_path: Path) -> None:
    """The error says so, and the file is unchanged."""
    path = tmp_path / "j"
    run(path, fine, ["a"])
    before = path.read_text()
    with pytest.raises(UsageError, match=r"contains a review of another change"):
        run(path, fine, ["a"], start=replace(START, subject=asdict(replace(PULL, head="d" * 40, head_name="other"))))
    assert path.read_text() == before


def test_journal_can_be_used_by_only_one_process(tmp_path: Path) -> None:
    """A second run can't use the journal until it is closed."""
    first = Journal(tmp_path / "j")
    with pytest.raises(UsageError, match="is used by another run"):
        Journal(tmp_path / "j")
    first.close()
    Journal(tmp_path / "j").close()


def test_file_that_is_not_a_journal_is_never_overwritten(tmp_path: Path) -> None:
    """A file that isn't a journal is never overwritten."""
    (tmp_path / "f").write_text("# mine\n")
    for fresh in (False, True):
        with pytest.raises(UsageError, match="is not a journal recorded by"):
            Journal(tmp_path / "f", fresh=fresh)
    assert (tmp_path / "f").read_text() == "# mine\n"
    with pytest.raises(UsageError, match="cannot be written"):
        Journal(tmp_path)
