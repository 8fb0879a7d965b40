"""`/deeprepo config`: the settings in force, and where each comes from."""

from bot.commands import CommandReply
from bot.config import FILE
from bot.render import code
from bot.workflow.given_command import CommandSpec, GivenCommand


async def run(command: GivenCommand) -> CommandReply:
    """Show the table of `deeprepo config --explain`; a sentence for a person who wants to change one."""
    given = command.context
    if command.ask.argument.strip():
        return given.say("reply_config_shows", file=FILE, branch=code(given.branch))
    return given.reply("replies/config", rows=list(given.settings.rows()), warnings=given.settings.warnings)


COMMAND = CommandSpec(run, "config", "read")
