"""`/deeprepo config`: the settings as they are in force, and where each comes from."""

from bot.commands.context import CommandContext, CommandReply, Permission
from bot.config import names
from bot.render import code

WORD = USE = "config"
NEEDS: Permission = "read"
LONG = False


async def run(argument: str, context: CommandContext) -> CommandReply:
    """The table of `deeprepo config --explain`; a sentence for a person who wants to change one."""
    if argument.strip():
        return context.say("reply_config_shows", file=names.FILE, branch=code(context.branch))
    return context.reply("config", rows=list(context.settings.rows()), warnings=context.settings.warnings)
