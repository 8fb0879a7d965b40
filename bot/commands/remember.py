"""`/deeprepo remember`: a sentence that answers claims about certain code, proposed like a rule."""

from bot.commands import proposing, target
from bot.commands.context import CommandContext, CommandReply
from bot.config.names import MOST_SENTENCE
from bot.findings import suppress
from bot.render import code
from bot.text import globs
from bot.values import OwnerRule

USE = "remember [in PATH[:SYMBOL]] SENTENCE"
LEAST_WORDS = 3  # of a sentence: "fine" answers everything
LONGEST = 300  # characters of a path


async def run(argument: str, context: CommandContext) -> CommandReply:
    """Propose the sentence for the files that are named, else for the file of the thread's finding."""
    scope, sentence = _parts(" ".join(argument.split()))
    if context.rules is None:
        return context.say("rules_none")
    if scope is None:
        finding = (await target.find("", context)).finding if await context.top() else None
        scope = (suppress.only(finding.path), "") if finding is not None else None
    if scope is None or len(sentence.split()) < LEAST_WORDS:
        return context.say("remember_usage", use=code(f"/deeprepo {USE}"))
    path, symbol = scope
    if len(path) > LONGEST or not globs.is_usable(path):
        return context.say("rule_path", path=code(path[:LONGEST]))
    rule = await context.rules.remember(OwnerRule(path, "", sentence[:MOST_SENTENCE], symbol=symbol))
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
