"""What people have said of findings since the last job: rejections become proposals of rules, reactions on proposals decide.

GitHub sends no event for a reaction, so they are read when a review or a command of the pull request runs, and when it is closed. Only
people with write permission teach anything. Everything here may be done again after a crash: a rejection is noted last, a proposal is found
by its kind and path, and its comment by our marker.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from weakref import WeakValueDictionary

from bot import commands
from bot.commands import proposing, rejecting
from bot.commands.carrying import WRITERS
from bot.commands.target import mentioned, read
from bot.errors import HostError, HostRefused
from bot.github import Host
from bot.outputs import marker
from bot.publish import existing
from bot.publish.existing import PostedFinding
from bot.render import Phrases, Safe, load
from bot.storage import Store
from bot.storage.people import Feedback
from bot.values import CommentRef, Finding, LearnedRule, Posted, PullRef, Rejection, RuleState

RULE = "rule"  # the kind of our marker
# Comments whose reactions, people whose permission, rejections that one job reads.
MOST_LISTED, MOST_ASKED, MOST_LEARNED = (25, 20, 10)
YES, NO = "+1", "-1"
SKEW = 60.0  # seconds by which the clocks of a database and of a server may differ
_TURNS: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@dataclass(slots=True)
class _Writers:
    """Who may write to the repository. Not frozen: each person is asked for once, and only so many."""

    host: Host
    known: dict[str, bool] = field(default_factory=dict)

    async def has(self, login: str) -> bool:
        """Whether this person may; of too many people nobody more."""
        if login not in self.known and len(self.known) < MOST_ASKED:
            self.known[login] = False
            with suppress(HostRefused):
                self.known[login] = await self.host.permission(login) in WRITERS
        return self.known.get(login, False)


@dataclass(frozen=True, slots=True)
class _Said:
    """A rejection: who, how, where, and in which words of their own."""

    who: str
    how: Rejection
    link: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Rejected:
    """A finding that somebody has rejected. `sure`: it counts as rejected; with others in its comment it may not have been meant."""

    one: PostedFinding
    finding: Finding
    said: _Said
    sure: bool


async def learn(pull: PullRef, host: Host, language: str, store: Store, since: float) -> bool:
    """Read what is new, decide on proposals, and propose rules in the threads where they arose.

    Returns whether a rule of the repository was decided on after `since`, when the job was stored: the answer is the same for an attempt
    that repeats one that was killed. Raises HostError's kinds.
    """
    async with _TURNS.setdefault(pull.key, asyncio.Lock()):  # a review and a command may both be here
        writers = _Writers(host)
        await _decide(pull, writers, load(language), store)
        if await store.reviews.heads(pull):
            for each in (await _rejected(pull, writers, store))[:MOST_LEARNED]:
                await _propose(pull, each, host, load(language), store)
        return await store.rules.decided(pull.repository, since - SKEW)


async def _rejected(pull: PullRef, writers: _Writers, store: Store) -> list[_Rejected]:
    """The findings that somebody has rejected since. Of a comment about several, all, or those whose numbers a reply names."""
    comments = await writers.host.review_comments()
    done = {fingerprint for fingerprint, *_ in await store.people.told(pull)}
    ours = existing.standing(comments, (), writers.host)
    told = [(one, tuple(_replies(one, comments, writers.host.voice.login))) for one in ours]
    left = [(one, replies) for one, replies in told if replies or one.posted.disliked]
    left = [(one, replies) for one, replies in left if not done.issuperset(mark for mark, _ in one.findings)]
    last = await asyncio.to_thread(read, await store.reviews.last(pull)) if left else None
    if last is None:
        return []
    found: list[_Rejected] = []
    asked = 0
    for one, replies in left:
        known = (last.by_identity(mark) for mark in dict.fromkeys(mark for mark, _ in one.findings))
        here = [finding for finding in known if finding is not None]
        for said in replies:
            new = [finding for finding in _meant(said, here) if finding.identity not in done]
            if new and len(found) < MOST_LEARNED and await writers.has(said.who):
                sure = bool(_named(said, here)) or len(here) == 1
                found += [_Rejected(one, finding, said, sure) for finding in new]
                done |= {finding.identity for finding in new}
        new = [finding for finding in here if finding.identity not in done]
        if new and one.posted.disliked and asked < MOST_LISTED and len(found) < MOST_LEARNED:
            asked += 1
            liked = await _disliked(one, writers)
            found += [_Rejected(one, finding, liked, len(here) == 1) for finding in new] if liked else []
    return found


def _named(said: _Said, here: Sequence[Finding]) -> list[Finding]:
    numbers = set(mentioned(said.reason))
    return [finding for finding in here if finding.number in numbers]


def _meant(said: _Said, here: Sequence[Finding]) -> Sequence[Finding]:
    """Which findings of a comment a reply rejects: those whose numbers it names, else all."""
    return _named(said, here) or here


async def withdrawn(
    pull: PullRef, finding: Finding, who: str, reason: str, link: str, language: str, store: Store, *, writes: bool
) -> tuple[Safe, int]:
    """What a finding teaches that was withdrawn (`People.withdraw`): the proposal of a rule as words below our answer, and its number.

    `reason`: that person's own words. Unless they may write (`writes`), nothing is proposed: no words, and 0. Once the answer is posted,
    `store.rules.show` remembers its comment, so that reactions on it decide.
    """
    now = time.time()
    await store.outcomes.rejected(pull, finding.identity, now)
    said = proposing.proposal(finding, reason[: rejecting.LONGEST], "withdrawn", who, link) if writes else None
    made = await store.rules.propose(pull, said, now) if said is not None else None
    told = proposing.shown(made, load(language))
    return told, made.rule.number if made is not None and told else 0


async def _decide(pull: PullRef, writers: _Writers, words: Phrases, store: Store) -> None:
    """Confirm or drop the newest proposals of the repository, as people with write permission have reacted to them."""
    grave = {one.rule.number for one in await store.rules.of(pull.repository) if one.grave}
    for number, comment, kind in await store.rules.waiting(pull.repository):
        with suppress(HostRefused):  # the comment was deleted
            ref = CommentRef(comment, "review" if kind == "review" else "issue")
            found = [one for one in await writers.host.reactions(ref) if one.content in (YES, NO)]
            wanted = [one for one in found if one.content == NO or number not in grave]
            able = [one for one in wanted if await writers.has(one.login)]
            if able:
                no = next((one for one in able if one.content == NO), None)  # one objection is enough
                state: RuleState = "removed" if no else "confirmed"
                await decide(pull, number, state, (no or able[0]).login, writers.host, words, store)


async def decide(
    pull: PullRef, number: int, state: RuleState, who: str, host: Host, words: Phrases, store: Store, *, path: str = ""
) -> LearnedRule | None:
    """Confirm or drop a rule, with another path if one is given; the comment that proposed it follows. None: there is no such rule."""
    known = {one.rule.number: one for one in await store.rules.of(pull.repository)}
    places = {shown: (comment, kind) for shown, comment, kind in await store.rules.waiting(pull.repository)}
    done = await store.rules.decide(pull.repository, number, state, who, time.time(), path=path)
    if done is not None and number in places and number in known:
        comment, kind = places[number]
        before = proposing.shown(replace(known[number], shown=False), words).strip()
        with suppress(
            HostError
        ):  # the rule is decided on: that the comment is gone, locked or out of reach must not hide it from who asks
            ref = CommentRef(comment, "review" if kind == "review" else "issue")
            posted = await host.comment_at(ref)
            if before and posted.ours and before in posted.body:
                now = posted.body.replace(before, proposing.decided(done, words))
                await host.edit_comment(comment, now, ref.kind)
    return done


def _replies(one: PostedFinding, comments: Sequence[Posted], login: str) -> Iterator[_Said]:
    """The replies of the thread that reject something. A command in one is carried out, and not read as words."""
    for reply in comments:
        if reply.thread == one.posted.id and not reply.ours and not reply.bot:
            reason = rejecting.reason(reply.body) if commands.read(reply.body, login) is None else ""
            if reason:
                yield _Said(reply.author, "reply", reply.url, reason)


async def _disliked(one: PostedFinding, writers: _Writers) -> _Said | None:
    """A 👎 on the finding's comment."""
    with suppress(HostRefused):
        for each in await writers.host.reactions(CommentRef(one.posted.id, "review"), NO):
            if await writers.has(each.login):
                return _Said(each.login, "reaction", one.posted.url)
    return None


async def _propose(pull: PullRef, rejected: _Rejected, host: Host, words: Phrases, store: Store) -> None:
    """Remember a rejection, and show the rule that it suggests in a short reply of its own, so that a reaction decides on one rule."""
    finding, said, now = rejected.finding, rejected.said, time.time()
    wanted = proposing.proposal(finding, said.reason, said.how, said.who, said.link)
    made = await store.rules.propose(pull, wanted, now) if wanted is not None else None
    told = proposing.shown(made, words)
    if made is not None and told:
        with suppress(HostRefused):  # a conversation that is locked: `/deeprepo rules` still lists it
            await _show(pull, rejected.one, made, told, host, store)
    if rejected.sure:
        await store.outcomes.rejected(pull, finding.identity, now)
    kind: Feedback = "reply" if said.how == "reply" else "reaction"
    await store.people.tell(pull, finding.identity, said.who, kind, said.reason or NO, now)


async def _show(pull: PullRef, one: PostedFinding, made: LearnedRule, told: Safe, host: Host, store: Store) -> None:
    number = str(made.rule.number)
    text = f"{marker.make(RULE, number=number)}\n{told}"

    async def find() -> Posted | None:
        return next((each for each in await host.review_comments() if _shows(each, number, host)), None)

    posted = await host.once(find, partial(host.reply, one.posted.id, text))
    await store.rules.show(pull.repository, made.rule.number, posted.id, posted.kind)


def _shows(posted: Posted, number: str, host: Host) -> bool:
    said = existing.facts(posted, host)
    return said.get("kind") == RULE and said.get("number") == number
