"""Decide whether a remark is addressed to us, and collect the comments before it.

A remark that was deleted is not answered. If it was edited, its current text is answered. Only the newest
comments of a thread are used.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.commands import read_mentions
from bot.render import cut
from bot.stored import markers
from bot.values import PostedComment, RemarkJob

# Characters per comment and per thread, and comments per thread
MAX_COMMENT_CHARS, MAX_THREAD_CHARS, MAX_COMMENTS = 2_000, 6_000, 16
REPLY, FINDING = "reply", "finding"  # kinds of our markers
DELETED = "the comment was deleted"
_FOOTER = re.compile(r"\n[ \t]*+<sub>")
_DISARMED = re.compile(r"&#8203;|\u200b|\\(?=[!-/:-@\[-`{-~])")

Speaker = Literal["person", "bot", "us"]


@dataclass(frozen=True, slots=True)
class ThreadComment:
    """A comment as a model sees it."""

    who: str  # a login
    kind: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class RemarkThread:
    """A remark that is addressed to us, with the comments before it."""

    comments: tuple[ThreadComment, ...]  # the last one is the remark
    omitted: int = 0  # the number of older comments that are left out
    findings: tuple[str, ...] = ()  # identities of the thread's findings
    top: str = ""  # the thread's first comment, if we wrote it
    place: str = ""  # the location ("path:line") of a thread that somebody else started

    @property
    def remark(self) -> ThreadComment:
        """The remark itself."""
        return self.comments[-1]


def from_review_thread(job: RemarkJob, thread: Sequence[PostedComment], login: str) -> RemarkThread | str:
    """Return a remark in a review thread, or a reason if it is not addressed to us.

    The thread is sorted, oldest comment first. `login` is our own.
    """
    at = next((n for n, comment in enumerate(thread) if comment.id == job.comment.id), None)
    if at is None:
        return DELETED
    top, remark = thread[0], thread[at]
    marker = markers.read(top.body) if top.ours else markers.NO_MARKER
    mentions = read_mentions(remark.body, login)
    if not mentions.us:
        if marker.kind != FINDING:
            return "it is in a thread that someone else started"
        if mentions.first:
            return "it is addressed to someone else"
        before = thread[at - 1]
        if mentions.others and not before.ours and before.author != remark.author:
            return "it answers someone else"
    marks = tuple(name for name, _ in marker.findings)
    comments = [_thread_comment(comment) for comment in thread[: at + 1]]
    visible = comments[1:] if marker.kind == FINDING and at else comments
    place = f"{top.path}:{top.line}" if top.path and top.line and not marker.kind else ""
    return replace(
        _within_limits(visible),
        findings=tuple(filter(None, marks)),
        top=_own_text(top.body) if marker.kind else "",
        place=place,
    )


def from_conversation(
    comments: Sequence[PostedComment], remark: PostedComment | None, login: str
) -> RemarkThread | str:
    """Return a remark in the conversation or in a review's body, or a reason if it is not addressed to us.

    The comments before it are those that mention us, and our replies.
    """
    if remark is None:
        return DELETED
    if not read_mentions(remark.body, login).us:
        return "it does not mention deeprepo"
    earlier = [comment for comment in comments if comment.created_at <= remark.created_at and comment.id != remark.id]
    relevant = [
        comment
        for comment in earlier
        if _is_reply(comment) or (not comment.bot and read_mentions(comment.body, login).us)
    ]
    return _within_limits([*map(_thread_comment, relevant), _thread_comment(remark)])


def _is_reply(comment: PostedComment) -> bool:
    return comment.ours and markers.read(comment.body).kind == REPLY


def _within_limits(comments: Iterable[ThreadComment]) -> RemarkThread:
    """Return the remark, which is the last comment, with the newest comments before it that fit."""
    *before, remark = comments
    room, newest = MAX_THREAD_CHARS - len(remark.text), [remark]
    for comment in reversed(before[-MAX_COMMENTS:]):
        room -= len(comment.text)
        if room < 0:
            break
        newest.insert(0, comment)
    return RemarkThread(tuple(newest), len(before) + 1 - len(newest))


def _thread_comment(comment: PostedComment) -> ThreadComment:
    kind: Speaker = "us" if comment.ours else "bot" if comment.bot else "person"
    return ThreadComment(
        comment.author,
        kind,
        _own_text(comment.body) if comment.ours else cut(comment.body.strip("\r\n"), MAX_COMMENT_CHARS),
    )


def _own_text(body: str) -> str:
    """Return the text of one of our comments as the model wrote it, without marker, escapes and footer."""
    text = body.partition("\n")[2] if markers.read(body).kind else body
    return cut(_DISARMED.sub("", _FOOTER.split(text, maxsplit=1)[0]).strip(), MAX_COMMENT_CHARS)
