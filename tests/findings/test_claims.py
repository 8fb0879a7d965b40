import pytest
import step
from fakes import Repository

from bot.findings import claims
from bot.values import Basis, Claim, Finding, Source

FILES: dict[str, str | bytes | None] = {
    "shop/rates.py": "LIMIT = 5\n\n\ndef quote(weight, *, service=None):\n    return weight * LIMIT\n\n\ndef alone():\n    return 1\n",
    "shop/user.py": "from shop.rates import quote\n\nprint(quote(3, service='x'))\nlegacy_flag = True\n",
    "docs/notes.md": "alone() and legacy_flag are described here; ghost() too\n",
}


def checked(repository: Repository, claim: Claim) -> Finding | str:
    """Return the finding after its claim was checked, or the reason why it was dropped."""
    pull = repository.change({}, FILES)
    finding = Finding(
        "shop/rates.py", "    return weight * LIMIT", "t", "w", "c", "high", "logic", Basis((Source("model", "m", "worker"),), claims=(claim,)), start=5, end=5
    )  # fmt: skip

    return step.over(pull, lambda tree, _: claims.check_claims(finding, tree))


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        (Claim("undefined", "quote"), "shop/rates.py:4"),
        (Claim("undefined", "shop.rates.quote"), "shop/rates.py:4"),
        (Claim("unused", "quote"), "shop/user.py:1"),
        (Claim("unpassed", "service"), "shop/user.py:3"),
        (Claim("no-file", "shop/user.py"), "shop/user.py is there"),
    ],
)
def test_false_claim_drops_the_finding(repository: Repository, claim: Claim, against: str) -> None:
    """A false claim drops its finding, with the line that disproves it as the reason."""
    said = checked(repository, claim)
    assert isinstance(said, str)
    assert "its claim is false" in said
    assert against in said


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        (Claim("undefined", "ghost"), "`ghost` is not defined"),
        (Claim("unused", "legacy_flag"), "nothing reads `legacy_flag`"),
        (Claim("unpassed", "weight"), "no caller passes `weight`"),
        (Claim("no-file", "shop/gone.py"), "the file `shop/gone.py` does not exist"),
    ],
)
def test_true_claim_becomes_evidence(repository: Repository, claim: Claim, told: str) -> None:
    """A true claim becomes evidence. Definitions, writes and documentation don't disprove it."""
    said = checked(repository, claim)
    assert isinstance(said, Finding)
    assert [item.note for item in said.evidence] == [f"searched for in the repository: {told}"]
    assert claims.results(said) == {told: claims.HELD}


def test_undecidable_claim_is_passed_on_as_undecided(repository: Repository) -> None:
    said = checked(repository, Claim("undefined", "not a name!"))
    assert isinstance(said, Finding)
    assert claims.results(said) == {"`not a name!` is not defined": claims.UNDECIDED}


def test_claim_about_an_invalid_name_does_not_drop_the_finding(repository: Repository) -> None:
    assert isinstance(checked(repository, Claim("undefined", "not a name!")), Finding)
