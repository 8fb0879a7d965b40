"""Review every pull request that has one of our check runs on a commit whose checks are all re-run."""

from bot import github
from bot.values import ChecksWanted, PullRef, ReviewAsk
from bot.workflow.jobs import Job
from bot.workflow.publish import checks
from bot.workflow.server import Server

MAX_PULLS = 10  # pull requests per commit


async def run(ask: ChecksWanted, job: Job, server: Server) -> None:
    """Store a review for each of them. Our check runs keep their numbers even if the fork was deleted."""
    where = PullRef(ask.installation, ask.repository, ask.owner, ask.name, 0)
    async with github.open_pull(server.identity, where, server.pace) as host:
        numbers = await checks.pulls_of(host, ask.head)
    for number in numbers[:MAX_PULLS]:
        pull = PullRef(ask.installation, ask.repository, ask.owner, ask.name, number, ask.account)
        await server.jobs.submit(ReviewAsk(pull, "rerun", actor=ask.actor, head=ask.head), job.delivery)
