"""The commands by the words that people write, and what those do that need a few lines."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from itertools import accumulate
from types import MappingProxyType
from typing import Literal

from bot.commands import answering, proposing, target
from bot.commands.context import CommandContext, CommandReply
from bot.config import FILE, names
from bot.config.ignore_file import IgnoreEntry
from bot.config.names import MOST_SENTENCE
from bot.findings import suppress
from bot.render import code, link
from bot.text import globs
from bot.values import LearnedRule, OwnerRule, RuleState

LONGEST = 40  # characters of a word that nobody knows
LONGEST_TEXT = 300  # characters of a reason, and of a path
RULES = "rules [confirm N, edit N SENTENCE, remove N, export]"
EDIT = "edit"  # gives a learning another sentence, which is in force at once: to edit takes the permission to confirm
DECIDES: dict[str, RuleState] = {"confirm": "confirmed", EDIT: "confirmed", "remove": "removed"}
UNUSED = 180 * 86_400.0  # seconds after which a sentence that silenced nothing is proposed for removal
MOST_DIGITS = 6  # of a number
MOST_EXPORTED = 40_000  # characters: GitHub takes a comment of 65,536
REMEMBER = "remember [in PATH[:SYMBOL]] SENTENCE"
LEAST_WORDS = 3  # of a sentence: "fine" answers everything
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
    await context.acts.review(full=False)
    return CommandReply()


async def _full_review(_: str, context: CommandContext) -> CommandReply:
    """Ask for a review that reads everything again, and says everything."""
    await context.acts.review(full=True)
    return CommandReply()


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


async def _fix(_: str, context: CommandContext) -> CommandReply:
    """Say that nothing can be fixed where no server carries it out (`bot/workflow/commanding.py`)."""
    return context.say("fix_nowhere")


async def _pause(_: str, context: CommandContext) -> CommandReply:
    """No review of this pull request starts by itself; say how it goes on."""
    return context.say("reply_paused" if await context.acts.pause() else "reply_paused_already")


async def _resume(_: str, context: CommandContext) -> CommandReply:
    """Reviews start by themselves again; say when the next one comes."""
    return context.say("reply_resumed" if await context.acts.resume() else "reply_not_paused")


async def _cancel(_: str, context: CommandContext) -> CommandReply:
    """Stop the review that is under way, and say whether there was one."""
    return context.say("reply_cancelled" if await context.acts.cancel() else "reply_nothing_running")


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


async def _ignore(argument: str, context: CommandContext) -> CommandReply:
    """Store it with the reason, and show the entry that would hold beyond this pull request."""
    about = target.find(argument, context)
    if not about.fingerprint:
        return about.missing(context, "ignore NUMBER REASON")
    reason_text = " ".join(about.rest.split())[:LONGEST_TEXT]
    finding = about.finding
    await context.acts.ignore(suppress.mark_of(finding) if finding is not None else about.fingerprint, reason_text)
    reason = reason_text or context.words.say("reply_no_reason", actor=context.actor)
    entry = (
        suppress.entry_for(finding, "finding", reason)
        if finding is not None
        else IgnoreEntry(fingerprint=about.fingerprint, reason=reason)
    )
    lines = suppress.write(None, entry).removeprefix(suppress.HEAD)
    title = finding.title if finding is not None else about.fingerprint
    reply = context.reply("ignored", title=title, file=suppress.FILE, branch=context.branch, lines=lines)
    if finding is None:
        return reply
    return proposing.beside(reply, await context.acts.propose(finding, reason_text), context.words)


async def _remember(argument: str, context: CommandContext) -> CommandReply:
    """Propose the sentence for the files that are named, else for the file of the thread's finding."""
    scope, sentence = _parts(" ".join(argument.split()))
    if scope is None:
        finding = target.find("", context).finding if context.top else None
        scope = (suppress.only(finding.path), "") if finding is not None else None
    if scope is None or len(sentence.split()) < LEAST_WORDS:
        return context.say("remember_usage", use=code(f"/deeprepo {REMEMBER}"))
    path, symbol = scope
    if len(path) > LONGEST_TEXT or not globs.is_usable(path):
        return context.say("rule_path", path=code(path[:LONGEST_TEXT]))
    rule = await context.acts.remember(OwnerRule(path, "", sentence[:MOST_SENTENCE], symbol=symbol))
    if rule is None:
        return context.say("rules_full")
    if rule.state == "proposed" and not rule.shown:
        return proposing.beside(CommandReply(), (rule,), context.words)
    reach = context.words.say(proposing.breadth(rule.rule.path))
    state = proposing.state_phrase(rule) if rule.state != "proposed" else "sentence_waits"
    confirm = code(f"/deeprepo rules confirm {rule.rule.number}")
    return context.say(state, rule=rule.rule.number, breadth=reach, confirm=confirm, **proposing.place_words(rule))


def _parts(text: str) -> tuple[tuple[str, str] | None, str]:
    """The path and the symbol that a text names first, if it does, and its sentence."""
    word, _, rest = text.partition(" ")
    place, _, sentence = rest.partition(" ")
    place = place.strip("`,")
    if word.lower() != "in" or not any(char in place for char in "/.*"):
        return None, text
    path, colon, symbol = place.rpartition(":")
    if colon and path and symbol.replace(".", "_").isidentifier():
        return (path, symbol), sentence
    return (place.rstrip(":"), ""), sentence


async def _rules(argument: str, context: CommandContext) -> CommandReply:
    """List the rules and proposals, decide on one, or show all as settings."""
    word, _, rest = " ".join(argument.split()).partition(" ")
    if word.lower() in DECIDES:
        return await _decide(word.lower(), rest, context)
    rules = await context.acts.rules()
    if word.lower() == "export":
        return _export(rules, context)
    if not rules:
        return context.say("rules_none")
    return context.reply("rules", rows=[_row(one, time.time()) for one in rules])


async def _decide(word: str, rest: str, context: CommandContext) -> CommandReply:
    """Confirm, edit or remove the rule of this number. A confirmed one may be given another path."""
    number, _, words = rest.partition(" ")
    number, is_edit = number.removeprefix("#"), word == EDIT
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS) or (is_edit and not words):
        return context.say("rules_usage", use=code(f"/deeprepo {RULES}"))
    if words and not is_edit and (len(words) > LONGEST_TEXT or not globs.is_usable(words)):
        return context.say("rule_path", path=code(words[:LONGEST_TEXT]))
    sentences = {one.rule.number for one in await context.acts.rules() if one.rule.is_learning}
    if is_edit and int(number) not in sentences:
        return context.say("sentence_unknown", rule=int(number))
    path, text = (words if word == "confirm" else "", words[:MOST_SENTENCE] if is_edit else "")
    decision = await context.acts.decide(int(number), DECIDES[word], path, text)
    if decision is None:
        return context.say("rule_unknown", rule=int(number))
    reach = context.words.say(proposing.breadth(decision.rule.path))
    return context.say(
        proposing.state_phrase(decision), rule=int(number), breadth=reach, **proposing.place_words(decision)
    )


def _export(rules: tuple[LearnedRule, ...], context: CommandContext) -> CommandReply:
    """The rules in force as the key of the settings."""
    from bot.config import yaml_text

    confirmed = [one.rule for one in rules if one.state == "confirmed"]
    confirmed.sort(key=lambda rule: rule.is_learning)
    parts = [yaml_text.dump([_exported(rule)]) for rule in confirmed]
    ends = accumulate(len(part) for part in parts)
    chunks = [part for part, end in zip(parts, ends, strict=True) if end <= MOST_EXPORTED]
    if not chunks:
        return context.say("rules_none")
    kinds = sum(not rule.is_learning for rule in confirmed[: len(chunks)])
    sections = (("rules", chunks[:kinds]), ("learnings", chunks[kinds:]))
    lines = "".join(f"{name}:\n{''.join(rows)}" for name, rows in sections if rows)
    more = len(parts) - len(chunks)
    return context.reply("rules_export", file=FILE, branch=context.branch, lines=lines, more=more)


def _exported(rule: OwnerRule) -> dict[str, str]:
    """A rule or a learning as an entry of the settings."""
    names = ("path", "symbol", "text") if rule.is_learning else ("path", "kind", "text")
    return {name: value for name in names if (value := getattr(rule, name))}


def _row(one: LearnedRule, now: float) -> dict[str, object]:
    is_unused = one.state == "confirmed" and one.rule.is_learning and now - max(one.decided, one.last) > UNUSED
    return {
        "number": one.rule.number,
        "kind": one.rule.kind,
        "path": one.rule.place,
        "text": one.rule.text,
        "state": "rule_is_unused" if is_unused else f"rule_is_{one.state}",
        "who": link(one.who, one.link),
        "made": _day(one.made),
        "decider": one.decider,
        "decided": _day(one.decided),
        "silenced": one.silenced,
    }


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


COMMANDS: Mapping[str, Word] = MappingProxyType(
    {
        "review": Word("review", _review),
        "full review": Word("full review", _full_review),
        "ask": Word("ask QUESTION", _ask, is_long=True),
        "explain": Word("explain [NUMBER]", _explain),
        "fix": Word("fix [NUMBER...]", _fix),
        "ignore": Word("ignore [NUMBER] REASON", _ignore),
        "remember": Word(REMEMBER, _remember),
        "rules": Word(RULES, _rules),
        "pause": Word("pause", _pause),
        "resume": Word("resume", _resume),
        "cancel": Word("cancel", _cancel),
        "config": Word("config", _config, "read"),
        "help": Word("help", show_help, "read"),
    }
)
READING = ("ask", "explain")  # they compute on code
LONG = tuple(name for name, word in COMMANDS.items() if word.is_long)
