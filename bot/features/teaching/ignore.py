"""`/deeprepo ignore`: do not report a finding again on this pull request."""

import time
from dataclasses import replace

from bot.commands import CommandContext, CommandReply, target
from bot.features.teaching import proposing
from bot.findings import silencing
from bot.render import line, plain
from bot.values import Dismissal
from bot.workflow.given_command import BareCommand, CommentCommand, GivenCommand

MAX_REASON_CHARS, MAX_TITLE_CHARS = 300, 200


async def run(command: GivenCommand) -> CommandReply:
    """Store the dismissal with its reason, and propose a rule if the reason may apply elsewhere too."""
    context, about = command.context, target.find(command.ask.argument, command.context)
    reply = _ignored(about, context)
    if not reply.ignored:
        return reply
    reason_text, finding = " ".join(about.rest.split())[:MAX_REASON_CHARS], about.finding
    dismissal, now = Dismissal(reply.ignored, reason_text, "ignored", context.actor), time.time()
    await command.store.people.dismiss(command.ask.pull, dismissal, now)
    if finding is None:
        return reply
    proposals = proposing.proposals(finding, dismissal, command.link)
    rules = await command.store.rules.propose_all(command.ask.pull, proposals, now)
    return proposing.beside(reply, rules, context.words)


async def in_step(command: BareCommand) -> CommandReply:
    """Name the finding in the answer, whose marker the next run reads."""
    return _ignored(target.find(command.ask.argument, command.context), command.context)


def _ignored(about: target.CommandTarget, context: CommandContext) -> CommandReply:
    if not about.fingerprint:
        return about.missing(context, "ignore NUMBER REASON")
    finding = about.finding
    mark = silencing.mark_of(finding) if finding is not None else about.fingerprint
    title = line(finding.title if finding is not None else about.fingerprint)[:MAX_TITLE_CHARS]
    reply = context.say("reply_ignored", title=plain(title.rstrip(".")))
    return replace(reply, silences=True, ignored=mark)


COMMAND = CommentCommand(run, "ignore [NUMBER] [REASON]", in_step=in_step)
