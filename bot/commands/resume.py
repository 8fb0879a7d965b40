"""`/deeprepo resume`: reviews of this pull request start by themselves again."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "resume"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """Resume, and say when the next review comes."""
    return context.say("reply_resumed" if await context.resume() else "reply_not_paused")
