"""Answer a merge queue, which waits for our check on its own commit.

The changes in the queue were reviewed as pull requests.
"""

from bot import config, github, verdict
from bot.config import policy
from bot.errors import HostError
from bot.github import Host
from bot.values import CheckConclusion, MergeGroup, PullRef
from bot.workflow import conclusions, pull_state
from bot.workflow.jobs import Attempt
from bot.workflow.publish import checks
from bot.workflow.server import Server, ignore_missing_on_last_try

PASSES, STOPS = "check_queue", "check_queue_stops"  # message keys


async def run(job: MergeGroup, attempt: Attempt, server: Server) -> None:
    """Answer with the conclusion of the queued pull request's head. A second answer changes nothing.

    If GitHub does not give that conclusion, there is no answer yet, and a queue that requires the check
    waits.
    """
    async with github.open_pull(server.identity, _where(job), server.pace) as host:
        conclusion: CheckConclusion | None = None
        with ignore_missing_on_last_try(
            attempt, after=1
        ):  # a queued pull request is old enough for every replica to know it
            conclusion = await _of_pull(host, server) if job.number else None
        await _answer(host, job, conclusion or await _of_base(job, host, server))


async def stop(job: MergeGroup, server: Server) -> None:
    """Answer a queue whose pull request could not be read.

    The queue goes on only if surely no threshold is set.
    """
    async with github.open_pull(server.identity, _where(job), server.pace) as host:
        try:
            conclusion = await _of_base(job, host, server)
        except HostError:  # GitHub may also refuse to show the settings
            conclusion = policy.conclusion_without_review(None)
        await _answer(host, job, conclusion)


def _where(job: MergeGroup) -> PullRef:
    return PullRef(job.installation, job.repository, job.owner, job.name, job.number)


async def _answer(host: Host, job: MergeGroup, conclusion: CheckConclusion) -> None:
    says = PASSES if verdict.passes(conclusion) else STOPS
    await checks.answer_queue(host.other_pull(0), job.head, verdict.in_queue(conclusion), says)


async def _of_pull(host: Host, server: Server) -> CheckConclusion:
    """Without a review, a head that the owner's settings leave out passes."""
    state = await server.read_pull(host)
    settings = await server.resolve(state.file, state.shared)
    status = await conclusions.of_head(host.pull, state.facts, settings, server.store)
    if status.is_reviewed or settings.strict:
        return status.conclusion
    lacks = await checks.lacks_review(host, state.facts.head_sha)
    return policy.conclusion_without_review(settings, lacks) if lacks == "left out" else status.conclusion


async def _of_base(job: MergeGroup, host: Host, server: Server) -> CheckConclusion:
    """Return the conclusion for an unknown pull request, from the settings at the queue's base commit."""
    if not job.base:
        return policy.conclusion_without_review(None)
    file = await pull_state.settings_at(host, config.FILE, job.base)
    # The answer quotes no setting, so a private settings file counts too.
    shared = await server.shared_files(host, f"{job.owner}/{job.name}", is_private=True)
    return policy.conclusion_without_review(await server.resolve(file, shared))
