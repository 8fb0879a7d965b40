"""The parts of a question about a context: models by their names, limits, the journal."""

import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from bot import config
from bot.agent.texts import inquiry, roots
from bot.agent.texts.inquiry import TextQuestion
from bot.agent.turns import Outcome, Turns
from bot.errors import BudgetSpent, ProviderError, UsageError
from bot.journal import codec
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.models import PROVIDERS, TIMEOUT
from bot.ports import Model
from bot.values import Cost, Limits
from bot.wiring import access as chosen
from bot.wiring.access import NOTHING, Access, connected_at, own_servers, preferred_models


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """What a question came to. `runs`: the root's turns first, then those of the runs that it started."""

    answer: str
    outcome: Outcome
    why: str
    runs: tuple[Turns, ...]
    cost: Cost
    notes: tuple[str, ...]


async def ask(
    question: TextQuestion,
    root: str | None,
    worker: str | None,
    limits: Limits,
    *,
    access: Mapping[str, Access] = NOTHING,
    path: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> TextAnswer:
    """Put a question to a root; `path`: its journal. Raises DeepRepoError's kinds where not even a first turn came of it."""
    settings = config.environment()
    root, worker = _choose_models(root, worker, settings)
    timeout = settings.timeout or TIMEOUT
    elsewhere = [model for model in (root, worker) if not access.get(model, Access()).base_url]
    flags = dict(zip(("root", "worker"), elsewhere, strict=False))
    where = partial(chosen.address, flags=flags, settings=settings)
    async with AsyncExitStack() as stack:
        models: dict[str, Model] = {}
        for name in dict.fromkeys((root, worker)):
            models[name] = connected_at(name, where, timeout, access)
            stack.push_async_callback(models[name].close)
        own = own_servers(models.values(), where, access)
        limits = replace(
            limits,
            usd=_least(limits.usd, settings.cap_usd),
            concurrency=settings.concurrency or (capacity.OWN_PLACES if worker.partition("/")[0] in own else None),
            context=settings.context,
            effort=settings.thinking,
            own=own,
        )
        recorded_limits = {name: value for name, value in asdict(limits).items() if name != "own"}
        journal, start = Journal(path), time.monotonic()
        asked = models[root], models[worker], limits, journal, recorded_limits
        async with inquiry.open_inquiry(question, *asked) as open_question:
            session = open_question.session
            session.say = say
            run = await roots.ask(open_question)
            cost, notes = session.calls.cost(), (*session.notes, *session.calls.budget.notes, *run.state.errors)
            if not run.turns and run.outcome == "provider":
                raise ProviderError(run.why)
            if not run.turns and run.outcome == "budget":
                raise BudgetSpent(run.why)
            masks = session.calls.masks
            journal.answer(codec.answer(run.outcome, masks.hide(run.summary), cost, time.monotonic() - start, notes))
        answer = masks.show(run.summary)  # the caller's own text comes back to the caller
        return TextAnswer(
            answer=answer,
            outcome=run.outcome,
            why=run.why,
            runs=tuple(open_question.runs),
            cost=cost,
            notes=tuple(dict.fromkeys(notes)),
        )


def _choose_models(root: str | None, worker: str | None, settings: config.Settings) -> tuple[str, str]:
    """Root and worker: as given, as the environment names them, or those of a provider whose key is set."""
    if not root and not worker:
        root, worker = settings.root, settings.worker
    if not root and not worker:
        root, worker = preferred_models()
    first, second = root or worker, worker or root
    if not first or not second:
        variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
        raise UsageError(f"no model is named: give root='provider/model', or set one of {variables}")
    return first, second


def _least(*caps: float | None) -> float | None:
    return min((cap for cap in caps if cap is not None), default=None)
