from dataclasses import replace

import pytest
from diff_rows import rows

from bot.review.strategies import choose
from bot.values import Unit

UNIT = Unit(
    id="a.py:f", path="a.py", name="f", start=1, end=9, side="head", text="def f(): ...", rows=rows("+    1 def f(): ..."),
    references=(), tests=(), risk=1, tokens=1_000,
)  # fmt: skip


def units(count: int, tokens: int = 1_000) -> list[Unit]:
    """Return code regions, each in its own file."""
    return [replace(UNIT, id=f"m{n}.py:f", path=f"m{n}.py", tokens=tokens) for n in range(count)]


@pytest.mark.parametrize(
    ("changed", "root", "worker", "strategy", "words"),
    [
        (units(2), True, False, "offline", "no model is configured"),
        ([], True, True, "parts", "there is nothing left to review"),
        (units(80), True, True, "root", "80 code regions with about 80,000 tokens, so"),
        (units(81), True, True, "rlm", "then the root model connects the parts"),
        (units(401, 100), True, True, "root", "401 code regions with about 40,100 tokens, so"),
        (units(7), False, True, "parts", "a worker but no root model is configured"),
    ],
)
def test_strategy_and_its_reason_follow_from_the_thresholds(
    changed: list[Unit], root: bool, worker: bool, strategy: str, words: str
) -> None:
    """Each threshold takes effect at its own value, and the reason names what was measured."""
    name, reason = choose("auto", changed, root=root, worker=worker)
    assert (name, words in reason) == (strategy, True), reason


@pytest.mark.parametrize(
    ("number", "window", "strategy"),
    [(80, None, "root"), (80, 200_000, "root"), (51, 100_000, "rlm"), (50, 100_000, "root"), (24, 9, "root")],
)
def test_change_that_a_root_reads_must_fit_half_of_the_context_window(
    number: int, window: int | None, strategy: str
) -> None:
    """The other half is for what the root prints."""
    assert choose("auto", units(number), root=True, worker=True, window=window)[0] == strategy
