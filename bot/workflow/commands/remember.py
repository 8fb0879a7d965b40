"""`/deeprepo remember`: store a learning, a sentence that may refute findings about certain code."""

import json
import time
from dataclasses import replace
from typing import Any

from bot import globs
from bot.commands import CommandReply, target
from bot.config import FILE
from bot.config.defaults import CLAIMS, MOST_SENTENCE
from bot.findings import silencing
from bot.render import code
from bot.stored import answered, markers
from bot.stored.answered import REPLY
from bot.values import OwnerRule
from bot.workflow.given_command import BareCommand, CommentCommand, GivenCommand, StepCommand

MAX_PATTERN_CHARS = 300
LEAST_WORDS = 3  # words in a sentence; a sentence such as "fine" would refute everything
REMEMBER_USAGE = "remember [in PATH[:SYMBOL]] SENTENCE"


async def run(command: GivenCommand) -> CommandReply:
    """Store the sentence for the path in the command, or else for the file of the thread's finding."""
    context, learning = command.context, _learning(command)
    if isinstance(learning, CommandReply):
        return learning
    stored = await command.store.rules.remember(command.job.pull, learning, context.actor, command.link, time.time())
    if stored is None:
        return context.say("rules_full")
    return replace(context.say("reply_remembered", rule=stored.number, **rule_words(stored)), silences=True)


async def in_step(command: StepCommand) -> CommandReply:
    """Record the sentence in the answer's marker. It applies in this pull request."""
    context, learning = command.context, _learning(command)
    if isinstance(learning, CommandReply):
        return learning
    facts = answered.learning(learning, context.actor)
    if not markers.fits(REPLY, **facts):
        return context.say("remember_long")
    row = {"path": learning.path, "symbol": learning.symbol, "kind": CLAIMS, "reason": learning.text}
    entry = json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False)
    number = len(command.answered.learnings) + 1
    reply = context.say(
        "reply_remembered_here", rule=number, file=code(FILE), entry=code(f"- {entry}"), **rule_words(learning)
    )
    return replace(reply, facts=facts, silences=True)


def rule_words(rule: OwnerRule) -> dict[str, Any]:
    """Return a rule's kind or sentence, and its location, as code spans for phrases."""
    text = (rule.text or rule.kind)[:MAX_PATTERN_CHARS].rstrip(". ")
    return {"text": code(text), "path": code(rule.place[:MAX_PATTERN_CHARS].removeprefix("="))}


def _learning(command: BareCommand) -> OwnerRule | CommandReply:
    context = command.context
    scope, sentence = _parts(" ".join(command.job.argument.split()))
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
