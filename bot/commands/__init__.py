"""What people can ask for in a comment: a file for each word, found by its name here.

`read` finds a command in a comment, `refusal` says whether a person may give it, `carry_out` does it and hands back the answer.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bot.commands import (
    ask,
    cancel,
    carrying,
    explain,
    fix,
    full_review,
    helping,
    ignore,
    pause,
    reading,
    remember,
    resume,
    review,
    rules,
    settings,
)
from bot.commands.carrying import Permission
from bot.commands.context import CommandContext, CommandReply, Word
from bot.commands.mentions import Mentions, read_mentions
from bot.commands.reading import Command
from bot.config import Config

COMMANDS: Mapping[str, Word] = MappingProxyType(
    {
        word.WORD: word
        for word in (
            review,
            full_review,
            ask,
            explain,
            fix,
            ignore,
            remember,
            rules,
            pause,
            resume,
            cancel,
            settings,
            helping,
        )
    }
)
READING = tuple(name for name, word in COMMANDS.items() if word in (ask, explain))  # they compute on code
LONG = tuple(name for name, word in COMMANDS.items() if word.LONG)


def read(body: str, login: str = "") -> Command | None:
    """The first command of a comment; quotes, code and what is hidden give none. `login` is ours."""
    return reading.read(body, login, tuple(COMMANDS), LONG)


def refusal(word: str, actor: str, standing: Permission, settings: Config) -> CommandReply | None:
    """The answer where a person may not give this command, or not now; None where it is to be carried out."""
    return carrying.refusal(COMMANDS.get(word, helping), actor, standing, settings)


async def carry_out(word: str, argument: str, standing: Permission, context: CommandContext) -> CommandReply:
    """The answer to a command. A word that nobody knows gets the list of those that are known."""
    command = COMMANDS.get(word, helping)
    entry = word if word not in COMMANDS else "" if command is helping else argument
    refusal_reply = carrying.refusal(command, context.actor, standing, context.settings)
    return refusal_reply or await command.run(entry, replace(context, commands=COMMANDS))
