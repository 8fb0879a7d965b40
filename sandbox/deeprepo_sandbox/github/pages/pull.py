"""A pull request as the page shows it: plain values for the template, in the order in which things were posted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from deeprepo_sandbox.github import git
from deeprepo_sandbox.github.bodies.comments import place
from deeprepo_sandbox.github.diffs import Hunk, read
from deeprepo_sandbox.github.pages import code, markdown, suggestions
from deeprepo_sandbox.github.things import Check, Comment, Pull, Review, ReviewComment
from deeprepo_sandbox.github.world import World

EMOJI = {
    "+1": "👍",
    "-1": "👎",
    "laugh": "😄",
    "hooray": "🎉",
    "confused": "😕",
    "heart": "❤️",
    "rocket": "🚀",
    "eyes": "👀",
}
REVIEWED = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "requested changes",
    "DISMISSED": "requested changes (dismissed)",
}


SHOWN = 4  # lines of the diff above a comment


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a diff."""

    kind: str
    old: int | None
    new: int | None
    text: Markup


@dataclass(frozen=True, slots=True)
class CommentText:
    """One text of somebody."""

    id: int
    anchor: str
    who: str
    bot: bool
    when: datetime
    html: Markup
    hide_reason: str
    reactions: tuple[tuple[str, int], ...]
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread on the diff with the lines that it is about."""

    id: int
    path: str
    where: str
    rows: tuple[Row, ...]
    comments: tuple[CommentText, ...]
    is_outdated: bool
    is_resolved: bool
    suggests: bool  # a click can commit it


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the conversation: a comment, a review with its threads, or a commit."""

    kind: str
    when: datetime
    comment_text: CommentText | None = None
    verb: str = ""
    threads: tuple[Thread, ...] = ()
    sha: str = ""
    text: str = ""


async def events(pull: Pull) -> tuple[Event, ...]:
    """The conversation, oldest first."""
    found = [Event("comment", one.created_at, _comment_text(one)) for one in pull.comments]
    for review in pull.reviews:
        entry = await _review_event(pull, review)
        found += [entry] if entry else []
    found += await _commits(pull)
    return tuple(sorted(found, key=lambda event: event.when))


async def _review_event(pull: Pull, review: Review) -> Event | None:
    """A review; None for one that is but a reply, which stands in its thread."""
    tops = [one for one in pull.review_comments if one.review == review.id and one.reply_to is None]
    if review.state == "PENDING" or not (tops or review.body):
        return None
    threads = tuple([await _thread(pull, top) for top in tops])
    return Event("review", review.created_at, _comment_text(review), REVIEWED.get(review.state, "reviewed"), threads)


async def _thread(pull: Pull, top: ReviewComment) -> Thread:
    line, _ = await place(pull, top)
    inside = [top, *(one for one in pull.review_comments if one.reply_to == top.id)]
    replaced = await _old_lines(pull, top)
    where = f"line {top.line}" if top.line else "the whole file"
    if top.start_line:
        where = f"lines {top.start_line} to {top.line}"
    shown = rows(hunks[0], top.path) if (hunks := read(top.hunk)) else ()
    wanted = max(SHOWN, (top.line or 0) - (top.start_line or top.line or 0) + 1)
    return Thread(
        top.id,
        top.path,
        where + (" before the change" if top.side == "LEFT" else ""),
        shown[-wanted:],
        tuple(_comment_text(one, replaced) for one in inside),
        top.subject == "line" and line is None,
        top.is_resolved,
        await suggestions.ready(pull, top),
    )


async def _old_lines(pull: Pull, top: ReviewComment) -> Sequence[str]:
    """The lines that a suggestion stands for."""
    if top.line is None or top.side == "LEFT":
        return ()
    text = await git.text(pull.repository.git, "show", f"{top.commit}:{top.path}")
    return text.split("\n")[(top.start_line or top.line) - 1 : top.line]


async def _commits(pull: Pull) -> list[Event]:
    span = f"{pull.base_sha}..{pull.head_sha}"
    out = await git.text(pull.repository.git, "log", "--reverse", "--format=%H%x00%an%x00%cI%x00%s", span)
    rows = [line.split("\0") for line in out.splitlines()]
    found = []
    for sha, who, when, text in rows:  # a commit made long ago is shown where it came in
        arrived = pull.push_times.get(sha) or max(datetime.fromisoformat(when), pull.created_at)
        found.append(Event("commit", arrived, sha=sha, verb=who, text=text))
    return found


def _comment_text(one: Comment, old_lines: Sequence[str] = ()) -> CommentText:
    counts = {name: sum(reaction.content == name for reaction in one.reactions) for name in EMOJI}
    kind = {Review: "pullrequestreview-", ReviewComment: "discussion_r"}.get(type(one), "issuecomment-")
    return CommentText(
        one.id,
        f"{kind}{one.id}",
        one.user.login.removesuffix("[bot]"),
        one.user.type == "Bot",
        one.created_at,
        markdown.html(one.body, old_lines),
        one.hide_reason,
        tuple((EMOJI[name], count) for name, count in counts.items() if count),
        one.updated_at > one.created_at,
    )


def rows(hunk: Hunk, path: str) -> tuple[Row, ...]:
    """The lines of a hunk."""
    kinds = {"+": "add", "-": "del"}
    pairs = zip(hunk.lines, hunk.numbers(), strict=True)
    return tuple(Row(kinds.get(text[:1], ""), old, new, code.line(text[1:], path)) for text, (old, new) in pairs)


def checks(pull: Pull) -> list[Check]:
    """The latest check run of each name on the head."""
    return list({one.name: one for one in pull.checks}.values())


def version(world: World, pull: Pull) -> str:
    """Something that is another text as soon as the page would be another."""
    comments = (*pull.comments, *pull.review_comments, *pull.reviews)
    written = [(one.id, one.updated_at, one.hide_reason, len(one.reactions)) for one in comments]
    ran = [(one.id, one.status, one.title, one.summary) for one in pull.checks]
    resolved = [one.id for one in pull.review_comments if one.is_resolved]
    facts = (pull.head_sha, pull.state, pull.draft, len(world.offers), tuple(written), tuple(ran), tuple(resolved))
    return str(hash(facts))
