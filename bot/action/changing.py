"""The change that is reviewed: where it lies, and what is known of it from the last round."""

from typing import Any

from bot import github
from bot.action import files
from bot.action.visit import ActionRun
from bot.checkout.held import held
from bot.errors import UsageError
from bot.policy import Go
from bot.publish import summary
from bot.values import PullRequest
from bot.wiring import action as parts
from bot.workflow import Change, fetching

NO_SECRETS = (
    "GitHub gives a workflow no secrets for a pull request from a fork: no model has read this one, the checks that "
    "need none have."
)


async def found(visit: ActionRun, folder: str) -> PullRequest:
    """The change: from the workspace's clone where that holds all of it, else fetched into `folder`.

    A job with more rights than the author of the change believes nothing that is in the workspace.
    """
    facts, bases, runner = visit.facts, visit.bases, visit.step.runner
    store = None
    if visit.event == "pull_request":
        store = await held(runner.github_workspace, (bases.merge_base, facts.head_sha, bases.tip))
    if store is None:
        url = github.git_url(runner.github_api_url, fetching.today(visit.ask.pull, facts))
        store = await fetching.stored(url, facts, bases, visit.step.inputs.github_token, folder)
    return fetching.pulled(facts, bases, store)


async def asked(visit: ActionRun, pull: PullRequest, decision: Go) -> Change:
    """The review to make, built upon the last one where its state can be had."""
    earlier, lost = await _earlier(visit)
    flags: dict[str, Any] = visit.step.inputs.flags()
    flags["sarif"] = files.reports(visit.step.inputs.sarif_reports, visit.step.runner)
    if decision.offline or visit.bare:
        flags["strategy"] = "offline"
    notes = (decision.reason, NO_SECRETS if visit.bare else "", lost)
    return Change(pull, flags, "", earlier, visit.ask.full, " ".join(filter(None, notes)))


async def _earlier(visit: ActionRun) -> tuple[bytes | None, str]:
    """The last review as JSON, and a sentence for the reader where there was one that cannot be built upon."""
    path = visit.step.inputs.previous
    if path is not None:
        try:
            return (visit.step.runner.github_workspace / path).read_bytes(), ""
        except FileNotFoundError:  # the first round
            return None, ""
        except OSError as error:
            raise UsageError(f"the input previous: {path} cannot be read: {error.strerror}") from error
    stands = next(iter(await summary.stands(visit.host)), None)
    if stands is None:
        return None, ""
    kept = parts.earlier(stands.body, visit.ask.pull, parts.secret())
    if isinstance(kept, bytes):
        return kept, ""
    return None, f"{kept[:1].upper()}{kept[1:]}: everything was read again."
