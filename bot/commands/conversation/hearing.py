"""Decide whether a remark is addressed to us, and collect the comments before it.

A deleted remark is not answered, and an edited one is answered in its current form. Only the newest part of
the thread is kept.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.commands import read_mentions
from bot.render import cut
from bot.stored import markers
from bot.values import PostedComment, RemarkAsk

# Characters per comment and in total, and number of comments.
MOST_SPEECH, MOST_THREAD, MOST_SPEECHES = 2_000, 6_000, 16
REPLY, FINDING = "reply", "finding"  # kinds of our markers
GONE = "the comment was deleted"
_FOOT = re.compile(r"\n[ \t]*+<sub>")
_DISARMED = re.compile(r"&#8203;|\u200b|\\(?=[!-/:-@\[-`{-~])")

Speaker = Literal["person", "bot", "us"]


@dataclass(frozen=True, slots=True)
class Speech:
    """One comment of a thread, as a model sees it."""

    who: str  # a login
    kind: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class HeardRemark:
    """A remark addressed to us. `said` ends with it; `findings` are the fingerprints of its thread."""

    said: tuple[Speech, ...]
    left_out: int = 0  # older comments without room
    findings: tuple[str, ...] = ()
    top: str = ""  # our comment at the top of the thread
    place: str = ""  # location of another person's thread: "path:line"


def above(ask: RemarkAsk, thread: Sequence[PostedComment], login: str) -> HeardRemark | str:
    """Return a remark in a review thread (oldest first), or why it is not for us."""
    at = next((n for n, comment in enumerate(thread) if comment.id == ask.comment.id), None)
    if at is None:
        return GONE
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
    speeches = [_speech(comment) for comment in thread[: at + 1]]
    visible = speeches[1:] if marker.kind == FINDING and at else speeches
    place = f"{top.path}:{top.line}" if top.path and top.line and not marker.kind else ""
    return replace(
        _within_limit(visible),
        findings=tuple(filter(None, marks)),
        top=_own(top.body) if marker.kind else "",
        place=place,
    )


def below(comments: Sequence[PostedComment], remark: PostedComment | None, login: str) -> HeardRemark | str:
    """Return a remark in the conversation or a review's text, with earlier comments to us and our answers."""
    if remark is None:
        return GONE
    if not read_mentions(remark.body, login).us:
        return "it does not mention deeprepo"
    earlier = [comment for comment in comments if comment.created_at <= remark.created_at and comment.id != remark.id]
    relevant = [
        comment for comment in earlier if _reply(comment) or (not comment.bot and read_mentions(comment.body, login).us)
    ]
    return _within_limit([*map(_speech, relevant), _speech(remark)])


def _reply(comment: PostedComment) -> bool:
    return comment.ours and markers.read(comment.body).kind == REPLY


def _within_limit(speeches: Iterable[Speech]) -> HeardRemark:
    """Return the newest comments that fit, always including the remark itself."""
    *before, remark = speeches
    room, newest = MOST_THREAD - len(remark.text), [remark]
    for speech in reversed(before[-MOST_SPEECHES:]):
        room -= len(speech.text)
        if room < 0:
            break
        newest.insert(0, speech)
    return HeardRemark(tuple(newest), len(before) + 1 - len(newest))


def _speech(comment: PostedComment) -> Speech:
    kind: Speaker = "us" if comment.ours else "bot" if comment.bot else "person"
    return Speech(
        comment.author, kind, _own(comment.body) if comment.ours else cut(comment.body.strip("\r\n"), MOST_SPEECH)
    )


def _own(body: str) -> str:
    """Return our own text as the model wrote it, without marker, escapes and footer."""
    text = body.partition("\n")[2] if markers.read(body).kind else body
    return cut(_DISARMED.sub("", _FOOT.split(text, maxsplit=1)[0]).strip(), MOST_SPEECH)
