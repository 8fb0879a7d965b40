"""The commands by the words that people write, and the answers of those that only read."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from bot.commands import answering, target
from bot.commands.context import CommandContext, CommandReply
from bot.config import names
from bot.render import code

LONGEST = 40  # characters of a word that nobody knows
RULES = "rules [confirm N, edit N SENTENCE, remove N, export]"
REMEMBER = "remember [in PATH[:SYMBOL]] SENTENCE"
ALIKE = 0.75  # from here on a word is taken for a slip of the pen, as difflib counts


@dataclass(frozen=True, slots=True)
class Word:
    """A command: how it is typed, and who may give it. What it does is the phrase `help_<word>`."""

    use: str
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below belong to its argument


COMMANDS: Mapping[str, Word] = MappingProxyType(
    {
        "review": Word("review"),
        "full review": Word("full review"),
        "ask": Word("ask QUESTION", is_long=True),
        "explain": Word("explain [NUMBER]"),
        "fix": Word("fix [NUMBER...]"),
        "ignore": Word("ignore [NUMBER] [REASON]"),
        "remember": Word(REMEMBER),
        "rules": Word(RULES),
        "pause": Word("pause"),
        "resume": Word("resume"),
        "cancel": Word("cancel"),
        "config": Word("config", "read"),
        "help": Word("help", "read"),
    }
)
READING = ("ask", "explain")  # they compute on code
LONG = tuple(name for name, word in COMMANDS.items() if word.is_long)


async def answer(word: str, argument: str, context: CommandContext) -> CommandReply:
    """The answer of a command that only reads. A word that nobody knows gets the list of those that are known."""
    match word:
        case "ask":
            return await _ask(argument, context)
        case "explain":
            return await _explain(argument, context)
        case "config":
            return _config(argument, context)
        case _:
            return _help("" if word == "help" else word, context)


async def _ask(argument: str, context: CommandContext) -> CommandReply:
    """A model's answer about the change, or in a thread about its finding, with the lines that it rests on, and what it cost."""
    if not argument.strip():
        return context.say("reply_no_question", example="`/deeprepo ask who calls this?`")
    if context.open_session is None:
        return context.say("reply_no_model", example="`/deeprepo explain`")
    about = target.of_thread(context)
    if answering.secret(about):
        return context.say("reply_secret")
    return await answering.model_reply("ask", argument, about, context, context.open_session)


async def _explain(argument: str, context: CommandContext) -> CommandReply:
    """A model's explanation of a finding, else the evidence that is stored."""
    about = target.find(argument, context)
    if about.finding is None or about.last_review is None:
        return about.missing(context, "explain 2")
    stored_reply = answering.stored_reply(
        about.finding, about.last_review, context, model=context.open_session is not None
    )
    if context.open_session is None or answering.secret(about):
        return stored_reply
    return await answering.model_reply(
        "explain", about.rest, about, context, context.open_session, instead=stored_reply
    )


def _config(argument: str, context: CommandContext) -> CommandReply:
    """The table of `deeprepo config --explain`; a sentence for a person who wants to change one."""
    if argument.strip():
        return context.say("reply_config_shows", file=names.FILE, branch=code(context.branch))
    return context.reply("config", rows=list(context.settings.rows()), warnings=context.settings.warnings)


def _help(typed: str, context: CommandContext) -> CommandReply:
    """The list of commands, below what was typed instead of one, if anything was."""
    near = get_close_matches(typed.casefold(), COMMANDS, 1, ALIKE) if typed else []
    if near:
        hint = context.say("reply_meant", word=code(typed[:LONGEST]), near=code(f"/deeprepo {COMMANDS[near[0]].use}"))
        return CommandReply(hint.body, "confused")
    rows = [(word.use, f"help_{name.replace(' ', '_')}") for name, word in COMMANDS.items()]
    answer = context.reply("help", rows=rows, typed=typed)
    return CommandReply(answer.body, "confused" if typed else "")
