"""A root over a text: the product's turns, REPL and tools, with words for a question instead of a review."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from bot.agent import tools
from bot.agent.loop import CHILD_TURNS
from bot.agent.messages import Conversation
from bot.agent.stall_guard import Gain, StallGuard
from bot.agent.state import RunState
from bot.agent.turns import Turns
from bot.context import long_text
from bot.context.file_questions import Sight
from bot.repl import extraction
from bot.repl.bridge import opened
from bot.values import Observation, Source
from deeprepo_evals import words
from deeprepo_evals.context.room import Room

PREVIEW = 1_600  # characters of both ends together
LOOKING = ("read", "search", "preview", "chunks", "budget", "set_answer", "FINAL", "SHOW_VARS")
ASKING = ("ask", "ask_batch", "llm_query", "llm_batch", "llm_query_batched", "last_batch", "rlm_query")
TOOL = replace(
    extraction.TOOL,
    description="Run Python in the REPL that holds the text. Names persist from call to call. Print what you want to see.",
)
Fact = tuple[str, int, str]  # path, line, quote


@dataclass(slots=True)
class Patient(StallGuard):
    """Nothing is counted as read here: a block that ran is progress. Turns without code still end a run."""

    def ran(self, observation: Observation, gain: Gain) -> None:
        """Note what a block did."""
        StallGuard.ran(self, observation, gain)
        self.stale = 0


async def ask(room: Room, *, alone: bool = False, sight: Sight | None = None) -> Turns:
    """A root's turns over the whole text; `alone` has nobody to ask, `sight` is what workers have read for it before."""
    seed = words.text(
        "context/seed.md.j2",
        question=room.problem.question,
        length=len(room.problem.text),
        form=room.problem.form,
        paths=list(room.files),
        preview=long_text.preview(room.problem.text, PREVIEW),
        sight=sight,
        facts=facts(sight) if sight else [],
    )
    turns = room.session.calls.budget.limits.turns
    return await _run_root(room, seed, room.files, room.problem.text, form="alone" if alone else "root", turns=turns)


def facts(sight: Sight) -> list[Fact]:
    """The quoted lines, each place once, in the order of the text."""
    return sorted({(item.path, item.line, item.quote.strip()) for item in sight.quotes})


async def _run_root(
    room: Room,
    seed: str,
    files: Mapping[str, str],
    text: str,
    *,
    form: str,
    turns: int,
    depth: int = 0,
    name: str = "root",
) -> Turns:
    limits = room.session.calls.budget.limits
    state = RunState(room.session, source=Source("model", room.root.name, "root"), depth=depth)
    children = count(1)
    state.child = lambda task, paths, below: _child(room, task, paths, below, f"{name}.{next(children)}")
    conversation = Conversation(limits, turns, form=f"context/{form}", words=words.text, tool=TOOL)
    conversation.open(seed, gate=False)
    given = LOOKING if form == "alone" else (*LOOKING, *ASKING)
    functions = {word: call for word, call in tools.functions(state).items() if word in given}
    variables = {"context": text, "tree": list(files), "answer": {"content": "", "ready": False}}
    async with opened(variables, functions, limits) as bridge:
        root_run = Turns(state, room.root, bridge, conversation, Patient(turns), gate=False, name=name)
        try:
            await root_run.go()
        finally:
            if not depth:
                room.session.calls.budget.keep(None)
    return root_run


async def _child(room: Room, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    """A root of its own over some of the files."""
    files = {path: room.files[path] for path in paths if path in room.files} or dict(room.files)
    text, calls = "".join(files.values()), room.session.calls
    seed = words.text(
        "context/child.md.j2",
        task=task,
        length=len(text),
        paths=list(files),
        preview=long_text.preview(text, PREVIEW),
        missing=[path for path in paths if path not in room.files],
    )
    at, turns = calls.at, min(CHILD_TURNS, calls.budget.limits.turns)
    try:
        root_run = await _run_root(room, seed, files, text, form="root", turns=turns, depth=depth, name=name)
    finally:
        calls.at = at
    return root_run.summary or f"[the child run ended without an answer: {root_run.why or root_run.outcome}]"
