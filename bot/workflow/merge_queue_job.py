"""Answer a merge queue, which waits for our check on its own commit.

The changes in the queue were reviewed as pull requests.
"""

from bot import config, github
from bot.config import policy
from bot.errors import HostError
from bot.github import Host
from bot.values import CheckConclusion, MergeGroup, PullRef
from bot.workflow import conclusions, pull_state
from bot.workflow.jobs import Job
from bot.workflow.publish import checks
from bot.workflow.server import Server, ignore_missing_on_last_try

PASSES, STOPS = "check_queue", "check_queue_stops"  # message keys


async def run(ask: MergeGroup, job: Job, server: Server) -> None:
    """Answer with the conclusion of the queued pull request's head. A second answer changes nothing.

    If GitHub does not give that conclusion, there is no answer yet, and a queue that requires the check
    waits.
    """
    async with github.open_pull(server.identity, _where(ask), server.pace) as host:
        conclusion: CheckConclusion | None = None
        with ignore_missing_on_last_try(
            job, after=1
        ):  # a queued pull request is old enough for every replica to know it
            conclusion = await _of_pull(host, server) if ask.number else None
        await _answer(host, ask, conclusion or await _of_base(ask, host, server))


async def stop(ask: MergeGroup, server: Server) -> None:
    """Answer a queue whose pull request could not be read.

    The queue goes on only if surely no threshold is set.
    """
    async with github.open_pull(server.identity, _where(ask), server.pace) as host:
        try:
            conclusion = await _of_base(ask, host, server)
        except HostError:  # GitHub may also refuse to show the settings
            conclusion = "failure"
        await _answer(host, ask, conclusion)


def _where(ask: MergeGroup) -> PullRef:
    """Return the queued pull request."""
    return PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)


async def _answer(host: Host, ask: MergeGroup, conclusion: CheckConclusion) -> None:
    if conclusion == "failure":
        await checks.answer_queue(host.other_pull(0), ask.head, "failure", STOPS)
    else:
        await checks.answer_queue(host.other_pull(0), ask.head, "success", PASSES)


async def _of_pull(host: Host, server: Server) -> CheckConclusion:
    """Return the conclusion of the pull request's head.

    Without a review, a head that the owner's settings leave out passes.
    """
    state = await server.read_pull(host)
    settings = await server.resolve(state.file, state.shared)
    status = await conclusions.of_head(host.pull, state.facts, settings, server.store)
    if status.is_reviewed or settings.strict:
        return status.conclusion
    return "neutral" if await checks.is_left_out(host, state.facts.head_sha) else status.conclusion


async def _of_base(ask: MergeGroup, host: Host, server: Server) -> CheckConclusion:
    """Return the conclusion for an unknown pull request, from the settings at the queue's base commit."""
    if not ask.base:
        return "failure"
    file = await pull_state.settings_at(host, config.FILE, ask.base)
    # The answer quotes no setting, so a private settings file counts too.
    shared = await server.shared_files(host, f"{ask.owner}/{ask.name}", is_private=True)
    return policy.conclusion_without_review(await server.resolve(file, shared))
