"""`/deeprepo ignore`: a finding is not reported again on this pull request."""

import time
from dataclasses import replace

from bot.commands import CommandReply, target
from bot.features.teaching import ignore_file, proposing
from bot.features.teaching.names import FILE
from bot.findings import silencing
from bot.values import Dismissal
from bot.workflow.given_command import CommandSpec, GivenCommand

MAX_REASON_CHARS = 300


async def run(command: GivenCommand) -> CommandReply:
    """Store it with the reason, and show the entry that would hold beyond this pull request."""
    context, about = command.context, target.find(command.ask.argument, command.context)
    if not about.fingerprint:
        return about.missing(context, "ignore NUMBER REASON")
    reason_text = " ".join(about.rest.split())[:MAX_REASON_CHARS]
    finding = about.finding
    mark = silencing.mark_of(finding) if finding is not None else about.fingerprint
    dismissal, now = Dismissal(mark, reason_text, "ignored", context.actor), time.time()
    await command.store.people.dismiss(command.ask.pull, dismissal, now)
    reason = reason_text or context.words.say("reply_no_reason", actor=context.actor)
    entry = (
        ignore_file.entry_for(finding, "finding", reason)
        if finding is not None
        else ignore_file.WrittenEntry(fingerprint=about.fingerprint, reason=reason)
    )
    lines = ignore_file.add_entry(None, entry).removeprefix(ignore_file.HEAD)
    title = finding.title if finding is not None else about.fingerprint
    reply = context.reply("teaching/ignored", title=title, file=FILE, branch=context.branch, lines=lines)
    reply = replace(reply, silences=True)
    if finding is None:
        return reply
    proposals = proposing.proposals(finding, dismissal, command.link)
    rules = await command.store.rules.propose_all(command.ask.pull, proposals, now)
    return proposing.beside(reply, rules, context.words)


COMMAND = CommandSpec(run, "ignore [NUMBER] [REASON]")
