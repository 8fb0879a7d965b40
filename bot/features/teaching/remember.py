"""`/deeprepo remember`: propose a learning, a sentence that may refute findings about certain code."""

import time
from dataclasses import replace

from bot import globs
from bot.commands import CommandReply, target
from bot.config import FILE
from bot.config.names import MOST_SENTENCE
from bot.features.teaching import proposing
from bot.findings import silencing
from bot.render import code
from bot.stored import answered, markers
from bot.stored.answered import REPLY
from bot.values import OwnerRule, Proposal
from bot.workflow.given_command import BareCommand, CommentCommand, GivenCommand, StepCommand

MAX_PATTERN_CHARS = 300
LEAST_WORDS = 3  # words in a sentence; a sentence such as "fine" would refute everything
REMEMBER_USAGE = "remember [in PATH[:SYMBOL]] SENTENCE"


async def run(command: GivenCommand) -> CommandReply:
    """Propose the sentence for the path in the command, or else for the file of the thread's finding."""
    context, learning = command.context, _learning(command)
    if isinstance(learning, CommandReply):
        return learning
    proposal = Proposal(learning, "remember", context.actor, command.link)
    rule = await command.store.rules.propose(command.ask.pull, proposal, time.time())
    if rule is None:
        return context.say("rules_full")
    if rule.state == "proposed" and not rule.shown:
        return proposing.with_proposals(CommandReply(), (rule,), context.words)
    reach = context.words.say(proposing.scope_phrase(rule.rule.path))
    state = proposing.state_phrase(rule) if rule.state != "proposed" else "sentence_waits"
    confirm = code(f"/deeprepo rules confirm {rule.rule.number}")
    return context.say(state, rule=rule.rule.number, breadth=reach, confirm=confirm, **proposing.message_fields(rule))


async def in_step(command: StepCommand) -> CommandReply:
    """Record the sentence in the answer's marker. It applies in this pull request without a confirmation."""
    context, learning = command.context, _learning(command)
    if isinstance(learning, CommandReply):
        return learning
    facts = answered.learning(learning, context.actor)
    if not markers.fits(REPLY, **facts):
        return context.say("remember_long")
    words = proposing.rule_fields(learning)
    reply = context.say("sentence_here", rule=len(command.answered.learnings) + 1, file=FILE, **words)
    return replace(reply, facts=facts, silences=True)


def _learning(command: BareCommand) -> OwnerRule | CommandReply:
    """Return the learning in the command, or an answer that says what is wrong with the command."""
    context = command.context
    scope, sentence = _parts(" ".join(command.ask.argument.split()))
    if scope is None:
        finding = target.find("", context).finding if context.top else None
        scope = (silencing.only(finding.path), "") if finding is not None else None
    use = code(f"/deeprepo {REMEMBER_USAGE}")
    if len(sentence.split()) < LEAST_WORDS:
        return context.say("remember_usage", use=use, least=LEAST_WORDS)
    if scope is None:
        return context.say("remember_where", use=code("/deeprepo remember in PATH[:SYMBOL] SENTENCE"))
    path, symbol = scope
    if len(path) > MAX_PATTERN_CHARS or not globs.is_usable(path):
        return context.say("rule_path", path=code(path[:MAX_PATTERN_CHARS]))
    return OwnerRule(path, "", sentence[:MOST_SENTENCE], symbol=symbol)


def _parts(text: str) -> tuple[tuple[str, str] | None, str]:
    """Split a text into (path, symbol) and the sentence.

    The first is None if the text doesn't start with "in PATH".
    """
    word, _, rest = text.partition(" ")
    place, _, sentence = rest.partition(" ")
    place = place.strip("`,")
    if word.lower() != "in" or not any(char in place for char in "/.*"):
        return None, text
    path, colon, symbol = place.rpartition(":")
    if colon and path and symbol.replace(".", "_").isidentifier():
        return (path, symbol), sentence
    return (place.rstrip(":"), ""), sentence


COMMAND = CommentCommand(run, in_step, REMEMBER_USAGE)
