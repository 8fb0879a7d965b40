"""Process people's feedback: rejections propose rules, and reactions confirm or remove proposals.

GitHub sends no event for a reaction, so reactions are checked whenever a review or command runs for the pull
request, and when it is closed. Only feedback from people with write access counts. After a crash, everything
can be repeated: a rejection is recorded last, a proposal is found by its kind and path, and its comment by
our marker.
"""

import asyncio
import hashlib
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal
from weakref import WeakValueDictionary

from bot.commands import CommandReply, reading
from bot.commands.context import WRITERS
from bot.commands.target import read, rejected
from bot.errors import HostError, HostRefused
from bot.features.teaching import proposing
from bot.github import Host, shapes
from bot.render import Phrases, Safe, code, load, phrase
from bot.storage import Store
from bot.stored import markers
from bot.values import CommentRef, Dismissal, Finding, LearnedRule, PostedComment, PullRef, RuleState
from bot.values.review import LastReview
from bot.workflow import commands
from bot.workflow.publish import existing
from bot.workflow.publish.existing import PostedFinding
from bot.workflow.replies import post_reply

RULE = "rule"  # the kind of the marker in comments that propose a rule
# Limits per job: rejected comments that are read, people whose permission is checked, and new rejections.
MAX_COMMENTS_READ, MAX_PEOPLE_CHECKED, MAX_REJECTIONS = (25, 20, 10)
UPVOTE: Final = "+1"
DOWNVOTE: Final = "-1"
CLOCK_SKEW = 60.0  # seconds by which our clock and GitHub's may differ
_LOCKS: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@dataclass(slots=True)
class PullFeedback:
    """Processes the feedback on one pull request. Mutable, because it caches who has write access."""

    host: Host
    store: Store
    words: Phrases = field(default_factory=load)
    _writers: dict[str, bool] = field(default_factory=dict)

    @property
    def pull(self) -> PullRef:
        """The pull request."""
        return self.host.pull

    async def learn(self) -> bool:
        """Check new reactions, decide on proposals, and propose rules in the threads where they arose.

        Returns whether a rule was decided on. Raises subclasses of HostError.
        """
        # A review and a command can run at the same time.
        async with _LOCKS.setdefault(self.pull.key, asyncio.Lock()):
            was_decided = await self._decide_by_reactions()
            if await self.store.reviews.heads(self.pull):
                await self._read_rejections()
            return was_decided

    async def propose(self, finding: Finding, dismissal: Dismissal, link: str) -> tuple[Safe, int]:
        """Store the proposals for a dismissed finding.

        Return their text, and the number that reactions decide on.

        The number is 0 if nothing new is proposed. After a comment has shown the text, call
        `store.rules.show`, so that reactions to the comment count.
        """
        bounded = replace(dismissal, reason=dismissal.reason[: reading.MAX_REASON_CHARS])
        rules = await self.store.rules.propose_all(self.pull, proposing.proposals(finding, bounded, link), time.time())
        return proposing.proposal_words(rules, self.words), proposing.first_new_number(rules)

    async def decide(
        self, number: int, state: RuleState | None, who: str, path: str = "", text: str = ""
    ) -> LearnedRule | None:
        """Confirm or remove a rule, optionally with a new path or sentence, and update its comment.

        If `state` is None, the rule keeps its state, and a proposal's comment stays unchanged. Returns None
        if there is no such rule.
        """
        rules, repository = self.store.rules, self.pull.repository
        known = next(
            (learned_rule for learned_rule in await rules.of(repository) if learned_rule.rule.number == number), None
        )
        place = next(((comment, kind) for one, comment, kind in await rules.waiting(repository) if one == number), None)
        decision = await rules.decide(repository, number, state, who, time.time(), path=path, text=text)
        if decision is not None and decision.state != "proposed" and place is not None and known is not None:
            before = proposing.proposal_words((replace(known, shown=False),), self.words).strip()
            # The rule is decided on, even if its comment was deleted, locked or cannot be reached.
            with suppress(HostError):
                ref = _ref(*place)
                there = await self.host.comment_at(ref)
                if before and there.ours and before in there.body:
                    now = there.body.replace(before, proposing.decision(decision, self.words))
                    await self.host.edit_comment(ref.id, now, "review" if ref.kind == "review" else "issue")
        return decision

    async def _may_write(self, login: str) -> bool:
        """Return whether this person has write access. At most MAX_PEOPLE_CHECKED people are checked."""
        if login not in self._writers and len(self._writers) < MAX_PEOPLE_CHECKED:
            self._writers[login] = False
            with suppress(HostRefused):
                self._writers[login] = await self.host.permission(login) in WRITERS
        return self._writers.get(login, False)

    async def _decide_by_reactions(self) -> bool:
        """Confirm or remove proposals by the reactions of people with write access.

        Returns whether any proposal was decided on.
        """
        rules_by_number = {
            learned_rule.rule.number: learned_rule for learned_rule in await self.store.rules.of(self.pull.repository)
        }
        was_decided = False
        for number, comment, kind in await self.store.rules.waiting(self.pull.repository):
            with suppress(HostRefused):  # the comment was deleted
                rule = rules_by_number.get(number)
                signs = (DOWNVOTE,) if rule is not None and rule.grave else (UPVOTE, DOWNVOTE)
                since = rule.made - CLOCK_SKEW if rule is not None else 0.0
                reactions = await self._reactions(_ref(comment, kind))
                decisions = [(who, sign) for who, sign, seconds in reactions if sign in signs and seconds >= since]
                decisive_reactions = [(who, sign) for who, sign in decisions if await self._may_write(who)]
                if decisive_reactions:
                    no = next(
                        (who for who, sign in decisive_reactions if sign == DOWNVOTE), None
                    )  # one objection is enough
                    await self.decide(number, "removed" if no else "confirmed", no or decisive_reactions[0][0])
                    was_decided = True
        return was_decided

    async def _read_rejections(self) -> None:
        """Propose rules for newly rejected findings.

        If a comment contains several findings, a reply rejects the ones that it refers to, or else all of
        them.
        """
        comments = await self.host.comments("review")
        done_marks = set(await self.store.people.dismissed(self.pull))
        posted = [
            (posted_finding, self._replies(posted_finding, comments))
            for posted_finding in existing.findings_of(comments, ())
        ]
        left = [
            (posted_finding, replies)
            for posted_finding, replies in posted
            if replies or posted_finding.comment.dislikes
        ]
        left = [
            (posted_finding, replies)
            for posted_finding, replies in left
            if not done_marks.issuperset(mark for mark, _ in posted_finding.findings)
        ]
        last = await asyncio.to_thread(read, await self.store.reviews.last(self.pull)) if left else None
        if last is None:
            return
        count = 0
        for posted_finding, replies in left[:MAX_COMMENTS_READ]:
            findings = (last.by_identity(mark) for mark in dict.fromkeys(mark for mark, _ in posted_finding.findings))
            here = [finding for finding in findings if finding is not None]
            for finding, who, reply in (
                await self._rejected(posted_finding, here, replies, last, done_marks) if count < MAX_REJECTIONS else ()
            ):
                if finding.identity not in done_marks:
                    await self._propose(posted_finding, finding, who, reply)
                    done_marks.add(finding.identity)
                    count += 1

    async def _rejected(
        self,
        posted_finding: PostedFinding,
        here: Sequence[Finding],
        replies: Sequence[tuple[PostedComment, str]],
        last: LastReview,
        done_marks: Collection[str],
    ) -> list[tuple[Finding, str, tuple[PostedComment, str] | None]]:
        """Return a comment's rejected findings, each with the person, and the reply with its reason.

        The reply is None for a 👎. If it is unclear which of several findings a reply rejects, it rejects
        none, and a comment asks which one it refers to.
        """
        rejections: list[tuple[Finding, str, tuple[PostedComment, str] | None]] = []
        for reply in replies:
            comment, reason = reply
            if here and await self._may_write(comment.author):
                meant = rejected(reason, here, last)
                if meant is None:
                    await self._ask_which(comment, here)
                rejections += [(finding, comment.author, reply) for finding in meant or ()]
        if posted_finding.comment.dislikes and len({finding.identity for finding, *_ in rejections}) < len(here):
            who = await self._find_downvoter(posted_finding)
            rejections += [(finding, who, None) for finding in here if who]
        return [each for each in rejections if each[0].identity not in done_marks]

    async def _ask_which(self, comment: PostedComment, here: Sequence[Finding]) -> None:
        """Ask which finding a reply rejects, unless we have already answered it."""
        numbers = ", ".join(str(finding.number) for finding in here)
        example = code(f"/deeprepo ignore {here[0].number}")
        text = phrase(self.words, "reject_which", numbers=numbers, example=example)
        with suppress(HostRefused):  # the conversation is locked
            await post_reply(CommandReply(text), CommentRef(comment.id, "review", comment.thread), self.host)

    def _replies(self, finding: PostedFinding, comments: Sequence[PostedComment]) -> list[tuple[PostedComment, str]]:
        """Return the replies in the thread that reject a finding, with their reasons.

        Commands don't count.
        """
        people = (
            comment
            for comment in comments
            if comment.thread == finding.comment.id and not comment.ours and not comment.bot
        )
        login = self.host.bot_identity.login
        replies = [(each, reading.reason(each.body)) for each in people if not commands.read(each.body, login)]
        return [(each, reason) for each, reason in replies if reason]

    async def _find_downvoter(self, finding: PostedFinding) -> str:
        """Return a person with write access who put a 👎 on the finding's comment, or ""."""
        with suppress(HostRefused):
            for login, *_ in await self._reactions(CommentRef(finding.comment.id, "review"), content=DOWNVOTE):
                if await self._may_write(login):
                    return login
        return ""

    async def _reactions(self, ref: CommentRef, content: Literal["-1"] | None = None) -> list[tuple[str, str, float]]:
        """Return login, reaction and time of a comment's first 100 reactions by people.

        With `content`, only reactions of this kind are returned. Times are seconds since 1970.
        """
        api = self.host.rest.reactions
        is_issue = ref.kind == "issue"
        on = api.async_list_for_issue_comment if is_issue else api.async_list_for_pull_request_review_comment
        listing = partial(on, *self.host.repo, ref.id)
        rows = self.host.client.pages(partial(listing, content=content) if content else listing, most=1)
        return [
            (reaction["user"]["login"], reaction["content"], datetime.fromisoformat(reaction["created_at"]).timestamp())
            async for reaction in rows
            if shapes.at(reaction, "user.type") == "User"
        ]

    async def _propose(
        self, posted_finding: PostedFinding, finding: Finding, who: str, reply: tuple[PostedComment, str] | None
    ) -> None:
        """Record a rejection, and propose a rule in a separate reply, so that reactions refer to one rule."""
        reason, link = (reply[1], reply[0].url) if reply else ("", posted_finding.comment.url)
        dismissal = Dismissal(finding.identity, reason, "reply" if reply else "reaction", who)
        rules = await self.store.rules.propose_all(
            self.pull, proposing.proposals(finding, dismissal, link), time.time()
        )
        if proposing.first_new_number(rules):
            here = phrase(self.words, "rule_here", example=code(f"/deeprepo ignore {finding.number or ''}".strip()))
            text = Safe(f"{proposing.proposal_words(rules, self.words)}\n\n<sub>{here.strip()}</sub>")
            with suppress(HostRefused):  # in a locked conversation, `/deeprepo rules` still lists it
                await self._show(posted_finding, rules[0], text)
        await self.store.people.dismiss(self.pull, dismissal, time.time())

    async def _show(self, finding: PostedFinding, rule: LearnedRule, proposal_text: Safe) -> None:
        """Post a proposal in the finding's thread, unless it is already there, and record the comment."""
        # The marker has a digest, because numbers start again after the App was removed and reinstalled.
        owner_rule = rule.rule
        about = (owner_rule.kind, owner_rule.path, owner_rule.symbol, owner_rule.text if owner_rule.is_learning else "")
        digest = hashlib.sha256("\0".join(about).encode("utf-8", "replace")).hexdigest()[:20]
        facts = {"number": str(owner_rule.number), "rule": digest}
        text = f"{markers.make(RULE, **facts)}\n{proposal_text}"

        async def find() -> PostedComment | None:
            there = [(comment, existing.marker_of(comment)) for comment in await self.host.comments("review")]
            ours = (each for each, its in there if its.kind == RULE and facts.items() <= its.facts.items())
            return next(ours, None)

        comment = await self.host.write_once(find, partial(self.host.reply, finding.comment.id, text))
        await self.store.rules.show(self.pull.repository, owner_rule.number, comment.id, comment.kind)


def _ref(comment: int, kind: str) -> CommentRef:
    return CommentRef(comment, "review" if kind == "review" else "issue")
