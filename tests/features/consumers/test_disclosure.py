"""Which details of a consumer a review may show, checked against a table of all combinations."""

from dataclasses import astuple
from itertools import product

import pytest

from bot.features.consumers.disclosure import disclosure, limited_to
from bot.values import Basis, Evidence, Excerpt, Finding, Source, Tracking, Verdict
from bot.values.consumer import (
    DISCLOSURES,
    Audience,
    ConsumerImpact,
    ConsumerReport,
    Disclosure,
    RepositoryAccess,
    Visibility,
)
from deeprepo.impact.packages import Requirement

KINDS: tuple[Visibility, ...] = ("public", "internal", "private")
# (reviewed, consumer) with one owner, where access to the first implies access to the second
WITHIN = frozenset({("private", "private"), ("private", "internal"), ("internal", "internal")})
ROWS = [*product(KINDS, KINDS, (True, False), (True, False), DISCLOSURES, DISCLOSURES)]


def expected(
    reviewed: Visibility, consumer: Visibility, most: Disclosure, shows: Disclosure, *, same: bool, stranger: bool
) -> Disclosure:
    """Return the expected disclosure. Each line corresponds to a sentence in the documentation."""
    if consumer == "public":
        return "lines"
    if stranger and reviewed != "private":
        return "nothing"
    allowed: Disclosure = most if DISCLOSURES.index(most) < DISCLOSURES.index(shows) else shows
    if allowed == "nothing":
        return "nothing"
    return allowed if same and (reviewed, consumer) in WITHIN else "existence"


@pytest.mark.parametrize(("reviewed", "consumer"), [*product(KINDS, KINDS)])
def test_consumer_is_hidden_from_unauthorized_readers(reviewed: Visibility, consumer: Visibility) -> None:
    """Public consumers are always shown, others only within one owner, and never to outsiders."""
    for one, other, same, stranger, most, shows in ROWS:
        if (one, other) != (reviewed, consumer):
            continue
        theirs = RepositoryAccess("Acme" if same else "other", consumer, shows)
        audience = Audience(RepositoryAccess("acme", reviewed), most, stranger)
        wanted = expected(reviewed, consumer, most, shows, same=same, stranger=stranger)
        assert disclosure(audience, theirs) == wanted, (same, stranger, most, shows)


def test_unknown_owners_are_never_the_same_owner() -> None:
    """Two repositories with unknown owners don't count as having the same owner."""
    theirs = RepositoryAccess("", "private", "lines")
    assert disclosure(Audience(RepositoryAccess("", "private"), "lines"), theirs) == "existence"


def test_clone_with_unknown_visibility_is_hidden_on_a_server() -> None:
    """On a server, a clone with unknown visibility is only mentioned; locally, its lines are shown."""
    assert (
        disclosure(Audience(RepositoryAccess("acme", "private"), "lines"), RepositoryAccess("acme", None, "lines"))
        == "existence"
    )
    assert (
        disclosure(Audience(RepositoryAccess("acme", None), "lines"), RepositoryAccess("acme", None, "lines"))
        == "existence"
    )
    assert disclosure(Audience(), RepositoryAccess()) == "lines"


THEIRS = Evidence("acme/billing:src/secret_pay.py", "pay(tax(30))", 41, "head", "breaks", "acme/billing", "c0ffee" * 6)
FINDING = Finding(
    path="quotes.py", quote="def tax(cents):", title="tax() was removed, but acme/billing:src/secret_pay.py still calls it",
    why="acme/billing breaks when it upgrades quotes from 1.2", consequence="2 lines of acme/billing fail", severity="high",
    category="broken-caller", basis=Basis((Source("analyser", "consumers", proof="consumer-removed-symbol acme/billing tax()"),), verdict=Verdict.PROVEN),
    rule="consumer-removed-symbol", start=5, end=5, side="base", evidence=(THEIRS,), consumer="acme/billing",
    trigger="secret_pay", suggestion="pay(", fingerprint="f00d", tracking=Tracking(number=3),
)  # fmt: skip
TAKES = (Requirement("python", "quotes", "==1.2", path="secret/requirements.txt", locked="1.2"),)
REPORT = ConsumerReport("acme/billing", "checked", "c0ffee" * 6, "2026-01-01", "partly", TAKES, 3, 1, 0, "private")
EXCERPT = ("quotes.py:tax", Excerpt("acme/billing:src/secret_pay.py", 41, 41, (), title="uses tax"))
IMPACT = ConsumerImpact(
    (REPORT,),
    (FINDING,),
    "acme/billing breaks",
    (EXCERPT,),
    (("acme/billing", RepositoryAccess("acme", "private", "name", 7)),),
)
CODE = ("secret", "c0ffee", "pay(", "1.2", "2026")


@pytest.mark.parametrize(
    ("level", "words"), [("nothing", ("acme", "billing", *CODE)), ("existence", ("acme", "billing", *CODE)), ("name", CODE)]
)  # fmt: skip
def test_withheld_values_reveal_nothing_about_the_consumer(level: Disclosure, words: tuple[str, ...]) -> None:
    """The withheld values contain no name, path, commit, code, package version or manifest in any field."""
    shown = limited_to(IMPACT, {"acme/billing": level})
    text = repr(astuple(shown))
    assert [word for word in words if word in text] == []
    assert len(shown.reports) == len(shown.findings) == (level != "nothing")
