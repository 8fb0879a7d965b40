"""`/deeprepo ignore`: a finding is not reported again in this pull request, and how to silence it, or its kind, for good."""

from bot.commands import proposing, target
from bot.commands.context import CommandContext, CommandReply, Permission
from bot.config.ignored import IgnoreEntry
from bot.findings import suppress

WORD = "ignore"
USE = "ignore [NUMBER] REASON"
NEEDS: Permission = "write"
LONG = False
LONGEST = 300  # characters of a reason


async def run(argument: str, context: CommandContext) -> CommandReply:
    """Store it with the reason, and show the entry that would hold beyond this pull request."""
    found = await target.find(argument, context)
    if not found.fingerprint:
        return found.missing(context, f"{WORD} NUMBER REASON")
    given = " ".join(found.rest.split())[:LONGEST]
    finding = found.finding
    await context.suppress(finding.identity if finding is not None else found.fingerprint, given)
    reason = given or context.words.say("reply_no_reason", actor=context.actor)
    entry = (
        suppress.entry_for(finding, "finding", reason)
        if finding is not None
        else IgnoreEntry(fingerprint=found.fingerprint, reason=reason)
    )
    lines = suppress.write(None, entry).removeprefix(suppress.HEAD)
    title = finding.title if finding is not None else found.fingerprint
    said = context.reply("ignored", title=title, file=suppress.FILE, branch=context.branch, lines=lines)
    if context.rules is None or finding is None:
        return said
    return proposing.beside(said, await context.rules.propose(finding, given), context.words)
