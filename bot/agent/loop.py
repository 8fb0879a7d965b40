"""A run of a root from seed to transcript."""

from collections.abc import Sequence
from itertools import count

from bot import render
from bot.agent import tools
from bot.agent.messages import Conversation
from bot.agent.state import RunState
from bot.agent.turns import Outcome, StallGuard, Turns
from bot.errors import UsageError
from bot.review.session import Session
from bot.values import Source, Transcript
from rlm.repl.bridge import open_bridge

CHILD_TURNS = 6
CHILD_FILES = 40  # changed files that are named in it
CHILD_CHARS = 60_000  # of files in a child's first message; it opens the rest itself

CUT_SHORT: dict[Outcome, str] = {"budget": "", "provider": "provider", "declined": "provider"}


async def run(session: Session, seed: str, *, gate: bool, turns: int | None = None) -> Transcript:
    """Run the root's turns over this session. Raises ReplUnavailable where no REPL starts; everything else ends in a transcript.

    With `gate`, it is told that every unit has to be read; the strategy has what is still unread then read by workers.
    """
    root_run = await _run_root(session, seed, gate=gate, turns=turns or session.calls.budget.limits.turns)
    return _transcript(session, root_run)


async def _run_root(
    session: Session, seed: str, *, gate: bool, turns: int, depth: int = 0, name: str = "root"
) -> Turns:
    if session.root is None:
        raise UsageError("no root model is configured: name one with --root, or use --strategy fanout or offline")
    limits = session.calls.budget.limits
    source = Source("model", session.root.name, "root", view="search" if gate or depth else "")
    state = RunState(session, source=source, depth=depth)
    children = count(1)
    state.child = lambda task, paths, below: _child(session, task, paths, below, f"{name}.{next(children)}")
    conversation = Conversation(limits, turns)
    asks_for_walkthrough = session.walkthrough and not depth
    consumers = session.consumer_code.names if session.consumer_code is not None else ()
    conversation.open(seed, gate=gate, language=session.language, walkthrough=asks_for_walkthrough, consumers=consumers)
    async with open_bridge(await tools.variables(session), tools.functions(state), limits) as bridge:
        root_run = Turns(state, session.root, bridge, conversation, StallGuard(turns), name)
        await root_run.go()
    return root_run


async def _child(session: Session, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    """A root of its own for one task: its own REPL and conversation, the same session, budget and findings."""
    texts = await session.tree.read_many(list(paths))
    room, files = CHILD_CHARS, {}
    for path, blob in texts.items():
        whole = session.calls.masks.hide_known(
            blob.decode("utf-8", "replace")
        )  # before it is cut: half a secret is not recognised
        files[path] = whole[: max(0, room)]
        room -= len(files[path])
    missing = [path for path in paths if not files.get(path)]
    changed_paths = [file.path for file in session.files]
    seed = render.text(
        "prompts/root_child.md.j2",
        pull=session.pull,
        changed=changed_paths[:CHILD_FILES],
        more_changed=max(0, len(changed_paths) - CHILD_FILES),
        task=task,
        files={p: t for p, t in files.items() if t},
        missing=missing,
    )
    turns = min(CHILD_TURNS, session.calls.budget.limits.turns)
    root_run = await _run_root(session, seed, gate=False, turns=turns, depth=depth, name=name)
    return root_run.summary or f"[the child run ended without an answer: {root_run.end or 'it said nothing'}]"


def _transcript(session: Session, root_run: Turns) -> Transcript:
    refusal = session.calls.budget.refused
    notes = [root_run.end] if root_run.end else []
    if refusal and root_run.outcome != "budget":
        notes.append(f"Some questions to workers were not sent: {refusal}.")
    notes += root_run.state.errors if not refusal else ()
    return Transcript(
        findings=tuple(session.findings),
        summary=root_run.summary or _summary(session),
        turns=tuple(root_run.turns),
        notes=tuple(notes),
        partial=root_run.outcome in CUT_SHORT or bool(refusal),
        fault="provider" if CUT_SHORT.get(root_run.outcome) else "",
    )


def _summary(session: Session) -> str:
    """Never nothing: a sentence made from the findings and the coverage."""
    read, unread = len(session.units) - len(session.tracker.unread()), len(session.tracker.unread())
    rest = f"; {unread} were not read" if unread else ""
    if not session.findings:
        return f"Nothing found in {read} of {len(session.units)} units{rest}."
    worst = ", ".join(dict.fromkeys(finding.path for finding in session.findings))
    return f"{render.count(len(session.findings), 'problem')} in {worst}{rest}."
