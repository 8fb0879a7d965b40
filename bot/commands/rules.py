"""`/deeprepo rules`: what this repository does not want to hear, learned from what people rejected."""

from datetime import UTC, datetime
from itertools import accumulate

from bot.commands import proposing
from bot.commands.context import CommandContext, CommandReply, Permission, RuleBook
from bot.config import FILE
from bot.render import code, link
from bot.text import globs
from bot.values import LearnedRule, RuleState

WORD = "rules"
USE = "rules [confirm N, remove N, export]"
NEEDS: Permission = "write"
LONG = False
DECIDES: dict[str, RuleState] = {"confirm": "confirmed", "remove": "removed"}
MOMENT = 1.0  # GitHub tells times to the second
MOST_DIGITS, LONGEST = 6, 300  # of a number, and characters of a path
MOST_EXPORTED = 40_000  # characters: GitHub takes a comment of 65,536


async def run(argument: str, context: CommandContext) -> CommandReply:
    """List the rules and proposals, decide on one, or show all as settings."""
    word, _, rest = " ".join(argument.split()).partition(" ")
    if context.rules is None:
        return context.say("rules_none")
    if word.lower() in DECIDES:
        return await _decide(DECIDES[word.lower()], rest, context, context.rules)
    rules = await context.rules.all()
    if word.lower() == "export":
        return _export(rules, context)
    if not rules:
        return context.say("rules_none")
    return context.reply("rules", rows=[_row(one) for one in rules])


async def _decide(state: RuleState, rest: str, context: CommandContext, book: RuleBook) -> CommandReply:
    """Confirm or remove the rule of this number. A confirmed one may be given another path."""
    number, _, path = rest.partition(" ")
    number = number.removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        return context.say("rules_usage", use=code(f"/deeprepo {USE}"))
    if path and (len(path) > LONGEST or not _pattern(path)):
        return context.say("rule_path", path=code(path[:LONGEST]))
    rule = next((one for one in await book.all() if one.rule.number == int(number)), None)
    if rule is not None and 0 < context.given_at < max(rule.made, rule.decided) - MOMENT:
        kind, where = code(rule.rule.kind[:80]), code(rule.rule.path[:LONGEST])
        return context.say("rule_since", rule=number, kind=kind, path=where, again=code(f"/deeprepo {WORD}"))
    decision = await book.decide(int(number), state, path if state == "confirmed" else "")
    if decision is None:
        return context.say("rule_unknown", rule=number)
    kind, where = code(decision.rule.kind[:80]), code(decision.rule.path[:LONGEST])
    reach = context.words.say(proposing.breadth(decision.rule.path))
    return context.say(f"rule_{state}", rule=number, kind=kind, path=where, breadth=reach)


def _export(rules: tuple[LearnedRule, ...], context: CommandContext) -> CommandReply:
    """The rules in force as the key of the settings."""
    from bot.config import yaml_text

    confirmed = [one.rule for one in rules if one.state == "confirmed"]
    rows = [{"path": rule.path, "kind": rule.kind} | ({"text": rule.text} if rule.text else {}) for rule in confirmed]
    parts = [yaml_text.dump([row]) for row in rows]
    ends = accumulate(len(part) for part in parts)
    chunks = [part for part, end in zip(parts, ends, strict=True) if end <= MOST_EXPORTED]
    if not chunks:
        return context.say("rules_none")
    lines, more = "rules:\n" + "".join(chunks), len(parts) - len(chunks)
    return context.reply("rules_export", file=FILE, branch=context.branch, lines=lines, more=more)


def _row(one: LearnedRule) -> dict[str, object]:
    return {
        "number": one.rule.number,
        "kind": one.rule.kind,
        "path": one.rule.path,
        "text": one.rule.text,
        "state": f"rule_is_{one.state}",
        "who": link(one.who, one.link),
        "made": _day(one.made),
        "decider": one.decider,
        "decided": _day(one.decided),
        "silenced": one.silenced,
    }


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _pattern(path: str) -> bool:
    """Whether it is a pattern that takes paths, as in .gitignore."""
    try:
        globs.check(path)
    except ValueError:
        return False
    return not path.startswith(("!", "#"))
