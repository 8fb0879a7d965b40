"""Review a pull request in a workflow step, with the job's token, and post the result.

A step has no database, so the state for the next review is stored in the summary comment.
"""

import asyncio
import hashlib
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from pydantic import SecretStr

from bot import checkout, config, github, verdict
from bot.action import files, spending
from bot.action.console import Console
from bot.action.event import ON_PULL, WORKFLOW, Repeat
from bot.action.organization import shared_with_step
from bot.brief import Brief
from bot.checkout import Checkout
from bot.commands import CommandReply, Permission
from bot.config import Config, policy
from bot.config.action import Step
from bot.config.policy import SkipReview, StartReview
from bot.errors import DeepRepoError, HostError, HostRefused, NothingToReview, SupersededError, public
from bot.findings import sarif_results
from bot.github import Host, RequestPace, apps, responses
from bot.outputs import json_file, posts
from bot.outputs.posts import Comments
from bot.payloads import Rendered
from bot.render import plain
from bot.review import scope
from bot.stored import answered, markers, states
from bot.stored.answered import RecordedDecisions
from bot.values import (
    Bases,
    CheckConclusion,
    CommentRef,
    PullFacts,
    PullRef,
    PullRequest,
    Review,
    ReviewJob,
)
from bot.values.host import BotIdentity
from bot.values.progress import ProgressCallback
from bot.values.review import NoReviewReason
from bot.values.shared_file import SharedFile
from bot.wiring import access
from bot.wiring import action as parts
from bot.workflow import commands, pull_state, replies, reviewing
from bot.workflow.consumers import fetch_for_step
from bot.workflow.publish import checks
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.publication import summaries
from bot.workflow.pull_state import PullState
from bot.workflow.reviewing import ADDS_NOTHING, SUPERSEDED, Funds, Outcome, ReviewRun

DEPENDABOT = "dependabot[bot]"  # GitHub treats its pull requests like those from forks
NO_SECRETS = "GitHub gives workflows no secrets for pull requests from forks, so only static checks ran here."
# The prefix of tokens of Apps, including workflows' own tokens, and the suffix of Apps' logins
APP_TOKEN_PREFIX, BOT_SUFFIX = "ghs_", "[bot]"
ONLY_HERE = "This review is shown only here"
NO_WRITE_ACCESS = f"{ONLY_HERE}: the workflow's token has no write access to the pull request"
FORK = "GitHub does not grant this for pull requests from forks"
MAX_LISTED_PULLS = 1_000  # open pull requests that are searched for another one with the same head
UNKNOWN_HEAD = "This commit has no known review, so a job that can fail on findings fails."
SAME_HEAD = (
    "#{number} has the same head commit, and a required check belongs to a commit. Close one of the two pull requests, "
    "or push a commit to one and then edit the title of the other."
)
LABEL_EVENTS = (
    "A label starts a review only if the workflow lists `labeled` and `unlabeled` in `on.pull_request.types`."
)
GRANT = "the job needs `permissions: {contents: read, pull-requests: write}`"


async def review(job: ReviewJob, step: Step, console: Console) -> Outcome:
    """Review the current head of a pull request, and post the result."""
    async with open_host(step, job.pull) as host:
        state, settings = await look_up(host, step, console)
        return await _review(job, host, state, settings, step, console)


async def _review(
    job: ReviewJob, host: Host, state: PullState, settings: Config, step: Step, console: Console
) -> Outcome:
    runner = step.runner
    if job.comment is not None and not await _may_review(job, job.comment, host):
        return Outcome(
            HeadStatus("skipped"),
            "Not reviewed: the author of the command has no permission or reached the rate limit.",
        )
    attempt = f"{runner.github_run_id}-{runner.github_run_attempt}"  # different for each re-run of the job
    bound = policy.bound(job, state.facts, stranger=state.stranger)
    pushes = await pull_state.count_pushes(host, bound, attempt, settings.pause_after)
    run = ReviewRun(attempt, bound, host, state, settings, pushes)
    reviewer, work = StepReview(run, step, console), run.decide()
    if isinstance(work, SkipReview):
        result = await reviewer.refused(await reviewer.follow_up(work))
        if settings.triggers.labels or settings.triggers.skip_labels:
            console.say(LABEL_EVENTS)
        if not work.quiet:
            await answer(run, f"Not reviewed: {result.says}")
    else:
        result = await reviewer.review(work)
    result = _with_step_wording(result, fork=state.facts.fork)
    if result.fault is not None and result.review is None:
        await answer(run, result.says)
        raise result.fault
    return await _fail_if_head_is_shared(run, result)


async def repeat(event: Repeat, step: Step, console: Console) -> Outcome:
    """Repeat the last review's result for the head.

    The event needs no review, but its job is a check of the head. If no result is known, a label starts a
    review, and so does any event if `fail_on` is set: a run was canceled, or a fork's token couldn't post a
    summary.
    """
    async with open_host(step, event.pull) as host:
        state, settings = await look_up(host, step, console)
        stored = await stored_conclusion(host, state, step)
        if stored is None and (event.job.trigger in ("labeled", "unlabeled") or policy.has_threshold(settings)):
            return await _review(event.job, host, state, settings, step, console)
    says = f"Not reviewed: {event.reason}."
    if stored is None:
        return Outcome(HeadStatus("skipped"), says)
    return Outcome(
        HeadStatus(stored.conclusion),
        f"{says} The result of the last review of this commit still applies: {stored.conclusion}.",
    )


async def _fail_if_head_is_shared(run: ReviewRun, result: Outcome) -> Outcome:
    """Return a failure if another open pull request has the same head, and otherwise the result unchanged.

    A required check belongs to a commit, not to a pull request. Compared with another base branch, the same
    commit can have fewer findings, so a stranger could open a second pull request to get a passing check.
    """
    facts = run.state.facts
    if not run.state.stranger or not policy.has_threshold(run.settings) or not verdict.passes(result.conclusion):
        return result
    listing = partial(run.host.rest.pulls.async_list, *run.host.repo, state="open", sort="updated", direction="desc")
    listed = 0
    async for listed_pull in run.host.client.pages(listing):
        listed += 1
        number = int(responses.at(listed_pull, "number"))
        if number != run.host.pull.number and responses.at(listed_pull, "head.sha") == facts.head_sha:
            return replace(
                result,
                head=HeadStatus(policy.conclusion_without_review(run.settings)),
                says=SAME_HEAD.format(number=number),
            )
        if listed >= MAX_LISTED_PULLS:
            break
    return result


@asynccontextmanager
async def open_host(step: Step, pull: PullRef) -> AsyncIterator[Host]:
    """Open the pull request with the step's token, after setting the key from the inputs."""
    inputs, runner = step.inputs, step.runner
    parts.set_api_key(inputs)
    pace, token = RequestPace(between=runner.deeprepo_write_pause), inputs.github_token
    login = await _login(token, runner.github_api_url, pace) or WORKFLOW
    scope = "" if inputs.config == config.FILE else inputs.config
    bot_identity = BotIdentity(login, scope=scope, is_in_scope=partial(markers.is_of_scope, scope))
    async with github.open_pull_with_token(token, runner.github_api_url, pull, bot_identity, pace) as host:
        yield host


async def _login(token: SecretStr, api: str, pace: RequestPace) -> str:
    """Return the login of a token's account, or "" if GitHub doesn't report it."""
    login = ""
    with suppress(HostRefused):
        async with apps.open_with_token(token, api, pace) as client:
            login = str(((await client.ask("viewer")).get("viewer") or {}).get("login") or "")
    is_app = token.get_secret_value().startswith(APP_TOKEN_PREFIX)
    # GraphQL may return an App's login without the suffix.
    return f"{login.removesuffix(BOT_SUFFIX)}{BOT_SUFFIX}" if login and is_app else login


async def look_up(host: Host, step: Step, console: Console) -> tuple[PullState, Config]:
    """Return the pull request's current state, and the settings for its review."""
    inputs, operator_settings = step.inputs, config.environment(on_server=True)

    async def read_shared(host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        return await shared_with_step(host, repository, step, operator_settings, console, is_private=is_private)

    async def find_bases(facts: PullFacts, base: str) -> Bases:
        api, token = step.runner.github_api_url, inputs.github_token
        with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
            return await pull_state.find_bases(api, host.pull, facts, base, token, folder)

    paused = (await read_recorded_answers(host)).is_paused
    state = await pull_state.read_pull_state(host, inputs.config, read_shared, find_bases, is_paused=paused)
    settings = config.resolve(inputs.flags(), state.file, operator_settings, inputs.config, shared=state.shared)
    return state, settings


async def _may_review(job: ReviewJob, comment: CommentRef, host: Host) -> bool:
    """Return whether a person may request a review with a comment, and reply if not."""
    permission = await permission_of(job.actor, comment, host)
    refusal = commands.refusal("full review" if job.full else "review", job.actor, permission)
    await replies.post_reply(refusal or CommandReply(), comment, host, is_seen=refusal is None)
    return refusal is None


async def permission_of(actor: str, comment: CommentRef, host: Host) -> Permission:
    """Return a person's permission, and the times of their earlier commands in the pull request."""
    comments = await host.comments("review" if comment.kind == "review" else "issue")
    earlier_commands = [
        own_comment
        for own_comment in comments
        if own_comment.author == actor and own_comment.id != comment.id and commands.read(own_comment.body)
    ]
    earlier = tuple(datetime.fromisoformat(command.created_at).timestamp() for command in earlier_commands)
    return Permission(await host.permission(actor), time.time(), earlier)


def _with_step_wording(result: Outcome, *, fork: bool) -> Outcome:
    """Return the result with a sentence for the job summary.

    A result with a `fault` makes the step fail once the review is in the job summary.
    """
    fault = result.fault
    if result.review is None:
        is_empty = result.says == ADDS_NOTHING
        before = "Nothing to review" if is_empty else "Review failed" if fault else "Not reviewed"
        return replace(result, says=f"{before}: {result.says}")
    if isinstance(fault, SupersededError):
        return replace(result, says=f"{ONLY_HERE}: {public(fault)}.", fault=None)
    if isinstance(fault, HostRefused) and fault.is_forbidden:
        return replace(result, says=f"{NO_WRITE_ACCESS}; {FORK if fork else GRANT}.", fault=None)
    if fault is not None:
        why = "GitHub refused it" if isinstance(fault, HostRefused) else "it could not be posted"
        return replace(result, says=f"{ONLY_HERE}: {why}.")
    return result


async def answer(run: ReviewRun, says: str) -> None:
    """Reply to the comment that requested a review, because its author doesn't see the job."""
    if run.job.comment is not None:
        await _reply(run.job.comment, run.host, says)


async def _reply(comment: CommentRef, host: Host, says: str) -> None:
    with suppress(HostError):
        await replies.post_reply(CommandReply(plain(says)), comment, host)


async def read_recorded_answers(host: Host) -> RecordedDecisions:
    """Return the decisions that our replies in the pull request record."""
    return answered.read((*await host.comments("review"), *await host.comments()))


async def last_state(host: Host) -> bytes | str:
    """Return the state in the summary comment, or why it can't be used, or "" if there is no summary."""
    summary = next(iter(await summaries(host)), None)
    return states.unpack(summary.body) if summary is not None else ""


async def stored_conclusion(host: Host, now: PullState, step: Step) -> states.HeadConclusion | None:
    """Return the last review's conclusion if it had the same head, base branch and settings, else None."""
    data = await last_state(host)
    stored = states.head_conclusion(data) if isinstance(data, bytes) else None
    return stored if stored is not None and stored == head_conclusion(stored.conclusion, now, step) else None


def head_conclusion(conclusion: CheckConclusion, now: PullState, step: Step) -> states.HeadConclusion:
    """Return a conclusion with what it applies to: head, base branch, and a digest of the settings."""
    settings = hashlib.sha256(repr((now.files, sorted(step.inputs.flags().items()))).encode()).hexdigest()
    return states.HeadConclusion(conclusion, now.facts.head_sha, now.facts.base_ref, settings)


@dataclass(slots=True)
class StepReview:
    """Reviews in a workflow step.

    The previous review is in the summary comment, or in a file that the workflow passes. Every error is
    final, because a step is not repeated automatically.
    """

    run: ReviewRun
    step: Step
    console: Console

    async def review(self, decision: StartReview) -> Outcome:
        """Make the review and post it. If it cannot be posted, it is only in the job summary."""
        made = None
        async with self._check_run() as check:
            try:
                found = await self._make(decision, check)
                if isinstance(found, SkipReview):
                    result = await self.refused(await self.follow_up(found))
                else:
                    made = found
                    posted, fault = await reviewing.post(self.run, made, self._comments)
                    head = HeadStatus(verdict.of(made.review).check, is_reviewed=True)
                    result = Outcome(head, "", made, posted, fault)
            except NothingToReview:
                result = Outcome(await self._head_status("nothing"), ADDS_NOTHING)
            except SupersededError as error:  # the conclusion of an earlier review of this head stays
                status = await self._head_status()
                status = status if status.is_reviewed else HeadStatus("cancelled")
                result = Outcome(status, SUPERSEDED, made, fault=error)
            except DeepRepoError as error:
                result = Outcome(await self._head_status(), public(error), fault=error)
            with suppress(HostError):  # the result is in the job summary too
                await reviewing.end_check(self.run, check, result)
        return result

    async def _make(self, decision: StartReview, check: int | None) -> Rendered | SkipReview:
        run = self.run
        async with self.fetch() as pull:
            brief = await self.brief(await reviewing.with_several_bases(run, pull))
            if reviewing.asks_for_paths(run, brief):
                refusal = await scope.no_review_reason(brief, run.job.trigger)
                if refusal is not None:
                    return refusal
            async with (
                fetch_for_step(run, self.step) as consumers,
                reviewing.show_progress(run, check, self.console.say) as say,
            ):
                funds = Funds(model=False) if reviewing.is_offline(decision, brief) else await self.funds()
                return await self._render(await reviewing.funded(run, brief, decision, funds, consumers), say)

    async def follow_up(self, skip: SkipReview) -> SkipReview:
        """Close earlier findings that this head fixed, if a rule excludes it. Return whether another one holds it."""
        if not await reviewing.has_summary_to_follow(self.run, skip):
            return skip
        self.run = replace(self.run, follows=True)
        async with self.fetch() as pull:
            brief = reviewing.follow_up_brief(await self.brief(pull), skip)
            with suppress(NothingToReview):
                if brief is not None:
                    made = await self._render(brief, lambda _: None)
                    return await reviewing.post_follow_up(self.run, made.review, skip, self._comments)
        return skip

    async def refused(self, skip: SkipReview) -> Outcome:
        """Return the result if the policy refuses a review.

        With `fail_on`, this also has to be correct for a closed pull request. It can be reopened, or another
        pull request can have the same head.
        """
        facts = self.run.state.facts
        if facts.state == "open":
            return Outcome(await self._head_status(skip.lacks), skip.reason, lacks=skip.lacks)
        if facts.merged or not policy.has_threshold(self.run.settings):
            return Outcome(HeadStatus("skipped"), skip.reason)
        return Outcome(await self._head_status(), f"{skip.reason} {UNKNOWN_HEAD}")

    @asynccontextmanager
    async def _check_run(self) -> AsyncIterator[int | None]:
        """Create a check run, unless the job is a check of the pull request or the token doesn't allow it."""
        run, check = self.run, None
        if self.step.runner.github_event_name not in ON_PULL:
            with suppress(HostRefused):
                check = await checks.start(run.host, run.state.facts.head_sha, run.check_owner)
        try:
            yield check
        except asyncio.CancelledError:
            with suppress(HostError):
                await reviewing.end_check(run, check, Outcome(HeadStatus("cancelled"), "The job was cancelled."))
            raise

    @asynccontextmanager
    async def fetch(self) -> AsyncIterator[PullRequest]:
        """Fetch the change. The workspace is not used, because anything could be in it."""
        run, step = self.run, self.step
        api, token, state = step.runner.github_api_url, step.inputs.github_token, run.state
        with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
            yield await pull_state.fetch(api, run.job.pull, state.facts, state.bases, token, folder)

    async def funds(self) -> Funds:
        """Return what models may spend, by the limit on runs per day.

        Without secrets, as for forks, it is nothing.
        """
        run, facts = self.run, self.run.state.facts
        # GitHub withholds secrets and write access
        is_unprivileged = facts.fork or facts.author == DEPENDABOT
        if is_unprivileged and self.step.runner.github_event_name == "pull_request" and not access.keys():
            return Funds(refusal=NO_SECRETS)
        if access.can_ask(run.settings):
            return await spending.remaining_funds(run, self.step, self.console)
        return Funds(model=False)

    async def _render(self, brief: Brief, say: ProgressCallback) -> Rendered:
        review = await parts.review_change(brief, say)
        return Rendered(review, await asyncio.to_thread(self._comments, review))

    def _comments(self, review: Review) -> Comments:
        """Render the comments, with the state for the next review in the summary."""
        run = self.run

        def state(shown: Review) -> str:
            made = None if run.follows else head_conclusion(verdict.of(shown).check, run.state, self.step)
            return states.pack(json_file.content(shown), made)

        return posts.comments(review, state)

    async def _head_status(self, lacks: NoReviewReason = "unreviewed") -> HeadStatus:
        """Return the conclusion in the summary's state if it applies to the head."""
        run = self.run
        known = await stored_conclusion(run.host, run.state, self.step) if lacks != "nothing" else None
        if known is not None:
            return HeadStatus(known.conclusion, is_reviewed=True)
        return HeadStatus(policy.conclusion_without_review(run.settings, lacks))

    async def brief(self, pull: PullRequest) -> Brief:
        """Return the brief for a review, based on the previous review if its state is available."""
        earlier, note = await self.last()
        scope, answers = self.run.host.bot_identity.scope, await read_recorded_answers(self.run.host)
        return replace(
            await self.brief_without_history(pull),
            earlier=earlier,
            full=self.run.job.full,
            vouched=self.run.is_vouched,
            note=" ".join(filter(None, (f"Reviewed with the settings in `{scope}`." if scope else "", note))),
            dismissals=answers.dismissals,
            rules=answers.rules,
        )

    async def brief_without_history(self, pull: PullRequest) -> Brief:
        """Return the brief for answering a question, which doesn't need the previous review."""
        inputs, runner = self.step.inputs, self.step.runner
        async with Checkout(pull) as tree:
            await checkout.refuse_reviewed(tree, files.deciding(inputs, runner))
        sarif = files.reports(inputs.sarif_reports, runner)
        return replace(
            self.run.state.brief(pull, self.run.settings),
            file=inputs.config,
            reports=tuple(each for name, data in sarif for each in sarif_results.read(data, name)),
            tool_runs=tuple(run for name, data in sarif for run in sarif_results.runs(data, name)),
            allowed=config.environment(on_server=True).permissions(),
        )

    async def last(self) -> tuple[bytes | None, str]:
        """Return the state of the last review or None, and a sentence for the user if it can't be used.

        The file in the input `previous` is used if the summary has no state, or one for the same head. For
        forks, the file is ignored, because it may have been written by a job that runs the fork's code.
        """
        path = None if self.run.state.facts.fork else self.step.inputs.previous
        data = files.previous(path, self.step.runner) if path is not None else None
        from_file, posted = states.from_file(data) if data is not None else "", await last_state(self.run.host)
        if isinstance(from_file, bytes) and (isinstance(posted, str) or states.head(from_file) == states.head(posted)):
            return from_file, ""
        why = from_file if isinstance(from_file, str) and from_file else posted
        sentence = f"{why[:1].upper()}{why[1:]}: " if isinstance(why, str) and why else ""
        if isinstance(posted, bytes):
            return posted, f"{sentence}this file was not used." if sentence else ""
        return None, f"{sentence}so everything was reviewed again." if sentence else ""
