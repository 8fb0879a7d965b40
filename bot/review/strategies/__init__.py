"""Choose how the code regions of a change are read, and run that strategy.

Each strategy is one file with `async def run(session) -> Transcript`. `choose` returns it with the reason;
its thresholds are below.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from importlib import import_module

from bot.errors import public
from bot.render import count
from bot.review import foresight, judging, own_checks
from bot.review.context.packing import ONE_PROMPT
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import ReviewEffort, StrategyChoice, Transcript, Unit
from deeprepo.rlm.errors import ProviderError

# The thresholds between strategies; see docs/effort.md for the reasons.
# for all code regions that one call reads before a root works; with more, workers read the change in parts
ONE_READING = 80_000
ANY_WINDOW = 24_000  # the same for a small context window, where a longer prompt is split, or a small budget
WINDOW_PART = 2  # else it must fit into 1/WINDOW_PART of the window
ROOT_TOKENS = 18_000  # maximum for a root's first message and its instructions
READING_PART = 4  # the budget must pay for that call with 1/READING_PART of it, if it is above ANY_WINDOW
ROOT_PART = 2  # the budget must pay for that message and its reply with 1/ROOT_PART of it
# reasons shown in the review
NO_MODEL, ASKED, NO_EFFORT = "no model is configured", "chosen in the settings", "this review runs only static checks"
WITHOUT_ROOT = frozenset({"auto", "offline", "parts"})  # strategies that need no root model


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
    name, reason = choose_at(session, subject.brief.settings.effort)
    session.calls.journal.put("strategy", name=name, reason=reason)
    return StrategyChoice(name, reason)


def choose_at(session: Session, effort: ReviewEffort) -> tuple[str, str]:
    """Return the strategy for what is unread at this effort, with the reason."""
    subject, root = session.survey, session.root
    return choose(
        subject.brief.settings.strategy,
        subject.tracker.unread(),
        root=root is not None,
        worker=session.reader is not None,
        affordable=can_afford_root(session),
        moved=has_moved_files(subject),
        short_push=is_short_push(subject),
        effort=effort,
        window=session.calls.sizes.window(root) if root is not None else None,
        readable=_can_afford(session, sum(unit.tokens for unit in subject.tracker.unread()), READING_PART),
    )


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


def choose(
    strategy: str,
    units: Sequence[Unit],
    *,
    root: bool,
    worker: bool,
    affordable: bool = True,
    moved: bool = False,
    short_push: bool = False,
    effort: ReviewEffort = "medium",
    window: int | None = None,
    readable: bool = True,
) -> tuple[str, str]:
    """Return the strategy and the reason shown in the review.

    - `affordable`: the budget covers a root.
    - `moved`: files were removed or moved, so other files may still refer to them.
    - `short_push`: few lines changed since an earlier review.
    - `window`: the root's context window in tokens, if it is known.
    - `readable`: the budget covers one call that reads all of these regions.
    """
    if not worker:
        return "offline", NO_MODEL if strategy == "auto" else NO_EFFORT
    if strategy != "auto":
        return strategy, ASKED
    size = sum(unit.tokens for unit in units)
    what = f"{count(len(units), 'code region')} with about {size:,} tokens"
    is_read_only = short_push and effort == "medium" and not moved and size <= ONE_PROMPT
    if root and effort != "low" and affordable and (units or moved) and not is_read_only:
        if size <= (_one_reading(window) if readable else ANY_WINDOW):
            return "root", f"{what}, so the root model reviews it and searches the repository"
        return "rlm", f"{what}; workers review all of it, then the root model connects the parts"
    if not units:
        return "parts", "there is nothing left to review"
    lacks = "few lines changed since the last review" if is_read_only else "the budget is too small for a root model"
    lacks = "effort low uses no root model" if effort == "low" else lacks
    why = f"it is read without a search ({lacks})" if root else "a worker but no root model is configured"
    return "parts", f"{what}; {why}"


def _one_reading(window: int | None) -> int:
    return ONE_READING if window is None else max(ANY_WINDOW, min(ONE_READING, window // WINDOW_PART))


def has_moved_files(survey: Survey) -> bool:
    """Return whether the change has removed or moved a file that belongs to the project since the last review."""
    past = survey.past
    known = past.earlier.files if past.earlier else ()
    return any(
        file.path not in known or (file.status == "deleted" and file.path in past.before)
        for file in survey.files
        if file.status in ("deleted", "renamed") and not (file.is_vendored or file.is_ignored)
    )


def is_short_push(survey: Survey) -> bool:
    """Return whether one call may read what is unread. Issues that the change closes need a search."""
    return not survey.pull.issues and survey.past.is_short_push(survey.tracker.unread())


def can_afford_root(session: Session) -> bool:
    """Return whether the remaining budget covers a root."""
    return _can_afford(session, ROOT_TOKENS, ROOT_PART)


def _can_afford(session: Session, size: int, part: int) -> bool:
    """Return whether 1/`part` of the remaining budget covers a call of the root's model with `size` tokens."""
    model = session.root
    return model is not None and foresight.affordable_calls(session.calls, model, size, "root", part, 1) > 0
