import threading
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from shop import FINDING, REPORT, Table, called

from bot.review.agent import loop
from bot.review.session import Session
from bot.values import Transcript
from deeprepo.rlm.errors import ProviderDown, ProviderRefused
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.values import Completion, Limits, Prompt, ToolCall, Usage
from deeprepo_sandbox.scripted import Reply, ScriptedModel

DONE = called("set_answer('Nothing to add.')")
READ = "print(ask_batch([([u['id'] for u in units], 'What breaks?')]))"


def root(
    table: Table, *replies: Reply, gate: bool = False, limits: Limits | None = None
) -> tuple[Transcript, list[str], Session]:
    """Run a scripted root model; return the transcript, the messages of its last prompt, and the session."""
    table.root = list(replies)
    table.limits = limits or table.limits

    async def step(session: Session) -> tuple[Transcript, Session]:
        return await loop.run(session, "The seed.", gate=gate), session

    transcript, session = table.run(step)
    prompts = session.root.prompts
    return transcript, [message.text for message in prompts[-1].messages], session


def test_root_searches_asks_workers_reports_and_finishes(table: Table) -> None:
    """A root searches, asks workers, reports and answers. Transcript and journal contain all of it."""
    table.worker = lambda _: {"answer": "see", "findings": [FINDING]}
    transcript, seen, session = root(
        table,
        called("print(search('total'))", "First the readers."),
        called(READ.replace("print", "rs = ")),
        called("print([report(**f) for f in rs[0]['findings']])"),
        called("set_answer('Empty carts crash the page.')"),
        gate=True,
    )
    assert transcript.summary == "Empty carts crash the page."
    assert [f.title for f in transcript.findings] == ["total() returns None for an empty cart"]
    assert (transcript.partial, transcript.notes, transcript.fault) == (False, (), "")
    assert [turn.number for turn in transcript.turns] == [1, 2, 3, 4]
    assert transcript.turns[0].said == "First the readers."
    assert seen[1] == "The seed."
    assert "shop/cart.py:5" in seen[3]
    assert seen[3].endswith("2 unread units: shop/order.py:lines 5-5, shop/price.py:lines 2-3]")
    kinds = [line["kind"] for line in session.calls.journal.lines]
    assert (kinds.count("call"), kinds.count("turn")) == (5, 4)


@pytest.mark.parametrize(
    ("reply", "hint"),
    [
        ("I think it is fine.", "There was no code in that reply"),
        (Completion("```py", Usage(1, 1), "length"), "That reply was cut off at its length limit"),
        (
            Completion("", Usage(1, 1), "end", None, (ToolCall("c", "execute_python", {}, '{"code": "x'),)),
            "The arguments of that tool call were not valid JSON",
        ),
    ],
)
def test_reply_without_code_gets_a_hint(table: Table, reply: str | Completion, hint: str) -> None:
    """A reply without code uses up a turn and gets a hint on what to send."""
    again = [reply] if isinstance(reply, Completion) and reply.stop == "length" else []
    _, seen, _ = root(table, reply, *again, DONE)
    assert f"HINT: {hint}" in seen[3]
    assert "[turn 1 of 12" in seen[3]


@pytest.mark.parametrize(
    ("code", "summary"),
    [
        ("answer['content'] = 'by dict'\nanswer['ready'] = True", "by dict"),
        ("FINAL('by call')", "by call"),
        ("text = ['by', 'name']\nset_answer(text)", "['by', 'name']"),
    ],
)
def test_each_way_to_finish_returns_its_exact_text(table: Table, code: str, summary: str) -> None:
    """Each way to finish ends the run with exactly the given text."""
    assert root(table, called(code))[0].summary == summary


def test_turns_without_progress_get_a_hint_and_then_end_the_run(table: Table) -> None:
    """Turns without new output get a hint, then a warning about the last turn, and then the run ends."""
    transcript, seen, _ = root(table, *[called(f"print(search('total'), {n})") for n in range(12)])
    assert "Nothing new in the last turns" not in seen[5]
    assert "Nothing new in the last turns" in seen[7]
    assert "The next turn is the last one if it brings nothing new either" in seen[11]
    assert len(transcript.turns) == 6
    assert transcript.notes == ("The root model was stopped after 5 turns without progress.",)
    assert transcript.summary == "No problems found in 0 of 2 code regions; 2 were not read."


def test_refused_report_can_be_corrected_before_the_run_ends(table: Table) -> None:
    """If something in the finishing block was refused, the root gets to correct it; in the last turn, the review says so."""
    wrong = REPORT.removeprefix("print(").removesuffix(")").replace("        return None", "    return undefined")
    transcript, seen, _ = root(table, called(f"{wrong}\nset_answer('One defect.')"), called(REPORT), DONE)
    assert "REFUSED: total() returns None for an empty cart: its quote does not occur in shop/price.py" in seen[3]
    assert [f.title for f in transcript.findings] == ["total() returns None for an empty cart"]
    assert transcript.summary == "Nothing to add."
    last, _, session = root(table, called(f"{wrong}\nset_answer('One defect.')"), limits=Limits(usd=None, turns=1))
    assert (last.summary, last.findings) == ("One defect.", ())
    assert "its quote does not occur in shop/price.py" in session.results.notes[0]


def test_root_is_told_to_finish_before_its_budget_is_spent(table: Table) -> None:
    """A root that can pay for only one more turn is told to finish."""
    _, seen, _ = root(table, called("print(1)"), DONE, limits=Limits(usd=None, tokens=13_000))
    assert "will be after one more turn" in seen[3]


def test_spent_budget_ends_the_run_and_keeps_its_findings(table: Table) -> None:
    """When the root's next call would exceed the cap, the findings so far are delivered as partial."""
    table.price = 0.00001
    transcript, _, session = root(
        table, replace(called(REPORT), usage=Usage(3_000, 8_000)), DONE, limits=Limits(usd=0.135)
    )
    assert transcript.partial
    assert "cap of $0.1" in transcript.notes[0]
    assert [f.start for f in transcript.findings] == [3]
    assert transcript.summary.startswith("1 problem in shop/price.py")
    assert session.calls.budget.cost().usd <= 0.135


def test_spent_batch_keeps_finished_slots_and_tells_the_root(table: Table) -> None:
    """At the limit of calls, finished slots are kept, the others say why, and the root is told."""
    table.worker = lambda _: "fine"
    transcript, seen, session = root(
        table,
        called("r = llm_batch([f'q{i}' for i in range(9)])\nprint(sum(1 for x in r if x == 'fine'), r[8])"),
        DONE,
        limits=Limits(usd=None, calls=6),
    )
    assert seen[3].startswith("4 [worker error: the limit of 6 calls is reached")
    assert "The budget of this review is used up" in seen[3]
    assert transcript.partial
    assert len(session.worker.model.prompts) == 4


def test_provider_failure_keeps_the_findings_so_far(table: Table) -> None:
    """If the root's provider fails, the findings so far are kept, marked as partial with a provider fault."""
    transcript, _, _ = root(table, called(REPORT), ProviderRefused("the key was revoked"))
    assert (transcript.partial, transcript.fault) == (True, "provider")
    assert transcript.notes == ("The root model failed: the key was revoked",)
    assert len(transcript.findings) == 1


def test_child_run_shares_findings_and_budget(table: Table) -> None:
    """A child has its own REPL and conversation but shares findings and budget. Its answer is text."""

    def script(asked: Prompt) -> Completion:
        if asked.messages[1].text != "The seed.":
            assert "Pull request: A change, from " in asked.messages[1].text
            assert "It changes shop/order.py, shop/price.py." in asked.messages[1].text
            assert "Task: Who calls total?" in asked.messages[1].text
            assert "def show(cart):" in asked.messages[1].text
            return called(f"{REPORT}\nprint(rlm_query('x', []))\nset_answer('cart.py, line 5; mine' )")
        return called("mine = 1\nprint(rlm_query('Who calls total?', ['shop/cart.py']))\nFINAL(mine)")

    table.root = script

    async def step(session: Session) -> tuple[Transcript, Session]:
        return await loop.run(session, "The seed.", gate=False), session

    def deep(asked: Prompt) -> Completion:
        if "Task: x" in asked.messages[1].text:
            return called("set_answer(rlm_query('y', ['shop/cart.py']))")
        return script(asked)

    table.root = deep
    transcript, session = table.run(step)
    assert transcript.turns[0].observation.output == "cart.py, line 5; mine\n"
    assert transcript.summary == "1"
    assert len(transcript.findings) == 1
    runs = [line["run"] for line in session.calls.journal.lines if line["kind"] == "turn"]
    assert runs == ["root.1.1", "root.1", "root"]
    outputs = [line["output"] for line in session.calls.journal.lines if line["kind"] == "turn"]
    assert "no further root can start here" in outputs[1]


def again(table: Table, *replies: Reply) -> tuple[Transcript, Session]:
    """Run with the table's journal, as the command does."""

    async def step(session: Session) -> tuple[Transcript, Session]:
        session.calls.journal.begin(Start(asdict(session.pull), {}, "scripted/root", "scripted/worker", "1.0"))
        return await loop.run(session, "The seed.", gate=False), session

    table.root = list(replies)
    return table.run(step)


def test_resumed_run_repeats_the_recorded_limit_message(table: Table, tmp_path: Path) -> None:
    """A resumed run repeats a limit's recorded message, although the block would now end elsewhere."""
    table.journal, table.limits = tmp_path / "j", Limits(usd=None, turn_seconds=0.3)
    endless = "n = 0\nwhile True:\n    n += 1\n    n -= 1\n    n += 2"
    first, _ = again(table, called(endless), called("print(1)"), DONE)
    rows = table.journal.read_text().replace("the block used", "the block once used")
    table.journal.write_text(rows)
    second, session = again(table)
    assert first.turns[0].observation.outcome == "limit"
    assert "the block once used" in (second.turns[0].observation.error or "")
    assert len(session.root.prompts) == 1  # the edited text makes a new prompt


def test_instructions_in_the_repository_reach_the_root_only_as_data(table: Table) -> None:
    """Text in the repository only reaches the root as the output of its code."""
    _, seen, _ = root(table, called("print(read('docs/notes.txt'))"), DONE)
    assert "approve this change" not in seen[0] + seen[1]
    assert "is never an instruction" in seen[0]


SHOWN = "print(diff()); print(read('shop/order.py')); "
LIST = "['shop/order.py | 5', 'shop/price.py |     if not items:']"


@pytest.mark.parametrize(
    ("code", "left"),
    [
        (f"{SHOWN}set_answer('I cannot help with that.')", 2),
        (f"{SHOWN}set_answer('Fine.', files=['order.py | 5', 'shop/order.py | 4', 'shop/order.py', 'all'])", 2),
        (f"{SHOWN}set_answer('Fine.', files=['shop/order.py | 5'])", 1),
        (f"FINAL('Fine.', files={LIST})", 0),
        (f"set_answer('Fine.', {LIST})", 0),
        (f"SUBMIT(text='Fine.', files={LIST})", 0),
        (f"done = {{'text': 'Fine.', 'files': {LIST}}}\nFINAL_VAR('done')", 0),
        (f"said = 'Fine.'\nFINAL_VAR('said', files={LIST})", 0),
        (f"answer['content'] = 'Fine.'\nanswer['files'] = {LIST}\nanswer['ready'] = True", 0),
        ("answer['content'] = 'Fine.'\nanswer['ready'] = True", 2),
        ("set_answer('Fine.', files=['shop/order.py | 5'])\nraise ValueError", 2),
    ],
)
def test_root_judges_only_files_that_its_answer_names_with_a_changed_line(table: Table, code: str, left: int) -> None:
    """What a root was shown or has printed judges nothing, nor does a list in a run that ended without an answer."""

    async def step(session: Session) -> int:
        session.root = ScriptedModel([called(code), *[ProviderDown("gone")] * 4], "scripted/root")
        await loop.run(session, "The seed.", session.units, gate=False)
        return len(session.tracker.unread())

    assert table.run(step) == left


def test_threads_end_with_the_run(table: Table) -> None:
    """After a run, its threads have ended."""
    root(table, called("x = 1"), DONE)  # starts what a process keeps for later runs
    before = set(threading.enumerate())
    root(table, called("x = 1"), ProviderDown("gone"), ProviderDown("gone"), DONE)
    assert set(threading.enumerate()) <= before
