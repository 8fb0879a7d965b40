"""The commands that people give in comments: how each is typed, who may give it, and what it does.

Every file in this folder contains one or two, with their words in `templates/words.toml`.
A command can be run again after a restart. Commands look up findings in the last stored
review. The answer is a template in `templates/replies` or a phrase.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules

from bot.commands import Command, CommandContext, CommandReply, Permission, context, reading
from bot.render import Safe, code, load, phrase
from bot.workflow.commands.review import REVIEWS
from bot.workflow.given_command import BareCommand, CommentCommand, GivenCommand, StepCommand

__all__ = ["COMMANDS", "REVIEWS", "answer", "answer_in_step", "read", "refusal"]

MAX_WORD_CHARS = 40  # characters that are quoted of an unknown word
ALIKE = 0.75  # difflib's similarity from which an unknown word counts as a typing mistake


async def _help(command: BareCommand) -> CommandReply:
    rows = [(word.usage, word.phrase) for word in COMMANDS.values()]
    return command.context.reply("replies/help", rows=rows)


def _unknown(typed: str, given: CommandContext) -> CommandReply:
    near = get_close_matches(typed.casefold(), COMMANDS, 1, ALIKE)
    word = code(typed[:MAX_WORD_CHARS])
    if near:
        reply = given.say("reply_meant", word=word, near=code(f"/deeprepo {COMMANDS[near[0]].usage}"))
    else:
        reply = given.say("reply_unknown", word=word, known=Safe(", ".join(map(code, COMMANDS))))
    return replace(reply, reaction="confused")


def _found() -> Iterator[CommentCommand]:
    for file in iter_modules(__path__):
        values = vars(import_module(f"{__name__}.{file.name}")).values()
        yield from (value for value in values if isinstance(value, CommentCommand))
    yield CommentCommand(_help, _help, "help", "read")


COMMANDS: Mapping[str, CommentCommand] = {command.name: command for command in _found()}


def read(body: str, login: str = "") -> tuple[Command, ...]:
    """Return the commands of a comment outside quotes, code and hidden text. `login` is our own login."""
    return reading.read(body, login, tuple(COMMANDS), [name for name, word in COMMANDS.items() if word.is_long])


def refusal(word: str, actor: str, permission: Permission) -> CommandReply | None:
    """Return the answer for a person who may not give this command (now); None if the command may run."""
    words = load()
    most = context.MEMBER_COMMANDS if permission.writes else context.OUTSIDER_COMMANDS
    if (wait := context.wait(permission, most)) is not None:
        return wait.reply("reply_too_many", most)
    if word in COMMANDS and COMMANDS[word].needs == "write" and not permission.writes:
        return CommandReply(phrase(words, "reply_no_permission", word=code(f"/deeprepo {word}"), actor=actor), "-1")
    return None


async def answer_in_step(command: StepCommand) -> CommandReply:
    """Carry a command out in a GitHub Actions step."""
    word = COMMANDS.get(command.job.word)
    return await word.in_step(command) if word is not None else _unknown(command.job.word, command.context)


async def answer(command: GivenCommand) -> CommandReply:
    """Carry a command out. An unknown word is answered with the names of the commands."""
    word = COMMANDS.get(command.job.word)
    return await word.run(command) if word is not None else _unknown(command.job.word, command.context)
