"""One step of a GitHub Actions workflow: the event's file in; a review on the pull request, a job summary, outputs and an exit code out.

There is no server and nothing outlives the job: what the next round has to know is in the summary comment.
"""

from bot.action import conversing, event, report
from bot.action.console import Console
from bot.action.reviewing import review
from bot.config import Step
from bot.errors import HostRefused
from bot.values import NothingAsked, RemarkAsk
from bot.workflow.backend import ReviewResult

FORBIDDEN = 403
NEEDS = "The job needs `permissions: {contents: read, pull-requests: write}`."


async def run(step: Step, console: Console) -> ReviewResult:
    """Carry the step out and leave what it came to where the runner looks for it."""
    report.ready(step)
    asked = event.read(step)
    if isinstance(asked, NothingAsked):
        told = ReviewResult("skipped", f"Nothing was reviewed: {asked.reason}.")
    else:
        try:
            if isinstance(asked, RemarkAsk):
                told = await conversing.answer(asked, step, console)
            else:
                told = await review(asked, step, console)
        except HostRefused as refused:
            if refused.status != FORBIDDEN:
                raise
            raise HostRefused(f"{refused}. {NEEDS}", FORBIDDEN) from None
    report.report(told, step, console, None if isinstance(asked, NothingAsked) else asked.pull)
    return told
