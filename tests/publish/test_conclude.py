"""A table of the conclusions for reviewed heads."""

from typing import Any

import pytest
from hosted import finding, reviewed

from bot import config, verdict
from bot.config import Settings, policy
from bot.values import Coverage, CoverageRow, Cut, Source, Verdict
from bot.values.required_check import RequiredCheck
from bot.values.review import NoReviewReason
from tests.hosted import now

UNIT = Coverage(readings=(CoverageRow("unit", "a.py", "f", "unread", reason="the budget was spent"),))
USE = Coverage(readings=(CoverageRow("use", "a.py", "f", "unread", reason="it could not be found out"),))
NEW = finding("f1")  # high severity
CLAIM = finding("f3", sources=(Source("model", "m"),), verdict=Verdict.UNPROVEN)
HINT = finding("f4", sources=(Source("model", "m"), Source("analyser", "contracts")), verdict=Verdict.UNPROVEN)
MAY_USE = finding("f5", sources=(Source("analyser", "contracts", breaks=("b",)),), verdict=Verdict.UNPROVEN)
LINTED = finding("f6", sources=(Source("analyser", "shellcheck"),), verdict=Verdict.UNPROVEN)
OF_A_TOOL = finding("f7", sources=(Source("tool", "CodeQL", breaks=("b",)),), verdict=Verdict.UNPROVEN)
IN_A_CONSUMER = finding("f8", sources=MAY_USE.finding.basis.sources, verdict=Verdict.UNPROVEN, consumer="acme/till")
UNHEARD = finding("f9", sources=(Source("model", "m"),), verdict=Verdict.UNPROVEN, unconfirmed=True)
REFUTED = now(finding("f2"), "refuted", verdict=Verdict.REFUTED)
HALF_JUDGED, JUDGED = ({"dropped": 2, "findings": (REFUTED,) * number} for number in (1, 2))


def own(verdict: str, severity: str = "fail") -> dict[str, Any]:
    """Return a review's fields with one of the team's own checks and its verdict."""
    return {"parts": {"rulings": (RequiredCheck("guards", severity, verdict),)}}  # type: ignore[arg-type] - words of both


# Fields of a review, and its conclusion without a threshold, with `fail_on: high`, and also with `strict`.
TABLE: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "success", "success", "success"),
    ({"findings": (NEW,)}, "neutral", "failure", "failure"),
    ({"findings": (now(NEW, "still"),)}, "neutral", "failure", "failure"),
    ({"findings": (now(NEW, "below"),)}, "success", "failure", "failure"),
    ({"findings": (CLAIM,)}, "neutral", "neutral", "neutral"),
    ({"findings": (HINT,)}, "neutral", "failure", "failure"),
    ({"findings": (MAY_USE,)}, "neutral", "neutral", "neutral"),
    ({"findings": (LINTED,)}, "neutral", "failure", "failure"),
    ({"findings": (OF_A_TOOL,)}, "neutral", "failure", "failure"),
    ({"findings": (IN_A_CONSUMER,)}, "neutral", "failure", "failure"),
    ({"findings": (UNHEARD,)}, "neutral", "failure", "failure"),
    ({"findings": (now(NEW, "fixed"),)}, "success", "success", "success"),
    ({"findings": (now(NEW, "silenced"),)}, "success", "success", "success"),
    ({"coverage": UNIT}, "neutral", "failure", "failure"),
    ({"coverage": USE}, "neutral", "neutral", "neutral"),
    ({"cut": Cut(partial=True)}, "neutral", "failure", "failure"),
    ({"cut": Cut(fault="provider")}, "neutral", "failure", "failure"),
    ({"cut": Cut(fault="interrupted")}, "neutral", "failure", "failure"),
    (HALF_JUDGED, "success", "failure", "failure"),
    (JUDGED, "success", "success", "success"),
    (own("passed"), "success", "success", "success"),
    (own("inapplicable"), "success", "success", "success"),
    (own("failed"), "failure", "failure", "failure"),
    (own("failed", "warn"), "neutral", "neutral", "neutral"),
    (own("failed", "note"), "success", "success", "success"),
    (own("undecided"), "neutral", "neutral", "failure"),
    (own("unasked"), "neutral", "neutral", "failure"),
    ({**own("undecided", "warn"), "findings": (NEW,)}, "neutral", "failure", "failure"),
]
BARS: list[dict[str, Any]] = [{}, {"fail_on": "high"}, {"fail_on": "high", "strict": True}]


@pytest.mark.parametrize("bar", [0, 1, 2], ids=["no bar", "a bar", "strict"])
@pytest.mark.parametrize("row", TABLE, ids=range(len(TABLE)))
def test_conclusion_follows_from_findings_and_completeness(row: tuple[dict[str, Any], str, str, str], bar: int) -> None:
    """Green needs a complete review without findings, red a threshold or an own check; else it is neutral."""
    holds, *conclusions = row
    assert verdict.of(reviewed("b" * 40, **BARS[bar], **holds)).check == conclusions[bar]


@pytest.mark.parametrize(
    ("bar", "conclusion"), [("critical", "neutral"), ("high", "failure"), ("medium", "failure"), ("low", "failure")]
)
def test_finding_at_the_threshold_fails(bar: str, conclusion: str) -> None:
    """A finding at or above the threshold fails the check."""
    assert verdict.of(reviewed("b" * 40, NEW, fail_on=bar)).check == conclusion


@pytest.mark.parametrize("holds", [row[0] for row in TABLE], ids=range(len(TABLE)))
def test_additional_finding_never_improves_the_conclusion(holds: dict[str, Any]) -> None:
    """For every review and every threshold, another finding never improves the conclusion."""
    for bar in BARS:
        less = reviewed("b" * 40, **bar, **holds)
        more = reviewed("b" * 40, **bar, **{**holds, "findings": (*holds.get("findings", ()), finding("f9"))})
        assert verdict.worst([verdict.of(less).check, verdict.of(more).check]) == verdict.of(more).check


OWN_CHECK = "instructions:\n- name: guards\n  text: Each endpoint has a guard.\n  must: {}\n"
FILES = [
    "quota: 3\n",
    "fail_on: high\n",
    "fail_on: high\nstrict: true\n",
    OWN_CHECK.format("fail"),
    OWN_CHECK.format("warn"),
    "strict: true\n",
]


@pytest.mark.parametrize(
    ("lacks", "conclusions"),
    [
        ("unreviewed", ("neutral", "failure", "failure", "failure", "neutral", "neutral")),
        ("left out", ("neutral", "neutral", "failure", "neutral", "neutral", "neutral")),
        ("nothing", ("success",) * 6),
    ],
)
def test_conclusion_of_an_unreviewed_head(lacks: NoReviewReason, conclusions: tuple[str, ...]) -> None:
    """With a threshold, a missing review fails; a skipped one is neutral unless the settings are strict."""
    for file, conclusion in zip(FILES, conclusions, strict=True):
        assert policy.conclusion_without_review(config.resolve({}, file.encode(), Settings()), lacks) == conclusion


@pytest.mark.parametrize(
    ("text", "is_doubted"),
    [
        ("fail_on: high\nquota: [\n", True),
        ("failon: high\n", True),
        ("block_at: high\n", True),
        ("fail_on: hihg\n", True),
        ("strict: perhaps\n", True),
        ("request_changes: everything\n", True),
        ("fail_also: [open]\n", True),
        ("triggers: {fail_on: high}\n", True),
        ("instructions: [{text: t, must: maybe}]\n", True),
        ("instructions:\n- {name: a, text: b, mst: fail}\n", True),
        ("quota:\n  fail_on: high\n", True),
        ("fail_on: high\nquota: many\n", False),
        ("minimum_severity: high\nqouta: 3\n", False),
        ("instructions: [{txt: t}]\n", False),
        ("triggers: {draft: true}\nbudget: {usd: lots}\n", False),
        ("ignore: [{path: a, expire: 2027-01-01}]\n", False),
    ],
)
def test_clean_review_is_neutral_if_a_threshold_may_be_misspelled(text: str, is_doubted: bool) -> None:
    """A clean review is neutral if a threshold may be misspelled, and green after other mistakes."""
    settings = config.resolve({}, text.encode(), Settings())
    assert settings.warnings
    clean = reviewed("b" * 40, fail_on=settings.fail_on, doubts=settings.doubts)
    assert verdict.of(clean).check == ("neutral" if is_doubted else "success")
