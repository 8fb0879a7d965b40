"""The root over a context: the turns, REPL and tools of a review, with words for a question instead."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from bot import render
from bot.agent import tools
from bot.agent.loop import CHILD_TURNS, run_turns
from bot.agent.messages import Conversation
from bot.agent.repl import extraction
from bot.agent.state import RunState
from bot.agent.texts import custom
from bot.agent.texts.inquiry import Inquiry
from bot.agent.texts.material import Material
from bot.agent.turns import Gain, StallGuard, Turns
from bot.context import long_text
from bot.context.file_questions import Sight
from bot.values import Observation, Source

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


async def ask(inquiry: Inquiry, *, alone: bool = False, sight: Sight | None = None) -> Turns:
    """The root's turns over the whole context; `alone` has nobody to ask, `sight` is what workers have read for it before.

    Raises ReplUnavailable where no REPL starts; everything else ends in an outcome.
    """
    material = inquiry.question.material
    seed = render.text(
        "prompts/texts/seed.md.j2",
        question=inquiry.question.query,
        length=len(material.text),
        form=material.form,
        items=len(material.value) if material.form in {"list", "mapping"} else 0,
        paths=list(material.files),
        preview=long_text.preview(material.text, PREVIEW),
        sight=sight,
        facts=facts(sight) if sight else [],
    )
    turns = inquiry.session.calls.budget.limits.turns
    return await _run(inquiry, seed, material, form="alone" if alone else "root", turns=turns)


def facts(sight: Sight) -> list[Fact]:
    """The quoted lines, each place once, in the order of the text."""
    return sorted({(item.path, item.line, item.quote.strip()) for item in sight.quotes})


async def _run(
    inquiry: Inquiry, seed: str, material: Material, *, form: str, turns: int, depth: int = 0, name: str = "root"
) -> Turns:
    question, calls = inquiry.question, inquiry.session.calls
    state = RunState(
        inquiry.session, source=Source("model", inquiry.root.name, "root"), depth=depth, deepest=question.deepest
    )
    children = count(1)
    state.child = lambda task, paths, below: _child(inquiry, task, paths, below, f"{name}.{next(children)}")

    def words(template: str, **values: object) -> str:
        more = {"form": material.form, "tools": question.tools, "answer_form": question.answer_form}
        return render.text(template, **values, **more)

    conversation = Conversation(calls.budget.limits, turns, form=f"prompts/texts/{form}", words=words, tool=TOOL)
    conversation.open(seed, gate=False)
    names = LOOKING if form == "alone" else (*LOOKING, *ASKING)
    functions = {word: call for word, call in tools.functions(state).items() if word in names}
    functions |= custom.functions(inquiry.session, question.tools)
    masked = await asyncio.to_thread(
        calls.masks.hide, material.value
    )  # the root's code could send on whatever it holds
    variables = {"context": masked, "tree": list(material.files), "answer": {"content": "", "ready": False}}
    given = variables, functions
    guard, runs = Patient(turns), inquiry.runs
    return await run_turns(state, inquiry.root, conversation, guard, given, name=name, runs=runs)


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
    root_run = await _run(inquiry, seed, material, form="root", turns=turns, depth=depth, name=name)
    return root_run.summary or f"[the child run ended without an answer: {root_run.why or root_run.outcome}]"
