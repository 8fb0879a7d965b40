"""One review on its way to the pull request: under which name, for which head, and whether anybody still wants it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bot.errors import SupersededError
from bot.github import Host
from bot.outputs import marker
from bot.publish import existing
from bot.render import Phrases
from bot.values import PostedComment, Review


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
        """The same comment, its marker saying which run wrote it."""
        facts = {**(marker.read(body) or {}), **more}
        return self.make(facts.pop("kind", ""), body.partition("\n")[2], **facts)

    def make(self, kind: str, text: str, **facts: str) -> str:
        """A comment of this run, with its marker."""
        own = {**facts, "head": self.head, "run": self.run}
        return f"{marker.make(kind, **own)}\n{text}"

    def is_mine(self, comment: PostedComment, kind: str, **facts: str) -> bool:
        """Whether this run has written this comment, of this kind and with these facts."""
        marker_facts: Mapping[str, str] = existing.facts(comment)
        expected_facts = {"kind": kind, "run": self.run, "head": self.head, **facts}
        return all(marker_facts.get(name) == value for name, value in expected_facts.items())

    async def check(self) -> None:
        """Raise SupersededError where the review speaks of something that is no longer there. Asked before each write."""
        if not await self.still_current():
            raise SupersededError("the review is no longer wanted: something newer came")
        now = await self.host.facts()
        if now.state != "open":
            raise SupersededError(f"the pull request was {'merged' if now.merged else 'closed'} in the meantime")
        if now.head_sha != self.head:
            raise SupersededError(f"the head is {now.head_sha[:10]} now, and {self.head[:10]} was reviewed")
        if now.base_ref != self.review.pull.base_name:
            raise SupersededError(f"the base is {now.base_ref} now, and {self.review.pull.base_name} was compared with")

    async def put(
        self, find: Callable[[], Awaitable[PostedComment | None]], write: Callable[[], Awaitable[PostedComment]]
    ) -> PostedComment:
        """Write one comment, once."""

        async def put_checked() -> PostedComment:
            await self.check()
            return await write()

        return await self.host.once(find, put_checked)
