"""The one table that decides what a head comes to."""

import ast
import re
from collections.abc import Iterator
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import get_args

from bot import verdict
from bot.values.review import NoReviewReason
from bot.verdict import ROWS, Fact, Row

ROOT = Path(__file__).parents[1]
NAMES = [row.name for row in ROWS]
OF_HEADS = get_args(NoReviewReason)
OF_REVIEWS = [name for name in NAMES if name not in OF_HEADS]
# Types of GitHub's values, and the table itself.
MAY_NAME = {"bot/values/host.py", "bot/verdict.py"}


def combined(facts: list[Fact]) -> Iterator[tuple[Fact, ...]]:
    """Yield every combination of these facts."""
    return chain.from_iterable(combinations(facts, number) for number in range(len(facts) + 1))


def applies(row: Row, facts: frozenset[Fact]) -> bool:
    """Return whether a row's whole condition is true: its fact holds, and none of the facts above it does."""
    above = NAMES[: NAMES.index(row.name)]
    return facts.isdisjoint(above) and (row.name in facts or row == ROWS[-1])


def test_every_combination_of_facts_has_one_row() -> None:
    """For every combination of facts, exactly one row applies."""
    for head in ((), *((each,) for each in OF_HEADS)):
        for some in combined(OF_REVIEWS):
            facts = frozenset((*head, *some))
            (row,) = (row for row in ROWS if applies(row, facts))
            assert verdict.decide(facts, has_threshold=True).row == row


def test_additional_fact_never_improves_a_review() -> None:
    """No fact about a review makes its check, its exit code or its approval better."""
    for fact, other in permutations(OF_REVIEWS, 2):
        for has_threshold in (False, True):
            before = verdict.decide([fact], has_threshold=has_threshold)
            after = verdict.decide([fact, other], has_threshold=has_threshold)
            assert verdict.worst([before.check, after.check]) == after.check
            assert bool(before.exit_code) <= bool(after.exit_code)
            assert before.row.approves >= after.row.approves or other == "minor"


def test_page_shows_the_table() -> None:
    """The page lists the rows in their order, with both conclusions."""
    page = (ROOT / "docs/github-app.md").read_text()
    shown = re.findall(r"^\| `([a-z ]+)` \|.*\| (\w*) ?\| (\w*) ?\|$", page, re.MULTILINE)
    assert [name for name, *_ in shown] == NAMES
    for (name, *cells), row in zip(shown, ROWS, strict=True):
        assert all(cell in ("", check) for cell, check in zip(cells, row.check, strict=True)), name


def decisions(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that name a passing conclusion, or decide by a failing one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in ("success", "neutral"):
            yield node.lineno
        if isinstance(node, ast.Compare | ast.Return | ast.IfExp):
            words = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.Constant))
            yield from (word.lineno for word in words if word.value == "failure")
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "at_least":
            asked = {getattr(each, "attr", "") for each in node.args}
            yield from [node.lineno] if asked & {"fail_on", "approve", "request_changes"} else []


def test_nothing_else_decides() -> None:
    """No other module names a conclusion of a check or compares a severity with a threshold of the settings."""
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "bot").rglob("*.py"))
        for line in decisions(ast.parse(path.read_text()))
        if str(path.relative_to(ROOT)) not in MAY_NAME
    }
    assert not found
