"""`/deeprepo cancel`: stop the review that is under way."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "cancel"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, desk: CommandContext) -> CommandReply:
    """Stop it, and say whether there was one."""
    return desk.say("reply_cancelled" if await desk.cancel() else "reply_nothing_running")
