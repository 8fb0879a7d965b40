"""What a review posts, and what deeprepo has already posted on the pull request, recognized only by its markers."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bot.commands.reading import own_lines, plain_lines
from bot.errors import HostRefused, SupersededError
from bot.github import Host, responses
from bot.render import Phrases
from bot.stored import markers
from bot.stored.markers import Mark, Marker
from bot.values import Finding, PostedComment, Review, Thread

# The kinds of our markers.
FINDING, FIXED, SUMMARY, REVIEW, NOTICE = "finding", "fixed", "summary", "review", "notice"
CLOSED = "closed"  # marker fact: how we closed a finding's comment, "resolved" or "hidden"
_QUESTION = re.compile(r"[?\uff1f\u061f\u037e](?:[\s)\]*_\"']|$)")
THREAD = {"is_resolved": "isResolved", "is_outdated": "isOutdated", "node_id": "id"}


@dataclass(frozen=True, slots=True)
class PostedFinding:
    """The comment of one finding, or of several in one hunk.

    `is_closed`: we have replied that they are fixed.
    """

    comment: PostedComment
    marker: Marker
    is_closed: bool
    is_resolved: bool
    hide_reason: str
    thread: str = ""  # the node id of its thread, if threads could be read
    has_question: bool = False  # whether a person's question is the last comment in its thread

    @property
    def findings(self) -> tuple[Mark, ...]:
        """The findings of the comment, each with the location that was new when it was posted."""
        return self.marker.findings

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the finding on the comment's lines."""
        return self.findings[0][0]

    @property
    def run(self) -> str:
        """The run that posted it."""
        return self.marker.facts.get("run", "")

    @property
    def is_reopened(self) -> bool:
        """Whether a person reopened the thread or unhid the comment after we closed it."""
        how = self.marker.facts.get(CLOSED)
        return (how == "resolved" and not self.is_resolved) or (how == "hidden" and not self.hide_reason)

    def names(self, findings: Iterable[Finding]) -> bool:
        """Return whether the comment is about one of these findings."""
        names = {name for finding in findings for name in (finding.identity, finding.fingerprint)}
        return not names.isdisjoint(mark for mark, _ in self.findings)

    def is_left(self, findings: Sequence[Finding]) -> bool:
        """Return whether all findings of the comment have moved away from its locations.

        An unknown location does not count as left.
        """
        marks = {name for finding in findings for name in (finding.identity, finding.fingerprint)}
        places = {
            (name, mark)
            for finding in findings
            for name in (finding.identity, finding.fingerprint)
            for mark in finding.place_marks
        }
        return all(at and mark in marks and (mark, at) not in places for mark, at in self.findings)

    @property
    def stands(self) -> bool:
        """Whether the comment still counts: not closed, and on current lines or resolved by a person.

        A thread that we resolve ourselves as outdated does not count.
        """
        is_over = self.hide_reason == "outdated" or (self.comment.is_outdated and not self.is_resolved)
        return not self.is_closed and not is_over


def commented_findings(posted_findings: Iterable[PostedFinding], run: str) -> frozenset[Mark]:
    """Return the findings that a comment of this run, or an earlier comment that still counts, is about.

    A finding without a new location is covered by any of its comments.
    """
    marks = set[Mark]()
    for finding in posted_findings:
        marks |= {*finding.findings} if finding.run == run else set()
        marks |= (
            {mark for name, at in finding.findings for mark in ((name, at), (name, ""))} if finding.stands else set()
        )
    return frozenset(marks)


def marker_of(comment: PostedComment) -> Marker:
    """Return the marker of one of deeprepo's comments; `markers.NO_MARKER` for another author's comment."""
    return markers.read(comment.body) if comment.ours else markers.NO_MARKER


async def posted_findings(host: Host) -> tuple[PostedFinding, ...]:
    """Return our findings on the pull request. If threads cannot be read, the resolved state is unknown."""
    comments = await host.comments("review")
    with suppress(HostRefused):
        return findings_of(comments, await threads(host))
    return findings_of(comments, ())


async def threads(host: Host) -> tuple[Thread, ...]:
    """Return the review threads with their state. Threads without a first comment are skipped."""
    found: list[Thread] = []
    async for node in host.client.nodes("threads", host.named):
        top = next(iter(responses.at(node, "comments.nodes") or ()), None)
        hidden = (
            str(responses.at(top, "minimizedReason") or "hidden").lower() if responses.at(top, "isMinimized") else ""
        )
        if comment := responses.at(top, "databaseId"):
            found.append(responses.value(Thread, node, THREAD, comment=comment, hidden_reason=hidden))
    return tuple(found)


def findings_of(comments: Sequence[PostedComment], threads: Sequence[Thread]) -> tuple[PostedFinding, ...]:
    """Return our findings among these comments."""
    threads_by_comment = {thread.comment: thread for thread in threads}
    read = [(comment, marker_of(comment)) for comment in comments]
    closed_threads = {comment.thread for comment, marker in read if marker.kind == FIXED}
    posted_findings = []
    for one, marker in read:
        if marker.kind == FINDING:
            thread = threads_by_comment.get(one.id, Thread(one.id, is_resolved=False, is_outdated=one.is_outdated))
            state = (one.id in closed_threads, thread.is_resolved, thread.hidden_reason)
            has_question = _has_question([each for each, of in read if each.thread == one.id and of.kind != FIXED])
            posted_findings.append(PostedFinding(one, marker, *state, thread.node_id, has_question))
    return tuple(posted_findings)


def _has_question(thread: Sequence[PostedComment]) -> bool:
    last = thread[-1]
    if last.ours or last.bot:
        return False
    return any(map(_QUESTION.search, own_lines(plain_lines(last.body))))


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
        """Raise SupersededError if the pull request no longer matches the review."""
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
