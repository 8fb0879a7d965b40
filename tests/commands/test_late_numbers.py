"""A command about a rule that is carried out late: the rule has to be as old as the comment."""

import asyncio
from dataclasses import replace

import pytest

from bot import config
from bot.commands import CommandReply, rules
from bot.commands.context import CommandContext, RuleBook
from bot.config import Settings
from bot.values import Finding, LearnedRule, OwnerRule, RuleState

GIVEN = 1_000.0  # when the comment was written
RULE = LearnedRule(OwnerRule("docs/**", "logic", number=3), "proposed", "ignore", "ann", "", made=GIVEN - 60)


def confirmed(rule: LearnedRule, *, given_at: float = GIVEN) -> tuple[CommandReply, list[int]]:
    """Give the command; the answer, and the rules that were decided on by it."""
    decisions: list[int] = []

    async def nothing(*_: object) -> None:
        return None

    async def no(*_: object) -> bool:
        return False

    async def every() -> tuple[LearnedRule, ...]:
        return (rule,)

    async def decide(number: int, state: RuleState, _: str, __: str) -> LearnedRule | None:
        decisions.append(number)
        return replace(rule, state=state)

    async def propose(_: Finding, __: str) -> tuple[LearnedRule, ...]:
        return ()

    book = RuleBook(every, decide, propose, nothing)
    settings = config.resolve({}, b"", Settings())
    context = CommandContext(
        settings, "ann", "main", nothing, nothing, nothing, no, no, no, rules=book, given_at=given_at
    )
    return asyncio.run(rules.run("confirm 3", context)), decisions


def test_a_rule_that_was_there_is_decided_on() -> None:
    """Also one that was proposed within the second that GitHub tells."""
    for made in (GIVEN - 60, GIVEN + 0.9):
        assert confirmed(replace(RULE, made=made))[1] == [3]
    assert confirmed(replace(RULE, made=GIVEN + 60), given_at=0.0)[1] == [3]  # nobody knows when it was written


@pytest.mark.parametrize("later", [{"made": GIVEN + 60}, {"decided": GIVEN + 60}], ids=["proposed", "decided on"])
def test_a_rule_that_came_after_the_comment_is_left_alone(later: dict[str, float]) -> None:
    """The reply tells what the number means now."""
    reply, decisions = confirmed(replace(RULE, **later))  # type: ignore[arg-type]
    assert decisions == []
    assert "after your comment was written, and nothing is changed" in reply.body
    assert "`logic` in `docs/**`" in reply.body
