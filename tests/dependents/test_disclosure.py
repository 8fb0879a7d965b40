"""The rule about what a review may show of a consumer, as a table."""

from dataclasses import astuple, replace
from itertools import product

import pytest

from bot.dependents.consumers.disclosure import disclosure, withheld
from bot.values import Evidence, Finding, Source, Verdict
from bot.values.consumer import ConsumerImpact, ConsumerReport, Requirement, Standing, Visibility

# reviewed, consumer, same owner, switched on -> whether everything may be shown; every other row shows that it exists.
SHOWN: frozenset[tuple[Visibility, Visibility, bool, bool]] = frozenset(
    {
        *((reviewed, "public", same, on) for reviewed in ("public", "internal", "private") for same in (True, False) for on in (True, False)),
        ("private", "private", True, True),
        ("private", "internal", True, True),
        ("internal", "internal", True, True),
    }
)  # fmt: skip
KINDS: tuple[Visibility, ...] = ("public", "internal", "private")


@pytest.mark.parametrize(("reviewed", "consumer", "same", "on"), [*product(KINDS, KINDS, (True, False), (True, False))])
def test_a_consumer_is_shown_to_nobody_who_may_not_read_it(
    reviewed: Visibility, consumer: Visibility, same: bool, on: bool
) -> None:
    """Public consumers always; others within one owner, if the operator allows it and no fewer people can read the consumer."""
    mine, theirs = Standing("acme", reviewed), Standing("Acme" if same else "other", consumer)
    said = disclosure(mine, theirs, switched_on=on)
    assert said == ("everything" if (reviewed, consumer, same, on) in SHOWN else "existence")
    assert disclosure(mine, theirs, switched_on=on, readers_included=True) == "everything"


def test_an_owner_without_a_name_is_nobodys() -> None:
    """Two repositories whose owners are not known are not of the same one."""
    assert disclosure(Standing("", "private"), Standing("", "private"), switched_on=True) == "existence"


def test_a_clone_of_unknown_standing_is_not_shown_on_a_host() -> None:
    """What is on the disk of a server is no clone of the reader's own; on the reader's disk both are."""
    assert disclosure(Standing("acme", "private"), Standing(), switched_on=True) == "existence"
    assert disclosure(Standing(), Standing(), switched_on=False) == "everything"


def test_what_is_withheld_holds_no_word_of_the_consumer() -> None:
    """Name, path, commit, code, package versions and manifest are in no field of the values that outputs get."""
    theirs = Evidence(
        "acme/billing:src/secret_pay.py", "pay(tax(30))", 41, "head", "breaks", "acme/billing", "c0ffee" * 6
    )
    finding = Finding(
        path="quotes.py", quote="def tax(cents):", title="tax() was removed, but acme/billing:src/secret_pay.py still calls it",
        why="acme/billing breaks when it upgrades quotes from 1.2", consequence="2 lines of acme/billing fail", severity="high",
        category="broken-caller", sources=(Source("analyser", "consumers", proof="consumer-removed-symbol acme/billing tax()"),),
        rule="consumer-removed-symbol", start=5, end=5, side="base", evidence=(theirs,), verdict=Verdict.PROVEN, consumer="acme/billing",
    )  # fmt: skip
    takes = (Requirement("python", "quotes", "==1.2", path="secret/requirements.txt", line=3, locked="1.2"),)
    report = ConsumerReport("acme/billing", "checked", "c0ffee" * 6, "2026-01-01", "partly", takes, 3, 1, 0, "private")
    shown = withheld(ConsumerImpact((report,), (finding,)), frozenset({"acme/billing"}))
    text = repr([*map(astuple, shown.reports), *map(astuple, shown.findings)])
    assert not [word for word in ("acme", "billing", "secret", "c0ffee", "pay(", "1.2", "2026") if word in text]
    assert (
        shown.findings[0].title
        == "`def tax(cents):` was removed or renamed, and a repository that you may not be able to see still uses it as it was"
    )
    assert (shown.findings[0].proven, shown.reports[0].breaks) == (True, 1)
    open_report = replace(report, name="acme/shop")
    both = withheld(
        ConsumerImpact((report, open_report), (finding, replace(finding, consumer="acme/shop"))),
        frozenset({"acme/billing"}),
    )
    assert [one.name for one in both.reports] == ["hidden 1", "acme/shop"]
