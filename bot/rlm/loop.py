"""A run of a root from seed to transcript, and of the built-in program that is in where no root can go on."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from bot import render
from bot.errors import UsageError
from bot.rlm import names
from bot.rlm.course import Course
from bot.rlm.dialogue import Dialogue
from bot.rlm.island import opened
from bot.rlm.notebook import Notebook
from bot.rlm.rounds import Outcome, Rounds
from bot.rlm.work import Work
from bot.values import Observation, Transcript, Turn, Unit

PROGRAM = Path(__file__).with_name("program.py")
CHILD_TURNS = 6
CHILD_CHARS = 60_000  # of files in a child's first message; it opens the rest itself

CUT_SHORT: dict[Outcome, str] = {"budget": "", "provider": "provider", "declined": "provider"}
ENDS: dict[Outcome, str] = {
    "turns": "The root used all of its {turns} turns without handing in a summary.",
    "budget": "The root stopped early: {why}.",
    "provider": "The root's model failed: {why}",
    "window": "Nobody looked across the units: {why}.",
    "declined": "The root's model declined to go on. {why}",
    "stuck": "The root met the same error three times and was stopped.",
    "astray": "The root was stopped after {idle} turns that brought nothing new.",
}


async def run(work: Work, seed: str, *, gate: bool, turns: int | None = None) -> Transcript:
    """The root's turns over this work. Raises ReplUnavailable where no REPL starts; everything else ends in a transcript.

    With `gate`, finishing with units unread is refused once, and where a root is stuck the built-in program has the rest read.
    """
    rounds = await _rounds(work, seed, gate=gate, turns=turns or work.calls.budget.limits.turns)
    work.calls.at = ""
    transcript = _transcript(work, rounds)
    left = work.ledger.unread()
    if rounds.outcome != "stuck" or not gate or not left:
        return transcript
    stand_in = await run_program(work, left)
    return replace(
        stand_in,
        turns=(*transcript.turns, *stand_in.turns),
        notes=(*transcript.notes, "The built-in program went on in its place.", *stand_in.notes),
    )


async def run_program(work: Work, units: Sequence[Unit] | None = None) -> Transcript:
    """The built-in orchestration program in a real REPL, over these units or all. Raises ReplUnavailable where none starts."""
    book = Notebook(work)
    source, started = PROGRAM.read_text("utf-8"), work.calls.now()
    work.calls.at = "program:1"
    known = await names.variables(work if units is None else replace(work, units=tuple(units)))
    async with opened(known, names.functions(book), work.calls.budget.limits) as island:
        observation = await island.run(source)
        content = await island.value('answer["content"]') or ""
    turn = Turn(1, source, observation)
    work.calls.journal.turn("program", turn, work.calls.now() - started)
    work.calls.at = ""
    notes = list(book.errors)
    if observation.error:
        notes.append(f"The built-in program did not come to its end: {_last_line(observation)}")
    return Transcript(
        findings=tuple(work.findings),
        summary=str(content).strip() or _summary(work),
        turns=(turn,),
        notes=tuple(notes),
        partial=bool(observation.error or work.calls.budget.refused or work.ledger.unread()),
    )


async def _rounds(work: Work, seed: str, *, gate: bool, turns: int, depth: int = 0, name: str = "root") -> Rounds:
    if work.root is None:
        raise UsageError("no root model is configured: name one with --root, or use --strategy fanout or offline")
    limits = work.calls.budget.limits
    book = Notebook(work, author=f"root {work.root.name}", depth=depth)
    children = count(1)
    book.child = lambda task, paths, below: _child(work, task, paths, below, f"{name}.{next(children)}")
    dialogue = Dialogue(limits, turns)
    dialogue.open(seed, gate=gate, language=work.language)
    async with opened(await names.variables(work), names.functions(book), limits) as island:
        rounds = Rounds(book, work.root, island, dialogue, Course(turns), gate, name)
        try:
            await rounds.go()
        finally:
            if not depth:
                work.calls.budget.keep(None)
    return rounds


async def _child(work: Work, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    """A root of its own for one task: its own REPL and dialogue, the same work, budget and findings."""
    texts = await work.tree.read_many(list(paths))
    room, files = CHILD_CHARS, {}
    for path, blob in texts.items():
        files[path] = blob.decode("utf-8", "replace")[: max(0, room)]
        room -= len(files[path])
    missing = [path for path in paths if not files.get(path)]
    seed = render.text(
        "prompts/root_child.md.j2", task=task, files={p: t for p, t in files.items() if t}, missing=missing
    )
    at, turns = work.calls.at, min(CHILD_TURNS, work.calls.budget.limits.turns)
    try:
        rounds = await _rounds(work, seed, gate=False, turns=turns, depth=depth, name=name)
    finally:
        work.calls.at = at
    return rounds.summary or f"[the child run ended without an answer: {_end(rounds) or 'it said nothing'}]"


def _transcript(work: Work, rounds: Rounds) -> Transcript:
    refused = work.calls.budget.refused
    notes = [_end(rounds)] if _end(rounds) else []
    if refused and rounds.outcome != "budget":
        notes.append(f"Some questions to workers were not sent: {refused}.")
    notes += rounds.book.errors if not refused else ()
    return Transcript(
        findings=tuple(work.findings),
        summary=rounds.summary or _summary(work),
        turns=tuple(rounds.turns),
        notes=tuple(notes),
        partial=rounds.outcome in CUT_SHORT or bool(refused),
        fault="provider" if CUT_SHORT.get(rounds.outcome) else "",
    )


def _end(rounds: Rounds) -> str:
    """How it ended, where that was not by an answer."""
    words = ENDS.get(rounds.outcome, "")
    return words.format(turns=rounds.course.turns, why=rounds.why, idle=rounds.course.stale).strip()


def _summary(work: Work) -> str:
    """Never nothing: a sentence made from the findings and the ledger."""
    read, unread = len(work.units) - len(work.ledger.unread()), len(work.ledger.unread())
    rest = f"; {unread} were not read" if unread else ""
    if not work.findings:
        return f"Nothing found in {read} of {len(work.units)} units{rest}."
    worst = ", ".join(dict.fromkeys(finding.path for finding in work.findings))
    return f"{render.count(len(work.findings), 'problem')} in {worst}{rest}."


def _last_line(observation: Observation) -> str:
    return (observation.error or "").strip().split("\n")[-1]
