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
        return await _decided(DECIDES[word.lower()], rest, context, context.rules)
    found = await context.rules.all()
    if word.lower() == "export":
        return _exported(found, context)
    if not found:
        return context.say("rules_none")
    return context.reply("rules", rows=[_row(one) for one in found])


async def _decided(state: RuleState, rest: str, context: CommandContext, book: RuleBook) -> CommandReply:
    """Confirm or remove the rule of this number. A confirmed one may be given another path."""
    number, _, path = rest.partition(" ")
    number = number.removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        return context.say("rules_usage", use=code(f"/deeprepo {USE}"))
    if path and (len(path) > LONGEST or not _pattern(path)):
        return context.say("rule_path", path=code(path[:LONGEST]))
    known = next((one for one in await book.all() if one.rule.number == int(number)), None)
    if known is not None and 0 < context.written < max(known.made, known.decided) - MOMENT:
        kind, where = code(known.rule.kind[:80]), code(known.rule.path[:LONGEST])
        return context.say("rule_since", rule=number, kind=kind, path=where, again=code(f"/deeprepo {WORD}"))
    done = await book.decide(int(number), state, path if state == "confirmed" else "")
    if done is None:
        return context.say("rule_unknown", rule=number)
    kind, where = code(done.rule.kind[:80]), code(done.rule.path[:LONGEST])
    reach = context.words.say(proposing.breadth(done.rule.path))
    return context.say(f"rule_{state}", rule=number, kind=kind, path=where, breadth=reach)


def _exported(found: tuple[LearnedRule, ...], context: CommandContext) -> CommandReply:
    """The rules in force as the key of the settings."""
    from bot.config import written

    chosen = [one.rule for one in found if one.state == "confirmed"]
    rows = [{"path": rule.path, "kind": rule.kind} | ({"text": rule.text} if rule.text else {}) for rule in chosen]
    parts = [written.dumped([row]) for row in rows]
    ends = accumulate(len(part) for part in parts)
    shown = [part for part, end in zip(parts, ends, strict=True) if end <= MOST_EXPORTED]
    if not shown:
        return context.say("rules_none")
    lines, more = "rules:\n" + "".join(shown), len(parts) - len(shown)
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
