import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pushes import Hand

from bot.findings import silencing
from bot.outputs import console, json_file, posts
from bot.values import Basis, Finding, OwnerRule, Source, Verdict
from tests.findings_changed import changed

SCHEMA = Path(__file__).parents[2] / "docs/review.schema.json"
FOUND = Finding("src/a.py", "q", "t", "w", "c", "medium", "security", Basis((Source("model", "a/b", "worker"),)))
PROVEN = changed(FOUND, sources=(Source("analyser", "ruff"),), rule="S105", verdict=Verdict.PROVEN, severity="critical")
SECRET = changed(PROVEN, sources=(Source("analyser", "secrets"),), rule="aws-key", category="secret")
BROKEN = changed(
    PROVEN, sources=(Source("analyser", "contracts"),), rule="removed-symbol", category="broken-caller", severity="high"
)


@pytest.mark.parametrize(
    ("path", "kind", "finding", "silenced"),
    [
        ("src/**", "security", FOUND, True),
        ("*.py", "security", FOUND, True),
        ("/src/a.py", "security", replace(FOUND, severity="critical"), True),
        ("src/**", "logic", FOUND, False),
        ("tests/**", "security", FOUND, False),
        ("src/**", "S105", PROVEN, True),
        ("src/**", "security", PROVEN, False),
        ("src/**", "security", replace(PROVEN, severity="medium"), False),
        ("src/**", "security", changed(PROVEN, verdict=Verdict.UNPROVEN), True),
        ("src/**", "secret", SECRET, True),
        ("src/**", "aws-key", SECRET, True),
        ("src/**", "removed-symbol", BROKEN, True),
        ("src/**", "broken-caller", BROKEN, False),
        ("**", "", replace(FOUND, rule=""), False),
    ],
)
def test_rule_matches_exact_kind_and_path(path: str, kind: str, finding: Finding, *, silenced: bool) -> None:
    """A proven finding needs its rule name (or, for secrets, the kind `secret`); others match by kind."""
    assert silencing.covers_finding(OwnerRule(path, kind), finding) is silenced


def test_rule_for_a_minor_finding_does_not_cover_a_severe_proven_one() -> None:
    """A learned rule covers no severe proven finding, unless it was confirmed for one."""
    learned = OwnerRule("/src/a.py", "S105", learned=True)
    assert silencing.covers_finding(learned, replace(PROVEN, severity="medium"))
    assert not silencing.covers_finding(learned, PROVEN)
    assert silencing.covers_finding(replace(learned, grave=True), PROVEN)


def test_rule_in_the_settings_applies_only_from_the_base_branch(hand: Hand) -> None:
    """A rule in the change itself has no effect; after the merge it silences and is explained to models."""
    text = "ignore:\n- {path: shop/label.py, kind: logic, reason: labels are made by a script}\n"
    hand.repository.commit({".deeprepo.yml": text}, "a rule of one's own")
    told = hand.review()
    assert "An empty size crashes the label" in {placed.finding.title for placed in told.reported}
    assert not any("labels are made by a script" in request for request in hand.requests if "owner asks" in request)

    hand.repository.git("checkout", "-q", "main")
    hand.repository.commit({".deeprepo.yml": text}, "settings")
    hand.repository.git("checkout", "-q", "feature")
    done = hand.review()
    assert [
        one.tracking.silencing and one.tracking.silencing.rule for one in done.findings_with_status("silenced")
    ] == [OwnerRule("shop/label.py", "logic", "", 1)]
    assert "An empty size crashes the label" not in {placed.finding.title for placed in done.reported}
    assert any("logic in shop/label.py: labels are made by a script" in request for request in hand.requests)
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert list(validator.iter_errors(json.loads(json_file.render(done)))) == []
    summary = posts.comments(done).summary
    assert "1 finding is silenced." in summary
    assert "An empty size crashes the label" in summary.partition("is silenced")[2]
    assert "Rule 1 in .deeprepo.yml: labels are made by a script" in summary
    assert "Rule 1 in .deeprepo.yml: labels are made by a script" in " ".join(console.render(done).split())


def test_ignore_entry_for_one_finding_applies_until_it_expires(hand: Hand) -> None:
    """An `ignore` entry for one finding silences it until the entry's expiry date."""
    (placed,) = [one for one in hand.review().reported if one.finding.title == "An empty size crashes the label"]
    hand.repository.git("checkout", "-q", "main")
    for day, is_silenced in (("2999-01-01", True), ("2020-01-01", False)):
        entry = f'{{finding: "{placed.finding.identity}", reason: sizes are checked before, expires: {day}}}'
        hand.repository.commit({".deeprepo.yml": f"ignore: [{entry}]\n"}, "settings")
        hand.repository.git("checkout", "-q", "feature")
        done = hand.review()
        reasons = [
            one.tracking.silencing and one.tracking.silencing.reason for one in done.findings_with_status("silenced")
        ]
        assert reasons == ["sizes are checked before"] * is_silenced
        hand.repository.git("checkout", "-q", "main")
