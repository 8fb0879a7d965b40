"""`/deeprepo review`: a review of what is new."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "review"
NEEDS: Permission = "write"
LONG = False
FULL = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """Ask for it; the review itself is the answer."""
    await context.submit(FULL)
    return CommandReply()
