"""A run of a root from seed to transcript."""

from collections.abc import Sequence
from itertools import count

from bot import render
from bot.agent import tools
from bot.agent.messages import Conversation
from bot.agent.stall_guard import StallGuard
from bot.agent.state import RunState
from bot.agent.turns import Outcome, Turns
from bot.errors import UsageError
from bot.repl.bridge import opened
from bot.review.session import Session
from bot.values import Transcript

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


async def run(work: Session, seed: str, *, gate: bool, turns: int | None = None) -> Transcript:
    """The root's turns over this work. Raises ReplUnavailable where no REPL starts; everything else ends in a transcript.

    With `gate`, finishing with units unread is refused once; the strategy has what is still unread then read by workers.
    """
    rounds = await _rounds(work, seed, gate=gate, turns=turns or work.calls.budget.limits.turns)
    work.calls.at = ""
    return _transcript(work, rounds)


async def _rounds(work: Session, seed: str, *, gate: bool, turns: int, depth: int = 0, name: str = "root") -> Turns:
    if work.root is None:
        raise UsageError("no root model is configured: name one with --root, or use --strategy fanout or offline")
    limits = work.calls.budget.limits
    book = RunState(work, author=f"root {work.root.name}", depth=depth)
    children = count(1)
    book.child = lambda task, paths, below: _child(work, task, paths, below, f"{name}.{next(children)}")
    dialogue = Conversation(limits, turns)
    dialogue.open(seed, gate=gate, language=work.language)
    async with opened(await tools.variables(work), tools.functions(book), limits) as island:
        rounds = Turns(book, work.root, island, dialogue, StallGuard(turns), gate, name)
        try:
            await rounds.go()
        finally:
            if not depth:
                work.calls.budget.keep(None)
    return rounds


async def _child(work: Session, task: str, paths: Sequence[str], depth: int, name: str) -> str:
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


def _transcript(work: Session, rounds: Turns) -> Transcript:
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


def _end(rounds: Turns) -> str:
    """How it ended, where that was not by an answer."""
    words = ENDS.get(rounds.outcome, "")
    return words.format(turns=rounds.course.turns, why=rounds.why, idle=rounds.course.stale).strip()


def _summary(work: Session) -> str:
    """Never nothing: a sentence made from the findings and the ledger."""
    read, unread = len(work.units) - len(work.ledger.unread()), len(work.ledger.unread())
    rest = f"; {unread} were not read" if unread else ""
    if not work.findings:
        return f"Nothing found in {read} of {len(work.units)} units{rest}."
    worst = ", ".join(dict.fromkeys(finding.path for finding in work.findings))
    return f"{render.count(len(work.findings), 'problem')} in {worst}{rest}."
