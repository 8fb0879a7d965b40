"""A review in a workflow, with a token that was given and without anything that is stored; and what the step says of its end."""

import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime

from pydantic import SecretStr

from bot import commands, config, github
from bot.action.backend import StepSide, answer, stored_verdict
from bot.action.console import Console
from bot.action.event import WORKFLOW, Repeat
from bot.commands import Permission
from bot.config import Config, Settings, Step, policy
from bot.errors import HostRefused, SupersededError
from bot.github import Host, RequestPace, apps
from bot.github.client import GitHubClient
from bot.values import CommentRef, OrganizationFile, PullRef, ReviewAsk
from bot.wiring import action as parts
from bot.workflow import asking, looking, reviewing
from bot.workflow.backend import ReviewResult, ReviewRun
from bot.workflow.looking import PullState
from bot.workflow.organization import OrganizationFiles

FORBIDDEN = 403
APPS, BOT = "ghs_", "[bot]"  # how an App's tokens begin, a workflow's among them, and how its login ends
ALONE = "The review is posted only here"
MAY_NOT = f"{ALONE}: the workflow's token may not write to the pull request"
FORK = "GitHub grants no such permission for a pull request from a fork"
GRANT = "the job needs `permissions: {contents: read, pull-requests: write}`"


async def review(ask: ReviewAsk, step: Step, console: Console) -> ReviewResult:
    """Review what was asked for and say so on GitHub. The head is the one that is there now, and no other is spoken of."""
    runner = step.runner
    async with open_host(step, ask.pull) as host:
        state, settings = await look_up(host, step, console)
        if ask.comment is not None and not await _may_review(ask, ask.comment, host, settings):
            return ReviewResult("skipped", "Nothing was reviewed: who asked may not, or not so often.")
        attempt = f"{runner.github_run_id}-{runner.github_run_attempt}"  # another one when the job is run again
        run = ReviewRun(attempt, policy.bound(ask, state.facts, stranger=state.stranger), host, state, settings)
        result = _in_step_words(
            await reviewing.review(run, StepSide(step, console).backend(), again=True), fork=state.facts.fork
        )
        if result.fault is not None and result.review is None:
            await answer(run, result.says)
            raise result.fault
        return result


async def repeat(event: Repeat, step: Step, console: Console) -> ReviewResult:
    """An event that starts no review, whose job is a check of the pull request all the same: the review of this head stands."""
    async with open_host(step, event.pull) as host:
        state, settings = await look_up(host, step, console)
        verdict = await stored_verdict(ReviewRun("", event.ask, host, state, settings))
    says = f"Nothing was reviewed: {event.reason}."
    if verdict is None:
        return ReviewResult("skipped", says)
    return ReviewResult(
        verdict.conclusion, f"{says} What the review of this commit came to stands: {verdict.conclusion}."
    )


@asynccontextmanager
async def open_host(step: Step, pull: PullRef) -> AsyncIterator[Host]:
    """The pull request, with the step's token."""
    inputs, runner = step.inputs, step.runner
    parts.lend(inputs)
    pace, token = RequestPace(between=runner.deeprepo_write_pause), inputs.github_token
    login = await _login(token, runner.github_api_url, pace) or WORKFLOW
    async with github.with_token(token, runner.github_api_url, pull, login, pace) as host:
        yield host


async def _login(token: SecretStr, api: str, pace: RequestPace) -> str:
    """The login that a token writes under, "" if GitHub does not tell."""
    login = ""
    with suppress(HostRefused):
        async with apps.holding(token, api, pace) as client:
            login = str(((await client.ask("viewer")).get("viewer") or {}).get("login") or "")
    app = token.get_secret_value().startswith(APPS)
    return f"{login.removesuffix(BOT)}{BOT}" if login and app else login  # GraphQL may name an App without its ending


async def look_up(host: Host, step: Step, console: Console) -> tuple[PullState, Config]:
    """The pull request as it is now, and the settings."""
    inputs, operator_settings = step.inputs, config.environment(on_server=True)

    async def read_defaults(host: Host, repository: str, *, is_private: bool) -> OrganizationFile | None:
        return await _defaults(host, repository, step, operator_settings, console, is_private=is_private)

    state = await looking.current_state(host, inputs.config, read_defaults)
    file = None if state.file is None else state.file.encode()
    settings = config.resolve(inputs.flags(), file, operator_settings, inputs.config, organization=state.organization)
    return state, settings


async def _defaults(
    host: Host, repository: str, step: Step, settings: Settings, console: Console, *, is_private: bool
) -> OrganizationFile | None:
    """The defaults of the repository's owner, as far as the step's tokens see them; the log has a sentence if they do not."""
    token, name = step.inputs.organization_token, settings.organization_repository or config.ORGANIZATION

    def inside(_: str) -> AbstractAsyncContextManager[GitHubClient]:
        return apps.holding(token or step.inputs.github_token, step.runner.github_api_url, host.client.pace)

    defaults = None
    try:
        defaults = await OrganizationFiles(name).read(
            host, repository, inside if token else None, is_private=is_private
        )
    except HostRefused as refusal:
        if token is None or not refusal.is_gone:
            raise
    place = f"{repository.partition('/')[0]}/{name}"
    if defaults is None and token is not None and repository.lower() != place.lower():
        return OrganizationFile(
            place, problem="the `organization-token` sees no such file: it needs read access to contents"
        )
    if defaults is None and token is None:
        console.say(
            f"This token sees no {config.FILE} in {place}: if it is private, `organization-token` names a token that may read it."
        )
    return defaults


async def _may_review(ask: ReviewAsk, comment: CommentRef, host: Host, settings: Config) -> bool:
    """Whether this person gets the review. What they asked for before is known from their comments alone."""
    there = await host.comments("review" if comment.kind == "review" else "issue")
    own = [one for one in there if one.author == ask.actor and one.id != comment.id and commands.read(one.body)]
    earlier = tuple(datetime.fromisoformat(one.created_at).timestamp() for one in own)
    standing = Permission(await host.permission(ask.actor), time.time(), earlier)
    return await asking.is_entitled(ask, comment, standing, host, settings)


def _in_step_words(result: ReviewResult, *, fork: bool) -> ReviewResult:
    """The same end in the step's words. `fault`: what makes the step fail once the review is in the job summary."""
    fault = result.fault
    if result.review is None:
        is_empty = result.says == reviewing.NOTHING
        before = "There is nothing to review" if is_empty else "There is no review" if fault else "Not reviewed"
        return replace(result, says=f"{before}: {result.says}")
    if isinstance(fault, SupersededError):
        return replace(result, says=f"{ALONE}: {fault}.", fault=None)
    if isinstance(fault, HostRefused) and fault.status == FORBIDDEN:
        return replace(result, says=f"{MAY_NOT}; {FORK if fork else GRANT}.", fault=None)
    if fault is not None:
        why = "GitHub did not take it" if isinstance(fault, HostRefused) else "it could not be posted"
        return replace(result, says=f"{ALONE}: {why}.")
    return result
