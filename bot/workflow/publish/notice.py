"""A comment that says why there is no review, where GitHub takes no check run: one, until a review is posted."""

from functools import partial

from bot.github import Host
from bot.outputs import marker
from bot.render import Phrases, comment
from bot.values import PostedComment
from bot.workflow.publish.existing import NOTICE, facts


async def put(host: Host, words: Phrases, says: str, refusal: str) -> None:
    """Say it, once. `refusal`: why GitHub takes no check run."""
    body = f"{marker.make(NOTICE)}\n{comment('publish/notice.md.j2', words, says=says, refusal=refusal)}"

    async def find() -> PostedComment | None:
        return next((comment for comment in await host.comments() if facts(comment).get("kind") == NOTICE), None)

    posted = await host.once(find, partial(host.comment, body))
    if posted.body.split() != body.split():
        await host.edit_comment(posted.id, body)
