"""One review being published: its run, its head, and whether it is still wanted."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.errors import HostRefused, SupersededError
from bot.github import Host
from bot.render import Phrases
from bot.stored import markers
from bot.values import PostedComment, Review
from bot.workflow.publish.existing import NOTICE, SUMMARY, marker_of


@dataclass(frozen=True, slots=True)
class Publication:
    """What every publishing step needs. `run` does not change when a dead process's work is repeated."""

    host: Host
    review: Review
    run: str
    words: Phrases
    still_current: Callable[[], Awaitable[bool]]

    @property
    def head(self) -> str:
        """The commit that was reviewed."""
        return self.review.pull.head

    def sign(self, body: str, **more: str) -> str:
        """Return the comment with this run in its marker."""
        own = markers.read(body)
        return self.make(own.kind, body.partition("\n")[2], **{**own.facts, **more})

    def make(self, kind: str, text: str, **facts: str) -> str:
        """Return a comment of this run, with its marker."""
        marker_facts = {**facts, **markers.of_scope(self.host.bot_identity.scope), "head": self.head, "run": self.run}
        return f"{markers.make(kind, **marker_facts)}\n{text}"

    def is_mine(self, comment: PostedComment, kind: str, **facts: str) -> bool:
        """Return whether this run wrote this comment, of this kind and with these facts."""
        own = marker_of(comment)
        expected_facts = {"run": self.run, "head": self.head, **facts}
        return own.kind == kind and all(own.facts.get(name) == value for name, value in expected_facts.items())

    async def check(self) -> None:
        """Raise SupersededError if the pull request no longer matches the review.

        Called before each write.
        """
        if not await self.still_current():
            raise SupersededError("a newer event replaced this review")
        now = await self.host.facts()
        if now.state != "open":
            raise SupersededError(f"the pull request was {'merged' if now.merged else 'closed'} during the review")
        if now.head_sha != self.head:
            raise SupersededError(f"the head is now {now.head_sha[:10]}, but {self.head[:10]} was reviewed")
        if now.base_ref != self.review.pull.base_name:
            raise SupersededError(f"the base is now {now.base_ref}, but the review used {self.review.pull.base_name}")

    async def put(
        self, find: Callable[[], Awaitable[PostedComment | None]], write: Callable[[], Awaitable[PostedComment]]
    ) -> PostedComment:
        """Write one comment, once."""

        async def put_checked() -> PostedComment:
            await self.check()
            return await write()

        return await self.host.write_once(find, put_checked)

    async def put_summary(self, body: str, facts: Mapping[str, str]) -> PostedComment:
        """Write the summary or update the existing one, and delete further summaries and notices."""
        comments = await self.host.comments()
        posted, notices = _of_kind(comments, SUMMARY), _of_kind(comments, NOTICE)
        text = self.sign(body, **facts)
        # A duplicate whose answer was lost, or the reason why there was no review.
        for comment in (*posted[1:], *notices):
            await self.host.delete(comment)
        if not posted:
            return await self._write_summary(text)
        if same(posted[0].body, text):
            return posted[0]
        await self.check()
        try:
            return await self.host.edit_comment(posted[0].id, text)
        except HostRefused as refusal:
            if refusal.status != NOT_FOUND:
                raise
        return await self._write_summary(text)  # somebody has just deleted it

    async def _write_summary(self, text: str) -> PostedComment:
        async def find() -> PostedComment | None:
            return next(iter(await summaries(self.host)), None)

        return await self.put(find, lambda: self.host.comment(text))


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What was published: findings on the diff, findings in the summary, and sentences for the log."""

    posted_count: int
    listed_count: int
    summary_url: str
    notes: tuple[str, ...] = ()


NOT_FOUND = 404


async def summaries(host: Host) -> list[PostedComment]:
    """Return our summaries; more than one only if an answer was lost."""
    return _of_kind(await host.comments(), SUMMARY)


async def other_reviewers(host: Host) -> list[str]:
    """Return the logins of other bots whose comments are deeprepo summaries, such as an App next to a workflow."""
    comments = await host.comments()
    others = {each.author for each in comments if each.bot and markers.read(each.body).kind == SUMMARY}
    return sorted(others - {host.bot_identity.login})


def _of_kind(comments: Iterable[PostedComment], kind: str) -> list[PostedComment]:
    return [comment for comment in comments if marker_of(comment).kind == kind]


def same(one: str, other: str) -> bool:
    """Return whether two texts are equal except for line endings and trailing space, which GitHub changes."""
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()
