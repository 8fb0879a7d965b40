"""The functions that child processes of a server or a GitHub Actions step run on untrusted content.

`child.run` passes their arguments and results between processes, so these are plain values. This module must
not import the client for GitHub, because everything that it imports stays in the memory of the fork server.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bot import config, pipeline
from bot.brief import Brief
from bot.commands import CommandReply, conversation
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import SkipReview
from bot.errors import StorageError, UsageError
from bot.findings import silencing
from bot.outputs import json_file, markdown, posts
from bot.outputs.posts import Comments
from bot.payloads import FixRequest, MadeFix, Question, Remark, Rendered
from bot.pipeline import Tools
from bot.review import scope, written
from bot.review.journal import open_file
from bot.review.session import Session
from bot.stored import reviews, states
from bot.stored.reviews import UnreadableError
from bot.values import Dismissal, OwnerRule, Review, Trigger
from bot.values.shared_file import SettingsText, SharedFile
from bot.wiring import review as parts
from bot.wiring.child import ChildPipe
from deeprepo.rlm.journal.writer import Journal


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where a child process writes.

    `journal` is None for a journal in memory. `sends_journal`: also send the journal's lines to the parent.
    `facts` is the cache folder.
    """

    scratch: str
    journal: Path | None = None
    sends_journal: bool = False
    facts: Path | None = None


async def review(line: ChildPipe, brief: Brief, workspace: Workspace) -> Review:
    """Review a change."""
    return await pipeline.review(brief, _tools(line, brief, workspace))


async def rendered_review(line: ChildPipe, brief: Brief, workspace: Workspace) -> Rendered:
    """Review a change and render all its outputs."""
    review_done = await review(line, brief, workspace)
    content = json_file.content(review_done)
    texts = posts.comments(review_done), markdown.render(review_done), states.write(content), states.store(content)
    # Hunks are dropped, because 90,000 of them would take 400 MB in the parent.
    files = tuple(replace(file, hunks=()) for file in review_done.files)
    return Rendered(replace(review_done, files=files), *texts)


async def answer(line: ChildPipe, question: Question, workspace: Workspace) -> CommandReply:
    """Answer a command that can ask a model about the change."""
    context, brief = question.context, question.brief
    if brief is not None:
        context = replace(context, open_session=partial(_open_session, brief, _tools(line, brief, workspace)))
    return await question.answer(question.argument, context)


async def converse(line: ChildPipe, remark: Remark, workspace: Workspace) -> RemarkReply:
    """Answer a remark with a model."""
    opening = partial(_open_session, remark.brief, _tools(line, remark.brief, workspace))
    silences = silencing.IgnoreList().also(remark.brief.dismissals, remark.brief.rules)
    return await conversation.respond(remark.remark_thread, remark.last, silences, opening, time.monotonic)


async def fix(_: ChildPipe, request: FixRequest, scratch: str) -> MadeFix:
    """Fix findings in a copy of the head. Silenced findings are not fixed.

    Raises UsageError for an unknown number, or if the last review cannot be read.
    """
    from bot.checkout.amending import modes
    from bot.wiring import fixing

    brief = request.brief
    try:
        stored_review = reviews.findings_of(request.last)
    except UnreadableError as error:
        raise UsageError(f"{error}. Comment `/deeprepo review` to create a new review") from error
    review_now = silencing.reapply_silencing(stored_review, brief.dismissals, brief.rules)
    rows = fixing.fixable(review_now, request.names)
    new_contents, check = await fixing.fix_and_check(rows, brief, scratch)
    others = () if request.names else fixing.unmentioned(review_now, new_contents)
    made_fix = MadeFix(new_contents, check, await modes(brief.pull, new_contents.contents), others)
    return _without_secrets(made_fix)


def _without_secrets(made_fix: MadeFix) -> MadeFix:
    """A patch with a secret is dropped, because a masked patch can't be applied."""
    texts = {path: content.decode("utf-8", "replace") for path, content in made_fix.fix.before.items()}
    fix_to_show = written.of_files(made_fix, texts)
    return (
        fix_to_show
        if fix_to_show.fix.patch == made_fix.fix.patch
        else replace(fix_to_show, fix=replace(fix_to_show.fix, patch=""))
    )


async def page(
    _: ChildPipe,
    output: bytes,
    memory: bytes | None,
    dismissals: Sequence[Dismissal],
    rules: Sequence[OwnerRule],
) -> Rendered:
    """Render a stored review again with the current dismissals and rules.

    The result contains new JSON and a new state only if findings got new numbers. Raises StorageError if this
    build cannot read the stored review.
    """
    try:
        stored_review = reviews.review(output)
    except UnreadableError as error:
        raise StorageError(str(error)) from error
    review_now = silencing.reapply_silencing(stored_review, dismissals, rules)
    numbers = silencing.new_numbers(stored_review, review_now)
    json_text = states.with_numbers(output, numbers) if numbers else ""
    memory_now = states.with_numbers(memory, numbers).encode() if numbers and memory is not None else None
    return Rendered(review_now, posts.comments(review_now), markdown.render(review_now), json_text, memory_now)


async def comments(_: ChildPipe, review_done: Review) -> Comments:
    """Render a review's comments again, after GitHub rejected the location of some comments."""
    return posts.comments(review_done)


async def settings(
    _: ChildPipe, file: SettingsText, shared: Sequence[SharedFile], operator_settings: Settings
) -> Config:
    """Resolve all settings from the repository's file, the shared files and the operator's settings."""
    return config.resolve({}, file, operator_settings, shared=shared)


async def no_review_reason(_: ChildPipe, brief: Brief, trigger: Trigger) -> SkipReview | None:
    """Return why there is no review, depending on the changed files, or None if there is one."""
    return await scope.no_review_reason(brief, trigger)


def _tools(line: ChildPipe, brief: Brief, workspace: Workspace) -> Tools:
    def open_journal() -> Journal:
        if workspace.journal is None:
            return Journal()
        return Journal(workspace.journal, keep=line if workspace.sends_journal else None, open_file=open_file)

    return parts.tools(
        brief, workspace.scratch, line.say, open_journal, keep_on_cancel=False, on_server=True, facts=workspace.facts
    )


@asynccontextmanager
async def _open_session(brief: Brief, tools: Tools) -> AsyncIterator[Session]:
    async with pipeline.survey(brief, tools) as subject, tools.open_session(subject) as session:
        yield session
