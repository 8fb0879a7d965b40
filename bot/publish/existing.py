"""What deeprepo has posted on the pull request already, recognised by its own markers and by nothing else."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from bot.errors import HostRefused
from bot.github import Host, shapes
from bot.outputs import marker
from bot.values import Finding, PostedComment, Thread

FINDING, FIXED, SUMMARY, REVIEW = "finding", "fixed", "summary", "review"  # the kinds of our markers
THREAD = {"is_resolved": "isResolved", "is_outdated": "isOutdated", "node_id": "id"}
SOON = 300  # seconds from the making of a marker to its comment; clocks differ
LONGEST_TIME = 12  # digits


@dataclass(frozen=True, slots=True)
class PostedFinding:
    """The comment of one finding, or of several in one hunk. `is_closed`: we have answered that they are fixed.

    `at`: the line on the day it was written; `also`: the same of the other findings, as fingerprint and line.
    """

    comment: PostedComment
    fingerprint: str
    at: str
    run: str
    is_closed: bool
    is_resolved: bool
    hide_reason: str
    also: tuple[tuple[str, str], ...] = ()
    thread: str = ""  # the node id of its thread, where threads could be asked for
    certain: bool = True  # whether nobody else can have written its marker

    @property
    def findings(self) -> tuple[tuple[str, str], ...]:
        """All that it is about: fingerprint and line."""
        return ((self.fingerprint, self.at), *self.also)

    def names(self, findings: Iterable[Finding]) -> bool:
        """Whether it is about one of these findings."""
        names = {name for finding in findings for name in (finding.identity, finding.fingerprint)}
        return not names.isdisjoint(mark for mark, _ in self.findings)

    @property
    def stands(self) -> bool:
        """Whether it still speaks: on lines that are there. What a person has resolved is not posted again either."""
        return not self.is_closed and (self.is_resolved or not self.comment.is_outdated)


def unsaid(
    posted_findings: Iterable[PostedFinding], keys: Iterable[tuple[str, str]], run: str
) -> frozenset[tuple[str, str]]:
    """Those of the findings (fingerprint, line) that have no comment. One comment stands for one finding, whatever its author."""
    own, others = set[tuple[str, str]](), Counter[str]()
    for one in posted_findings:
        if one.run == run:
            own |= {*one.findings}
        elif one.stands:
            others.update(mark for mark, _ in one.findings)
    left = []
    for fingerprint, at in keys:
        if (fingerprint, at) in own:
            continue
        others[fingerprint] -= 1
        left += [(fingerprint, at)] if others[fingerprint] < 0 else []
    return frozenset(left)


def mode(host: Host) -> str:
    """Under which of our two names we write."""
    return "app" if host.voice.app else "action"


def facts(comment: PostedComment, host: Host) -> Mapping[str, str]:
    """The facts of the marker of one of deeprepo's comments; nothing if it is not its own, or was written under our other name."""
    marker_facts, ours = marker.read(comment.body) if comment.ours else None, mode(host)
    return marker_facts if marker_facts and marker_facts.get("mode", ours) == ours else {}


def make(host: Host, kind: str, text: str, place: str, **facts: str) -> str:
    """A comment with its marker; signed for its place if there is something to sign with. `place`: see `_place`.

    It is bound by the time at which it is written, and by the comment's number (the fact `id`) if the comment exists.
    """
    if host.voice.app or host.voice.seal is None:
        return f"{marker.make(kind, **facts)}\n{text}"
    bound = {**facts, "at_time": str(int(time.time()))}
    where = f"{host.pull.key}:{place}"
    return f"{marker.sign(host.voice.seal, where, _content(kind, text), kind, **bound)}\n{text}"


def decisive(comment: PostedComment, host: Host) -> Mapping[str, str]:
    """The facts of a marker that may decide something; nothing if it is not ours for certain.

    GitHub attests what an App has written. Under the login of a workflow every other workflow of the repository writes too, and one
    that repeats a stranger's words repeats our marker: there a marker counts if it is signed for this very comment.
    """
    marker_facts, voice = facts(comment, host), host.voice
    if not marker_facts or voice.app:
        return marker_facts
    where = f"{host.pull.key}:{_place(comment)}"
    text = comment.body.replace("\r\n", "\n").partition("\n")[2]
    if voice.seal is None or not marker.is_attested(
        marker_facts, voice.seal, where, _content(marker_facts.get("kind", ""), text)
    ):
        return {}
    return marker_facts if _bound(marker_facts, comment) else {}


def _bound(marker_facts: Mapping[str, str], comment: PostedComment) -> bool:
    """Whether a marker was made for this comment, not for one from which it was copied, and not for an earlier text of it.

    Only the summary is edited: its marker has to be as old as the last change of its text, which GitHub attests.
    """
    if marker_facts.get("id", str(comment.id)) != str(comment.id):
        return False
    time_written = (
        comment.updated_at
        if marker_facts.get("kind") == SUMMARY
        else ""
        if "id" in marker_facts
        else comment.created_at
    )
    time_signed = _time_signed(marker_facts)
    return (
        bool(time_signed and time_written)
        and abs(datetime.fromisoformat(time_written).timestamp() - time_signed) <= SOON
    )


def _time_signed(marker_facts: Mapping[str, str]) -> int:
    """When a signed marker was made, in seconds; 0 if it does not tell."""
    time_text = marker_facts.get("at_time", "")
    return int(time_text) if time_text.isdecimal() and len(time_text) <= LONGEST_TIME else 0


async def is_outdated(one: PostedComment, host: Host) -> bool:
    """Whether a run after the one that wrote this summary has posted something: then somebody has put an older text back."""
    if host.voice.app or host.voice.seal is None:
        return False
    own = decisive(one, host)
    others = [decisive(each, host) for each in (*await host.comments("review"), *await host.comments("whole"))]
    runs = (
        other
        for other in others
        if other.get("kind") in (FINDING, FIXED, REVIEW) and other.get("run") != own.get("run")
    )
    return any(_time_signed(other) > _time_signed(own) for other in runs)


def _place(comment: PostedComment) -> str:
    """Where a comment is, as its marker is bound to it: in the conversation, in a thread, or on a file."""
    if comment.kind != "review":
        return comment.kind
    return f"thread {comment.thread}" if comment.thread not in (0, comment.id) else f"file {comment.path}"


def _content(kind: str, text: str) -> str:
    """What below a marker is signed with it: the words of a finding, with which people argue, else the state of a round."""
    if kind == FINDING:
        return " ".join(text.split())
    first = text.partition("\n")[0]
    return first if first.startswith("<!-- deeprepo-state:") else ""


async def look(host: Host) -> tuple[PostedFinding, ...]:
    """Our findings that are there now. That threads cannot be asked for hides who resolved what, and stops nothing."""
    comments = await host.comments("review")
    with suppress(HostRefused):
        return standing(comments, await threads(host), host)
    return standing(comments, (), host)


async def threads(host: Host) -> tuple[Thread, ...]:
    """The review threads with what people and pushes have made of them; those whose top comment is gone are left out."""
    found: list[Thread] = []
    async for node in host.client.nodes("threads", host.named):
        top = next(iter(shapes.at(node, "comments.nodes") or ()), None)
        hidden = str(shapes.at(top, "minimizedReason") or "hidden").lower() if shapes.at(top, "isMinimized") else ""
        if comment := shapes.at(top, "databaseId"):
            found.append(shapes.value(Thread, node, THREAD, comment=comment, hidden_reason=hidden))
    return tuple(found)


def standing(comments: Sequence[PostedComment], threads: Sequence[Thread], host: Host) -> tuple[PostedFinding, ...]:
    """Our findings among these comments."""
    threads_by_comment = {thread.comment: thread for thread in threads}
    read = [(one, facts(one, host)) for one in comments]
    closed_threads = {
        one.thread
        for one, marker_facts in read
        if marker_facts.get("kind") == FIXED and (host.voice.seal is None or decisive(one, host))
    }
    posted_findings = []
    for one, marker_facts in read:
        if marker_facts.get("kind") != FINDING:
            continue
        thread = threads_by_comment.get(one.id, Thread(one.id, is_resolved=False, is_outdated=one.is_outdated))
        where = (marker_facts.get("fingerprint", ""), marker_facts.get("at", ""), marker_facts.get("run", ""))
        also = tuple(
            (mark, at) for mark, _, at in (each.partition("@") for each in marker_facts.get("also", "").split())
        )
        posted_findings.append(
            PostedFinding(
                one,
                *where,
                one.id in closed_threads,
                thread.is_resolved,
                thread.hidden_reason,
                also,
                thread.node_id,
                certain=bool(decisive(one, host)),
            )
        )
    return tuple(posted_findings)
