"""A broken caller that a static check and a model report from both ends."""

from dataclasses import replace
from typing import Any

import pytest
import step
from fakes import Repository

from bot.analyzers.checks import contracts
from bot.checkout import Checkout
from bot.findings import merge
from bot.values import Basis, Evidence, Finding, Source
from deeprepo.impact import uses
from tests.findings_changed import changed

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
    basis=Basis((Source("model", "m", "worker"),)),
    start=1,
    end=1,
    evidence=(Evidence("shop/cart.py", CALLER, 5),),
    trigger="import shop.cart",
)
UNFIT = replace(
    TOLD, quote="def with_tax(net, rate):", title="with_tax() now requires a rate, which total() does not pass"
)


def proven(repository: Repository, after: str) -> Finding:
    """Return the contract check's finding about this change."""
    pull = repository.change(BEFORE, {"shop/prices.py": after})

    async def run(tree: Checkout, files: step.Files) -> tuple[Finding, ...]:
        return await contracts.check(tree, files, await uses.find(tree, files))

    (found,) = step.over(pull, run)
    return found


@pytest.mark.parametrize(("after", "told"), [(RENAMED, TOLD), (RESIGNED, UNFIT)])
@pytest.mark.parametrize("first", [0, 1])
def test_model_finding_at_the_definition_is_merged_into_the_proven_one(
    repository: Repository, after: str, told: Finding, first: int
) -> None:
    """A model's finding at the definition is merged into the proven one at the broken call."""
    check = proven(repository, after)
    (found,) = merge.merge([told, check] if first else [check, told])
    assert (found.path, found.start, found.verdict) == ("shop/cart.py", 5, "proven")
    assert found.source == "contracts + worker m"
    assert found.title == check.title


def test_model_finding_at_the_broken_call_is_merged_into_the_proven_one(repository: Repository) -> None:
    """A model's finding at the broken call, in another category, is merged with the check's."""
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
def test_different_defect_at_the_same_definition_stays_separate(repository: Repository, other: dict[str, Any]) -> None:
    """Another defect, line, caller, name or check makes it a separate finding."""
    assert len(merge.merge([proven(repository, RENAMED), changed(TOLD, **other)])) == 2
