"""`/deeprepo rules`: what this repository does not want to hear, learned from what people rejected."""

import time
from datetime import UTC, datetime
from itertools import accumulate

from bot.commands import proposing
from bot.commands.context import CommandContext, CommandReply, RuleBook
from bot.config import FILE
from bot.config.names import MOST_SENTENCE
from bot.render import code, link
from bot.text import globs
from bot.values import LearnedRule, OwnerRule, RuleState

USE = "rules [confirm N, edit N SENTENCE, remove N, export]"
DECIDES: dict[str, RuleState] = {"confirm": "confirmed", "remove": "removed"}
EDIT = "edit"  # gives a learning another sentence, which is in force at once: to edit takes the permission to confirm
UNUSED = 180 * 86_400.0  # seconds after which a sentence that silenced nothing is proposed for removal
MOST_DIGITS, LONGEST = 6, 300  # of a number, and characters of a path
MOST_EXPORTED = 40_000  # characters: GitHub takes a comment of 65,536


async def run(argument: str, context: CommandContext) -> CommandReply:
    """List the rules and proposals, decide on one, or show all as settings."""
    word, _, rest = " ".join(argument.split()).partition(" ")
    if context.rules is None:
        return context.say("rules_none")
    if word.lower() in DECIDES:
        return await _decide(DECIDES[word.lower()], rest, context, context.rules)
    if word.lower() == EDIT:
        return await _edit(rest, context, context.rules)
    rules = await context.rules.all()
    if word.lower() == "export":
        return _export(rules, context)
    if not rules:
        return context.say("rules_none")
    return context.reply("rules", rows=[_row(one, time.time()) for one in rules])


async def _decide(state: RuleState, rest: str, context: CommandContext, book: RuleBook) -> CommandReply:
    """Confirm or remove the rule of this number. A confirmed one may be given another path."""
    number, _, path = rest.partition(" ")
    number = number.removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        return context.say("rules_usage", use=code(f"/deeprepo {USE}"))
    if path and (len(path) > LONGEST or not globs.is_usable(path)):
        return context.say("rule_path", path=code(path[:LONGEST]))
    return await _put(int(number), state, context, book, path=path if state == "confirmed" else "")


async def _put(
    number: int, state: RuleState, context: CommandContext, book: RuleBook, *, path: str = "", text: str = ""
) -> CommandReply:
    """Decide on the rule of this number."""
    rule = next((one for one in await book.all() if one.rule.number == number), None)
    if text and (rule is None or not rule.rule.is_learning):
        return context.say("sentence_unknown", rule=number)
    decision = await book.decide(number, state, path, text)
    if decision is None:
        return context.say("rule_unknown", rule=number)
    reach = context.words.say(proposing.breadth(decision.rule.path))
    return context.say(proposing.state_phrase(decision), rule=number, breadth=reach, **proposing.place_words(decision))


async def _edit(rest: str, context: CommandContext, book: RuleBook) -> CommandReply:
    """Give a learning another sentence."""
    number, _, text = rest.partition(" ")
    number = number.removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS and text):
        return context.say("rules_usage", use=code(f"/deeprepo {USE}"))
    return await _put(int(number), "confirmed", context, book, text=text[:MOST_SENTENCE])


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
