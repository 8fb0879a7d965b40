import asyncio

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.findings import claims
from bot.values import Claim, Finding

FILES: dict[str, str | bytes | None] = {
    "shop/rates.py": "LIMIT = 5\n\n\ndef quote(weight, *, service=None):\n    return weight * LIMIT\n\n\ndef alone():\n    return 1\n",
    "shop/user.py": "from shop.rates import quote\n\nprint(quote(3, service='x'))\nlegacy_flag = True\n",
    "docs/notes.md": "alone() and legacy_flag are described here; ghost() too\n",
}


def checked(repository: Repository, title: str, why: str = "w", *declared: Claim) -> Finding | str:
    """A finding about the body of quote(), after its claims were looked up."""
    pull = repository.change({}, FILES)
    finding = Finding(
        "shop/rates.py", "    return weight * LIMIT", title, why, "c", "high", "logic", "worker m", start=5, end=5, claims=declared
    )  # fmt: skip

    async def run() -> Finding | str:
        async with Checkout(pull) as tree:
            return await claims.check(finding, tree)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("title", "against"),
    [
        ("`quote` is never defined", "shop/rates.py:4"),
        ("`LIMIT` is not defined anywhere", "shop/rates.py:1"),
        ("Nothing reads `quote`", "shop/user.py:1"),
        ("`quote()` is never called anywhere", "shop/user.py:1"),
        ("No caller passes `service`", "shop/user.py:3"),
        ("The file `shop/user.py` does not exist", "shop/user.py is there"),
    ],
)
def test_a_false_claim_drops_the_finding(repository: Repository, title: str, against: str) -> None:
    """The reason names the line that shows the opposite."""
    said = checked(repository, title)
    assert isinstance(said, str)
    assert "its claim is false" in said
    assert against in said


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("`ghost` is never defined", "`ghost` is not defined"),
        ("Nothing reads `legacy_flag`", "nothing reads `legacy_flag`"),
        ("Nothing calls `alone`", "nothing reads `alone`"),
        ("No caller passes `weight`", "no caller passes `weight`"),
        ("The file `shop/gone.py` is missing", "the file `shop/gone.py` does not exist"),
    ],
)
def test_a_true_claim_becomes_evidence(repository: Repository, title: str, told: str) -> None:
    """A definition is no use, a write is no reading, and prose proves nothing."""
    said = checked(repository, title)
    assert isinstance(said, Finding)
    assert [item.note for item in said.evidence] == [f"searched for in the tree: {told}"]


@pytest.mark.parametrize(
    "sentence",
    [
        "`quote` is never called when the list is empty",
        "`service` is not read on this path",
        "the quote is not defined for negative weights",
        "quote does not exist for parcels",
    ],
)
def test_sentences_that_can_mean_something_else_are_left_alone(repository: Repository, sentence: str) -> None:
    """Only what can mean nothing else is looked up."""
    said = checked(repository, sentence)
    assert isinstance(said, Finding)
    assert said.evidence == ()


def test_declared_claims_are_looked_up_too(repository: Repository) -> None:
    """As the worker's schema asks for them."""
    assert "its claim is false" in str(checked(repository, "t", "w", Claim("undefined", "shop.rates.quote")))
    assert isinstance(checked(repository, "t", "w", Claim("undefined", "not a name!")), Finding)
