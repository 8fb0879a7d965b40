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
EDIT = "edit"  # gives a learning another sentence, which is in force at once: to edit takes the permission to confirm
DECIDES: dict[str, RuleState] = {"confirm": "confirmed", EDIT: "confirmed", "remove": "removed"}
UNUSED = 180 * 86_400.0  # seconds after which a sentence that silenced nothing is proposed for removal
MOST_DIGITS, LONGEST = 6, 300  # of a number, and characters of a path
MOST_EXPORTED = 40_000  # characters: GitHub takes a comment of 65,536


async def run(argument: str, context: CommandContext) -> CommandReply:
    """List the rules and proposals, decide on one, or show all as settings."""
    word, _, rest = " ".join(argument.split()).partition(" ")
    if context.rules is None:
        return context.say("rules_none")
    if word.lower() in DECIDES:
        return await _decide(word.lower(), rest, context, context.rules)
    rules = await context.rules.all()
    if word.lower() == "export":
        return _export(rules, context)
    if not rules:
        return context.say("rules_none")
    return context.reply("rules", rows=[_row(one, time.time()) for one in rules])


async def _decide(word: str, rest: str, context: CommandContext, book: RuleBook) -> CommandReply:
    """Confirm, edit or remove the rule of this number. A confirmed one may be given another path."""
    number, _, words = rest.partition(" ")
    number, is_edit = number.removeprefix("#"), word == EDIT
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS) or (is_edit and not words):
        return context.say("rules_usage", use=code(f"/deeprepo {USE}"))
    if words and not is_edit and (len(words) > LONGEST or not globs.is_usable(words)):
        return context.say("rule_path", path=code(words[:LONGEST]))
    sentences = {one.rule.number for one in await book.all() if one.rule.is_learning}
    if is_edit and int(number) not in sentences:
        return context.say("sentence_unknown", rule=int(number))
    path, text = (words if word == "confirm" else "", words[:MOST_SENTENCE] if is_edit else "")
    decision = await book.decide(int(number), DECIDES[word], path, text)
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
