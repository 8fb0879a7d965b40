"""One broken caller that a check and a reader tell from both ends."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fakes import Repository

from bot import dependents, diff
from bot.analyzers import contracts
from bot.checkout import Checkout
from bot.findings import merge
from bot.languages import LANGUAGES
from bot.values import Evidence, Finding, Source

CALLER = "    return sum(with_tax(n) for n in nets)"
BEFORE: dict[str, str | bytes | None] = {
    "shop/__init__.py": "",
    "shop/prices.py": "def with_tax(net):\n    return net * 1.2\n",
    "shop/cart.py": f"from shop.prices import with_tax\n\n\ndef total(nets):\n{CALLER}\n",
}
RENAMED = "def taxed(net):\n    return net * 1.2\n"
RESIGNED = "def with_tax(net, rate):\n    return net * rate\n"
TOLD = Finding(
    path="shop/prices.py",
    quote="def taxed(net):",
    title="with_tax() was renamed to taxed(), and total() still calls the old name",
    why="The import of with_tax fails.",
    consequence="The cart cannot be loaded.",
    severity="high",
    category="broken-caller",
    sources=(Source("model", "m", "worker"),),
    start=1,
    end=1,
    evidence=(Evidence("shop/cart.py", CALLER, 5),),
    trigger="import shop.cart",
)
UNFIT = replace(
    TOLD, quote="def with_tax(net, rate):", title="with_tax() now requires a rate, which total() does not pass"
)


def proven(repository: Repository, after: str) -> Finding:
    """What the checks say of this change at its caller."""
    pull = repository.change(BEFORE, {"shop/prices.py": after})

    async def run() -> tuple[Finding, ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            return await contracts.check(tree, files, await dependents.find(tree, files, LANGUAGES))

    (found,) = asyncio.run(run())
    return found


@pytest.mark.parametrize(("after", "told"), [(RENAMED, TOLD), (RESIGNED, UNFIT)])
@pytest.mark.parametrize("first", [0, 1])
def test_a_caller_told_at_the_definition_is_said_once(
    repository: Repository, after: str, told: Finding, first: int
) -> None:
    """The proven one speaks, at the caller's line; both are named as its sources."""
    check = proven(repository, after)
    (found,) = merge.merge([told, check] if first else [check, told])
    assert (found.path, found.start, found.verdict) == ("shop/cart.py", 5, "proven")
    assert found.source == "contracts + worker m"
    assert found.title == check.title


def test_a_caller_told_at_its_own_line_in_other_words_is_said_once(repository: Repository) -> None:
    """A reader calls it a crash where the check calls it a broken caller."""
    there = replace(TOLD, path="shop/cart.py", quote=CALLER, start=5, end=5, category="crash", evidence=())
    there = replace(there, title="total() uses with_tax(), which is gone")
    assert len(merge.merge([proven(repository, RENAMED), there])) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"title": "taxed() returns nothing for a removed article, which total() adds up"},
        {"title": "taxed() multiplies twice", "category": "logic"},
        {"title": "with_tax() was renamed, and the report still calls the old name", "evidence": ()},
        {"evidence": (Evidence("shop/report.py", "with_tax(1)", 3),)},
        {"title": "The change was renamed and removed"},
        {"rule": "F821", "sources": (Source("analyser", "ruff"),)},
    ],
)
def test_another_defect_at_the_same_definition_stays(repository: Repository, other: dict[str, Any]) -> None:
    """Another story, another line, another caller, another name, another check: two findings."""
    assert len(merge.merge([proven(repository, RENAMED), replace(TOLD, **other)])) == 2


@pytest.mark.parametrize(
    "title",
    [
        "with_tax() returns a text now, which total() adds up",
        "with_tax() takes a percentage and total() passes a share: another unit",
        "with_tax() is slow now",
    ],
)
def test_what_a_function_does_is_another_story_than_what_it_takes(repository: Repository, title: str) -> None:
    """The call breaks by its arguments, and would be wrong with the right ones too."""
    assert len(merge.merge([proven(repository, RESIGNED), replace(UNFIT, title=title)])) == 2


def test_two_readers_that_quote_each_others_lines_tell_one_defect() -> None:
    """Since one is shown the other's code; with another story, or without the other's line, they stay two."""
    callee = replace(TOLD, title="taxed() returns None for no net, total() adds it", category="crash", start=2, end=2)
    caller = replace(
        callee,
        path="shop/cart.py",
        start=5,
        end=5,
        title="total() adds None where taxed() has no net",
        category="logic",
        evidence=(Evidence("shop/prices.py", "    return net * 1.2", 2),),
    )
    assert len(merge.merge([callee, caller])) == 1
    other_story = replace(caller, title="The order of rows is lost", why="The loop begins at its end.")
    assert len(merge.merge([callee, other_story])) == 2
    assert len(merge.merge([callee, replace(caller, evidence=())])) == 1
    assert len(merge.merge([replace(callee, evidence=()), replace(caller, evidence=())])) == 2


@pytest.mark.parametrize(
    ("cause", "effect", "told"),
    [
        ("`load()` returns None for a missing key", "total() takes the length of the null that load() hands back", 1),
        ("readRow no longer exists after the change", "The exporter still calls readRow", 1),
        ("max_size is in bytes now, another unit than before", "max_size is compared with a unit of kilobytes", 1),
        ("`load()` returns None for a missing key", "load() is called with its arguments swapped", 2),
        ("The result may be empty", "The result may be empty here", 2),
        ("`load()` returns None for a missing key", "`save()` writes None for a missing key", 2),
        (
            "The retry for up-only channels still sends a flip with new_status down",
            'The "up" retry of the deletion notice still sends "down", so up-only channels get nothing',
            1,
        ),
        (
            "The retry for up-only channels still sends a flip",
            "The notice for up-only channels is lost on a restart",
            2,
        ),
        (
            "`load_rows()` gives nothing where an account has no owner",
            "`save_rows()` gives nothing where an account has no owner",
            2,
        ),
    ],
)
def test_a_cause_and_its_effect_are_one_finding(cause: str, effect: str, told: int) -> None:
    """If one shows the other's line, and both name one definition and the same break, or retell each other; the effect's line is evidence then."""
    first = replace(TOLD, title=cause, category="logic", evidence=(Evidence("shop/cart.py", CALLER, 5),))
    then = replace(TOLD, title=effect, category="crash", path="shop/cart.py", quote=CALLER, start=5, end=5, evidence=())
    merged = merge.merge([first, then])
    assert len(merged) == told
    assert [item.line for item in merged[0].evidence] == [5]
    assert len(merge.merge([then, first])) == told
