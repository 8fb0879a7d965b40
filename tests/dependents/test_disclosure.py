"""The rule about what a review may show of a consumer, as a table."""

from dataclasses import astuple, replace
from itertools import product

import pytest

from bot.dependents.consumers.disclosure import HIDDEN, disclose, disclosure, still_shown, withheld
from bot.review.incremental import Past
from bot.values import (
    CheckedFile,
    Earlier,
    Evidence,
    Excerpt,
    FailedAnswer,
    Finding,
    Source,
    Verdict,
)
from bot.values.consumer import (
    DISCLOSURES,
    Audience,
    ConsumerImpact,
    ConsumerReport,
    Disclosure,
    Requirement,
    Standing,
    Visibility,
    by_name,
)

KINDS: tuple[Visibility, ...] = ("public", "internal", "private")
# Reviewed and consumer, of the same owner: who can read the first can be taken to read the second.
WITHIN = frozenset({("private", "private"), ("private", "internal"), ("internal", "internal")})
ROWS = [*product(KINDS, KINDS, (True, False), (True, False), DISCLOSURES, DISCLOSURES)]


def expected(
    reviewed: Visibility, consumer: Visibility, most: Disclosure, shows: Disclosure, *, same: bool, stranger: bool
) -> Disclosure:
    """The table: each sentence of the documentation is one line of it."""
    if consumer == "public":
        return "lines"
    if stranger and reviewed != "private":
        return "nothing"
    allowed: Disclosure = most if DISCLOSURES.index(most) < DISCLOSURES.index(shows) else shows
    if allowed == "nothing":
        return "nothing"
    return allowed if same and (reviewed, consumer) in WITHIN else "existence"


@pytest.mark.parametrize(("reviewed", "consumer"), [*product(KINDS, KINDS)])
def test_a_consumer_is_shown_to_nobody_who_may_not_read_it(reviewed: Visibility, consumer: Visibility) -> None:
    """Public ones always; others by name or line within one owner, as far as operator and consumer allow; to strangers nothing."""
    for one, other, same, stranger, most, shows in ROWS:
        if (one, other) != (reviewed, consumer):
            continue
        theirs = Standing("Acme" if same else "other", consumer, shows)
        audience = Audience(Standing("acme", reviewed), most, stranger)
        wanted = expected(reviewed, consumer, most, shows, same=same, stranger=stranger)
        assert disclosure(audience, theirs) == wanted, (same, stranger, most, shows)
        assert disclosure(replace(audience, reads_consumers=True), theirs) == "lines"


def test_an_owner_without_a_name_is_nobodys() -> None:
    """Two repositories whose owners are not known are not of the same one."""
    theirs = Standing("", "private", "lines")
    assert disclosure(Audience(Standing("", "private"), "lines"), theirs) == "existence"


def test_a_clone_of_unknown_standing_is_not_shown_on_a_host() -> None:
    """What is on the disk of a server is no clone of the reader's own; on the reader's disk both are."""
    assert disclosure(Audience(Standing("acme", "private"), "lines"), Standing("acme", None, "lines")) == "existence"
    assert disclosure(Audience(Standing("acme", None), "lines"), Standing("acme", None, "lines")) == "existence"
    assert disclosure(Audience(), Standing()) == "lines"


THEIRS = Evidence("acme/billing:src/secret_pay.py", "pay(tax(30))", 41, "head", "breaks", "acme/billing", "c0ffee" * 6)
OWN = Evidence("quotes.py", "def tax(cents, rate):", 5, "base", "before")
FINDING = Finding(
    path="quotes.py", quote="def tax(cents):", title="tax() was removed, but acme/billing:src/secret_pay.py still calls it",
    why="acme/billing breaks when it upgrades quotes from 1.2", consequence="2 lines of acme/billing fail", severity="high",
    category="broken-caller", sources=(Source("analyser", "consumers", proof="consumer-removed-symbol acme/billing tax()"),),
    rule="consumer-removed-symbol", start=5, end=5, side="base", evidence=(THEIRS,), verdict=Verdict.PROVEN, consumer="acme/billing",
    trigger="secret_pay", suggestion="pay(", fingerprint="f00d", number=3,
)  # fmt: skip
TAKES = (Requirement("python", "quotes", "==1.2", path="secret/requirements.txt", line=3, locked="1.2"),)
REPORT = ConsumerReport("acme/billing", "checked", "c0ffee" * 6, "2026-01-01", "partly", TAKES, 3, 1, 0, "private")
EXCERPT = ("quotes.py:tax", Excerpt("acme/billing:src/secret_pay.py", 41, 41, (), title="uses tax"))
IMPACT = ConsumerImpact(
    (REPORT,),
    (FINDING,),
    "acme/billing breaks",
    (EXCERPT,),
    (("acme/billing", Standing("acme", "private", "name", 7)),),
)
CODE = ("secret", "c0ffee", "pay(", "1.2", "2026")


@pytest.mark.parametrize(
    ("level", "words"), [("nothing", ("acme", "billing", *CODE)), ("existence", ("acme", "billing", *CODE)), ("name", CODE)]
)  # fmt: skip
def test_what_is_withheld_holds_no_word_of_the_consumer(level: Disclosure, words: tuple[str, ...]) -> None:
    """Name, path, commit, code, package versions and manifest are in no field of the values that outputs get."""
    shown = withheld(IMPACT, {"acme/billing": level})
    text = repr(astuple(shown))
    assert [word for word in words if word in text] == []
    assert len(shown.reports) == len(shown.findings) == (level != "nothing")


def test_a_name_is_shown_without_a_line() -> None:
    """The reader learns who breaks, and by which line of the change."""
    shown = withheld(IMPACT, {"acme/billing": "name"})
    assert (
        shown.findings[0].title == "`def tax(cents):` was removed or renamed, and acme/billing still uses it as it was"
    )
    assert (shown.findings[0].proven, shown.reports[0].breaks) == (True, 1)
    assert shown.summary == "The one repository that is known to use this one was looked at; it breaks."


def test_hidden_consumers_stay_apart() -> None:
    """Two that may not be named are two; one that may be shown beside them is shown."""
    others = [replace(REPORT, name=name) for name in ("acme/shop", "acme/till")]
    findings = (FINDING, *(replace(FINDING, consumer=one.name, evidence=(OWN,)) for one in others))
    impact = ConsumerImpact((REPORT, *others), findings)
    shown = withheld(impact, {"acme/billing": "existence", "acme/shop": "lines", "acme/till": "existence"})
    assert [one.name for one in shown.reports] == ["hidden 1", "acme/shop", "hidden 2"]
    assert [one.consumer for one in shown.findings] == ["hidden 1", "acme/shop", "hidden 2"]
    assert HIDDEN in shown.findings[2].title
    assert shown.findings[2].evidence == (OWN,)


@pytest.mark.parametrize(
    "item",
    [
        Evidence("+acme+billing/src/secret_pay.py", "pay(", 4),
        Evidence("+links/acme/secret.mod", "pay(", 4),
        Evidence("acme/billing:secret.py", "pay(", 4),
    ],
    ids=lambda item: item.path,
)
def test_evidence_that_names_the_consumer_is_withheld_however_it_is_marked(item: Evidence) -> None:
    """A path of the joined tree is the consumer's, whether or not its repository is noted."""
    finding = replace(FINDING, evidence=(item, OWN), start=0, quote="pay(tax(30))")
    shown = withheld(replace(IMPACT, findings=(finding,)), {"acme/billing": "existence"})
    assert shown.findings[0].evidence == (OWN,)
    assert "pay(" not in repr(astuple(shown))


def test_one_that_nobody_was_asked_about_is_not_shown() -> None:
    """A name without a level is left out altogether."""
    assert withheld(IMPACT, {}) == ConsumerImpact()


def test_what_an_earlier_review_has_kept_is_asked_about_again() -> None:
    """A repository that has become private since is taken out of the findings, which keep their number and mark."""
    for level, words in (("existence", ("acme", "billing", *CODE)), ("name", CODE)):
        one = still_shown(FINDING, {"acme/billing": level})
        assert one is not None
        assert [word for word in words if word in repr(astuple(one))] == []
        assert (one.number, one.fingerprint) == (3, "f00d")
        assert still_shown(one, {"acme/billing": level}) == one
    assert still_shown(FINDING, {"acme/billing": "nothing"}) is None
    assert still_shown(FINDING, {"acme/billing": "lines"}) == FINDING
    assert "acme" not in repr(still_shown(FINDING, {}))
    assert still_shown(replace(FINDING, consumer=""), {}) == replace(FINDING, consumer="")


def test_a_review_keeps_what_was_decided_of_earlier_names() -> None:
    """The levels of consumers that earlier findings name are with what is shown: a record of the review says them."""
    audience = Audience(Standing("acme", "private"), "name")
    shown = disclose(IMPACT, audience, {"acme/billing": 7, "acme/gone": 8})
    assert shown.levels == (("acme/billing", "name"), ("acme/gone", "existence"))
    assert ConsumerImpact.restore(shown.rows()["consumers"]) == shown
    assert disclose(ConsumerImpact(), audience).rows() == {}


@pytest.mark.parametrize("number", [0, 8])
def test_a_name_that_another_repository_has_taken_shows_nothing_of_the_first(number: int) -> None:
    """What was stored of a private repository is not what may be shown of the public one that bears its name now."""
    public = replace(IMPACT, standings=(("acme/billing", Standing("acme", "public", id=7)),))
    assert disclose(public, Audience(Standing("acme", "public")), {"acme/billing": 7}).levels == (
        ("acme/billing", "lines"),
    )
    assert disclose(public, Audience(Standing("acme", "public")), {"acme/billing": number}).levels == (
        ("acme/billing", "existence"),
    )
    assert by_name([("acme/billing", 7), ("acme/billing", 8), ("acme/gone", 9)]) == {"acme/billing": 0, "acme/gone": 9}


def test_what_models_wrote_beside_lines_that_may_not_be_shown_now_is_forgotten() -> None:
    """A finding of a model may tell of a consumer that it does not name: it goes, and all is read again; that of code stays."""
    by_model = replace(FINDING, sources=(Source("model", "reader", "worker"),), consumer="", verdict=Verdict.CONFIRMED)
    by_code = replace(FINDING, consumer="", sources=(Source("analyser", "contracts"),))
    earlier = Earlier(
        1, "base", "head", findings=(by_model, by_code), shown_consumers=(("acme/billing", 7),), summary="pay()",
        uses=(("quotes.py:tax", "shop.py"),),
    )  # fmt: skip
    past = Past(known=earlier, shown_consumers=earlier.shown_consumers)
    assert past.consumers == {"acme/billing": 7}
    assert past.as_shown((("acme/billing", "lines"),)) == past
    now = past.as_shown((("acme/billing", "name"),))
    assert now.earlier is not None
    assert (now.earlier.findings, now.earlier.summary, now.earlier.uses) == ((by_code,), "", ())
    answer = FailedAnswer("d1", CheckedFile("shop.py", "failed", "acme/billing still calls pay()"))
    apart = replace(past, known=None, failed_answers=(answer,)).as_shown((("acme/billing", "existence"),))
    assert apart.failed_answers[0].file.reason == ""
    assert apart.shown_consumers == ()
