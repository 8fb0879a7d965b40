"""The REPL's dialect: what runs, what is refused, and whether the suggested rewrite runs."""

import re
from collections.abc import Sequence

import pytest
from dialect_blocks import REFUSED
from families import few
from shop import Table, quiet

from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.session import Session
from bot.values import Source
from deeprepo.rlm.repl import hints
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Limits, Observation

CONSTRUCT = re.compile(
    r"not (?:yet )?support|No module|not defined|has no attribute|cannot import|got an unexpected|not an iterator|Error"
)


def ran(table: Table, blocks: Sequence[str]) -> list[Observation]:
    """Run the blocks one after another in one REPL, and return what they did."""
    table.worker = lambda asked: quiet(asked) if asked.answer else f"re {asked.messages[-1].text}"
    table.limits = Limits(usd=None, turn_seconds=2)

    async def step(session: Session) -> list[Observation]:
        state = RunState(session, Source("model", "root"))
        async with Repl(await tools.variables(session), tools.functions(state), table.limits) as repl:
            return [await repl.run(block) for block in blocks]

    return table.run(step)


@pytest.mark.parametrize("name", few(REFUSED, *range(0, len(REFUSED), 3)))
def test_unsupported_block_is_refused_with_a_rewrite_that_runs(table: Table, name: str) -> None:
    """The error names what is not supported, the hint says what to write instead, and that runs."""
    code, words, rewrite, printed = REFUSED[name]
    refused, again = ran(table, [code, rewrite])
    assert refused.error is not None, "it runs by now: take it out of the instructions"
    assert CONSTRUCT.search(refused.error)
    assert words in hints.hint(refused.error) + refused.error
    assert again.error is None
    assert printed in again.output


def test_self_explanatory_error_gets_no_hint() -> None:
    """An error that explains itself gets no hint."""
    assert hints.hint("Traceback (most recent call last):\nZeroDivisionError: division by zero") == ""
