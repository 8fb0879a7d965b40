import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console
from sample_reviews import CLEAN, REVIEW, UNREAD, with_finding

from bot.outputs import console
from bot.values import CoverageRow, Cut, Evidence, Review
from deeprepo.rlm.values import Cost, Usage


def whole(review: Review) -> str:
    """Render with `--show all` for a narrow terminal."""
    terminal = Console(file=StringIO(), width=60, color_system=None, force_terminal=False, _environ={})
    with terminal.capture() as capture:
        console.show(review, terminal, console.Extent(is_whole=True, fixable=2, remedy="run `pip install '.[lint]'`"))
    return " ".join(capture.get().split())


def test_locations_are_never_cut_and_show_all_lists_everything() -> None:
    """Long locations are wrapped, `--show all` lists every row and line, and the next steps are named."""
    long = tuple(
        CoverageRow("use", f"deploy/{'of/the/service/' * 3}file_{n}.yml", "a.py:g", "relies", reason="API_URL is gone", line=n)
        for n in range(9)
    )  # fmt: skip
    relying = replace(UNREAD, coverage=replace(UNREAD.coverage, readings=long, not_installed=("oxlint",)))
    assert "file_8.yml:8" in "".join(console.render(relying).split())
    assert "…" not in console.render(relying)
    page = whole(relying)
    assert "not installed: oxlint (run `pip install '.[lint]'`)" in page
    assert "next run again with `--fix` to fix 2 findings in your files" in page
    uses = tuple(
        CoverageRow("use", f"till_{n % 13}.py", "a.py:g", "unread", reason=f"g{n % 13} is gone", line=n)
        for n in range(130)
    )
    page = whole(replace(UNREAD, coverage=replace(UNREAD.coverage, readings=uses)))
    assert "more" not in page
    assert all(f" {n}" in page for n in range(13, 130))


def test_unknown_price_is_shown_as_unknown() -> None:
    """An unknown price is shown as "price unknown", not as zero."""
    assert "cost      price unknown · 1 call ·" in console.render(replace(REVIEW, cost=Cost(1, Usage(1, 1), usd=None)))


@pytest.mark.parametrize(
    ("review", "verdict"),
    [
        (REVIEW, "3 findings (1 high, 1 medium, 1 low), 1 of them collapsed."),
        (
            CLEAN,
            "No problems found. Checked 1 changed code region and 1 usage that may break. Checks that ran: openai/gpt-5-mini, contracts, ruff.",
        ),
        (
            UNREAD,
            "1 changed code region was not read by a model. Not checked: 12 usages that may break. Nothing was checked.",
        ),
        (
            replace(CLEAN, cut=Cut(partial=True)),
            "The review is incomplete. No problems found in the parts that were checked. Checked 1 changed code region and 1 usage that may break. Checks that ran: openai/gpt-5-mini, contracts, ruff.",
        ),
    ],
)
def test_last_line_is_the_verdict(review: Review, verdict: str) -> None:
    """The last line counts what is listed, and never claims "no problems" if something is unchecked."""
    assert " ".join(console.render(review).split()).endswith(verdict)


def test_hostile_text_cannot_control_the_terminal() -> None:
    """Escape sequences, markup and bidirectional characters in the change are escaped."""
    hostile = "\x1b]8;;http://evil.example\x07[link=http://evil.example]x[/link]\u202e"
    evidence = (Evidence(hostile, hostile, 1, note=hostile),)
    review = with_finding(
        title=hostile, quote=hostile, why=hostile, path=hostile, suggestion=hostile, evidence=evidence
    )
    page = console.render(replace(review, summary=hostile, notes=(hostile,), pull=replace(review.pull, title=hostile)))

    assert not re.search("[\x1b\x07\u202e]", page)
    assert "[link=http://evil.example]x[/link]" in page
