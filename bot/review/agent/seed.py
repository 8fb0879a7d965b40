"""Write the root's first message: findings, the change, and lines that it may have forgotten.

If the diff is too long, it shows the riskiest files. Pure functions.
"""

from collections.abc import Sequence

from bot import render
from bot.diff import file_diffs, shortened
from bot.diff.render import FileDiff
from bot.review import own_checks
from bot.review.prompts import LISTED_FILES
from bot.review.readings import riskiest
from bot.review.session import Session, as_shown
from bot.sections.overlooked import shown_places
from bot.values import Unit, severity_rank
from deeprepo.rlm.values import tokens

# tokens of the whole message if workers have read the change, and of the diff that a root reads itself
MESSAGE_TOKENS, WHOLE_TOKENS = 14_000, 24_000
LINES_AROUND_CHANGE = 5  # unchanged lines around a change
PULL_BODY_CHARS = 4_000


def gather(session: Session, *, alone: Sequence[Unit] | None = None) -> tuple[str, Sequence[Unit]]:
    """Return the root's first message, and the code regions that it shows.

    `alone`: the regions that no workers have read; None if they have read the change. Of a longer diff, the riskiest
    files are shown.
    """
    survey = session.survey
    units, is_alone = (survey.units, False) if alone is None else (alone, True)
    reviewable = [file for file in survey.files if not file.skip]
    guidance = survey.guidance.within(session.calls.sizes.window(session.root) if session.root is not None else None)
    questions = own_checks.questions(survey, units) if is_alone and survey.brief.settings.requirements else None

    def compose(diffs: Sequence[FileDiff]) -> str:
        return render.text(
            "prompts/seed.md.j2",
            pull=survey.pull,
            body=render.cut(survey.pull.body, PULL_BODY_CHARS),
            guidance=guidance.of([file.path for file in reviewable]) if is_alone else (),
            files=survey.files[:LISTED_FILES],
            more_files=max(0, len(survey.files) - LISTED_FILES),
            diffs=diffs,
            places=shown_places(session.results.listed)[0],
            findings=sorted(
                [as_shown(session, finding) for finding in session.results.findings],
                key=lambda finding: (severity_rank(finding.severity), -finding.basis.votes),
            ),
            is_whole=len(diffs) == len({unit.path for unit in units}),
            questions=questions,
            issues=survey.pull.issues,
        )

    is_short = is_alone and sum(unit.tokens for unit in units) <= WHOLE_TOKENS
    room = WHOLE_TOKENS if is_alone else MESSAGE_TOKENS - tokens(compose(()))
    shown = units if is_short else list(riskiest(units, room))
    return compose([*map(shortened, file_diffs(shown, reviewable, LINES_AROUND_CHANGE))]), shown
