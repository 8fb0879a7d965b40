"""When a coding agent's reviews of a change end."""

import asyncio
from pathlib import Path

import pytest
from fakes import Repository

from bot.cli.mcp_server import local
from bot.wiring.settling import Round

QUOTE = "def quote(weight, zone):\n    return weight * zone\n"
CART = "from shop.rates import quote\n\n\ndef total(w):\n    return quote(w, 2)\n"
BROKEN = "def quote(weight):\n    return weight\n"


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.commit({"shop/__init__.py": "", "shop/rates.py": QUOTE, "shop/cart.py": CART}, "a shop")
    (repository.folder / "shop/rates.py").write_text(BROKEN)
    return repository


def reviewed(shop: Repository, last: Round | None = None) -> Round:
    """Review the uncommitted work once more."""
    scratch = shop.folder.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    flags = {"effort": "none"}
    return asyncio.run(local.review(str(shop.folder), "uncommitted", flags, str(scratch), lambda _: None, last))[1]


def test_reviews_end_after_three_rounds_or_without_changes(shop: Repository) -> None:
    """A review settles the change if nothing changed since the last one, or if it is the third."""
    first = reviewed(shop)
    assert (first.number, first.settled) == (1, False)
    assert reviewed(shop, first).settled
    last = first
    for number in (2, 3):
        (shop.folder / "shop/rates.py").write_text(f"{BROKEN}# {number}\n")
        last = reviewed(shop, last)
        assert (last.number, last.settled) == (number, number == 3)


def test_todo_with_an_issue_number_settles_a_finding(shop: Repository) -> None:
    """A TODO with an issue number on a finding's line or the line above settles it; one without does not."""
    cart = Path(shop.folder / "shop/cart.py")
    cart.write_text(CART.replace("    return", "    # TODO: later\n    return"))
    assert not reviewed(shop).settled
    cart.write_text(CART.replace("    return", "    # TODO(#12): the zone\n    return"))
    assert reviewed(shop).settled
