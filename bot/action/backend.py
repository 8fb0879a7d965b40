"""A review as a step of a workflow: nothing is stored, and what the next round has to know is in the summary comment."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from bot import config, github, pipeline
from bot.action import consumers, files, spending
from bot.action.console import Console
from bot.action.event import ON_PULL
from bot.brief import Brief
from bot.checkout import Checkout, ownership
from bot.commands import CommandReply
from bot.config import Step, policy
from bot.errors import DeepRepoError, HostError, HostRefused, OverLimit
from bot.findings import sarif_results
from bot.github import Host
from bot.outputs import posts, state
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.publish import checks, existing, summary
from bot.publish.checks import CheckEnding
from bot.render import plain
from bot.values import CIFailure, Ending, PullRequest, Review
from bot.values.review import Lack
from bot.wiring import access as models
from bot.wiring import action as parts
from bot.workflow import asking, ci_failures, fetching
from bot.workflow.backend import Backend, CheckRun, Funds, ReviewResult, ReviewRun
from bot.workflow.progress import Say

DEPENDABOT = "dependabot[bot]"  # whose pull requests GitHub treats like those from forks
NO_SECRETS = (
    "GitHub gives a workflow no secrets for a pull request from a fork: no model has read this one, the checks that "
    "need none have."
)
GRANT = "the job needs `permissions: {checks: read, actions: read}` to read them; `ci: false` in the settings switches it off"


async def answer(run: ReviewRun, says: str) -> None:
    """Tell the person who asked by a comment why there is no review: they do not look at the job."""
    if run.ask.comment is not None:
        with suppress(HostError):
            await asking.post_answer(CommandReply(plain(says)), run.ask.comment, run.host)


async def withdrawn(host: Host) -> tuple[tuple[str, str, str], ...]:
    """The findings that our answers to remarks have withdrawn, as their markers tell."""
    comments = (*await host.comments("review"), *await host.comments())
    decisions = [existing.facts(one) for one in comments]
    marks = [mark for one in decisions if one.get("kind") == asking.REPLY for mark in one.get("withdrawn", "").split()]
    return tuple((mark, "withdrawn in a conversation", "withdrawn") for mark in dict.fromkeys(marks))


async def last_state(host: Host) -> bytes | str:
    """The state in the summary of the last review, or why it cannot be used; "" if there was none."""
    stands = next(iter(await summary.stands(host)), None)
    return state.unpack(stands.body) if stands is not None else ""


async def stored_verdict(run: ReviewRun) -> state.HeadVerdict | None:
    """What the last review came to, if it was of this very head and base branch."""
    data, facts = await last_state(run.host), run.state.facts
    verdict = state.verdict(data) if isinstance(data, bytes) else None
    is_of_this = verdict is not None and (verdict.head, verdict.base_ref) == (facts.head_sha, facts.base_ref)
    return verdict if is_of_this else None


@dataclass(frozen=True, slots=True)
class StepSide:
    """What a review in a step of a workflow is given."""

    step: Step
    console: Console

    def backend(self) -> Backend:
        """All of it. Every error is final: nobody repeats a step. A newer run of the workflow cancels this one's job, and everything that outlives it is in the summary."""
        return Backend(
            final=(DeepRepoError,),
            decline=self.decline,
            verdict=self.verdict,
            check=self.check,
            fetch=self.fetch,
            no_review_reason=pipeline.no_review_reason,
            consumers=lambda run: consumers.fetch(run, self.step),
            brief=self.brief,
            funds=self.funds,
            review=self.review,
            comments=self.comments,
        )

    async def decline(self, run: ReviewRun, result: ReviewResult) -> None:
        """Answer the comment that asked."""
        await answer(run, f"Not reviewed: {result.says}")

    async def verdict(self, run: ReviewRun, lacks: Lack, own: Ending | None) -> CheckEnding:
        """By the state in the summary, if the last review was of this very head and base branch."""
        if own is not None:
            return CheckEnding(own, is_reviewed=True)
        known = await stored_verdict(run) if lacks != "nothing" else None
        if known is not None:
            return CheckEnding(known.conclusion, is_reviewed=True)
        return CheckEnding(policy.without_review(run.settings, lacks))

    @asynccontextmanager
    async def check(self, run: ReviewRun) -> AsyncIterator[CheckRun]:
        """A check run of our own if the job is not one of the pull request's checks, and the token may make one."""
        number = None
        if self.step.runner.github_event_name not in ON_PULL:
            with suppress(HostRefused):
                number = await checks.start(run.host, run.state.facts.head_sha, run.check_owner)
        check = CheckRun(run, number, optional=True, on_line=self.console.say)
        try:
            yield check
        except asyncio.CancelledError:
            await check.end(ReviewResult("cancelled", "The job was cancelled."))
            raise

    @asynccontextmanager
    async def fetch(self, run: ReviewRun) -> AsyncIterator[PullRequest]:
        """The change, fetched: nothing that is in the workspace is believed."""
        facts, bases = run.state.facts, run.state.bases
        url = github.git_url(self.step.runner.github_api_url, fetching.today(run.ask.pull, facts))
        with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
            store = await fetching.fill_store(url, facts, bases, self.step.inputs.github_token, folder)
            yield fetching.as_pull_request(facts, bases, store)

    async def brief(self, run: ReviewRun, pull: PullRequest) -> Brief:
        """The review to make, built upon the last one if its state can be had."""
        earlier, note = await self._earlier(run)
        return replace(
            await self.bare_brief(run, pull),
            earlier=earlier,
            full=run.ask.full,
            note=note,
            ignored_findings=await withdrawn(run.host),
        )

    async def bare_brief(self, run: ReviewRun, pull: PullRequest) -> Brief:
        """The change under its settings and the step's inputs: an answer builds upon no earlier review."""
        inputs, runner = self.step.inputs, self.step.runner
        async with Checkout(pull) as tree:
            await ownership.refuse_reviewed(tree, files.deciding(inputs, runner))
        sarif = files.reports(inputs.sarif_reports, runner)
        return replace(
            run.state.brief(pull, run.settings),
            file=inputs.config,
            reports=tuple(each for name, data in sarif for each in sarif_results.read(data, name)),
            tool_runs=tuple(each for name, data in sarif for each in sarif_results.runs(data, name)),
            run=bool(config.environment(on_server=True).run),
        )

    async def last(self, run: ReviewRun) -> bytes | None:
        """What the last review has left."""
        return (await self._earlier(run))[0]

    async def _earlier(self, run: ReviewRun) -> tuple[bytes | None, str]:
        """What the last review has left; if it cannot be built upon, a sentence for the reader.

        The file that a workflow hands over counts if the summary holds no state, or one of the same head. A job that runs the code of a
        fork may have written such a file, so the change of a fork is not built upon one.
        """
        path = None if run.state.facts.fork else self.step.inputs.previous
        data = files.previous(path, self.step.runner) if path is not None else None
        given, kept = state.from_file(data) if data is not None else "", await last_state(run.host)
        if isinstance(given, bytes) and (isinstance(kept, str) or state.head(given) == state.head(kept)):
            return given, ""
        why = given if isinstance(given, str) and given else kept
        sentence = f"{why[:1].upper()}{why[1:]}: " if isinstance(why, str) and why else ""
        if isinstance(kept, bytes):
            return kept, f"{sentence}it was not used." if sentence else ""
        return None, f"{sentence}everything was read again." if sentence else ""

    def _is_foreign(self, run: ReviewRun) -> bool:
        """Whether GitHub gives the job no secrets, and a token that may only read."""
        facts = run.state.facts
        return (facts.fork or facts.author == DEPENDABOT) and self.step.runner.github_event_name == "pull_request"

    @asynccontextmanager
    async def funds(self, run: ReviewRun, _: Brief) -> AsyncIterator[Funds]:
        """What the runs of a day leave to a model, whether it needs a key or not; without any if GitHub has withheld the secrets."""
        if self._is_foreign(run) and not parts.keys():
            yield Funds(refusal=NO_SECRETS)
        elif models.can_ask(run.settings):
            yield await spending.left(run, self.step, self.console)
        else:
            yield Funds(model=False)

    async def review(self, run: ReviewRun, brief: Brief, say: Say) -> MadeReview:
        """The review, from a child process."""
        made_review = await parts.review_change(brief, say)
        if made_review.settings.ci:
            made_review = replace(made_review, ci_failures=await self._ci_failures(run, made_review))
        return MadeReview(made_review, await asyncio.to_thread(self.comments, run, made_review))

    async def _ci_failures(self, run: ReviewRun, review: Review) -> tuple[CIFailure, ...]:
        """The jobs of other workflows that have failed by now. Nobody waits for the others, and no failure to look costs the review."""
        pull, runner = review.pull, self.step.runner
        bases = (pull.base, pull.base_tip or "")
        try:
            logs = await ci_failures.read(run.host, pull.head, bases, runner.github_run_id, runner.workflow_path)
            return await parts.ci_failures(logs, review.files) if logs else ()
        except (HostError, OverLimit) as error:
            is_permission = isinstance(error, HostRefused) and error.status in spending.UNKNOWN
            why = GRANT if is_permission else error
            self.console.say(f"Jobs of CI that failed are not named: {why}.")
            return ()

    def comments(self, run: ReviewRun, review: Review) -> Comments:
        """The comments, with the state for the next round in the summary."""
        base_ref = run.state.facts.base_ref
        return posts.comments(
            review, lambda one: state.pack(one, state.HeadVerdict(checks.conclude(one), one.pull.head, base_ref))
        )
