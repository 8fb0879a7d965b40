"""The server's hooks: check people's feedback whenever a job runs for a pull request."""

from bot.features.teaching.feedback import PullFeedback
from bot.github import Host
from bot.render import Safe
from bot.values import Dismissal, Finding, PostedComment
from bot.workflow.hooks import ServerHooks
from bot.workflow.server import Server


class ServerTeaching(ServerHooks):
    """Learns from rejections and reactions."""

    async def listen(self, host: Host, server: Server) -> bool:
        """Check new reactions, and return whether a rule was decided on."""
        return await PullFeedback(host, server.store).learn()

    async def on_withdrawn(
        self, finding: Finding, dismissal: Dismissal, link: str, host: Host, server: Server
    ) -> tuple[Safe, int]:
        """Propose the rule that a withdrawn finding suggests."""
        return await PullFeedback(host, server.store).propose(finding, dismissal, link)

    async def on_shown(self, number: int, comment: PostedComment, host: Host, server: Server) -> None:
        """Record which comment shows a proposal, so that reactions to it count."""
        await server.store.rules.show(host.pull.repository, number, comment.id, comment.kind)


SERVER_TEACHING = ServerTeaching()
