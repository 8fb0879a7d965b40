"""Functions that process untrusted logs and therefore run in a child process."""

from bot.features.ci.explain import explain as explain_job
from bot.features.ci.section import FAILED_JOBS
from bot.features.ci.values import CIFailure, CIJobLog, CIReport
from bot.outputs import json_file
from bot.values import ChangedFile
from bot.wiring.child import ChildPipe
from deeprepo.impact.patches import of_patch


async def explain(_: ChildPipe, logs: tuple[CIJobLog, ...], files: tuple[ChangedFile, ...]) -> tuple[CIFailure, ...]:
    """Return why each job failed."""
    return tuple(explain_job(log, files) for log in logs)


async def add(pipe: ChildPipe, output: bytes, report: CIReport) -> str:
    """Return the JSON of a stored review with the failed jobs, their errors and the changed lines added."""
    files = tuple(of_patch(patch.path, patch.old_path, patch.patch) for patch in report.patches)
    return json_file.with_part(output, FAILED_JOBS, await explain(pipe, report.logs, files))
