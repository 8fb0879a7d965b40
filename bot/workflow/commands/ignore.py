"""`/deeprepo ignore`: do not report a finding again on this pull request."""

import time
from dataclasses import replace

from bot.commands import CommandContext, CommandReply, target
from bot.config import FILE
from bot.findings import silencing
from bot.render import code, line, plain
from bot.stored import answered
from bot.values import Dismissal
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand

MAX_REASON_CHARS = 300


async def run(command: GivenCommand) -> CommandReply:
    """Store the dismissal with its reason."""
    about = target.find(command.job.argument, command.context)
    if mark := _mark(about):
        dismissal = Dismissal(mark, _reason(about), "ignored", command.context.actor)
        await command.store.people.dismiss(command.job.pull, dismissal, time.time())
    return _reply(about, command.context)


async def in_step(command: StepCommand) -> CommandReply:
    """Record the finding and the reason in the answer's marker, which later runs of the workflow read."""
    about = target.find(command.job.argument, command.context)
    mark, reason_text = _mark(about), _reason(about)
    reply = _reply(about, command.context)
    reason = {"reason": answered.pack({"text": reason_text})} if reason_text else {}
    return replace(reply, facts={"ignored": mark, **reason}) if mark else reply


def _mark(about: target.CommandTarget) -> str:
    """Return the mark to store: that of the finding if it is known, else the ID in the command, or ""."""
    return silencing.mark_of(about.finding) if about.finding is not None else about.fingerprint


def _reason(about: target.CommandTarget) -> str:
    return " ".join(about.rest.split())[:MAX_REASON_CHARS]


def _reply(about: target.CommandTarget, context: CommandContext) -> CommandReply:
    if not about.fingerprint:
        return about.missing(context, "ignore NUMBER REASON")
    finding = about.finding
    title = line(finding.title if finding is not None else about.fingerprint)
    entry = code(f"- finding: {about.fingerprint}")
    reply = context.say("reply_ignored", title=plain(title.rstrip(".")), entry=entry, file=code(FILE))
    return replace(reply, silences=True)


COMMAND = CommentCommand(run, in_step, "ignore [NUMBER] [REASON]")
