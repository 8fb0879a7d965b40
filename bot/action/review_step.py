"""Review in a workflow step, with a given token and without stored data, and report the result.

The summary comment contains what the next review needs.
"""

import asyncio
import hashlib
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from pydantic import SecretStr

from bot import config, github
from bot.action import files, spending
from bot.action.console import Console
from bot.action.event import ON_PULL, WORKFLOW, Repeat
from bot.action.hooks import hooks
from bot.brief import Brief
from bot.checkout import Checkout, ownership
from bot.commands import CommandReply, Permission
from bot.config import Config, Step, policy
from bot.config.policy import No
from bot.errors import HostError, HostRefused, SupersededError, public
from bot.findings import sarif_results
from bot.github import Host, RequestPace, apps, shapes
from bot.outputs import json_file, posts
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
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
    ReviewAsk,
)
from bot.values.consumer import Consumers
from bot.values.host import BotIdentity
from bot.values.progress import ProgressCallback
from bot.values.review import NoReviewReason
from bot.values.shared_file import SharedFile
from bot.wiring import access
from bot.wiring import action as parts
from bot.workflow import commands, fetching, pull_state, push_count, replies
from bot.workflow.publish import checks
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.publication import summaries
from bot.workflow.pull_state import PullState
from bot.workflow.reviewer import ADDS_NOTHING, Funds, Reviewer, ReviewResult, ReviewRun

DEPENDABOT = "dependabot[bot]"  # whose pull requests GitHub treats like those from forks
NO_SECRETS = "GitHub gives workflows no secrets for pull requests from forks, so only static checks ran here."
APPS, BOT = "ghs_", "[bot]"  # how an App's tokens begin, a workflow's among them, and how its login ends
ALONE = "This review is shown only here"
MAY_NOT = f"{ALONE}: the workflow's token has no write access to the pull request"
FORK = "GitHub does not grant this for pull requests from forks"
MAX_LISTED_PULLS = 1_000  # open pull requests at most among which another one with the same head is looked for
UNKNOWN_HEAD = "This commit has no known review, so a job that can fail on findings fails."
SAME_HEAD = (
    "#{number} has the same head commit, and a required check belongs to a commit. Close one of the two pull requests, "
    "or push a commit to one and then edit the title of the other."
)
GRANT = "the job needs `permissions: {contents: read, pull-requests: write}`"


async def review(ask: ReviewAsk, step: Step, console: Console) -> ReviewResult:
    """Review what was asked for and say so on GitHub. The head is the one that is there now, and no other is spoken of."""
    async with open_host(step, ask.pull) as host:
        state, settings = await look_up(host, step, console)
        return await _review(ask, host, state, settings, step, console)


async def _review(
    ask: ReviewAsk, host: Host, state: PullState, settings: Config, step: Step, console: Console
) -> ReviewResult:
    """Review a pull request whose state and settings are known, and post the result."""
    runner = step.runner
    if ask.comment is not None and not await _may_review(ask, ask.comment, host, settings):
        return ReviewResult(
            HeadStatus("skipped"),
            "Not reviewed: the author of the command has no permission or reached the rate limit.",
        )
    attempt = f"{runner.github_run_id}-{runner.github_run_attempt}"  # another one when the job is run again
    bound = policy.bound(ask, state.facts, stranger=state.stranger)
    pushes = await push_count.count_pushes(host, bound, attempt, settings.pause_after)
    run = ReviewRun(attempt, bound, host, state, settings, pushes)
    reviewer, work = StepReviewer(run, step, console), run.decide()
    if isinstance(work, No):
        await reviewer.follow_up(work)
        result = await reviewer.refused(work)
        if not work.quiet:
            await answer(run, f"Not reviewed: {result.says}")
    else:
        result = await reviewer.review(work)
    result = _with_step_wording(result, fork=state.facts.fork)
    if result.fault is not None and result.review is None:
        await answer(run, result.says)
        raise result.fault
    return await _fail_if_head_is_shared(run, result)


async def repeat(event: Repeat, step: Step, console: Console) -> ReviewResult:
    """Repeat the last review's result for the head.

    The event starts no review, but its job is a check of the head. A new title is reviewed if it changes
    whether the settings skip the pull request.

    If no result is known (a fork's token posts no summary, or a run was canceled) and a failure threshold is
    set, the head is reviewed.
    """
    async with open_host(step, event.pull) as host:
        state, settings = await look_up(host, step, console)
        before, title = event.title_before, state.facts.title
        if before is not None and policy.is_skip_changed(before, title, settings):
            return await _review(event.ask, host, state, settings, step, console)
        stored = await stored_conclusion(host, state, step)
        if stored is None and policy.has_threshold(settings):
            return await _review(event.ask, host, state, settings, step, console)
    says = f"Not reviewed: {event.reason}."
    if stored is None:
        return ReviewResult(HeadStatus("skipped"), says)
    return ReviewResult(
        HeadStatus(stored.conclusion),
        f"{says} The result of the last review of this commit still applies: {stored.conclusion}.",
    )


async def _fail_if_head_is_shared(run: ReviewRun, result: ReviewResult) -> ReviewResult:
    """The result, as a failure where a stranger has opened another pull request with this head: a required check belongs to the commit.

    Compared with another branch the same commit may come to less; and no job knows what the other one came to.
    """
    facts = run.state.facts
    if (
        not run.state.stranger
        or not policy.has_threshold(run.settings)
        or result.conclusion in ("failure", "cancelled")
    ):
        return result
    listing = partial(run.host.rest.pulls.async_list, *run.host.repo, state="open", sort="updated", direction="desc")
    listed = 0
    async for listed_pull in run.host.client.pages(listing):
        listed += 1
        number = int(shapes.at(listed_pull, "number"))
        if number != run.host.pull.number and shapes.at(listed_pull, "head.sha") == facts.head_sha:
            return replace(result, head=HeadStatus("failure"), says=SAME_HEAD.format(number=number))
        if listed >= MAX_LISTED_PULLS:
            break
    return result


@asynccontextmanager
async def open_host(step: Step, pull: PullRef) -> AsyncIterator[Host]:
    """Open the pull request, with the step's token."""
    inputs, runner = step.inputs, step.runner
    parts.lend(inputs)
    pace, token = RequestPace(between=runner.deeprepo_write_pause), inputs.github_token
    login = await _login(token, runner.github_api_url, pace) or WORKFLOW
    scope = "" if inputs.config == config.FILE else inputs.config
    bot_identity = BotIdentity(login, scope=scope, is_in_scope=partial(markers.is_of_scope, scope))
    async with github.open_pull_with_token(token, runner.github_api_url, pull, bot_identity, pace) as host:
        yield host


async def _login(token: SecretStr, api: str, pace: RequestPace) -> str:
    """Return the login that a token writes as, or "" if GitHub doesn't report it."""
    login = ""
    with suppress(HostRefused):
        async with apps.open_with_token(token, api, pace) as client:
            login = str(((await client.ask("viewer")).get("viewer") or {}).get("login") or "")
    app = token.get_secret_value().startswith(APPS)
    return f"{login.removesuffix(BOT)}{BOT}" if login and app else login  # GraphQL may name an App without its ending


async def look_up(host: Host, step: Step, console: Console) -> tuple[PullState, Config]:
    """Return the pull request as it is now, and the settings."""
    inputs, operator_settings = step.inputs, config.environment(on_server=True)

    async def read_shared(host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        asked = [
            await hook.shared_files(host, repository, step, operator_settings, console, is_private=is_private)
            for hook in hooks()
        ]
        return tuple(file for files in asked for file in files)

    async def find_bases(facts: PullFacts, base: str) -> Bases:
        url = github.git_url(step.runner.github_api_url, fetching.today(host.pull, facts))
        with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
            return await fetching.find_bases(url, facts, base, inputs.github_token, folder)

    paused = (await read_recorded_answers(host)).is_paused
    state = await pull_state.read_pull_state(host, inputs.config, read_shared, find_bases, is_paused=paused)
    settings = config.resolve(inputs.flags(), state.file, operator_settings, inputs.config, shared=state.shared)
    return state, settings


async def _may_review(ask: ReviewAsk, comment: CommentRef, host: Host, settings: Config) -> bool:
    """Return whether this person gets the review."""
    permission = await permission_of(ask.actor, comment, host)
    refusal = commands.refusal("full review" if ask.full else "review", ask.actor, permission, settings)
    await replies.post_reply(refusal or CommandReply(), comment, host, is_seen=refusal is None)
    return refusal is None


async def permission_of(actor: str, comment: CommentRef, host: Host) -> Permission:
    """Return a person's permission, and their earlier commands, which are known only from their comments."""
    comments = await host.comments("review" if comment.kind == "review" else "issue")
    asker_commands = [
        own_comment
        for own_comment in comments
        if own_comment.author == actor and own_comment.id != comment.id and commands.read(own_comment.body)
    ]
    earlier = tuple(datetime.fromisoformat(command.created_at).timestamp() for command in asker_commands)
    return Permission(await host.permission(actor), time.time(), earlier)


def _with_step_wording(result: ReviewResult, *, fork: bool) -> ReviewResult:
    """Return the result in the step's words.

    `fault` makes the step fail after the review is in the job summary.
    """
    fault = result.fault
    if result.review is None:
        is_empty = result.says == ADDS_NOTHING
        before = "Nothing to review" if is_empty else "Review failed" if fault else "Not reviewed"
        return replace(result, says=f"{before}: {result.says}")
    if isinstance(fault, SupersededError):
        return replace(result, says=f"{ALONE}: {public(fault)}.", fault=None)
    if isinstance(fault, HostRefused) and fault.is_forbidden:
        return replace(result, says=f"{MAY_NOT}; {FORK if fork else GRANT}.", fault=None)
    if fault is not None:
        why = "GitHub refused it" if isinstance(fault, HostRefused) else "it could not be posted"
        return replace(result, says=f"{ALONE}: {why}.")
    return result


async def answer(run: ReviewRun, says: str) -> None:
    """Reply to the person who asked in a comment why there is no review, because they don't see the job."""
    if run.ask.comment is not None:
        await _reply(run.ask.comment, run.host, says)


async def _reply(comment: CommentRef, host: Host, says: str) -> None:
    with suppress(HostError):
        await replies.post_reply(CommandReply(plain(says)), comment, host)


async def read_recorded_answers(host: Host) -> RecordedDecisions:
    """Return what our answers in the pull request record."""
    return answered.read((*await host.comments("review"), *await host.comments()))


async def last_state(host: Host) -> bytes | str:
    """Return the state in the summary of the last review, or why it cannot be used; "" if there was none."""
    stands = next(iter(await summaries(host)), None)
    return states.unpack(stands.body) if stands is not None else ""


async def stored_conclusion(host: Host, now: PullState, step: Step) -> states.HeadConclusion | None:
    """Return what the last review came to, if it was of this very head and base branch and under these settings."""
    data = await last_state(host)
    stored = states.head_conclusion(data) if isinstance(data, bytes) else None
    return stored if stored is not None and stored == head_conclusion(stored.conclusion, now, step) else None


def head_conclusion(conclusion: CheckConclusion, now: PullState, step: Step) -> states.HeadConclusion:
    """Return a review's conclusion, its head and base branch, and a digest of the threshold's sources."""
    settings = hashlib.sha256(repr((now.files, sorted(step.inputs.flags().items()))).encode()).hexdigest()
    return states.HeadConclusion(conclusion, now.facts.head_sha, now.facts.base_ref, settings)


@dataclass(slots=True)
class StepReviewer(Reviewer):
    """Reviews with the step's token.

    Every error is final: a step isn't repeated, and a newer run cancels this job.

    The previous review is in the summary comment, or in a file that the workflow passes.
    """

    step: Step
    console: Console

    async def refused(self, no: No) -> ReviewResult:
        """End a review that the policy refuses.

        A closed pull request may be reopened, or another one may have its head, so its job applies the
        failure threshold too.
        """
        facts = self.run.state.facts
        if facts.state == "open" or facts.merged or not policy.has_threshold(self.run.settings):
            return await Reviewer.refused(self, no)
        return ReviewResult(await self.head_status(), f"{no.reason} {UNKNOWN_HEAD}")

    @asynccontextmanager
    async def check_run(self) -> AsyncIterator[int | None]:
        """Start a check run of our own if the job is not one of the pull request's checks, and the token may make one."""
        run, check = self.run, None
        if self.step.runner.github_event_name not in ON_PULL:
            with suppress(HostRefused):
                check = await checks.start(run.host, run.state.facts.head_sha, run.check_owner)
        try:
            yield check
        except asyncio.CancelledError:
            with suppress(HostError):
                await self.end_check(check, ReviewResult(HeadStatus("cancelled"), "The job was cancelled."))
            raise

    @asynccontextmanager
    async def fetch(self) -> AsyncIterator[PullRequest]:
        """Fetch the change: nothing that is in the workspace is believed."""
        run, step = self.run, self.step
        facts, bases = run.state.facts, run.state.bases
        url = github.git_url(step.runner.github_api_url, fetching.today(run.ask.pull, facts))
        with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
            store = await fetching.fill_store(url, facts, bases, step.inputs.github_token, folder)
            yield fetching.as_pull_request(facts, bases, store)

    def consumers(self) -> AbstractAsyncContextManager[Consumers]:
        """Fetch the other repositories that features look at."""
        found = (hook.consumers(self.run, self.step) for hook in hooks())
        return next((one for one in found if one is not None), nullcontext(Consumers()))

    @asynccontextmanager
    async def funds(self, brief: Brief) -> AsyncIterator[Funds]:  # noqa: ARG002 - a step keeps no account of journals
        """Grant what the runs of a day leave to a model, whether it needs a key or not; without any if GitHub has withheld the secrets."""
        run, facts = self.run, self.run.state.facts
        is_unprivileged = facts.fork or facts.author == DEPENDABOT  # then the token may only read, too
        if is_unprivileged and self.step.runner.github_event_name == "pull_request" and not access.keys():
            yield Funds(refusal=NO_SECRETS)
        elif access.can_ask(run.settings):
            yield await spending.left(run, self.step, self.console)
        else:
            yield Funds(model=False)

    async def no_review_reason(self, brief: Brief) -> No | None:
        """Say why there is no review, now that the changed files are known."""
        return await scope.no_review_reason(brief, self.run.ask.trigger)

    async def make(self, brief: Brief, say: ProgressCallback) -> MadeReview:
        """Review the change, and look at what else has failed."""
        made_review = await parts.review_change(brief, say)
        for hook in hooks():
            made_review = await hook.on_reviewed(made_review, self.run, self.step, self.console)
        return MadeReview(made_review, await asyncio.to_thread(self.comments, made_review))

    def comments(self, review: Review) -> Comments:
        """Render the comments, with the state for the next review in the summary."""
        run = self.run

        def state(shown: Review) -> str:
            made = None if run.follows else head_conclusion(checks.conclude(shown), run.state, self.step)
            return states.pack(json_file.content(shown), made)

        return posts.comments(review, state)

    @property
    def is_check_run_optional(self) -> bool:
        """Whether the review goes on if GitHub does not let its check run end: it is in the job summary too."""
        return True

    def log(self, step: str) -> None:
        """Print each step's sentence in the job's log."""
        self.console.say(step)

    async def head_status(
        self, lacks: NoReviewReason = "unreviewed", just_made: CheckConclusion | None = None
    ) -> HeadStatus:
        """Say it by the state in the summary, if the last review was of this very head and base branch."""
        if just_made is not None:
            return HeadStatus(just_made, is_reviewed=True)
        run = self.run
        known = await stored_conclusion(run.host, run.state, self.step) if lacks != "nothing" else None
        if known is not None:
            return HeadStatus(known.conclusion, is_reviewed=True)
        return HeadStatus(policy.conclusion_without_review(run.settings, lacks))

    async def brief(self, pull: PullRequest) -> Brief:
        """Return the review to make, built upon the last one if its state can be had."""
        earlier, note = await self.last()
        scope, answers = self.run.host.bot_identity.scope, await read_recorded_answers(self.run.host)
        return replace(
            await self.brief_without_history(pull),
            earlier=earlier,
            full=self.run.ask.full,
            note=" ".join(filter(None, (f"Reviewed with the settings in `{scope}`." if scope else "", note))),
            dismissals=answers.dismissals,
            rules=answers.rules,
        )

    async def brief_without_history(self, pull: PullRequest) -> Brief:
        """Return the change under its settings and the step's inputs: an answer builds upon no earlier review."""
        inputs, runner = self.step.inputs, self.step.runner
        async with Checkout(pull) as tree:
            await ownership.refuse_reviewed(tree, files.deciding(inputs, runner))
        sarif = files.reports(inputs.sarif_reports, runner)
        return replace(
            self.run.state.brief(pull, self.run.settings),
            file=inputs.config,
            reports=tuple(each for name, data in sarif for each in sarif_results.read(data, name)),
            tool_runs=tuple(run for name, data in sarif for run in sarif_results.runs(data, name)),
            allowed=config.environment(on_server=True).permissions(),
        )

    async def last(self) -> tuple[bytes | None, str]:
        """Return the state of the last review, or a sentence for the user if it can't be used.

        The file that a workflow passes counts if the summary contains no state or one of the same head. A job
        that runs a fork's code may have written such a file, so it is ignored for forks.
        """
        path = None if self.run.state.facts.fork else self.step.inputs.previous
        data = files.previous(path, self.step.runner) if path is not None else None
        given, kept = states.from_file(data) if data is not None else "", await last_state(self.run.host)
        if isinstance(given, bytes) and (isinstance(kept, str) or states.head(given) == states.head(kept)):
            return given, ""
        why = given if isinstance(given, str) and given else kept
        sentence = f"{why[:1].upper()}{why[1:]}: " if isinstance(why, str) and why else ""
        if isinstance(kept, bytes):
            return kept, f"{sentence}this file was not used." if sentence else ""
        return None, f"{sentence}so everything was reviewed again." if sentence else ""

    async def keep(self, made: MadeReview, conclusion: CheckConclusion, start: float, *, is_posted: bool) -> None:
        """Store nothing, because the state for the next review is posted with the summary."""
