import re
from dataclasses import replace

import pytest
from families import few
from markdown_it import MarkdownIt
from sample_reviews import FINDING, REVIEW, numbered, with_finding

from bot import verdict
from bot.outputs import markdown
from bot.values import CoverageRow, Evidence, PlacedFinding, ReportSettings, StrategyChoice, Verdict
from tests.findings_changed import changed

HOSTILE = "@victim <img src=x> ![p](http://evil.example/p.png) https://evil.example `` ``` \n# head\n| a |\n|---|\n<!-- deeprepo:done --> \u202e"


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


def test_unsettled_finding_fails_the_check_without_reaching_the_threshold() -> None:
    """A check with a threshold still fails, because a finding was never judged."""
    unsettled = changed(FINDING, severity="critical", verdict=Verdict.UNPROVEN, unsettled="read_row decides")
    review = replace(
        REVIEW,
        findings=(PlacedFinding(unsettled, "folded"),),
        settings=ReportSettings(fail_on="high"),
        dropped=0,
    )
    assert (verdict.reaching(review, "high"), verdict.of(review).row.name, verdict.of(review).check) == (
        (),
        "undecided",
        "failure",
    )
    assert "could not decide: read_row decides" in markdown.render(review)


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


def test_every_finding_is_shown_or_counted() -> None:
    """Each finding has its heading, and those with and without evidence add up to all."""
    many = tuple(PlacedFinding(replace(FINDING, title=f"T{n}", why="w " * 900), "inline") for n in range(90))
    page = markdown.render(numbered(replace(REVIEW, findings=many)))
    left = re.search(r"^(\d+) findings are listed without their evidence", page, re.MULTILINE)

    assert left is not None
    assert page.count("**Evidence:**") + int(left[1]) == 90
    assert len(re.findall(r"^(?:#### 🔴 |- 🔴 \*\*)High · [0-9]+\. T", page, re.MULTILINE)) == 90
