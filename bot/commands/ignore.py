"""`/deeprepo ignore`: a finding is not reported again in this pull request, and how to silence it, or its kind, for good."""

from bot.commands import proposing, target
from bot.commands.context import CommandContext, CommandReply
from bot.config.ignore_file import IgnoreEntry
from bot.findings import suppress

LONGEST = 300  # characters of a reason


async def run(argument: str, context: CommandContext) -> CommandReply:
    """Store it with the reason, and show the entry that would hold beyond this pull request."""
    about = await target.find(argument, context)
    if not about.fingerprint:
        return about.missing(context, "ignore NUMBER REASON")
    reason_text = " ".join(about.rest.split())[:LONGEST]
    finding = about.finding
    await context.suppress(suppress.mark_of(finding) if finding is not None else about.fingerprint, reason_text)
    reason = reason_text or context.words.say("reply_no_reason", actor=context.actor)
    entry = (
        suppress.entry_for(finding, "finding", reason)
        if finding is not None
        else IgnoreEntry(fingerprint=about.fingerprint, reason=reason)
    )
    lines = suppress.write(None, entry).removeprefix(suppress.HEAD)
    title = finding.title if finding is not None else about.fingerprint
    reply = context.reply("ignored", title=title, file=suppress.FILE, branch=context.branch, lines=lines)
    if context.rules is None or finding is None:
        return reply
    return proposing.beside(reply, await context.rules.propose(finding, reason_text), context.words)
