"""Choose how the code regions of a change are read, and run that strategy.

Each strategy is one file with `async def run(session) -> Transcript`. `choose` returns it with the reason;
its thresholds are in choice.py.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib import import_module

from bot.errors import public
from bot.features.own_checks import asking as own_checks
from bot.review import judging
from bot.review.session import Session
from bot.review.strategies.choice import can_afford_root, choose, has_moved_files
from bot.values import StrategyChoice, Transcript
from deeprepo.rlm.errors import ProviderError

__all__ = ["can_afford_root", "choose", "choose_strategy", "has_moved_files", "judge", "load", "mark_partial", "run"]


def load(name: str) -> Callable[[Session], Awaitable[Transcript]]:
    """Return a strategy's `run`.

    It is imported here, so that a review without a model doesn't load code for models. For comparisons,
    `name` can be the module of another strategy.
    """
    run: Callable[[Session], Awaitable[Transcript]]
    run = import_module(name if "." in name else f"bot.review.strategies.{name}").run
    return run


def choose_strategy(session: Session) -> StrategyChoice:
    """Choose the strategy for what no earlier review has read, with the reason."""
    subject, by_model = session.survey, session.reader is not None
    again = own_checks.files_to_read(subject) if by_model else ()
    subject.past.carry(subject.tracker, subject.dependents, by_model=by_model, again=again)
    name, reason = choose(
        subject.brief.settings.strategy,
        subject.tracker.unread(),
        root=bool(session.root),
        worker=by_model,
        affordable=can_afford_root(session),
        moved=has_moved_files(subject),
        effort=subject.brief.settings.effort,
        window=session.calls.sizes.window(session.root) if session.root is not None else None,
    )
    session.calls.journal.put("strategy", name=name, reason=reason)
    return StrategyChoice(name, reason)


async def run(name: str, session: Session) -> Transcript:
    """Run a strategy to its end. If it is interrupted or its provider fails, return what was found so far."""
    try:
        transcript = await load(name)(session)
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        return mark_interrupted(Transcript(tuple(session.results.findings)))
    except ProviderError as error:
        return Transcript(tuple(session.results.findings), notes=(public(error),), partial=True, fault="provider")
    finally:
        # The root gets no more calls, so its reserve is now available for confirmations
        session.calls.budget.keep(None)
    transcript = replace(transcript, findings=tuple(session.results.findings))
    return mark_partial(session, transcript) if transcript.partial or session.tracker.unread() else transcript


async def judge(transcript: Transcript, session: Session) -> tuple[judging.JudgedFindings, Transcript]:
    """Judge which findings to report.

    After an interrupt, no more confirmations are requested, and findings are shown unchanged.
    """
    if transcript.fault == "interrupted":
        return await judging.judge_findings(session, ask=False), transcript
    try:
        judgement = await judging.judge_findings(session)
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        return await judging.judge_findings(session, ask=False), mark_interrupted(transcript)
    transcript = replace(transcript, notes=(*transcript.notes, *judgement.notes))
    return judgement, mark_partial(session, transcript, *judgement.why) if judgement.why else transcript


def mark_partial(session: Session, transcript: Transcript, *notes: str) -> Transcript:
    """Mark the transcript as partial.

    The provider is at fault if its calls failed or its models read nothing. Otherwise a limit was reached.
    """
    blind = (session.root or session.reader) is not None and session.tracker.has_read_nothing()
    fault = transcript.fault or ("provider" if blind or session.calls.budget.cost().failed_calls else "")
    return replace(transcript, notes=(*transcript.notes, *notes), partial=True, fault=fault)


def mark_interrupted(transcript: Transcript) -> Transcript:
    """Mark the transcript as interrupted."""
    note = "interrupted; these are the findings so far"
    return replace(transcript, notes=(*transcript.notes, note), partial=True, fault="interrupted")
