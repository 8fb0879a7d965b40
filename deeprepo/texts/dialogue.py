"""A question about a context, and a root over it: asked again, it has its names and what was said."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from deeprepo.rlm.loop.conversation import Conversation
from deeprepo.rlm.loop.root import RootRun
from deeprepo.rlm.loop.stall import StallGuard
from deeprepo.rlm.loop.tools import CHILD_TURNS, Work
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl import extraction
from deeprepo.rlm.repl.process import CALL_MEGABYTES, CALL_SECONDS, PYTHON, Async, Repl
from deeprepo.rlm.values import Model
from deeprepo.texts import callables
from deeprepo.texts.callables import CustomTool
from deeprepo.texts.material import Material
from deeprepo.texts.typed import AnswerType


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """What is asked of a context, and with what."""

    query: str
    material: Material
    tools: tuple[CustomTool, ...] = ()
    child_tools: tuple[CustomTool, ...] = ()  # of the roots that it starts
    setup: str = ""  # code that each REPL runs first
    answer_form: str = ""  # what an answer must look like, as the end of "Finish with set_answer(text): "
    depth: int = 1  # as the paper counts: 0: the root has nobody to ask; 1: workers; 2: roots of its own, whose workers are the last
    answer_type: AnswerType | None = None  # None: the answer is a text
    instructions: Callable[[str], str] = str  # of a root, made from ours
    further: Material | None = None  # one more context, which comes with this question

    @property
    def journal_entry(self) -> dict[str, Any]:
        """Return what the journal records in addition to the context."""
        tools = [[tool.name, tool.line, *([repr(tool.value)] if tool.call is None else [])] for tool in self.tools]
        entry = {"question": self.query, "answer_form": self.answer_form, "tools": tools, "depth": self.depth}
        entry |= {"schema": self.answer_type.schema} if self.answer_type is not None else {}
        return entry | ({"setup": self.setup} if self.setup else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry(ABC):
    """The first question about a context, and what it and further ones are worked on with. Who opens it brings tools and words."""

    question: TextQuestion
    root: Model
    calls: Calls
    workers: Mapping[str, str] = field(default_factory=dict)  # the models by name, where there are several
    notes: tuple[str, ...] = ()  # sentences about the context for the reader of the answer
    runs: list[RootRun] = field(default_factory=list)  # of the root and of those that it started, as they begin

    @abstractmethod
    def work(self, depth: int) -> Work:
        """Return the state of a root that is `depth` levels below the first one."""

    @abstractmethod
    def functions(self, work: Work) -> Mapping[str, Async]:
        """Return what the root's code may call, more names than it may find among them."""

    @abstractmethod
    def words(self, template: str, **values: object) -> str:
        """Return a text of this name for a root: system, seed, next, turn, child, last_call."""

    def renew(self) -> None:
        """Begin a further question: with the whole budget, and with what was answered before."""
        self.calls.renew(Budget(self.calls.budget.limits))
        self.runs.clear()


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
    earlier: int = 0  # how many messages came before the last question
    contexts: int = 1  # that the REPL holds

    async def ask(self, message: str, turns: int, answer_type: AnswerType | None = None) -> RootRun:
        """Take the root's turns for one question."""
        inquiry, work, number = self.inquiry, self.work, len(self.runs) + 1
        if self.runs:
            said = [{"role": one.role, "content": one.text} for one in self.conversation.messages[self.earlier :]]
            said = work.calls.masks.hide(said)
            await self.repl.value(f"globals().update(history_{number - 2}={said!r}, history={said!r})")
            self.earlier = len(self.conversation.messages)
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
        run.code_of = extraction.or_ending
        self.runs.append(run)
        inquiry.runs.append(run)
        await run.run()
        if run.outcome in {"turns", "astray"} and not run.summary and not run.empty:
            await run.conclude(inquiry.words("last_call", typed=answer_type is not None))
        return run


async def put(dialogue: Dialogue, question: TextQuestion) -> RootRun:
    """Take the root's turns for a question about the whole context, the first one or a further one."""
    turns = dialogue.inquiry.calls.budget.limits.turns
    if question.further is not None:
        names, hide = [f"context_{dialogue.contexts}"], dialogue.work.calls.masks.hide
        await dialogue.repl.give(await asyncio.to_thread(question.further.hidden, names, hide))
        dialogue.contexts += 1
    message = first_message(dialogue.inquiry, question, turns, "next" if dialogue.runs else "seed", dialogue.contexts)
    return await dialogue.ask(message, turns, question.answer_type)


def first_message(
    inquiry: Inquiry, question: TextQuestion, turns: int, template: str = "seed", contexts: int = 1
) -> str:
    """Return a root's first message about a context and a question.

    `contexts` is how many contexts the REPL contains.
    """
    material = question.further or question.material
    return inquiry.words(
        template,
        question=question.query,
        schema=question.answer_type.schema if question.answer_type is not None else "",
        turns=turns,
        added=f"context_{contexts - 1}" if question.further is not None else "",
        length=material.length,
        form=material.form,
        items=len(material.items) if material.form in {"list", "mapping"} else 0,
        paths=list(material.files),
        preview=material.preview,
    )


@asynccontextmanager
async def open_dialogue(
    inquiry: Inquiry, material: Material | None = None, *, turns: int | None = None, depth: int = 0, name: str = "root"
) -> AsyncIterator[Dialogue]:
    """Open a root over the whole context or over a part of it, with a REPL of its own that is closed at the end."""
    question, calls = inquiry.question, inquiry.calls
    whole, limits = material or question.material, calls.budget.limits
    may_ask, tools = question.depth > depth, question.child_tools if depth else question.tools
    names = callables.NAMES[may_ask]
    ours = inquiry.words(
        "system",
        turns=turns or limits.turns,
        output_chars=limits.output_chars,
        turn_seconds=limits.turn_seconds,
        call_seconds=CALL_SECONDS,
        call_megabytes=CALL_MEGABYTES,
        python=PYTHON,
        form=whole.form,
        tools=tools,
        answer_form=question.answer_form,
        named=list(inquiry.workers.items()),
        workers=may_ask,
        recursive=question.depth > depth + 1,
    )
    work = inquiry.work(depth)
    functions = {word: call for word, call in inquiry.functions(work).items() if word in names}
    functions |= callables.functions(calls, tools)
    # The root's code could send on whatever it holds.
    context = await asyncio.to_thread(whole.hidden, ["context", "context_0"], calls.masks.hide)
    variables = {
        "tree": list(whole.files),
        "answer": {"content": "", "ready": False},
    }
    variables |= calls.masks.hide(callables.values(tools))

    def seconds_left() -> float | None:  # of the budget of the question that is asked now
        return calls.budget.seconds_left()

    async with Repl(
        variables, functions, limits, seconds_left, calls.own_clock, values=[context], setup=question.setup
    ) as repl:
        conversation = Conversation(partial(inquiry.words, "turn"))
        yield Dialogue(inquiry, work, conversation, repl, name, question.instructions(ours))


async def _child(inquiry: Inquiry, task: str, paths: Sequence[str], depth: int, name: str) -> str:
    whole, calls = inquiry.question.material, inquiry.calls
    material = whole.part(paths)
    seed = inquiry.words(
        "child",
        task=task,
        length=material.length,
        paths=list(material.files),
        preview=material.preview,
        missing=[path for path in paths if path not in whole.files],
    )
    turns = min(CHILD_TURNS, calls.budget.limits.turns)
    async with open_dialogue(inquiry, material, turns=turns, depth=depth, name=name) as dialogue:
        root_run = await dialogue.ask(seed, turns)
    return root_run.summary or f"[the child run ended without an answer: {root_run.why or root_run.outcome}]"
