"""The map of the product: one straight line from a request to a review. Each arrow is a value that can be printed."""

import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from bot import checkout, diff
from bot.brief import Brief
from bot.checkout.views import CachedTree, WrittenTree, create_known_secrets
from bot.config import Settings
from bot.diff import units
from bot.machine import extras
from bot.render import count
from bot.review import coverage, guidance, incremental, report, reproduction, scope, strategies
from bot.review.journal import end
from bot.review.session import Session
from bot.review.survey import Survey, files_read
from bot.values import ChangedFile, PlacedFinding, Review
from bot.values.consumer import ConsumerImpact, Consumers
from bot.values.progress import Reading
from deeprepo.impact import uses
from deeprepo.impact.uses.budget import SearchLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools(ABC):
    """What the process brings to a review. None of it decides anything. `wiring.review` has those of a review and a rehearsal."""

    environment: Settings | None = None  # of this process; None in an estimate
    search: SearchLimits = field(default_factory=lambda: SearchLimits(install=extras.install))  # how much is looked at

    @abstractmethod
    def open_session(self, subject: Survey) -> AbstractAsyncContextManager[Session]:
        """Open models, budget and journal for a change."""

    def clock(self) -> float:
        """Return the time, to measure durations."""
        return time.monotonic()

    def say(self, message: str | Reading) -> None:  # noqa: B027 - nobody has to listen
        """Report progress: a line, or what was read and found by static checks."""

    async def check_consumers(
        self, tree: checkout.Checkout, files: Sequence[ChangedFile], consumers: Consumers
    ) -> ConsumerImpact:
        """Check none, because a process must provide a way to open clones."""
        del tree, files, consumers
        return ConsumerImpact()

    async def prove(self, findings: Sequence[PlacedFinding], session: Session) -> Sequence[PlacedFinding]:
        """Return the findings with the tests that reproduce them."""
        if self.environment is None or "run" not in session.survey.brief.allowed:
            return findings
        return await reproduction.prove(findings, session, self.environment)


async def review(brief: Brief, tools: Tools) -> Review:
    """Review one change. Raises NothingToReview where it is empty, and DeepRepoError's kinds with a sentence for the user."""
    start = tools.clock()
    async with survey(brief, tools) as subject, tools.open_session(subject) as session:
        strategy = strategies.choose_strategy(session)
        tools.say(subject.reading((), is_checked=False))
        transcript = await strategies.run(strategy.name, session)
        judgement, transcript = await strategies.judge(transcript, session)
        prove = None if transcript.fault else tools.prove  # nothing is run for a review that was broken off
        findings = await report.place(judgement, session, prove)
        review = await report.conclude(session, strategy, transcript, judgement, findings, tools.clock() - start)
        told = [placed_finding.finding for placed_finding in review.findings]
        shown = subject.shown(review, told)
        session.calls.journal.end(partial(end, shown))
        return shown


@asynccontextmanager
async def survey(brief: Brief, tools: Tools) -> AsyncIterator[Survey]:
    """Collect the facts about a change, with which a review and an estimate start."""
    masks = create_known_secrets()
    async with checkout.Checkout(brief.pull, brief.left_out) as tree:
        masks.exclude_paths(await tree.entries(), await tree.entries("base"))
        brief = scope.masked_brief(brief, masks)
        tools.say(f"reading {brief.pull.base_name}..{brief.pull.head_name}")
        change = await tree.change(partial(scope.changes_role, brief.settings))
        brief = await scope.with_warnings(brief, tree)
        files = scope.reviewable(diff.read(change), brief)
        brief = scope.with_effort(brief, files)
        past = await incremental.read_past(brief.earlier, tree, brief.pull, files, full=brief.full)
        leaks, unseen = await scope.earlier_leaks(brief, tree, files, masks)
        gaps = coverage.commit_gaps(brief.pull, unseen)
        scope.refuse_empty(brief, files, leaks, gaps)
        masks.learn_change(files)
        tools.say(files_read(files))
        tools.say(f"finding the code that uses {count(len(files), 'changed file')}")
        cached = CachedTree(tree)  # one for the search, the prompts and the judgement
        found = await uses.find(WrittenTree(cached), files, tools.search)
        users = scope.with_unread_notes(found, files, brief.left_out)
        beyond = await tools.check_consumers(tree, files, brief.consumers)
        texts = await scope.texts(tree, files)
        masks.learn_files(texts.head, texts.base, await scope.unchanged_users(tree, users), beyond.texts())
        parts = units.cut(files, users, texts)
        tracker = coverage.CoverageTracker(parts, files, users)
        tracker.note_outside_gaps(gaps, beyond.unread)
        guides = await guidance.read_guidance(brief, tree, files)
        yield Survey(
            brief=scope.with_own_reports(brief, files, await tree.entries()),
            files=files,
            units=parts,
            dependents=users,
            tree=cached,
            tracker=tracker,
            masks=masks,
            past=past,
            leaks=leaks,
            ignore_list=await scope.ignore_list(brief, tree, guides.rules),
            guidance=guides,
            consumers=beyond,
        )
