"""`/deeprepo config`: the settings as they are in force, and where each comes from."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "config"
NEEDS: Permission = "read"
LONG = False


async def run(_: str, context: CommandContext) -> CommandReply:
    """The table of `deeprepo config --explain`."""
    return context.reply("config", rows=list(context.settings.rows()), warnings=context.settings.warnings)
