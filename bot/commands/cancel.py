"""`/deeprepo cancel`: stop the review that is under way."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "cancel"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """Stop it, and say whether there was one."""
    return context.say("reply_cancelled" if await context.cancel() else "reply_nothing_running")
