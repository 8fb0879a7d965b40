"""The commands by the words that people write, and what those do that need a few lines."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from bot.commands import ignore, remember, rules, saying, target
from bot.commands.context import CommandContext, CommandReply
from bot.config import names
from bot.render import code

NEW, FULL = False, True  # what a review reads
LONGEST = 40  # characters of a word that nobody knows
ALIKE = 0.75  # from here on a word is taken for a slip of the pen, as difflib counts


@dataclass(frozen=True, slots=True)
class Word:
    """A command: how it is typed, what carries it out, who may give it. What it does is the phrase `help_<word>`."""

    use: str
    run: Callable[[str, CommandContext], Awaitable[CommandReply]]
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below belong to its argument


async def _review(_: str, context: CommandContext) -> CommandReply:
    """Ask for a review of what is new; the review itself is the answer."""
    await context.submit(NEW)
    return CommandReply()


async def _full_review(_: str, context: CommandContext) -> CommandReply:
    """Ask for a review that reads everything again, and says everything."""
    await context.submit(FULL)
    return CommandReply()


async def _ask(argument: str, context: CommandContext) -> CommandReply:
    """A model's answer about the change, or in a thread about its finding, with the lines that it rests on, and what it cost."""
    if not argument.strip():
        return context.say("reply_no_question", example="`/deeprepo ask who calls this?`")
    if context.open_session is None:
        return context.say("reply_no_model", example="`/deeprepo explain`")
    about = await target.of_thread(context)
    if saying.secret(about):
        return context.say("reply_secret")
    return await saying.model_reply("ask", argument, about, context, context.open_session)


async def _explain(argument: str, context: CommandContext) -> CommandReply:
    """A model's explanation of a finding, else the evidence that is stored."""
    about = await target.find(argument, context)
    if about.finding is None or about.last_review is None:
        return about.missing(context, "explain 2")
    stored_reply = saying.stored_reply(
        about.finding, about.last_review, context, model=context.open_session is not None
    )
    if context.open_session is None or saying.secret(about):
        return stored_reply
    return await saying.model_reply("explain", about.rest, about, context, context.open_session, instead=stored_reply)


async def _fix(_: str, context: CommandContext) -> CommandReply:
    """Say that nothing can be fixed where no server carries it out (`bot/workflow/fixing.py`)."""
    return context.say("fix_nowhere")


async def _pause(_: str, context: CommandContext) -> CommandReply:
    """No review of this pull request starts by itself; say how it goes on."""
    return context.say("reply_paused" if await context.pause() else "reply_paused_already")


async def _resume(_: str, context: CommandContext) -> CommandReply:
    """Reviews start by themselves again; say when the next one comes."""
    return context.say("reply_resumed" if await context.resume() else "reply_not_paused")


async def _cancel(_: str, context: CommandContext) -> CommandReply:
    """Stop the review that is under way, and say whether there was one."""
    return context.say("reply_cancelled" if await context.cancel() else "reply_nothing_running")


async def _config(argument: str, context: CommandContext) -> CommandReply:
    """The table of `deeprepo config --explain`; a sentence for a person who wants to change one."""
    if argument.strip():
        return context.say("reply_config_shows", file=names.FILE, branch=code(context.branch))
    return context.reply("config", rows=list(context.settings.rows()), warnings=context.settings.warnings)


async def show_help(typed: str, context: CommandContext) -> CommandReply:
    """The list of commands, below what was typed instead of one, if anything was."""
    near = get_close_matches(typed.casefold(), COMMANDS, 1, ALIKE) if typed else []
    if near:
        hint = context.say("reply_meant", word=code(typed[:LONGEST]), near=code(f"/deeprepo {COMMANDS[near[0]].use}"))
        return CommandReply(hint.body, "confused")
    rows = [(word.use, f"help_{name.replace(' ', '_')}") for name, word in COMMANDS.items()]
    answer = context.reply("help", rows=rows, typed=typed)
    return CommandReply(answer.body, "confused" if typed else "")


COMMANDS: Mapping[str, Word] = MappingProxyType(
    {
        "review": Word("review", _review),
        "full review": Word("full review", _full_review),
        "ask": Word("ask QUESTION", _ask, is_long=True),
        "explain": Word("explain [NUMBER]", _explain),
        "fix": Word("fix [NUMBER...]", _fix),
        "ignore": Word("ignore [NUMBER] REASON", ignore.run),
        "remember": Word(remember.USE, remember.run),
        "rules": Word(rules.USE, rules.run),
        "pause": Word("pause", _pause),
        "resume": Word("resume", _resume),
        "cancel": Word("cancel", _cancel),
        "config": Word("config", _config, "read"),
        "help": Word("help", show_help, "read"),
    }
)
READING = ("ask", "explain")  # they compute on code
LONG = tuple(name for name, word in COMMANDS.items() if word.is_long)
