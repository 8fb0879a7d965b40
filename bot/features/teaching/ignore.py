"""`/deeprepo ignore`: do not report a finding again on this pull request."""

import time
from dataclasses import replace

from bot.commands import CommandContext, CommandReply, target
from bot.features.teaching import proposing
from bot.findings import silencing
from bot.render import line, plain
from bot.stored import answered
from bot.values import Dismissal
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand

MAX_REASON_CHARS, MAX_TITLE_CHARS = 300, 200


async def run(command: GivenCommand) -> CommandReply:
    """Store the dismissal with its reason, and propose a rule if the reason may apply elsewhere too."""
    context, about = command.context, target.find(command.ask.argument, command.context)
    mark, finding = _mark(about), about.finding
    reply = _reply(about, context)
    if not mark:
        return reply
    dismissal, now = Dismissal(mark, _reason(about), "ignored", context.actor), time.time()
    await command.store.people.dismiss(command.ask.pull, dismissal, now)
    if finding is None:
        return reply
    proposals = proposing.proposals(finding, dismissal, command.link)
    rules = await command.store.rules.propose_all(command.ask.pull, proposals, now)
    return proposing.with_proposals(reply, rules, context.words)


async def in_step(command: StepCommand) -> CommandReply:
    """Record the finding and the reason in the answer's marker, which later runs of the workflow read."""
    about = target.find(command.ask.argument, command.context)
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
    title = line(finding.title if finding is not None else about.fingerprint)[:MAX_TITLE_CHARS]
    return replace(context.say("reply_ignored", title=plain(title.rstrip("."))), silences=True)


COMMAND = CommentCommand(run, in_step, "ignore [NUMBER] [REASON]")
