from dataclasses import replace

import pytest
from diff_rows import rows

from bot.strategies import choose
from bot.strategies.choice import THRESHOLDS, Measure, measure
from bot.values import Reference, Unit

UNIT = Unit(
    id="a.py:f", path="a.py", name="f", start=1, end=9, side="head", text="def f(): ...", rows=rows("+    1 def f(): ..."),
    references=(), tests=(), risk=1, tokens=1_000,
)  # fmt: skip


def units(count: int, **changes: object) -> list[Unit]:
    """Units of one file each."""
    return [replace(UNIT, id=f"m{n}.py:f", path=f"m{n}.py", **changes) for n in range(count)]


def use(path: str, line: int) -> Reference:
    return Reference("a.py:f", "f", path, line, "f()", "g", None, sure=True, test=False)


@pytest.mark.parametrize(
    ("changed", "root", "worker", "strategy", "words"),
    [
        (units(2), True, False, "offline", "no model is configured"),
        ([], True, True, "direct", "nothing is left to read"),
        (units(6), True, True, "direct", "the change is small (6 units, about 6,000 tokens"),
        (units(7), False, True, "fanout", "a worker but no root model is configured"),
        (units(7), True, True, "rlm", "7 units, about 7,000 tokens, 0 links between units, 0 uses elsewhere"),
        (units(401), True, True, "fanout", "too many units for a root to orchestrate"),
        (units(1, references=tuple(use("b.py", n) for n in range(61))), True, True, "rlm", "61 uses elsewhere"),
        (units(1, references=tuple(use("b.py", n) for n in range(60))), True, True, "direct", "60 uses elsewhere"),
    ],
)
def test_the_choice_and_its_reason(changed: list[Unit], root: bool, worker: bool, strategy: str, words: str) -> None:
    """Each threshold decides at its own figure, and the reason names what was measured."""
    name, reason = choose("auto", changed, root=root, worker=worker)
    assert (name, words in reason) == (strategy, True), reason


def test_what_is_asked_for_is_taken() -> None:
    """No measure overrules a person; without a model there is nothing to choose."""
    assert choose("rlm", units(1), root=True, worker=True) == ("rlm", "requested")
    assert choose("rlm", units(1), root=False, worker=False)[0] == "offline"


def test_links_are_told_from_uses_elsewhere() -> None:
    """A unit that uses what another one changes is a link; its own lines are none, and each place counts once."""
    one, two = units(2)
    one = replace(one, references=(use("m1.py", 3), use("m1.py", 4), use("m0.py", 3), use("x.py", 1), use("x.py", 1)))
    assert measure([one, two]) == Measure(units=2, tokens=2_000, sites=2, links=1)


def test_thresholds_are_data() -> None:
    """Other ones can be handed in."""
    limits = replace(THRESHOLDS, direct_tokens=10)
    assert choose("auto", units(1), root=True, worker=True, limits=limits)[0] == "rlm"
