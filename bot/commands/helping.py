"""`/deeprepo help`: the list of commands; also the answer to an unknown command."""

from difflib import get_close_matches

from bot.commands.context import CommandContext, CommandReply, Permission
from bot.render import code

LONGEST = 40  # characters of a word that nobody knows
ALIKE = 0.75  # from here on a word is taken for a slip of the pen, as difflib counts
WORD = USE = "help"
NEEDS: Permission = "read"
LONG = False


async def run(word: str, context: CommandContext) -> CommandReply:
    """The list, below what was typed instead of a command, if anything was."""
    near = get_close_matches(word.casefold(), context.commands, 1, ALIKE) if word else []
    if near:
        hint = context.say(
            "reply_meant", word=code(word[:LONGEST]), near=code(f"/deeprepo {context.commands[near[0]].USE}")
        )
        return CommandReply(hint.body, "confused")
    rows = [(word.USE, f"help_{name.replace(' ', '_')}") for name, word in context.commands.items()]
    answer = context.reply("help", rows=rows, typed=word)
    return CommandReply(answer.body, "confused" if word else "")
