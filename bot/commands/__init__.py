"""What people can ask for in a comment.

`read` finds a command in a comment, `refusal` says whether a person may give it, `answer` answers those that only read. What the others do
is in `bot/workflow/command_words.py`.
"""

from bot.commands import context, reading
from bot.commands.context import CommandContext, CommandReply, Permission
from bot.commands.reading import Command, Mentions, read_mentions
from bot.commands.words import COMMANDS, LONG, READING, Word, answer
from bot.config import Config


def read(body: str, login: str = "") -> Command | None:
    """The first command of a comment; quotes, code and what is hidden give none. `login` is ours."""
    return reading.read(body, login, tuple(COMMANDS), LONG)


def refusal(word: str, actor: str, standing: Permission, settings: Config) -> CommandReply | None:
    """The answer where a person may not give this command, or not now; None where it is to be carried out."""
    needs = COMMANDS[word].needs if word in COMMANDS else "read"
    return context.refusal(word, needs, actor, standing, settings)
