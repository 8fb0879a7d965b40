"""`/deeprepo rules`: list the sentences that people taught, and the rules of earlier versions, or remove one."""

import time
from dataclasses import replace
from datetime import UTC, datetime

from bot.commands import CommandReply
from bot.render import code, link
from bot.stored import answered
from bot.values import LearnedRule
from bot.workflow.commands.remember import rule_words
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand

MOST_DIGITS = 6  # digits in a rule's number
RULES_USAGE = "rules [remove N]"


async def run(command: GivenCommand) -> CommandReply:
    """List the rules in force, or remove one."""
    context, rules = command.context, command.store.rules
    repository = command.job.pull.repository
    if not command.job.argument.strip():
        return _listed(await rules.of(repository), command, is_here=False)
    number = _number(command.job.argument)
    removed = await rules.remove(repository, number, context.actor, time.time()) if number else None
    return _removed(number, removed, command)


async def in_step(command: StepCommand) -> CommandReply:
    """List the sentences that apply in this pull request, or remove one."""
    learnings = command.answered.learnings
    if not command.job.argument.strip():
        return _listed([one for one in learnings if one.state == "confirmed"], command, is_here=True)
    number = _number(command.job.argument)
    known = dict(enumerate(zip(learnings, command.answered.ids, strict=True), 1)).get(number)
    reply = _removed(number, known[0] if known else None, command)
    return replace(reply, facts=answered.removal(command.context.actor, known[1])) if known else reply


def _number(argument: str) -> int:
    """Return the number in "remove N", or 0."""
    word, _, number = " ".join(argument.lower().split()).partition(" ")
    number = number.removeprefix("#")
    is_number = number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS
    return int(number) if word == "remove" and is_number else 0


def _removed(number: int, rule: LearnedRule | None, command: GivenCommand | StepCommand) -> CommandReply:
    if not number:
        return command.context.say("rules_usage", use=code(f"/deeprepo {RULES_USAGE}"))
    if rule is None:
        return command.context.say("rule_unknown", rule=number)
    return replace(command.context.say("rule_removed", rule=number, **rule_words(rule.rule)), silences=True)


def _listed(
    rules: tuple[LearnedRule, ...] | list[LearnedRule], command: GivenCommand | StepCommand, *, is_here: bool
) -> CommandReply:
    if not rules:
        return command.context.say("rules_none")
    rows = [_row(rule) | ({"silenced": ""} if is_here else {}) for rule in rules]
    return command.context.reply("replies/rules", rows=rows, here=is_here)


def _row(learned: LearnedRule) -> dict[str, object]:
    return {
        "number": learned.rule.number,
        "kind": learned.rule.kind,
        "path": learned.rule.place.removeprefix("="),
        "text": learned.rule.text,
        "who": link(learned.who, learned.link),
        "made": datetime.fromtimestamp(learned.made, UTC).strftime("%Y-%m-%d"),
        "silenced": learned.silenced,
    }


COMMAND = CommentCommand(run, in_step, RULES_USAGE)
