"""`/deeprepo full review`: read everything again, and say everything."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "full review"
NEEDS: Permission = "write"
LONG = False
FULL = True  # read everything again, and say everything


async def run(_: str, context: CommandContext) -> CommandReply:
    """Ask for it; the review itself is the answer."""
    await context.submit(FULL)
    return CommandReply()
