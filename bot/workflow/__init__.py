"""One job from its beginning to its end: what happens on GitHub around a review, a command, a merge queue, a farewell.

Every job can be cut off anywhere and begun again: what it found out first is recorded, paid calls are in the journal, and
whatever it writes to GitHub carries a marker by which a second run knows it.

A workflow's step uses some of these modules without a server's parts: those that read and write the database are imported when a job
needs them.
"""

from bot.ports import Job
from bot.values import (
    Ask,
    Cancel,
    ChecksEnded,
    CommandAsk,
    Follow,
    Forget,
    MergeGroup,
    PackageSurvey,
    RemarkAsk,
    ReviewAsk,
)
from bot.workflow.apologising import apologise
from bot.workflow.parts import Services, Surroundings


async def carry_out(ask: Ask, job: Job, parts: Services) -> None:
    """Do what was asked. Raises SupersededError where it is no longer wanted, HostDown and HostLimited where a later try may succeed."""
    from bot.workflow import commanding, conversing, server

    match ask:
        case ReviewAsk():
            await server.review(ask, job, parts)
        case CommandAsk():
            await commanding.answer(ask, job, parts)
        case RemarkAsk():
            await conversing.answer(ask, job, parts)
        case _:
            await _carry_out_unseen(ask, job, parts)


async def _carry_out_unseen(ask: Ask, job: Job, parts: Services) -> None:
    """Do what no person waits for."""
    from bot.workflow import cancelling, ci_failures, forgetting, packages, paging, queueing

    match ask:
        case MergeGroup():
            await queueing.let_pass(ask, job, parts)
        case Follow():
            await paging.carry_out(ask, job, parts)
        case ChecksEnded():
            await ci_failures.spread(ask, job, parts)
        case Forget():
            await forgetting.forget(ask, job, parts)
        case PackageSurvey():
            await packages.survey(ask, parts)
        case Cancel():
            await cancelling.end(ask, job, parts)
