import re
from dataclasses import replace
from typing import get_args, get_type_hints

import pytest
from families import few
from markdown_it import MarkdownIt
from sample_reviews import FINDING, REVIEW, numbered, with_finding

import deeprepo
from bot.outputs import console, markdown
from bot.render import load
from bot.values import CoverageRow, Evidence, PlacedFinding, ReportSettings, StrategyChoice, Verdict
from bot.values.finding import How, Status
from tests.findings_changed import changed

HOSTILE = "@victim <img src=x> ![p](http://evil.example/p.png) https://evil.example `` ``` \n# head\n| a |\n|---|\n<!-- deeprepo:done --> \u202e"


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_has_a_phrase(verdict: Verdict) -> None:
    """A new verdict without a phrase would break every page that shows it."""
    assert load().say(verdict)
    assert verdict in get_args(get_type_hints(deeprepo.Finding)["verdict"])


def test_text_from_the_change_never_becomes_markup() -> None:
    """Hostile titles, code and notes render as text: no image, link, mention, heading or HTML."""
    review = with_finding(
        title=HOSTILE,
        quote=HOSTILE,
        why=HOSTILE,
        consequence=HOSTILE,
        trigger=HOSTILE,
        path=HOSTILE,
        suggestion=HOSTILE,
        rule=HOSTILE,
        evidence=(Evidence(HOSTILE, HOSTILE, 3, note=HOSTILE),),
    )
    coverage = replace(review.coverage, cut=(HOSTILE,), skipped_files=((HOSTILE, HOSTILE),))
    review = replace(
        review,
        summary=HOSTILE,
        notes=(HOSTILE,),
        strategy=StrategyChoice("parts", HOSTILE),
        coverage=coverage,
        pull=replace(review.pull, title=HOSTILE, head_name=HOSTILE),
    )
    html = MarkdownIt("commonmark", {"html": True}).enable(["table"]).render(markdown.render(review))
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)

    assert not re.search(r"<img|<a |@victim|https?://|<h1", outside)
    assert "<!--" not in html
    assert "<!-- deeprepo" not in markdown.render(review)
    assert "\u202e" not in html
    assert {tag: html.count(f"<{tag}>") for tag in ("h2", "h3", "table")} == {"h2": 1, "h3": 0, "table": 1}


@pytest.mark.parametrize(
    ("status", "how", "said"),
    [
        ("new", "back", "status_back"),
        ("still", "moved", "status_moved"),
        ("fixed", "", "status_fixed"),
        ("fixed", "accepted", "status_accepted"),
        ("unproven", "", "list_unproven"),
    ],
)
def test_each_finding_state_has_a_phrase(status: Status, how: How, said: str) -> None:
    """Accepted suggestions and unconfirmed findings have a phrase on the page, too."""
    review = with_finding(status=status, how=how, verdict=Verdict.UNPROVEN)
    page = markdown.render(review)

    assert FINDING.title in page
    assert load().say(said) in page


def test_unsettled_finding_fails_the_check_without_reaching_the_threshold() -> None:
    """A check with a threshold still fails, because a finding was never judged."""
    unsettled = changed(FINDING, severity="critical", verdict=Verdict.UNPROVEN, unsettled="read_row decides")
    review = replace(
        REVIEW,
        findings=(PlacedFinding(unsettled, "folded"),),
        settings=ReportSettings(fail_on="high"),
        dropped=0,
    )
    assert (review.reaching("high"), review.shortfalls, review.failing) == ((), ("dropped",), True)
    assert "neither confirm nor refute this: read_row decides" in markdown.render(review)


@pytest.mark.parametrize("findings", few([60, 400], 0))
def test_comment_never_exceeds_githubs_length_limit(findings: int) -> None:
    """Findings that do not fit are counted, every block is closed, and the headline counts all findings."""
    many = tuple(
        PlacedFinding(replace(FINDING, title=f"Ü{n}" * 60, why="ü`x` " * 900), "inline") for n in range(findings)
    )
    rows = tuple(CoverageRow("unit", f"{n}.py" * 30, "f", "unread", reason="no budget " * 40) for n in range(3000))
    review = replace(REVIEW, findings=many, coverage=replace(REVIEW.coverage, readings=rows))
    page = markdown.render(review)

    assert len(page.encode()) <= 65_536
    assert f"🔴 {findings} findings ({findings} high)\n" in page
    assert len(re.findall("^```", page, re.MULTILINE)) % 2 == 0
    assert page.count("<details>") == page.count("</details>")
    assert re.search(r"\d+ (more findings did not fit|findings are listed without their evidence)", page)
    assert re.search(r"- and [\d,]+ more", page)


def test_collapsed_findings_are_grouped_by_topic_after_twelve_rows() -> None:
    """After twelve rows, findings are grouped by topic; none is lost, and the console counts them."""
    paths = [*(f"shop/{n}.py" for n in range(14)), *(f"style/{n}.css" for n in range(9)), "README.md"]
    many = tuple(PlacedFinding(replace(FINDING, title=f"T{n}.", path=path), "folded") for n, path in enumerate(paths))
    review = numbered(replace(REVIEW, findings=many))
    page = markdown.render(review)
    block = page.split("24 collapsed findings</summary>")[1]

    assert block.count("🔴") == 12
    for title in ("9 more comments on styles", "2 more comments on code", "1 more comment on documentation"):
        assert f"<summary>{title}</summary>" in block
    assert all(f"T{n}." in block for n in range(len(paths)))
    assert page.count("<details>") == page.count("</details>")
    assert "9 more comments on styles: style/0.css:" in console.render(review)


def test_every_finding_is_shown_or_counted() -> None:
    """Each finding has its heading, and those with and without evidence add up to all."""
    many = tuple(PlacedFinding(replace(FINDING, title=f"T{n}", why="w " * 900), "inline") for n in range(90))
    page = markdown.render(numbered(replace(REVIEW, findings=many)))
    left = re.search(r"^(\d+) findings are listed without their evidence", page, re.MULTILINE)

    assert left is not None
    assert page.count("**Evidence:**") + int(left[1]) == 90
    assert len(re.findall(r"^(?:#### 🔴 |- 🔴 \*\*)High · [0-9]+\. T", page, re.MULTILINE)) == 90
