"""One review on its way to the pull request: under which name, for which head, and whether anybody still wants it."""

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
    """What every step of publishing needs. `run` is the same when a dead process's work is done again."""

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
        """Return the same comment, its marker saying which run wrote it."""
        own = markers.read(body)
        return self.make(own.kind, body.partition("\n")[2], **{**own.facts, **more})

    def make(self, kind: str, text: str, **facts: str) -> str:
        """Return a comment of this run, with its marker."""
        marker_facts = {**facts, **markers.of_scope(self.host.voice.scope), "head": self.head, "run": self.run}
        return f"{markers.make(kind, **marker_facts)}\n{text}"

    def is_mine(self, comment: PostedComment, kind: str, **facts: str) -> bool:
        """Return whether this run has written this comment, of this kind and with these facts."""
        own = marker_of(comment)
        expected_facts = {"run": self.run, "head": self.head, **facts}
        return own.kind == kind and all(own.facts.get(name) == value for name, value in expected_facts.items())

    async def check(self) -> None:
        """Raise SupersededError where the review speaks of something that is no longer there. Asked before each write."""
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

        return await self.host.once(find, put_checked)

    async def put_summary(self, body: str, facts: Mapping[str, str]) -> PostedComment:
        """Write the summary, or bring the one that is there up to date. More than one never stays."""
        comments = await self.host.comments()
        posted, notices = _of_kind(comments, SUMMARY), _of_kind(comments, NOTICE)
        text = self.sign(body, **facts)
        for comment in (*posted[1:], *notices):  # an answer that was lost and found too late; why there was no review
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
        return await self._write_summary(text)  # somebody has deleted it this moment

    async def _write_summary(self, text: str) -> PostedComment:
        async def find() -> PostedComment | None:
            return next(iter(await summaries(self.host)), None)

        return await self.put(find, lambda: self.host.comment(text))


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What is on the pull request now: findings on the diff, findings in the summary, and sentences for the log."""

    posted_count: int
    listed_count: int
    summary_url: str
    notes: tuple[str, ...] = ()


NOT_FOUND = 404


async def summaries(host: Host) -> list[PostedComment]:
    """Return the summary as it is now; more than one only after an answer that was lost."""
    return _of_kind(await host.comments(), SUMMARY)


def _of_kind(comments: Iterable[PostedComment], kind: str) -> list[PostedComment]:
    return [comment for comment in comments if marker_of(comment).kind == kind]


def same(one: str, other: str) -> bool:
    """Return whether two texts say the same; GitHub keeps neither the line ends nor the blank end of what it was sent."""
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()
