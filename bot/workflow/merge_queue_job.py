"""The answer to a merge queue, which waits for our check on a commit of its own: its changes were reviewed as pull requests."""

from bot import config, github
from bot.config import policy
from bot.errors import HostError
from bot.github import Host
from bot.values import CheckConclusion, MergeGroup, PullRef
from bot.workflow import conclusions, pull_state
from bot.workflow.jobs import Job
from bot.workflow.publish import checks
from bot.workflow.server import Server, unless_gone

PASSES, STOPS = "check_queue", "check_queue_stops"  # the keys of the answers


async def run(ask: MergeGroup, job: Job, server: Server) -> None:
    """Answer with what the head of the pull request at this place of the queue comes to. A second answer changes nothing.

    If GitHub refuses to tell, there is no answer yet, and a queue that requires it waits.
    """
    async with github.open_pull(server.identity, _where(ask), server.pace) as host:
        conclusion: CheckConclusion | None = None
        with unless_gone(job, after=1):  # what is in a queue was there long before: no replica is late
            conclusion = await _of_pull(host, server) if ask.number else None
        await _answer(host, ask, conclusion or await _of_base(ask, host, server))


async def stop(ask: MergeGroup, server: Server) -> None:
    """Answer where nobody could find out how the pull request stands: the queue goes on if it is certain that no bar is set."""
    async with github.open_pull(server.identity, _where(ask), server.pace) as host:
        try:
            conclusion = await _of_base(ask, host, server)
        except HostError:  # what it would take to know that no bar is set may be refused as well
            conclusion = "failure"
        await _answer(host, ask, conclusion)


def _where(ask: MergeGroup) -> PullRef:
    """The pull request at this place of the queue."""
    return PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)


async def _answer(host: Host, ask: MergeGroup, conclusion: CheckConclusion) -> None:
    if conclusion == "failure":
        await checks.answer_queue(host.beside(0), ask.head, "failure", STOPS)
    else:
        await checks.answer_queue(host.beside(0), ask.head, "success", PASSES)


async def _of_pull(host: Host, server: Server) -> CheckConclusion:
    """What the head of the pull request comes to. Without a review of it: what the owner's own settings leave out passes."""
    state = await server.read_pull(host)
    settings = await server.resolve(state.file, state.shared)
    status = await conclusions.of_head(host.pull, state.facts, settings, server.store)
    if status.is_reviewed or settings.strict:
        return status.conclusion
    return "neutral" if await checks.is_left_out(host, state.facts.head_sha) else status.conclusion


async def _of_base(ask: MergeGroup, host: Host, server: Server) -> CheckConclusion:
    """What a queue gets whose pull request is not known: it stops at the bar of the commit that the queue builds upon."""
    if not ask.base:
        return "failure"
    file = await pull_state.text_at(host, config.FILE, ask.base)
    # The answer quotes no setting, so a private file of the owner counts too.
    shared = await server.shared_files(host, f"{ask.owner}/{ask.name}", is_private=True)
    return policy.without_review(await server.resolve(file, shared))
