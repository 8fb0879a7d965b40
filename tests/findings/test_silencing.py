"""Rules that are added after a review silence only what they cover."""

from collections.abc import Sequence

import pytest

from bot import verdict
from bot.findings import silencing
from bot.findings.merge import identify
from bot.values import (
    Basis,
    ChangedFile,
    Coverage,
    Evidence,
    Finding,
    OwnerRule,
    PlacedFinding,
    PullRequest,
    ReportSettings,
    Review,
    Source,
    StrategyChoice,
    Tracking,
    Verdict,
)
from bot.values.finding import SAME_VALUE
from deeprepo.rlm.values import Cost
from tests.findings_changed import changed

KEY = "key = 'masked'"
RULE = OwnerRule("/tests/**", "aws-key", "keys of tests", 1, learned=True, grave=True)


def secret(*places: str) -> Finding:
    """Return a committed secret at line 1 of each of these files."""
    first, *others = places
    evidence = tuple(Evidence(path, KEY, 1, note=SAME_VALUE) for path in others)
    source = Source("analyser", "secrets", proof="secret 1234")
    finding = Finding(first, KEY, "An AWS key was committed", "w", "c", "critical", "secret", Basis((source,), verdict=Verdict.CONFIRMED), evidence=evidence, start=1, end=1, rule="aws-key", tracking=Tracking(number=1))  # fmt: skip
    return identify(finding)


def review(findings: Sequence[Finding] = (), still: Sequence[Finding] = (), *files: ChangedFile) -> Review:
    """Return a stored review with these findings."""
    pull = PullRequest("T", "", "a" * 40, "b" * 40, "main", "f", "/nowhere")
    rows = [*(PlacedFinding(one, "inline") for one in findings)]
    rows += [PlacedFinding(changed(one, status="still")) for one in still]
    return Review(
        pull,
        files,
        StrategyChoice("parts", "why"),
        tuple(rows),
        Coverage(()),
        Cost(),
        1.0,
        settings=ReportSettings(fail_on="high"),
    )


@pytest.mark.parametrize("is_still", [False, True], ids=["new", "still open"])
def test_secret_stays_open_at_locations_outside_a_later_rule(*, is_still: bool) -> None:
    """The locations outside the rule stay open, and the check still fails."""
    both, twice = secret("tests/a.py", "zz/b.py"), secret("tests/a.py", "tests/c.py")
    before = review((), (both, twice)) if is_still else review((both, twice))
    after = silencing.reapply_silencing(before, (), (RULE,))
    assert [(one.path, one.number) for one in after.open_findings] == [("zz/b.py", 1)]
    assert [one.path for one in after.findings_with_status("silenced")] == ["tests/a.py"]
    assert verdict.of(after).check == "failure"
    assert silencing.reapply_silencing(after, (), (RULE,)) == after
