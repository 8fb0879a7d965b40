"""The parts of a question about a context: models by their names, limits, the journal."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bot import config
from bot.agent.texts import inquiry, roots
from bot.agent.texts.inquiry import TextQuestion
from bot.agent.texts.roots import Dialogue
from bot.agent.texts.typed import AnswerType
from bot.agent.turns import Outcome, Turns
from bot.errors import UsageError
from bot.journal.record import open_file
from bot.values import Cost, Limits
from bot.wiring.access import Access, Connections, named_models
from rlm.errors import BudgetSpent, ProviderError
from rlm.journal import codec
from rlm.journal.writer import Journal, Watch
from rlm.models import PROVIDERS, TIMEOUT
from rlm.money import capacity
from rlm.values import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """What a question came to. `runs`: the root's turns first, then those of the runs that it started."""

    answer: str
    value: Any  # the answer as an instance of the type that was asked for, None without one
    outcome: Outcome
    why: str
    runs: tuple[Turns, ...]
    cost: Cost
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked: models by their names, and how they are called. `workers`: by the names that the root's code uses."""

    root: str | None = None
    worker: str | None = None
    workers: Mapping[str, str] = field(default_factory=dict)
    access: Mapping[str, Access] = field(default_factory=dict)


class TextSession:
    """Questions about one context, put to one root one after the other. It is opened with the first of them."""

    def __init__(
        self, question: TextQuestion, asked: Asked, limits: Limits, path: Path | None = None, watch: Watch | None = None
    ) -> None:
        self._question, self._asked, self._limits = question, asked, limits
        self._path, self._watch = path, watch  # of the journal
        self._stack = AsyncExitStack()
        self._line = asyncio.Lock()
        self._dialogue: Dialogue | None = None
        self._is_closed = False

    @property
    def cost(self) -> Cost:
        """What the last question has cost so far."""
        return self._dialogue.inquiry.session.calls.cost() if self._dialogue is not None else Cost()

    async def ask(self, query: str, answer_type: AnswerType | None = None) -> TextAnswer:
        """Put a question to the root. Raises DeepRepoError's kinds where not even a first turn came of it."""
        async with self._line, AsyncExitStack() as unless_kept:
            self.require_open()
            question = replace(self._question, query=query, answer_type=answer_type)
            unless_kept.push_async_callback(self.close)
            try:
                if self._dialogue is None:
                    self._dialogue = await self._open(question)
                else:
                    self._dialogue.inquiry.renew()
                answer = await self._put(self._dialogue, question)
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

    async def _open(self, question: TextQuestion) -> Dialogue:
        settings, asked = config.environment(), self._asked
        first = next(iter(asked.workers.values()), asked.worker)
        root, worker = _choose_models(asked.root, first, settings)
        workers = list(asked.workers.values()) or [worker]
        timeout = settings.timeout or TIMEOUT
        elsewhere = [model for model in (root, worker) if not asked.access.get(model, Access()).base_url]
        flags = dict(zip(("root", "worker"), elsewhere, strict=False))
        connections = Connections(settings, flags, asked.access)
        connections.check_known((root, *workers), _least(self._limits.usd, settings.cap_usd))
        models: dict[str, Model] = {}
        for name in dict.fromkeys((root, *workers)):
            models[name] = connections.connect(name, timeout)
            self._stack.push_async_callback(models[name].close)
        own = connections.own(models.values())
        is_owned = any(name.partition("/")[0] in own for name in workers)
        limits = replace(
            self._limits,
            usd=_least(self._limits.usd, settings.cap_usd),
            concurrency=settings.concurrency or (capacity.OWN_PLACES if is_owned else None),
            context=settings.context,
            effort=settings.thinking,
            own=own,
        )
        recorded_limits = {name: value for name, value in asdict(limits).items() if name != "own"}
        readers = {name: models[model] for name, model in asked.workers.items()} or models[worker]
        journal = Journal(self._path, watch=self._watch, open_file=open_file)
        opening = inquiry.open_inquiry(question, models[root], readers, limits, journal, recorded_limits)
        open_question = await self._stack.enter_async_context(opening)
        return await self._stack.enter_async_context(roots.open_dialogue(open_question))

    async def _put(self, dialogue: Dialogue, question: TextQuestion) -> TextAnswer:
        start, session = time.monotonic(), dialogue.inquiry.session
        run = await roots.put(dialogue, question)
        cost, masks = session.calls.cost(), session.calls.masks
        notes = (*session.notes, *session.calls.budget.notes, *run.state.errors)
        if not run.turns and run.outcome == "provider":
            raise ProviderError(run.why)
        if not run.turns and run.outcome == "budget":
            raise BudgetSpent(run.why)
        row = codec.answer(run.outcome, masks.hide(run.summary), cost, time.monotonic() - start, notes)
        session.calls.journal.answer(row)
        answer, value = run.summary, None
        if question.answer_type is not None and answer:
            answer, value = question.answer_type.load(answer, masks.show)
        return TextAnswer(
            answer=masks.show(answer),  # the caller's own text comes back to the caller
            value=value,
            outcome=run.outcome,
            why=run.end,
            runs=tuple(dialogue.inquiry.runs),
            cost=cost,
            notes=tuple(dict.fromkeys(notes)),
        )


def _choose_models(root: str | None, worker: str | None, settings: config.Settings) -> tuple[str, str]:
    """Root and worker: as given, as the environment names them, or those of a provider whose key is set."""
    if not root and not worker:
        root, worker = named_models(settings)
    first, second = root or worker, worker or root
    if not first or not second:
        variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
        raise UsageError(f"no model is named: give root='provider/model', or set one of {variables}")
    return first, second


def _least(*caps: float | None) -> float | None:
    return min((cap for cap in caps if cap is not None), default=None)
