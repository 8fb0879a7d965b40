"""What deeprepo has posted on the pull request already, recognised by its own markers and by nothing else."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bot.commands.reading import own_lines, plain_lines
from bot.errors import HostRefused
from bot.github import Host, shapes
from bot.stored import markers
from bot.stored.markers import Mark, Marker
from bot.values import Finding, PostedComment, Thread

# The kinds of our markers.
FINDING, FIXED, SUMMARY, REVIEW, NOTICE = "finding", "fixed", "summary", "review", "notice"
CLOSED = "closed"  # a fact of a finding's comment: how we closed it, "resolved" or "hidden"
_QUESTION = re.compile(r"[?\uff1f\u061f\u037e](?:[\s)\]*_\"']|$)")
THREAD = {"is_resolved": "isResolved", "is_outdated": "isOutdated", "node_id": "id"}


@dataclass(frozen=True, slots=True)
class PostedFinding:
    """The comment of one finding, or of several in one hunk. `is_closed`: we have answered that they are fixed."""

    comment: PostedComment
    marker: Marker
    is_closed: bool
    is_resolved: bool
    hide_reason: str
    thread: str = ""  # the node id of its thread, where threads could be asked for
    has_question: bool = False  # the last word in its thread is a person's, who asks something

    @property
    def findings(self) -> tuple[Mark, ...]:
        """The findings that it is about, each with the place that was new when it was posted."""
        return self.marker.findings

    @property
    def fingerprint(self) -> str:
        """The finding on whose lines it stands."""
        return self.findings[0][0]

    @property
    def run(self) -> str:
        """The run that posted it."""
        return self.marker.facts.get("run", "")

    @property
    def is_reopened(self) -> bool:
        """Whether a person has opened its thread again, or shown its comment again, after we closed it."""
        how = self.marker.facts.get(CLOSED)
        return (how == "resolved" and not self.is_resolved) or (how == "hidden" and not self.hide_reason)

    def names(self, findings: Iterable[Finding]) -> bool:
        """Return whether it is about one of these findings."""
        names = {name for finding in findings for name in (finding.identity, finding.fingerprint)}
        return not names.isdisjoint(mark for mark, _ in self.findings)

    def is_left(self, findings: Sequence[Finding]) -> bool:
        """Return whether all of these findings have lost the places that it is about, and are at others. A place that is not known is not lost."""
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
        """Whether it still speaks: on lines that are there, or in a thread that a person resolved. Our own resolving marks it as outdated."""
        is_over = self.hide_reason == "outdated" or (self.comment.is_outdated and not self.is_resolved)
        return not self.is_closed and not is_over


def told(posted_findings: Iterable[PostedFinding], run: str) -> frozenset[Mark]:
    """Return what has a comment of this run, or an earlier one that still speaks: of a finding with no new place any of its comments does."""
    marks = set[Mark]()
    for finding in posted_findings:
        marks |= {*finding.findings} if finding.run == run else set()
        marks |= (
            {mark for name, at in finding.findings for mark in ((name, at), (name, ""))} if finding.stands else set()
        )
    return frozenset(marks)


def marker_of(comment: PostedComment) -> Marker:
    """Return the marker of one of deeprepo's comments; `markers.NO_MARKER` if it is somebody else's."""
    return markers.read(comment.body) if comment.ours else markers.NO_MARKER


async def posted_findings(host: Host) -> tuple[PostedFinding, ...]:
    """Return our findings that are there now. That threads cannot be asked for hides who resolved what, and stops nothing."""
    comments = await host.comments("review")
    with suppress(HostRefused):
        return findings_of(comments, await threads(host))
    return findings_of(comments, ())


async def threads(host: Host) -> tuple[Thread, ...]:
    """Return the review threads with what people and pushes have made of them; those whose top comment is gone are left out."""
    found: list[Thread] = []
    async for node in host.client.nodes("threads", host.named):
        top = next(iter(shapes.at(node, "comments.nodes") or ()), None)
        hidden = str(shapes.at(top, "minimizedReason") or "hidden").lower() if shapes.at(top, "isMinimized") else ""
        if comment := shapes.at(top, "databaseId"):
            found.append(shapes.value(Thread, node, THREAD, comment=comment, hidden_reason=hidden))
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
    """Return whether the last word in a thread is a person's, who asks something. Quotes and code ask nothing."""
    last = thread[-1]
    if last.ours or last.bot:
        return False
    return any(map(_QUESTION.search, own_lines(plain_lines(last.body))))
