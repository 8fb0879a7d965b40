"""`/deeprepo fix`: findings fixed by one commit on the branch. What it does needs the change and GitHub: `bot/workflow/fixing.py`."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = "fix"
USE = "fix [NUMBER...]"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """Say that nothing can be fixed where no server carries it out."""
    return context.say("fix_nowhere")
