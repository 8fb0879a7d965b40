"""`/deeprepo ignore`: a finding is not reported again in this pull request, and how to silence it for good."""

from bot.commands import target
from bot.commands.context import CommandContext, CommandReply, Permission
from bot.findings import suppress

WORD = "ignore"
USE = "ignore [NUMBER] REASON"
NEEDS: Permission = "write"
LONG = False
LONGEST = 300  # characters of a reason


async def run(argument: str, desk: CommandContext) -> CommandReply:
    """Store it with the reason, and show the entry that would hold beyond this pull request."""
    found = await target.find(argument, desk)
    if not found.fingerprint:
        return found.missing(desk, f"{WORD} 2")
    given = " ".join(found.rest.split())[:LONGEST]
    await desk.suppress(found.fingerprint, given)
    reason = given or desk.words.say("reply_no_reason", actor=desk.actor)
    finding = found.finding
    entry = (
        suppress.entry_for(finding, "finding", reason)
        if finding is not None
        else suppress.IgnoreEntry(fingerprint=found.fingerprint, reason=reason)
    )
    lines = suppress.write(None, entry).removeprefix(suppress.HEAD)
    title = finding.title if finding is not None else found.fingerprint
    return desk.reply("ignored", title=title, file=suppress.FILE, branch=desk.branch, lines=lines)
