"""`/deeprepo help`: the list of commands; also the answer to an unknown command."""

from bot.commands.context import CommandContext, CommandReply, Permission

WORD = USE = "help"
NEEDS: Permission = "read"
LONG = False


async def run(typed: str, context: CommandContext) -> CommandReply:
    """The list, below what was typed instead of a command, if anything was."""
    from bot.commands import COMMANDS  # the list holds this file too

    rows = [(word.USE, f"help_{name.replace(' ', '_')}") for name, word in COMMANDS.items()]
    answer = context.reply("help", rows=rows, typed=typed)
    return CommandReply(answer.body, "confused" if typed else "")
