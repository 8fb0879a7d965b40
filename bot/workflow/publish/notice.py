"""Post one comment about why there is no review, if GitHub accepts no check run."""

from functools import partial

from bot.github import Host
from bot.render import Phrases, comment
from bot.stored import markers
from bot.values import PostedComment
from bot.workflow.publish.publication import NOTICE, marker_of


async def put(host: Host, words: Phrases, says: str, refusal: str) -> None:
    """Post or update the comment. `refusal` is the reason why GitHub accepts no check run."""
    body = f"{markers.make(NOTICE, **markers.of_scope(host.bot_identity.scope))}\n{comment('publish/notice.md.j2', words, says=says, refusal=refusal)}"

    async def find() -> PostedComment | None:
        return next((comment for comment in await host.comments() if marker_of(comment).kind == NOTICE), None)

    posted = await host.write_once(find, partial(host.comment, body))
    if posted.body.split() != body.split():
        await host.edit_comment(posted.id, body)
