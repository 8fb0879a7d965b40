"""`/deeprepo config`: the settings in force and the source of each."""

from bot.commands import CommandReply
from bot.config import FILE
from bot.render import code
from bot.workflow.given_command import BareCommand, CommentCommand


async def run(command: BareCommand) -> CommandReply:
    """Show the table of `deeprepo config --explain`, or where to edit settings if an argument was typed."""
    given = command.context
    if command.job.argument.strip():
        return given.say("reply_config_shows", file=FILE, branch=code(given.branch))
    rows, warnings = list(given.settings.rows()), given.settings.warnings
    return given.reply("replies/config", rows=rows, file=FILE, branch=given.branch, warnings=warnings)


COMMAND = CommentCommand(run, run, "config", "read")
