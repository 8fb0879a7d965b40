"""A command for `test_additions`: `/deeprepo thanks`."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "thanks"
NEEDS: Permission = "read"
LONG = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """Answer politely."""
    return context.say("reply_thanks")
