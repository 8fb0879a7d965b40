"""`/deeprepo config`: the settings as they are in force, and where each comes from."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "config"
NEEDS: Permission = "read"
LONG = False


async def run(_: str, desk: CommandContext) -> CommandReply:
    """The table of `deeprepo config --explain`."""
    return desk.reply("config", rows=list(desk.settings.rows()), warnings=desk.settings.warnings)
