"""The root over a context: the turns, REPL and tools of a review, with words for a question instead."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, Literal

from bot import render
from bot.agent import tools
from bot.agent.loop import CHILD_TURNS
from bot.agent.messages import Conversation
from bot.agent.state import RunState
from bot.agent.texts import custom
from bot.agent.texts.inquiry import Inquiry, TextQuestion
from bot.agent.texts.material import Material
from bot.agent.texts.typed import AnswerType
from bot.agent.turns import StallGuard, Turns
from bot.context import long_text
from bot.values import Source
from rlm.repl import extraction
from rlm.repl.bridge import ReplBridge, open_bridge

PREVIEW = 1_600  # characters of both ends together
LOOKING = ("read", "search", "preview", "chunks", "budget", "set_answer", "FINAL", "SHOW_VARS")
ASKING = ("ask", "ask_batch", "llm_query", "llm_batch", "llm_query_batched", "last_batch")
NAMES = (
    LOOKING,
    (*LOOKING, *ASKING),
    (*LOOKING, *ASKING, "rlm_query"),
)  # that a root's code finds, by the depth that is left below it
TOOL = replace(
    extraction.TOOL,
    description="Run Python in the REPL that holds the text. Names persist from call to call. Print what you want to see.",
)


@dataclass(slots=True)
class Dialogue:
    """A root over an open REPL. Asked again, it has its names and what was said."""

    inquiry: Inquiry
    state: RunState
    conversation: Conversation
    bridge: ReplBridge
    name: str  # of its first run
    asked: list[Turns] = field(default_factory=list)

    async def ask(self, message: str, turns: int, answer_type: AnswerType | None = None) -> Turns:
        """The root's turns for one question."""
        state, number = self.state, len(self.asked) + 1
        if self.asked:
            self.conversation.go_on(self.asked[-1].summary, message)
            await self.bridge.value('answer.update({"content": "", "ready": False})')
            state.final = None
            state.errors.clear()
        else:
            self.conversation.open(message, gate=False)
        name, children = self.name if number == 1 else f"{self.name}-{number}", count(1)
        hide = state.session.calls.masks.hide
        state.accept = partial(answer_type.accept, hide=hide) if answer_type is not None else str
        state.child = lambda task, paths, below: _child(self.inquiry, task, paths, below, f"{name}.{next(children)}")
        run = Turns(state, self.inquiry.root, self.bridge, self.conversation, StallGuard(turns, is_patient=True), name)
        self.asked.append(run)
        self.inquiry.runs.append(run)
        await run.go()
        if run.outcome in {"turns", "astray"} and not run.summary:
            await run.conclude(render.text("prompts/texts/last_call.md.j2", typed=answer_type is not None))
        return run


async def put(dialogue: Dialogue, question: TextQuestion) -> Turns:
    """The root's turns for a question about the whole context, the first one or a further one."""
    turns = dialogue.inquiry.session.calls.budget.limits.turns
    message = first_message(question, turns, "next" if dialogue.asked else "seed")
    return await dialogue.ask(message, turns, question.answer_type)


def first_message(question: TextQuestion, turns: int, template: Literal["seed", "next"] = "seed") -> str:
    """What a root is told of a context and asked about it."""
    material = question.material
    return render.text(
        f"prompts/texts/{template}.md.j2",
        question=question.query,
        schema=question.answer_type.schema if question.answer_type is not None else "",
        turns=turns,
        length=len(material.text),
        form=material.form,
        items=len(material.value) if material.form in {"list", "mapping"} else 0,
        paths=list(material.files),
        preview=long_text.preview(material.text, PREVIEW),
    )


@asynccontextmanager
async def open_dialogue(
    inquiry: Inquiry,
    material: Material | None = None,
    *,
    turns: int | None = None,
    depth: int = 0,
    name: str = "root",
) -> AsyncIterator[Dialogue]:
    """A root over the whole context or over a part of it, with a REPL of its own that is closed at the end."""
    question, session = inquiry.question, inquiry.session
    whole, limits, masks = material or question.material, session.calls.budget.limits, session.calls.masks
    names = NAMES[min(max(question.depth - depth, 0), len(NAMES) - 1)]
    source = Source("model", inquiry.root.name, "root")
    state = RunState(session, source=source, depth=depth, deepest=question.depth - 1)

    def words(template: str, **values: object) -> str:
        named = [(worker, reader.model.name) for worker, reader in inquiry.readers.items()]
        more: dict[str, Any] = {
            "form": whole.form,
            "tools": question.tools,
            "answer_form": question.answer_form,
            "named": named,
        }
        more |= {"workers": "ask" in names, "recursive": "rlm_query" in names}
        return render.text(template, **values, **more)

    conversation = Conversation(limits, turns or limits.turns, form="prompts/texts/", words=words, tool=TOOL)
    functions = {word: call for word, call in tools.functions(state).items() if word in names}
    functions |= custom.functions(session, question.tools)
    masked = await asyncio.to_thread(masks.hide, whole.value)  # the root's code could send on whatever it holds
    variables = {"context": masked, "tree": list(whole.files), "answer": {"content": "", "ready": False}}
    async with open_bridge(variables, functions, limits) as bridge:
        yield Dialogue(inquiry, state, conversation, bridge, name)


async def _child(inquiry: Inquiry, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    """A root of its own over some of the files."""
    whole, calls = inquiry.question.material, inquiry.session.calls
    material = whole.part(paths)
    seed = render.text(
        "prompts/texts/child.md.j2",
        task=task,
        length=len(material.text),
        paths=list(material.files),
        preview=long_text.preview(material.text, PREVIEW),
        missing=[path for path in paths if path not in whole.files],
    )
    turns = min(CHILD_TURNS, calls.budget.limits.turns)
    async with open_dialogue(inquiry, material, turns=turns, depth=depth, name=name) as dialogue:
        root_run = await dialogue.ask(seed, turns)
    return root_run.summary or f"[the child run ended without an answer: {root_run.why or root_run.outcome}]"
