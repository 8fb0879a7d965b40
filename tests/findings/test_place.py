"""Comment placement, compared with the table and with GitHub's rules in the sandbox."""

import difflib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import placing
from bot.findings.placing import place
from bot.values import Basis, CommentSpot, Finding, Side, Source

FINDING = Finding("a.py", "quote", "t", "w", "c", "high", "logic", Basis((Source("model", "m"),)), start=1, end=1)
TEXTS = st.lists(st.sampled_from(["a", "b", "  c", "", "long enough to be quoted", "}", "+x", "-y", "@@"]), max_size=30)


@pytest.mark.parametrize("case", list(placing.table()), ids=lambda case: case.title)
def test_finding_is_placed_as_expected(case: placing.Case) -> None:
    """Every hand-made case in the table has the expected placement, which GitHub accepts."""
    changed = placing.change(case.patch)
    assert placing.phrase(place([case.finding], changed)[0]) == case.expected
    assert placing.faults([case.finding], changed, case.patch) == (0, 0, [])


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.booleans()), max_size=8))
def test_every_finding_is_posted_validly_or_listed(
    before: list[str], after: list[str], lines: list[tuple[int, int, bool]]
) -> None:
    """For any texts and lines, GitHub accepts each comment, and no finding is lost."""
    patch = patched("a.py", before, after)
    findings = []
    for at, (start, more, head) in enumerate(lines):
        text, side = (after, "head") if head else (before, "base")
        quote = "\n".join(text[max(0, start - 1) : start + more]) or "nothing"
        findings.append(_told(at, "a.py" if at % 3 else "b.py", quote, start, start + more, "head" if side == "head" else "base"))  # fmt: skip
    assert placing.faults(findings, placing.change(patch), patch) == (0, 0, [])


@pytest.mark.parametrize("seed", [3, 4])
def test_finding_with_a_wrong_line_or_quote_is_still_placed(seed: int) -> None:
    """Findings with wrong lines, sides and quotes are still placed so that GitHub accepts them."""
    before, after = placing.made_up(seed, 6)
    patch = "".join(
        patched(name, *[(side.get(name) or "").replace("\r", "").split("\n") for side in (before, after)])
        for name in sorted({*before, *after})
    )
    findings = placing.findings(seed, 150, before, after)
    changed = placing.change(patch)
    assert placing.faults(findings, changed, patch) == (0, 0, [])
    assert {placed.place for placed in place(findings, changed)} == {"inline", "file", "outside"}


def test_finding_larger_than_the_hunk_keeps_its_own_lines() -> None:
    """If a finding is larger than the hunk, only its comment's range is cut."""
    (case,) = [case for case in placing.table() if "larger than the hunk" in case.title]
    (found,) = place([case.finding], placing.change(case.patch))
    assert (found.finding.start, found.finding.end) == (1, 90)
    assert found.spot == CommentSpot("a.py", 10, 16, "RIGHT")


def patched(name: str, before: list[str], after: list[str]) -> str:
    """Return a git diff of two texts, or "" if they are equal."""
    if before == after:
        return ""
    rows = list(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm=""))
    mode = "new file mode 100644\n" if not before else "deleted file mode 100644\n" if not after else ""
    return f"diff --git a/{name} b/{name}\n{mode}" + "".join(f"{row}\n" for row in rows)


def _told(at: int, path: str, quote: str, start: int, end: int, side: Side) -> Finding:
    return replace(
        FINDING, path=path, quote=quote, start=start, end=end, side=side, title=f"told {at}", severity="critical"
    )
