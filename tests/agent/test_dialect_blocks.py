"""The REPL's dialect: what runs, what does not, and whether the rewrite that is offered runs."""

import re
from collections.abc import Sequence

import pytest
from dialect_blocks import REFUSED
from families import few
from shop import Table, quiet

from bot.agent import tools
from bot.agent.state import RunState
from bot.review.session import Session
from bot.values import Source
from rlm.repl import hints
from rlm.repl.bridge import open_bridge
from rlm.texts.callables import NAMES
from rlm.values import Limits, Observation

CONSTRUCT = re.compile(
    r"not (?:yet )?support|No module|not defined|has no attribute|cannot import|got an unexpected|not an iterator|Error"
)


OF_A_REVIEW = ("pr", "units", "files", "tree", "answer", "more", *tools.FUNCTIONS)
OF_A_TEXT = ("context", "tree", "answer", "more", *NAMES[0])


def ran(table: Table, blocks: Sequence[str]) -> list[Observation]:
    """What the blocks did, one after the other, in one REPL with the given names."""
    table.worker = lambda asked: quiet(asked) if asked.answer else f"re {asked.messages[-1].text}"
    table.limits = Limits(usd=None, turn_seconds=2)

    async def step(session: Session) -> list[Observation]:
        state = RunState(session, Source("model", "root"))
        async with open_bridge(await tools.variables(session), tools.functions(state), table.limits) as bridge:
            return [await bridge.run(block) for block in blocks]

    return table.run(step)


@pytest.mark.parametrize("name", few(REFUSED, *range(0, len(REFUSED), 3)))
def test_block_is_refused_with_a_rewrite(table: Table, name: str) -> None:
    """What the dialect lacks is named with its line; the hint says what to write; that runs in the same REPL."""
    code, words, rewrite, printed = REFUSED[name]
    refused, again = ran(table, [code, rewrite])
    assert refused.error is not None, "it runs by now: take it out of the instructions"
    assert CONSTRUCT.search(refused.error)
    assert words in hints.hint(refused.error, OF_A_REVIEW) + refused.error
    assert again.error is None
    assert printed in again.output


def test_no_hint_is_better_than_a_wrong_one() -> None:
    """An error that explains itself gets no hint."""
    assert hints.hint("Traceback (most recent call last):\nZeroDivisionError: division by zero") == ""


@pytest.mark.parametrize(
    ("error", "of_a_review", "of_a_text"),
    [
        ("No module named 'requests'", "is in pr, units, files, read() and search().", "no module requests here."),
        ("NameError: name 'codebase' is not defined", "`files`", "There is no codebase here."),
        ("PermissionError: no", "Use read(path, start, end), files[path]", "and no network here."),
        ("SyntaxError: unterminated", "triple-quoted", "triple-quoted"),
    ],
)
def test_a_hint_speaks_of_what_is_there(error: str, of_a_review: str, of_a_text: str) -> None:
    """A root over a text has no change, one without workers nobody to ask."""
    assert of_a_review in hints.hint(error, OF_A_REVIEW)
    told = hints.hint(error, OF_A_TEXT)
    assert of_a_text in told
    assert not any(word in told for word in ("change", "ask(", "callers(", "files["))


def test_every_hint_is_told_to_the_root_of_a_review() -> None:
    """None speaks of what it does not have."""
    texts = {f"No module named '{name}'": text for name, text in hints.SUBSTITUTES.items()}
    texts |= {f"NameError: name '{name}' is not defined": text for name, text in hints.ABSENT.items()}
    assert [text for error, text in texts.items() if text not in hints.hint(error, OF_A_REVIEW)] == []
