"""Run reviews, questions and fixes for a GitHub Actions step in child processes, and set its API key."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot import config
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import action
from bot.config.action import Inputs
from bot.errors import UsageError
from bot.payloads import FixRequest, MadeFix, Question, Remark
from bot.values import Review
from bot.values.progress import ProgressCallback
from bot.wiring import access, child, tasks
from bot.wiring.local import LOCAL
from bot.wiring.tasks import Workspace
from deeprepo.rlm.models import provider_of


async def review_change(brief: Brief, say: ProgressCallback) -> Review:
    """Review a change in a child process, and report progress with `say`."""
    caps = child.for_review(LOCAL, brief)
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:

        async def attempt(left_out: Mapping[str, str], lost: str) -> Review:
            given = child.without(brief, left_out, lost)
            return await child.run(tasks.review, given, _workspace(scratch), caps=caps, say=say)

        return await child.run_with_fallbacks(attempt, by_model=access.can_ask(brief.settings))


async def converse(remark: Remark) -> RemarkReply:
    """Return a model's answer to a remark."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        return await child.run(tasks.converse, remark, _workspace(scratch), caps=child.for_review(LOCAL, remark.brief))


async def answer(question: Question) -> CommandReply:
    """Return the answer to a command that reads the change."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        return await child.run(
            tasks.answer, question, _workspace(scratch), caps=child.for_review(LOCAL, question.brief)
        )


async def fix(request: FixRequest) -> MadeFix:
    """Return fixes for findings. They are applied to a copy of the head only."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        return await child.run(tasks.fix, request, scratch, caps=child.for_review(LOCAL, request.brief))


def _workspace(scratch: str) -> Workspace:
    """Facts are only cached if the workflow configures a folder, because other people may use the same runner."""
    folder = config.environment().cache
    return Workspace(scratch, facts=Path(folder).expanduser() if folder not in (None, "off") else None)


def set_api_key(inputs: Inputs) -> None:
    """Use the input `api-key` as its provider's key.

    Raises UsageError if the provider is unknown or needs no key.
    """
    if inputs.api_key is None or not inputs.api_key.get_secret_value().strip():
        return
    name = inputs.provider or (inputs.worker or inputs.root or "").partition("/")[0]
    if not name:
        raise UsageError(
            "the input api-key is set, but its provider is unknown. Set `provider`, or `worker: provider/model`"
        )
    provider = provider_of(f"{name}/any")
    if not provider.key_variable:
        raise UsageError(
            f"{name} does not use api-key. Remove it, and sign in to the cloud in an earlier step of the job"
        )
    action.lend(provider.key_variable, inputs.api_key)
