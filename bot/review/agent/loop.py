"""Run a root model, from its first message to the transcript."""

from collections.abc import Sequence
from functools import partial
from itertools import count

from bot import render
from bot.errors import UsageError
from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.agent.tools import report
from bot.review.guidance import language_instruction
from bot.review.session import Session
from bot.values import Source, Transcript, Unit
from deeprepo.rlm.errors import PromptRefused
from deeprepo.rlm.loop.conversation import Conversation
from deeprepo.rlm.loop.root import Outcome, RootRun
from deeprepo.rlm.loop.stall import StallGuard
from deeprepo.rlm.loop.tools import CHILD_TURNS
from deeprepo.rlm.repl.process import CALL_MEGABYTES, CALL_SECONDS, PYTHON, Repl

CHILD_FILES = 40  # changed files listed in a child's first message
CHILD_CHARS = 60_000  # characters of files in a child's first message; the child opens the rest itself

CUT_SHORT: dict[Outcome, str] = {"budget": "", "provider": "provider", "declined": "provider"}


async def run(
    session: Session, seed: str, shown: Sequence[Unit] = (), *, gate: bool, alone: bool = False
) -> Transcript:
    """Run the root's turns over this session. `shown`: the code regions in its first message, which is the `seed`.

    Raises ReplUnavailable if no REPL starts; any other problem is reported in the transcript. With `gate`, the root is
    told which code regions nobody has read. With `alone`, no workers have read the change in parts.
    """
    turns = session.calls.budget.limits.turns
    root_run = await _run_root(session, seed, shown, gate=gate, alone=alone, turns=turns)
    return _transcript(session, root_run)


async def _run_root(
    session: Session,
    seed: str,
    shown: Sequence[Unit] = (),
    *,
    gate: bool,
    alone: bool = False,
    turns: int,
    depth: int = 0,
    name: str = "root",
) -> RootRun:
    if session.root is None:
        raise UsageError("no root model is configured. Pass --root, or use --strategy parts or offline")
    limits = session.calls.budget.limits
    source = Source("model", session.root.name, "root", view="search" if gate or depth else "")
    state = RunState(session, source=source, gate=gate, depth=depth, say=session.say)
    state.take = partial(report.take_answers, state)
    children = count(1)
    state.child = lambda task, paths, below: _child(session, task, paths, below, f"{name}.{next(children)}")
    instructions = render.text(
        "prompts/root_system.md.j2",
        turns=turns,
        output_chars=limits.output_chars,
        turn_seconds=limits.turn_seconds,
        call_seconds=CALL_SECONDS,
        call_megabytes=CALL_MEGABYTES,
        python=PYTHON,
        gate=gate,
        alone=alone,
        is_read=not session.tracker.unread(),
        takes_notes=session.takes_notes and not depth,
        consumers=session.consumer_code.names if session.consumer_code is not None else (),
    )
    conversation = Conversation(partial(render.text, "prompts/root_turn.md.j2"))
    conversation.open(instructions + language_instruction(session.language), seed)
    variables, left, clock = await tools.variables(session), session.calls.budget.seconds_left, session.calls.own_clock
    async with Repl(variables, tools.functions(state), limits, left, clock) as repl:
        root_run = RootRun(state, session.root, repl, conversation, StallGuard(turns), name)
        await root_run.run()
    session.tracker.note_asked(shown if alone and root_run.turns else ())
    if root_run.outcome == "answered":
        # Of what its code printed, it judges the regions whose own lines it names
        for units in (shown, *([unit] for unit in session.units)):
            session.tracker.judge(units, state.named, str(source), state.lines)
    session.results.notes += [
        session.survey.masks.hide(f"The root model handed in {title!r}, which was refused: {why}.")
        for title, why in state.refusals.items()
    ]
    return root_run


async def _child(session: Session, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    """A child has its own REPL and conversation, but the same session, budget and findings."""
    texts = await session.tree.read_many(list(paths))
    room, files = CHILD_CHARS, {}
    for path, blob in texts.items():
        files[path] = blob.decode("utf-8", "replace")[: max(0, room)]
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


def _transcript(session: Session, root_run: RootRun) -> Transcript:
    if root_run.outcome == "declined":
        session.calls.failures.append(("root", PromptRefused(f"{root_run.model.name} declined to continue")))
    refusal = session.calls.budget.refused
    notes = [root_run.end] if root_run.end else []
    if refusal and root_run.outcome != "budget":
        notes.append(f"Some questions to workers were not sent: {refusal}.")
    notes += root_run.work.errors if not refusal else ()
    return Transcript(
        findings=tuple(session.results.findings),
        summary=root_run.summary or _summary(session),
        turns=tuple(root_run.turns),
        notes=tuple(notes),
        partial=root_run.outcome in CUT_SHORT or bool(refusal),
        fault="provider" if CUT_SHORT.get(root_run.outcome) else "",
    )


def _summary(session: Session) -> str:
    read, unread = len(session.units) - len(session.tracker.unread()), len(session.tracker.unread())
    rest = f"; {unread} were not read" if unread else ""
    if not session.results.findings:
        return f"No problems found in {read} of {len(session.units)} code regions{rest}."
    worst = ", ".join(dict.fromkeys(finding.path for finding in session.results.findings))
    return f"{render.count(len(session.results.findings), 'problem')} in {worst}{rest}."
