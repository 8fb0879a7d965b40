"""The team's own checks: which files they are about, and what they come to in this round."""

from collections.abc import Sequence
from typing import Any

from bot.checkout.masked import ShownTree
from bot.ports import Tree
from bot.review import incremental
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import ChangedFile, CheckReport, CustomCheck, FailedAnswer, Unit


async def of_change(
    rows: Sequence[Sequence[Any]], files: Sequence[ChangedFile], past: incremental.Past, tree: Tree
) -> tuple[CustomCheck, ...]:
    """The team's own checks, about the files of this change."""
    if not rows:
        return ()
    from bot.findings import custom_checks

    return await custom_checks.of_change([CustomCheck(*row) for row in rows], files, past.failed_answers, tree)


async def files_to_ask_about(subject: Survey) -> frozenset[str]:
    """The files that a check is about which no round before has asked, or that are another text than the one in which it failed."""
    from bot.findings import custom_checks

    earlier, failed_answers = subject.past.earlier, subject.past.failed_answers
    contents = await custom_checks.contents_of(subject.files, subject.tree) if failed_answers else {}
    return custom_checks.files_to_read(
        subject.checks, earlier.checks if earlier else (), subject.units, failed_answers, contents
    )


async def reports(session: Session, reread: Sequence[Unit]) -> tuple[tuple[CheckReport, ...], tuple[FailedAnswer, ...]]:
    """What the team's own checks come to: the answers of this round, and those before about what was not read again; and where they failed so far."""
    subject = session.survey
    if not subject.checks:
        return (), subject.past.failed_answers
    from bot.findings import custom_checks

    scene = custom_checks.CheckScene(
        ShownTree(subject.tree, subject.masks),
        subject.files,
        subject.units,
        frozenset(unit.path for unit in reread),
        subject.past.earlier.checks if subject.past.earlier else (),
        session.reader is not None,
        subject.past.failed_answers,
        await custom_checks.contents_of(subject.files, subject.tree),
        frozenset(
            row.path for row in subject.tracker.coverage().readings if row.kind == "unit" and row.state == "unread"
        ),
        subject.past.round.full,
    )
    check_reports = await custom_checks.reports(subject.checks, session.check_answers, scene)
    return check_reports, custom_checks.remember(check_reports, scene)
