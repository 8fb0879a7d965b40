"""Carry out the commands in a comment.

A workflow step has no database, so decisions are recorded in its replies.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from bot.action.console import Console
from bot.action.event import ON_PULL, WORKFLOW, requested_review
from bot.action.review_step import StepReview, look_up, open_host, permission_of, read_recorded_answers, review
from bot.commands import CommandContext, CommandReply
from bot.config.action import Step
from bot.errors import GitError, HostRefused, NothingToReview, OverLimit, UsageError, public
from bot.github import responses
from bot.payloads import FixRequest, MadeFix, Question
from bot.values import CommandJob, ReviewJob
from bot.wiring import access
from bot.wiring import action as parts
from bot.workflow import commands, replies
from bot.workflow.commands import REVIEWS
from bot.workflow.given_command import Answering, StepCommand
from bot.workflow.publish import checks
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.tidy import ThreadCloser, close
from bot.workflow.reviewing import Outcome, ReviewRun

REFUSED = "No answer: the author of the command has no permission or reached the rate limit."
CONFLICT = 409
RUNNING = ("in_progress", "queued", "waiting", "requested", "pending")  # statuses of a run that has not ended


async def answer(job: CommandJob, step: Step, console: Console) -> Outcome:
    """Carry out a comment's commands. Then review, if one of them requests it, or made a commit to review."""
    follow_up = requested_review(job) if any(each.word in REVIEWS for each in job.each) else None
    async with open_host(step, job.pull) as host:
        state, settings = await look_up(host, step, console)
        permission = await permission_of(job.actor, job.comment, host)
        request = ReviewJob(job.pull, "command", actor=job.actor, comment=job.comment)
        reviewer = StepReview(ReviewRun("", request, host, state, settings), step, console)
        last, _ = await reviewer.last()
        context = CommandContext(
            access.in_force(settings),
            job.actor,
            state.facts.base_ref,
            last,
            await replies.top_comment(job.comment, host),
        )
        work = _Work(reviewer, context)
        for each in job.each:
            if each.word in REVIEWS:
                continue
            refusal = commands.refusal(each.word, each.actor, permission)
            await replies.post_reply(refusal or CommandReply(), each.comment, host, is_seen=refusal is None)
            if refusal is not None:
                return Outcome(HeadStatus("skipped"), REFUSED)
            # Read the answers again, because commands in one comment can build on each other, such as
            # `remember` and `rules export`.
            command = StepCommand(each, context, state, host, await read_recorded_answers(host), work)
            reply = await commands.answer_in_step(command)
            await replies.post_reply(reply, each.comment, host, facts=reply.facts)
            if mark := reply.facts.get("ignored"):
                marks = {dismissal.mark for dismissal in (await read_recorded_answers(host)).dismissals}
                with suppress(HostRefused):
                    await close(ThreadCloser(host), [mark.split()[0]], marks)
            if reply.commit and not work.starts_workflows and follow_up is None:
                follow_up = ReviewJob(job.pull, "command", actor=job.actor, comment=job.comment)
    if follow_up is not None:
        return await review(follow_up, step, console)
    return Outcome(HeadStatus("skipped"), "Answered a command.")


@dataclass(frozen=True, slots=True)
class _Work:
    """Carries out what commands need: model calls, fixes and cancellations."""

    reviewer: StepReview
    context: CommandContext

    @property
    def starts_workflows(self) -> bool:
        """Whether GitHub starts workflows for the step's commits. It doesn't for the token of a workflow."""
        return self.reviewer.run.host.bot_identity.login != WORKFLOW

    async def ask(self, answer: Answering, argument: str) -> CommandReply:
        context = self.context
        question = Question(answer, argument, context, "")
        if not access.can_ask(context.settings):
            return await parts.answer(question)
        try:
            async with self.reviewer.fetch() as pull:
                brief = await self.reviewer.brief_without_history(pull)
                funds = await self.reviewer.funds()
                if funds.refusal:
                    return context.say("reply_failed", why=funds.refusal)
                return await parts.answer(replace(question, brief=funds.within(brief)))
        except (OverLimit, NothingToReview, UsageError, GitError) as error:
            return context.say("reply_failed", why=public(error))

    async def fix(self, last: bytes, names: tuple[str, ...]) -> MadeFix:
        """Return fixes for findings of the last review. They are applied to a copy of the head only."""
        async with self.reviewer.fetch() as pull:
            answers = await read_recorded_answers(self.reviewer.run.host)
            brief = await self.reviewer.brief_without_history(pull)
            brief = replace(brief, dismissals=answers.dismissals, rules=answers.rules)
            return await parts.fix(FixRequest(brief, last, names))

    async def cancel(self) -> int:
        """Cancel this workflow's other runs that review the pull request, and return how many were canceled.

        These are the runs for events of the pull request on its head, and the runs that have a check run in
        progress on the head. Raises HostRefused.
        """
        host = self.reviewer.run.host
        runs, count = {run async for run in self._runs()} - {self.reviewer.step.runner.github_run_id}, 0
        for run in sorted(runs):
            with _ignore_already_ended():
                await host.client.json(host.rest.actions.async_cancel_workflow_run(*host.repo, int(run)))
                count += 1
        return count

    async def _runs(self) -> AsyncIterator[str]:
        run, runner = self.reviewer.run, self.reviewer.step.runner
        host, head = run.host, run.state.facts.head_sha
        listing = partial(host.rest.actions.async_list_workflow_runs_for_repo, *host.repo, head_sha=head)
        async for row in host.client.pages(listing, "workflow_runs"):
            path = str(responses.at(row, "path")).partition("@")[0]
            numbers = {responses.at(pull, "number") for pull in responses.at(row, "pull_requests") or ()}
            is_of_this = path == runner.workflow_path and responses.at(row, "event") in ON_PULL
            if is_of_this and numbers <= {host.pull.number} and responses.at(row, "status") in RUNNING:
                yield str(responses.at(row, "id"))
        for attempt in await checks.owners_in_progress(host, head):
            number = attempt.rpartition("-")[0]
            if number.isdecimal():
                yield number


@contextmanager
def _ignore_already_ended() -> Iterator[None]:
    """Ignore GitHub's refusal to cancel a run that has just ended."""
    try:
        yield
    except HostRefused as refusal:
        if refusal.status != CONFLICT:
            raise
