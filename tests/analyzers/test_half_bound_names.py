"""Names of Python that one branch of a function binds alone."""

import pytest
import step
from fakes import Repository

from bot.analyzers import ANALYZERS
from bot.checkout import Checkout
from bot.values import Dependents, Finding, PullRequest

BASE = "def pay(cart, rate):\n    return cart\n"
BRANCH = "def pay(cart, rate):\n    if cart:\n        total = rate\n    return total\n"


def look(pull: PullRequest) -> list[tuple[str, int]]:
    """The names that are said to be bound in one branch alone, with their lines."""

    async def run(tree: Checkout, files: step.Files) -> list[Finding]:
        check = ANALYZERS["references"]({})
        return list((await check.check(tree, [file for file in files if check.wants(file)], Dependents())).findings)

    return [(one.title.split("`")[1], one.start) for one in step.over(pull, run) if one.rule == "half-bound"]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (BASE, BRANCH, [("total", 4)]),
        (
            BASE,
            BRANCH.replace("    return", "    for one in rate:\n        print(total)\n    return"),
            [("total", 5), ("total", 6)],
        ),
        (BRANCH.replace("    if cart:\n    ", ""), BRANCH, [("total", 4)]),
        (BRANCH, f"# more\n{BRANCH}\n\nX = 1\n", []),
        (BASE, BRANCH.replace("    return", "    else:\n        raise ValueError\n    return"), []),
        (BASE, BRANCH.replace("    return", "    else:\n        leave()\n    return"), []),
        (BASE, BRANCH.replace("    return", "    elif rate:\n        total = 2\n    return"), []),
        (
            BASE,
            BRANCH.replace("    return", "    if cart:\n        return").replace(
                "return total", "return total\n    return 0"
            ),
            [],
        ),
        (BASE, BRANCH.replace("    return", "    if not cart:\n        return 0\n    return"), []),
        (
            BASE,
            BRANCH.replace("total = rate", "total = done = rate").replace(
                "return total", "return total if done else 0"
            ),
            [],
        ),
        (
            BASE,
            BRANCH.replace(
                "    return total", "    try:\n        return total\n    except NameError:\n        return 0"
            ),
            [],
        ),
    ],
)
def test_a_name_that_one_branch_binds_alone(
    repository: Repository, before: str, after: str, found: list[tuple[str, int]]
) -> None:
    """Where the other way leaves, may leave, or is asked for, the name is there; so is what the base does."""
    assert look(repository.change({"a.py": before}, {"a.py": after})) == found
