"""What people have said of findings since the last job: rejections become proposals of rules, reactions on proposals decide.

GitHub sends no event for a reaction, so they are read when a review or a command of the pull request runs, and when it is closed. Only
people with write permission teach anything. Everything here may be done again after a crash: a rejection is noted last, a proposal is found
by its kind and path, and its comment by our marker.
"""

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal
from weakref import WeakValueDictionary

from bot import commands
from bot.commands import proposing, rejecting
from bot.commands.carrying import WRITERS
from bot.commands.target import finding_numbers, read
from bot.errors import HostError, HostRefused
from bot.github import Host, shapes
from bot.outputs import marker
from bot.publish import existing
from bot.publish.existing import PostedFinding
from bot.render import Phrases, Safe, load
from bot.storage import Store
from bot.storage.people import Feedback
from bot.values import CommentRef, Finding, LearnedRule, PostedComment, PullRef, Rejection, RuleState

RULE = "rule"  # the kind of our marker
# Comments whose reactions, people whose permission, rejections that one job reads.
MOST_LISTED, MOST_ASKED, MOST_LEARNED = (25, 20, 10)
YES: Final = "+1"
NO: Final = "-1"
SKEW = 60.0  # seconds by which the clocks of a database and of a server may differ
_TURNS: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@dataclass(slots=True)
class _Writers:
    """Who may write to the repository. Not frozen: each person is asked for once, and only so many."""

    host: Host
    rights: dict[str, bool] = field(default_factory=dict)

    async def has(self, login: str) -> bool:
        """Whether this person may; of too many people nobody more."""
        if login not in self.rights and len(self.rights) < MOST_ASKED:
            self.rights[login] = False
            with suppress(HostRefused):
                self.rights[login] = await self.host.permission(login) in WRITERS
        return self.rights.get(login, False)


@dataclass(frozen=True, slots=True)
class _Rejected:
    """A finding that somebody has rejected: who, how, where, and in which words of their own.

    `sure`: it counts as rejected; with others in its comment it may not have been meant.
    """

    comment: PostedFinding
    finding: Finding
    who: str
    how: Rejection
    link: str
    reason: str
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
            for each in (await _rejections(pull, writers, store))[:MOST_LEARNED]:
                await _propose(pull, each, host, load(language), store)
        return await store.rules.has_decision(pull.repository, since - SKEW)


async def _rejections(pull: PullRef, writers: _Writers, store: Store) -> list[_Rejected]:
    """The findings that somebody has rejected since. Of a comment about several, all, or those whose numbers a reply names."""
    comments = await writers.host.comments("review")
    done_marks = {fingerprint for fingerprint, *_ in await store.people.reactions(pull)}
    posted = [(one, _replies(one, comments, writers.host.voice.login)) for one in existing.standing(comments, ())]
    left = [(one, replies) for one, replies in posted if replies or one.comment.dislikes]
    left = [(one, replies) for one, replies in left if not done_marks.issuperset(mark for mark, _ in one.findings)]
    last = await asyncio.to_thread(read, await store.reviews.last(pull)) if left else None
    if last is None:
        return []
    rejections: list[_Rejected] = []
    reaction_requests = 0
    for one, replies in left:
        findings_there = (last.by_identity(mark) for mark in dict.fromkeys(mark for mark, _ in one.findings))
        here = [finding for finding in findings_there if finding is not None]
        for reply, reason in replies:
            numbers = finding_numbers(reason)
            named = [finding for finding in here if finding.number in numbers]
            new = [finding for finding in named or here if finding.identity not in done_marks]
            if new and len(rejections) < MOST_LEARNED and await writers.has(reply.author):
                sure = bool(named) or len(here) == 1
                rejections += [_Rejected(one, f, reply.author, "reply", reply.url, reason, sure) for f in new]
                done_marks |= {finding.identity for finding in new}
        new = [finding for finding in here if finding.identity not in done_marks]
        if new and one.comment.dislikes and reaction_requests < MOST_LISTED and len(rejections) < MOST_LEARNED:
            reaction_requests += 1
            who, sure = await _who_dislikes(one, writers), len(here) == 1
            rejections += [_Rejected(one, f, who, "reaction", one.comment.url, "", sure) for f in new if who]
    return rejections


async def withdrawn(
    pull: PullRef, finding: Finding, who: str, reason: str, link: str, language: str, store: Store, *, writes: bool
) -> tuple[Safe, int]:
    """What a finding teaches that was withdrawn (`People.withdraw`): the proposal of a rule as words below our answer, and its number.

    `reason`: that person's own words. Unless they may write (`writes`), nothing is proposed: no words, and 0. Once the answer is posted,
    `store.rules.show` remembers its comment, so that reactions on it decide.
    """
    now = time.time()
    await store.outcomes.reject(pull, finding.identity, now)
    proposals = proposing.proposals(finding, reason[: rejecting.LONGEST], "withdrawn", who, link) if writes else ()
    rules = await store.rules.propose_all(pull, proposals, now)
    return proposing.proposal_words(rules, load(language)), proposing.decisive(rules)


async def _decide(pull: PullRef, writers: _Writers, words: Phrases, store: Store) -> None:
    """Confirm or drop the newest proposals of the repository, as people with write permission have reacted to them."""
    rules_by_number = {one.rule.number: one for one in await store.rules.of(pull.repository)}
    for number, comment, kind in await store.rules.waiting(pull.repository):
        with suppress(HostRefused):  # the comment was deleted
            ref, rule = CommentRef(comment, "review" if kind == "review" else "issue"), rules_by_number.get(number)
            signs = (NO,) if rule is not None and rule.grave else (YES, NO)
            since = rule.made - SKEW if rule is not None else 0.0
            reactions = await _reactions(ref, writers.host)
            decisions = [(who, sign) for who, sign, seconds in reactions if sign in signs and seconds >= since]
            able = [(who, sign) for who, sign in decisions if await writers.has(who)]
            if able:
                no = next((who for who, sign in able if sign == NO), None)  # one objection is enough
                state: RuleState = "removed" if no else "confirmed"
                await decide(pull, number, state, no or able[0][0], writers.host, words, store)


async def decide(
    pull: PullRef,
    number: int,
    state: RuleState,
    who: str,
    host: Host,
    words: Phrases,
    store: Store,
    *,
    path: str = "",
    text: str = "",
) -> LearnedRule | None:
    """Confirm or drop a rule, with another path or sentence if one is given; the comment that proposed it follows. None: there is no such rule."""
    rules_by_number = {one.rule.number: one for one in await store.rules.of(pull.repository)}
    places = {rule_number: (comment, kind) for rule_number, comment, kind in await store.rules.waiting(pull.repository)}
    decision = await store.rules.decide(pull.repository, number, state, who, time.time(), path=path, text=text)
    if decision is not None and number in places and number in rules_by_number:
        comment, kind = places[number]
        before = proposing.proposal_words((replace(rules_by_number[number], shown=False),), words).strip()
        with suppress(
            HostError
        ):  # the rule is decided on: that the comment is gone, locked or out of reach must not hide it from who asks
            ref = CommentRef(comment, "review" if kind == "review" else "issue")
            comment_there = await host.comment_at(ref)
            if before and comment_there.ours and before in comment_there.body:
                now = comment_there.body.replace(before, proposing.decision(decision, words))
                await host.edit_comment(comment, now, ref.kind)
    return decision


def _replies(one: PostedFinding, comments: Sequence[PostedComment], login: str) -> list[tuple[PostedComment, str]]:
    """The replies of the thread that reject something, with their words. A command in one is carried out, and not read as words."""
    people = (each for each in comments if each.thread == one.comment.id and not each.ours and not each.bot)
    replies = [(each, rejecting.reason(each.body)) for each in people if commands.read(each.body, login) is None]
    return [(each, reason) for each, reason in replies if reason]


async def _who_dislikes(one: PostedFinding, writers: _Writers) -> str:
    """Who has put a 👎 on the finding's comment and may write here; "" if nobody has."""
    with suppress(HostRefused):
        for login, *_ in await _reactions(CommentRef(one.comment.id, "review"), writers.host, content=NO):
            if await writers.has(login):
                return login
    return ""


async def _reactions(ref: CommentRef, host: Host, content: Literal["-1"] | None = None) -> list[tuple[str, str, float]]:
    """The people who have reacted to a comment, the first hundred, how and when; `content`: in this way only."""
    api = host.rest.reactions
    on = api.async_list_for_issue_comment if ref.kind == "issue" else api.async_list_for_pull_request_review_comment
    listing = partial(on, *host.repo, ref.id)
    rows = host.client.pages(partial(listing, content=content) if content else listing, most=1)
    return [
        (row["user"]["login"], row["content"], datetime.fromisoformat(row["created_at"]).timestamp())
        async for row in rows
        if shapes.at(row, "user.type") == "User"
    ]


async def _propose(pull: PullRef, one: _Rejected, host: Host, words: Phrases, store: Store) -> None:
    """Remember a rejection, and show the rule that it suggests in a short reply of its own, so that a reaction decides on one rule."""
    now = time.time()
    proposals = proposing.proposals(one.finding, one.reason, one.how, one.who, one.link)
    rules = await store.rules.propose_all(pull, proposals, now)
    if proposing.decisive(rules):
        with suppress(HostRefused):  # a conversation that is locked: `/deeprepo rules` still lists it
            await _show(pull, one.comment, rules[0], proposing.proposal_words(rules, words), host, store)
    if one.sure:
        await store.outcomes.reject(pull, one.finding.identity, now)
    kind: Feedback = "reply" if one.how == "reply" else "reaction"
    await store.people.tell(pull, one.finding.identity, one.who, kind, one.reason or NO, now)


async def _show(
    pull: PullRef, one: PostedFinding, rule: LearnedRule, proposal_text: Safe, host: Host, store: Store
) -> None:
    # A number alone may have meant another rule before the App was taken off the repository and given back.
    facts = {"number": str(rule.rule.number), "rule": _mark(rule)}
    text = f"{marker.make(RULE, **facts)}\n{proposal_text}"

    async def find() -> PostedComment | None:
        return next((each for each in await host.comments("review") if _shows(each, facts)), None)

    comment = await host.once(find, partial(host.reply, one.comment.id, text))
    await store.rules.show(pull.repository, rule.rule.number, comment.id, comment.kind)


def _mark(rule: LearnedRule) -> str:
    """What a rule is about, in a few characters: its kind, its place, and the sentence of a learning."""
    own = rule.rule
    about = (own.kind, own.path, own.symbol, own.text if own.is_learning else "")
    return hashlib.sha256("\0".join(about).encode("utf-8", "replace")).hexdigest()[:20]


def _shows(comment: PostedComment, rule_facts: Mapping[str, str]) -> bool:
    marker_facts = existing.facts(comment)
    return marker_facts.get("kind") == RULE and rule_facts.items() <= marker_facts.items()
