"""What people have said of findings since the last job: rejections become proposals of rules, reactions on proposals decide.

GitHub sends no event for a reaction, so they are read when a review or a command of the pull request runs, and when it is closed. Only
people with write permission teach anything. Everything here may be done again after a crash: a rejection is noted last, a proposal is found
by its kind and path, and its comment by our marker.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakValueDictionary

from bot import commands
from bot.commands import proposing, rejecting
from bot.commands.carrying import WRITERS
from bot.commands.target import read
from bot.errors import HostRefused
from bot.github import Host
from bot.outputs import marker
from bot.publish import existing
from bot.publish.existing import PostedFinding
from bot.render import Phrases, Safe, load
from bot.storage import Store
from bot.storage.people import Feedback
from bot.values import CommentRef, Finding, LearnedRule, Posted, PullRef, Rejection, RuleState

RULE = "rule"  # the kind of our marker
MOST_LISTED, MOST_ASKED, MOST_LEARNED = (
    25,
    20,
    10,
)  # comments whose reactions, people whose permission, rejections that one job reads
YES, NO = "+1", "-1"
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


async def learn(pull: PullRef, host: Host, language: str, store: Store) -> None:
    """Read what is new, decide on proposals, and propose rules in the threads where they arose. Raises HostError's kinds."""
    async with _TURNS.setdefault(pull.key, asyncio.Lock()):  # a review and a command may both be here
        await _learn(pull, host, language, store)


async def _learn(pull: PullRef, host: Host, language: str, store: Store) -> None:
    writers = _Writers(host)
    await _decide(pull, writers, store)
    if not await store.reviews.heads(pull):
        return
    found = await _rejected(pull, writers, store)
    last = await asyncio.to_thread(read, await store.reviews.last(pull)) if found else None
    for one, said in found:
        finding = last.known(one.fingerprint) if last is not None else None
        if finding is not None:
            await _propose(pull, one, finding, said, host, load(language), store)


async def _rejected(pull: PullRef, writers: _Writers, store: Store) -> list[tuple[PostedFinding, _Said]]:
    """The findings that somebody has rejected since; of a comment about several nobody knows which one is meant."""
    comments = await writers.host.review_comments()
    done = {fingerprint for fingerprint, *_ in await store.people.told(pull)}
    ours = existing.standing(comments, (), existing.mode(writers.host)).said
    found: list[tuple[PostedFinding, _Said]] = []
    asked = 0
    for one in ours:
        if one.also or one.fingerprint in done or len(found) >= MOST_LEARNED:
            continue
        said = await _replied(one, comments, writers)
        if said is None and one.posted.disliked and asked < MOST_LISTED:
            asked += 1
            said = await _disliked(one, writers)
        found += [(one, said)] if said is not None else []
    return found


async def withdrawn(
    pull: PullRef, finding: Finding, who: str, reason: str, link: str, language: str, store: Store, *, writes: bool
) -> tuple[Safe, int]:
    """What a finding teaches that was withdrawn (`People.withdraw`): the proposal of a rule as words below our answer, and its number.

    `reason`: that person's own words. Unless they may write (`writes`), nothing is proposed: no words, and 0. Once the answer is posted,
    `store.rules.show` remembers its comment, so that reactions on it decide.
    """
    now = time.time()
    await store.outcomes.rejected(pull, finding.fingerprint, now)
    made = None
    if writes:
        said = proposing.proposal(finding, reason[: rejecting.LONGEST], "withdrawn", who, link)
        made = await store.rules.propose(pull, said, now)
    told = proposing.shown(made, load(language))
    return told, made.rule.number if made is not None and told else 0


async def _decide(pull: PullRef, writers: _Writers, store: Store) -> None:
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
                await store.rules.decide(pull.repository, number, state, (no or able[0]).login, time.time())


async def _replied(one: PostedFinding, comments: Sequence[Posted], writers: _Writers) -> _Said | None:
    """A reply of the thread that rejects the finding. A command in it is carried out, and not read as words."""
    for reply in comments:
        if reply.thread == one.posted.id and not reply.ours and not reply.bot:
            command = commands.read(reply.body, writers.host.voice.login)
            reason = rejecting.reason(reply.body) if command is None else ""
            if reason and await writers.has(reply.author):
                return _Said(reply.author, "reply", reply.url, reason)
    return None


async def _disliked(one: PostedFinding, writers: _Writers) -> _Said | None:
    """A 👎 on the finding's comment."""
    with suppress(HostRefused):
        for each in await writers.host.reactions(CommentRef(one.posted.id, "review"), NO):
            if await writers.has(each.login):
                return _Said(each.login, "reaction", one.posted.url)
    return None


async def _propose(
    pull: PullRef,
    one: PostedFinding,
    finding: Finding,
    said: _Said,
    host: Host,
    words: Phrases,
    store: Store,
) -> None:
    """Remember a rejection, and show the rule that it suggests in a short reply."""
    now = time.time()
    made = await store.rules.propose(pull, proposing.proposal(finding, said.reason, said.how, said.who, said.link), now)
    told = proposing.shown(made, words)
    if made is not None and told:
        with suppress(HostRefused):  # a conversation that is locked: `/deeprepo rules` still lists it
            await _show(pull, one, made, told, host, store)
    await store.outcomes.rejected(pull, finding.fingerprint, now)
    kind: Feedback = "reply" if said.how == "reply" else "reaction"
    await store.people.tell(pull, finding.fingerprint, said.who, kind, said.reason or NO, now)


async def _show(pull: PullRef, one: PostedFinding, made: LearnedRule, told: Safe, host: Host, store: Store) -> None:
    number = str(made.rule.number)
    text = f"{marker.make(RULE, number=number)}\n{told}"

    async def find() -> Posted | None:
        return next((each for each in await host.review_comments() if _shows(each, number, host)), None)

    posted = await host.once(find, partial(host.reply, one.posted.id, text))
    await store.rules.show(pull.repository, made.rule.number, posted.id, posted.kind)


def _shows(posted: Posted, number: str, host: Host) -> bool:
    said = existing.facts(posted, existing.mode(host))
    return said.get("kind") == RULE and said.get("number") == number
