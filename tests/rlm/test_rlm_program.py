from shop import FINDING, Table

from bot.errors import ProviderRefused
from bot.rlm import loop
from bot.rlm.work import Work
from bot.values import Limits, Transcript


def program(table: Table) -> tuple[Transcript, Work]:
    async def step(work: Work) -> tuple[Transcript, Work]:
        return await loop.run_program(work), work

    return table.run(step)


def test_it_reads_everything_and_reports(table: Table) -> None:
    """The built-in program has every unit read, reports what the worker found, and says so."""
    table.worker = lambda _: {"answer": "see", "findings": [FINDING]}
    transcript, work = program(table)
    assert [(f.title, f.source, f.start) for f in transcript.findings] == [
        ("total() returns None for an empty cart", "worker scripted/worker", 3)
    ]
    assert transcript.summary == "1 problem in shop/price.py."
    assert not work.ledger.unread()
    assert (transcript.partial, transcript.notes) == (False, ())
    assert transcript.turns[0].observation.output.startswith("1 questions, 1 findings, 0 refused, 0 units unread")


def test_a_quiet_change(table: Table) -> None:
    """Without findings the summary says how much was read."""
    assert program(table)[0].summary == "Nothing found in 2 of 2 units."


def test_a_failing_worker_is_asked_once_more(table: Table) -> None:
    """What failed together is asked again unit by unit; what still fails is a note and makes it partial."""
    table.worker = lambda asked: (
        ProviderRefused("no order today") if "booking" in asked.messages[1].text else {"answer": "fine", "findings": []}
    )
    transcript, work = program(table)
    assert [unit.id for unit in work.ledger.unread()] == ["shop/order.py:lines 5-5"]
    assert transcript.partial
    assert transcript.notes == ("no order today",)


def test_forged_findings_are_refused(table: Table) -> None:
    """A worker that quotes what is not there reports nothing."""
    table.worker = lambda _: {"answer": "see", "findings": [FINDING | {"quote": "    launch_missiles()"}]}
    transcript, work = program(table)
    assert transcript.findings == ()
    assert work.refused == 1


def test_spent_budget_is_partial(table: Table) -> None:
    """A program that may not call ends with a transcript all the same."""
    table.limits = Limits(usd=None, calls=0)
    transcript, _ = program(table)
    assert transcript.partial
    assert transcript.summary == "Nothing found in 0 of 2 units."
    assert "cap of 0 calls is reached" in transcript.notes[0]
