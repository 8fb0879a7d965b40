"""`/deeprepo pause`: no review of this pull request starts by itself."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "pause"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """Pause, and say how it goes on."""
    return context.say("reply_paused" if await context.pause() else "reply_paused_already")
