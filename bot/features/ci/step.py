"""The GitHub Actions step's hooks for failed CI jobs.

The step does not wait for other jobs. If the logs cannot be read, the review is posted without the list.
"""

from dataclasses import replace

from bot.action.console import Console
from bot.action.hooks import StepHooks
from bot.action.spending import CANNOT_LIST
from bot.config import Step
from bot.errors import HostError, HostRefused, OverLimit
from bot.features.ci import jobs, tasks
from bot.features.ci.section import FAILED_JOBS
from bot.features.ci.settings import CISettings
from bot.features.ci.values import CIFailure
from bot.github import Host
from bot.values import Review
from bot.wiring import child
from bot.wiring.local import LOCAL
from bot.workflow.reviewer import ReviewRun

LOG_SECONDS = 60.0  # time limit for searching the logs of failed jobs
CI_GRANT = (
    "the job needs `permissions: {checks: read, actions: read}` to read CI logs; set `ci: false` to turn this off"
)


class StepFailedJobs(StepHooks):
    """Lists the jobs that have failed by the end of the review."""

    async def on_reviewed(self, review: Review, run: ReviewRun, step: Step, console: Console) -> Review:
        """Return the review with the failed jobs of other workflows."""
        if not run.settings.of(CISettings).ci:
            return review
        failures = await _failures(review, run.host, step, console)
        return replace(review, parts={**review.parts, FAILED_JOBS.key: failures})


STEP_FAILED_JOBS = StepFailedJobs()


async def _failures(review: Review, host: Host, step: Step, console: Console) -> tuple[CIFailure, ...]:
    """Return the jobs of other workflows that have failed so far."""
    pull, runner = review.pull, step.runner
    bases = (pull.base, pull.base_tip or "")
    try:
        logs = await jobs.read(host, pull.head, bases, runner.github_run_id, runner.workflow_path)
        return await child.run(tasks.explain, logs, review.files, caps=replace(LOCAL, wall=LOG_SECONDS)) if logs else ()
    except (HostError, OverLimit) as error:
        is_permission = isinstance(error, HostRefused) and error.status in CANNOT_LIST
        why = CI_GRANT if is_permission else error
        console.say(f"Failed CI jobs are not listed: {why}.")
        return ()
