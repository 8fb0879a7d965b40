"""Run one step of a GitHub Actions workflow: review, and write a job summary, outputs and an exit code.

There is no server, and nothing outlives the job. The summary comment contains what the next review needs.
"""

from bot.action import command_step, event, remark_step, report
from bot.action.console import Console
from bot.action.event import Repeat
from bot.action.review_step import repeat, review
from bot.config.action import Step
from bot.errors import HostRefused
from bot.values import CommandJob, IgnoredDelivery, RemarkJob
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.reviewing import Outcome

NEEDS = "The job needs `permissions: {contents: read, pull-requests: write}`."


async def run(step: Step, console: Console) -> Outcome:
    """Handle the step's event, and write the result to the job's log, summary and outputs."""
    report.check_writable(step)
    request = event.read(step)
    if isinstance(request, IgnoredDelivery):
        result = Outcome(HeadStatus("skipped"), f"Not reviewed: {request.reason}.")
    else:
        try:
            if isinstance(request, CommandJob):
                result = await command_step.answer(request, step, console)
            elif isinstance(request, RemarkJob):
                result = await remark_step.answer(request, step, console)
            elif isinstance(request, Repeat):
                result = await repeat(request, step, console)
            else:
                result = await review(request, step, console)
        except HostRefused as refusal:
            if not refusal.is_forbidden:
                raise
            raise HostRefused(f"{refusal}. {NEEDS}", refusal.status) from None
    report.report(result, step, console)
    return result
