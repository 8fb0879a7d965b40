"""A root over a context: asked again, it has its names and what was said."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Literal

from rlm.loop.conversation import Conversation
from rlm.loop.root import RootRun
from rlm.loop.stall import StallGuard
from rlm.loop.work import CHILD_TURNS, Work
from rlm.repl.frames import both_ends
from rlm.repl.process import Repl, open_repl
from rlm.texts import callables
from rlm.texts.material import Material
from rlm.texts.question import Inquiry, TextQuestion
from rlm.texts.typed import AnswerType

PREVIEW = 1_600  # characters of both ends together


@dataclass(slots=True)
class Dialogue:
    """A root over an open REPL. Asked again, it has its names and what was said."""

    inquiry: Inquiry
    work: Work
    conversation: Conversation
    repl: Repl
    name: str  # of its first run
    instructions: str
    runs: list[RootRun] = field(default_factory=list)

    async def ask(self, message: str, turns: int, answer_type: AnswerType | None = None) -> RootRun:
        """The root's turns for one question."""
        inquiry, work, number = self.inquiry, self.work, len(self.runs) + 1
        if self.runs:
            self.conversation.go_on(self.runs[-1].summary, message)
            await self.repl.value('globals().update(answer={"content": "", "ready": False})')
            work.final = None
            work.errors.clear()
        else:
            self.conversation.open(self.instructions, message)
        name, children = self.name if number == 1 else f"{self.name}-{number}", count(1)
        hide = work.calls.masks.hide
        work.accept = partial(answer_type.accept, hide=hide) if answer_type is not None else str
        work.child = lambda task, paths, below: _child(inquiry, task, paths, below, f"{name}.{next(children)}")
        run = RootRun(work, inquiry.root, self.repl, self.conversation, StallGuard(turns, is_patient=True), name)
        self.runs.append(run)
        inquiry.runs.append(run)
        await run.run()
        if run.outcome in {"turns", "astray"} and not run.summary:
            await run.conclude(inquiry.words("last_call", typed=answer_type is not None))
        return run


async def put(dialogue: Dialogue, question: TextQuestion) -> RootRun:
    """The root's turns for a question about the whole context, the first one or a further one."""
    turns = dialogue.inquiry.calls.budget.limits.turns
    message = first_message(dialogue.inquiry, question, turns, "next" if dialogue.runs else "seed")
    return await dialogue.ask(message, turns, question.answer_type)


def first_message(
    inquiry: Inquiry, question: TextQuestion, turns: int, template: Literal["seed", "next"] = "seed"
) -> str:
    """What a root is told of a context and asked about it."""
    material = question.material
    return inquiry.words(
        template,
        question=question.query,
        schema=question.answer_type.schema if question.answer_type is not None else "",
        turns=turns,
        length=len(material.text),
        form=material.form,
        items=len(material.value) if material.form in {"list", "mapping"} else 0,
        paths=list(material.files),
        preview=both_ends(material.text, PREVIEW),
    )


@asynccontextmanager
async def open_dialogue(
    inquiry: Inquiry, material: Material | None = None, *, turns: int | None = None, depth: int = 0, name: str = "root"
) -> AsyncIterator[Dialogue]:
    """A root over the whole context or over a part of it, with a REPL of its own that is closed at the end."""
    question, calls = inquiry.question, inquiry.calls
    whole, limits = material or question.material, calls.budget.limits
    names = callables.NAMES[min(max(question.depth - depth, 0), len(callables.NAMES) - 1)]
    ours = inquiry.words(
        "system",
        turns=turns or limits.turns,
        output_chars=limits.output_chars,
        turn_seconds=limits.turn_seconds,
        form=whole.form,
        tools=question.tools,
        answer_form=question.answer_form,
        named=list(inquiry.workers.items()),
        workers="ask" in names,
        recursive="rlm_query" in names,
    )
    work = inquiry.work(depth)
    functions = {word: call for word, call in inquiry.functions(work).items() if word in names}
    functions |= callables.functions(calls, question.tools)
    masked = await asyncio.to_thread(calls.masks.hide, whole.value)  # the root's code could send on whatever it holds
    variables = {"context": masked, "tree": list(whole.files), "answer": {"content": "", "ready": False}}
    async with open_repl(variables, functions, limits) as repl:
        conversation = Conversation(partial(inquiry.words, "turn"))
        yield Dialogue(inquiry, work, conversation, repl, name, question.instructions(ours))


async def _child(inquiry: Inquiry, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    """A root of its own over some of the files."""
    whole, calls = inquiry.question.material, inquiry.calls
    material = whole.part(paths)
    seed = inquiry.words(
        "child",
        task=task,
        length=len(material.text),
        paths=list(material.files),
        preview=both_ends(material.text, PREVIEW),
        missing=[path for path in paths if path not in whole.files],
    )
    turns = min(CHILD_TURNS, calls.budget.limits.turns)
    async with open_dialogue(inquiry, material, turns=turns, depth=depth, name=name) as dialogue:
        root_run = await dialogue.ask(seed, turns)
    return root_run.summary or f"[the child run ended without an answer: {root_run.why or root_run.outcome}]"
