"""Questions about one context, put to one root one after the other."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from deeprepo.rlm.errors import BudgetSpent, ProviderError, UsageError
from deeprepo.rlm.journal import codec
from deeprepo.rlm.loop.root import Outcome, RootRun
from deeprepo.rlm.values import Cost
from deeprepo.texts.dialogue import Dialogue, Inquiry, TextQuestion, open_dialogue, put
from deeprepo.texts.material import Material
from deeprepo.texts.typed import AnswerType


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """What a question came to. `runs`: the root's turns first, then those of the runs that it started."""

    answer: str
    value: Any  # the answer as an instance of the type that was asked for, None without one
    outcome: Outcome
    why: str
    runs: tuple[RootRun, ...]
    cost: Cost
    by_model: Mapping[str, Cost]
    notes: tuple[str, ...]


class TextSession:
    """A session, opened with its first question. `opening` brings models, journal, tools and words, and closes them."""

    def __init__(
        self, question: TextQuestion, opening: Callable[[TextQuestion], AbstractAsyncContextManager[Inquiry]]
    ) -> None:
        self._question, self._opening = question, opening
        self._stack = AsyncExitStack()
        self._line = asyncio.Lock()
        self._dialogue: Dialogue | None = None
        self._is_closed = False

    @property
    def cost(self) -> Cost:
        """What the last question has cost so far."""
        return self._dialogue.inquiry.calls.budget.cost() if self._dialogue is not None else Cost()

    async def ask(
        self, query: str, answer_type: AnswerType | None = None, further: Material | None = None
    ) -> TextAnswer:
        """Put a question to the root, with one more context if one is given. Raises ProviderError, BudgetSpent and UsageError."""
        async with self._line, AsyncExitStack() as unless_kept:
            self.require_open()
            if further is not None and self._dialogue is None:
                raise UsageError(
                    "the first question is about the context of the session: add another one from the second on"
                )
            question = replace(self._question, query=query, answer_type=answer_type, further=further)
            unless_kept.push_async_callback(self.close)
            try:
                if self._dialogue is None:
                    inquiry = await self._stack.enter_async_context(self._opening(question))
                    self._dialogue = await self._stack.enter_async_context(open_dialogue(inquiry))
                else:
                    self._dialogue.inquiry.renew()
                answer = await _answer(self._dialogue, question)
            except (ProviderError, BudgetSpent):  # the next question may fare better
                unless_kept.pop_all()
                raise
            unless_kept.pop_all()
            return answer

    def require_open(self) -> None:
        """Raise UsageError if the session is closed."""
        if self._is_closed:
            raise UsageError("the session is closed: begin another one with rlm.session(context)")

    async def close(self) -> None:
        """End the REPL, close the models and the journal."""
        self._is_closed = True
        await self._stack.aclose()


def _place(run: RootRun) -> list[int]:
    """Return where a run is in the tree of runs, in the order in which their roots started them."""
    return [int(part) for part in re.findall(r"\d+", run.name)]


async def _answer(dialogue: Dialogue, question: TextQuestion) -> TextAnswer:
    start, inquiry, calls = time.monotonic(), dialogue.inquiry, dialogue.inquiry.calls
    run = await put(dialogue, question)
    notes = (*inquiry.notes, *calls.budget.notes, *run.work.errors)
    if not run.turns and run.outcome == "provider":
        raise ProviderError(run.why)
    if not run.turns and run.outcome == "budget":
        raise BudgetSpent(run.why)
    cost, masks, seconds = calls.budget.cost(), calls.masks, time.monotonic() - start
    calls.journal.answer(codec.answer(run.outcome, masks.hide(run.summary), cost, seconds, notes))
    answer, value, is_mute = run.summary, None, bool(run.end and run.turns) and not any(turn.code for turn in run.turns)
    if question.answer_type is not None and answer:
        answer, value = question.answer_type.load(answer, masks.show)
    return TextAnswer(
        answer=masks.show(answer),  # the caller's own text comes back to the caller
        value=value,
        outcome=run.outcome,
        why=f"{run.end} Its last reply began: {masks.show(run.turns[-1].said)[:80]!r}"
        if is_mute and not run.empty
        else run.end,
        runs=tuple(sorted(inquiry.runs, key=_place)),
        cost=cost,
        by_model=calls.budget.by_model,
        notes=tuple(dict.fromkeys(notes)),
    )
