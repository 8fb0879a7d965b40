"""`/deeprepo rules`: list, confirm, edit, remove and export rules and learnings."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from bot import globs
from bot.commands import CommandContext, CommandReply
from bot.config import FILE
from bot.config.names import MOST_SENTENCE
from bot.features.teaching import proposing
from bot.render import code, link
from bot.stored import answered, markers
from bot.stored.answered import REPLY
from bot.values import Dismissal, LearnedRule, OwnerRule, RuleState
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand

MAX_PATTERN_CHARS = 300
EDIT = "edit"  # replaces the sentence of a learning, without changing its state
DECISIONS: dict[str, RuleState | None] = {"confirm": "confirmed", EDIT: None, "remove": "removed"}
UNUSED_SECONDS = 180 * 86_400.0  # a learning that has silenced nothing for this long is listed as unused
MOST_DIGITS = 6  # digits in a rule's number
MOST_EXPORTED = 40_000  # characters; GitHub accepts comments of up to 65,536
RULES_USAGE = "rules [confirm N, edit N SENTENCE, remove N, export]"


async def run(command: GivenCommand) -> CommandReply:
    """List the rules and proposals, decide on one, or export all as settings."""
    context = command.context
    word, _, rest = " ".join(command.ask.argument.split()).partition(" ")
    if word.lower() in DECISIONS:
        return await _decide(word.lower(), rest, command)
    rules = await command.store.rules.of(command.ask.pull.repository)
    if word.lower() == "export":
        dismissals = await command.store.people.dismissals(command.ask.pull)
        return _export(rules, [each for each in dismissals if each.how == "ignored"], context)
    if not rules:
        return context.say("rules_none")
    return context.reply("teaching/rules", rows=[_row(rule, time.time()) for rule in rules], here=False)


async def in_step(command: StepCommand) -> CommandReply:
    """List the learnings of this pull request, decide on one, or export them with the ignored findings."""
    context, answers = command.context, command.answered
    word, _, rest = " ".join(command.ask.argument.split()).partition(" ")
    if word.lower() in DECISIONS:
        return _decide_in_step(word.lower(), rest, command)
    if word.lower() == "export":
        return _export(answers.learnings, [each for each in answers.dismissals if each.how == "ignored"], context)
    rows = [_row(each, time.time()) | {"silenced": ""} for each in answers.learnings if each.state == "confirmed"]
    return context.reply("teaching/rules", rows=rows, here=True) if rows else context.say("rules_none_here")


def _decide_in_step(word: str, rest: str, command: StepCommand) -> CommandReply:
    """Confirm, edit or remove a learning of this pull request. Confirming can change its path."""
    context, answers = command.context, command.answered
    typed = _parse(word, rest, context)
    if isinstance(typed, CommandReply):
        return typed
    number, words = typed
    known = dict(enumerate(zip(answers.learnings, answers.ids, strict=True), 1)).get(number)
    if known is None:
        return context.say("rule_unknown", rule=number)
    learned, on = known
    rule = learned.rule
    if word == "remove":
        facts, state = answered.removal(context.actor, on), "sentence_removed"
    else:
        rule = replace(rule, text=words[:MOST_SENTENCE]) if word == EDIT else replace(rule, path=words or rule.path)
        facts, state = answered.learning(rule, context.actor, on), "sentence_here"
        if not markers.fits(REPLY, **facts):
            return context.say("remember_long")
    reply = context.say(state, rule=number, file=FILE, **proposing.rule_fields(rule))
    return replace(reply, facts=facts, silences=True)


def _parse(word: str, rest: str, context: CommandContext) -> tuple[int, str] | CommandReply:
    """Return the rule's number and the words after it, or an answer that says what is wrong with them."""
    number, _, words = rest.partition(" ")
    number, is_edit = number.removeprefix("#"), word == EDIT
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS) or (is_edit and not words):
        return context.say("rules_usage", use=code(f"/deeprepo {RULES_USAGE}"))
    if words and not is_edit and (len(words) > MAX_PATTERN_CHARS or not globs.is_usable(words)):
        return context.say("rule_path", path=code(words[:MAX_PATTERN_CHARS]))
    return int(number), words


async def _decide(word: str, rest: str, command: GivenCommand) -> CommandReply:
    """Confirm, edit or remove the rule with this number. Confirming can change its path."""
    context, is_edit = command.context, word == EDIT
    typed = _parse(word, rest, context)
    if isinstance(typed, CommandReply):
        return typed
    number, words = typed
    sentences = {
        learned_rule.rule.number
        for learned_rule in await command.store.rules.of(command.ask.pull.repository)
        if learned_rule.rule.is_learning
    }
    if is_edit and number not in sentences:
        return context.say("sentence_unknown", rule=number)
    # Imported here because the GitHub Actions step reads commands but has no database.
    from bot.features.teaching.feedback import PullFeedback

    path, text = (words if word == "confirm" else "", words[:MOST_SENTENCE] if is_edit else "")
    decision = await PullFeedback(command.host, command.store).decide(
        number, DECISIONS[word], context.actor, path, text
    )
    if decision is None:
        return context.say("rule_unknown", rule=number)
    reach = context.words.say(proposing.scope_phrase(decision.rule.path))
    phrase_name, place = proposing.state_phrase(decision), proposing.message_fields(decision)
    if decision.state == "proposed":
        confirm = code(f"/deeprepo rules confirm {number}")
        return context.say("sentence_edited", rule=number, breadth=reach, confirm=confirm, **place)
    return replace(context.say(phrase_name, rule=number, breadth=reach, **place), silences=True)


def _export(rules: Sequence[LearnedRule], ignored: Sequence[Dismissal], context: CommandContext) -> CommandReply:
    """Return the confirmed rules, and the findings that were ignored in this pull request, as settings."""
    from bot.config import yaml_text

    confirmed = [learned_rule.rule for learned_rule in rules if learned_rule.state == "confirmed"]
    confirmed.sort(key=lambda rule: rule.is_learning)
    parts = [yaml_text.dump([_exported(rule)]) for rule in confirmed]
    parts += [yaml_text.dump([_of_finding(each)]) for each in ignored]
    ends = accumulate(len(part) for part in parts)
    chunks = [part for part, end in zip(parts, ends, strict=True) if end <= MOST_EXPORTED]
    if not chunks:
        return context.say("rules_none")
    lines = f"ignore:\n{''.join(chunks)}"
    more = len(parts) - len(chunks)
    return context.reply("teaching/export", file=FILE, branch=context.branch, lines=lines, more=more)


def _of_finding(dismissal: Dismissal) -> dict[str, Any]:
    """Return a settings entry that ignores the dismissed finding."""
    entry = {"finding": dismissal.mark.split()[0], "reason": dismissal.reason}
    return {name: value for name, value in entry.items() if value}


def _exported(rule: OwnerRule) -> dict[str, Any]:
    """Return a rule or learning as a settings entry."""
    from bot.config.defaults import CLAIMS, IgnoreItem
    from bot.config.repository import as_entry

    kind = CLAIMS if rule.is_learning else rule.kind
    return as_entry(IgnoreItem(path=rule.path, kind=kind, symbol=rule.symbol, reason=rule.text))


def _row(rule: LearnedRule, now: float) -> dict[str, object]:
    """Return a rule as a row for the template."""
    is_unused = (
        rule.state == "confirmed" and rule.rule.is_learning and now - max(rule.decided, rule.last) > UNUSED_SECONDS
    )
    return {
        "number": rule.rule.number,
        "what": "rules_kind_sentence" if rule.rule.is_learning else "rules_kind_rule",
        "kind": rule.rule.kind,
        "path": rule.rule.place.removeprefix("="),
        "text": rule.rule.text,
        "state": "rule_is_unused" if is_unused else f"rule_is_{rule.state}",
        "who": link(rule.who, rule.link),
        "made": _day(rule.made),
        "decider": rule.decider,
        "decided": _day(rule.decided),
        "silenced": rule.silenced,
    }


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


COMMAND = CommentCommand(run, in_step, RULES_USAGE)
