"""`/deeprepo resume`: reviews of this pull request start by themselves again."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "resume"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, desk: CommandContext) -> CommandReply:
    """Resume, and say when the next review comes."""
    return desk.say("reply_resumed" if await desk.resume() else "reply_not_paused")
