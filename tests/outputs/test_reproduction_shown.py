"""A test that reproduces a finding, in each output and when it is read back."""

import json
from dataclasses import replace

from golden_reviews import said
from sample_reviews import FINDING

from bot.outputs import OUTPUTS, json_file
from bot.sections.reproduction import ATTEMPTS, REPRODUCTION
from bot.stored import reviews
from bot.values import PlacedFinding, Verdict
from bot.values.reproduction import Reproduction

SHOWN = Reproduction(
    "tests/test_new.py", "assert f(0) == 1\n", "pytest tests/test_new.py", "1 failed", "green", "green"
)
PLACED = PlacedFinding(replace(FINDING.with_verdict(Verdict.REPRODUCED), parts={REPRODUCTION.key: SHOWN}), "outside")
REVIEW = replace(said(PLACED), parts={ATTEMPTS.key: (("a.py:7", "its test passes on the head"),)})


def test_each_output_shows_the_test_and_failed_attempts() -> None:
    """Comment, console and SARIF have the test's command; failed attempts are listed."""
    for form in ("markdown", "console", "json", "sarif"):
        assert "pytest tests/test_new.py" in OUTPUTS[form]().render(REVIEW), form
    for form in ("markdown", "console", "json"):
        assert "its test passes on the head" in OUTPUTS[form]().render(REVIEW), form


def test_reproduction_is_read_back_from_json() -> None:
    """The JSON output restores the test, for a page rendered again and for the next review."""
    text = json_file.render(REVIEW)
    again = reviews.review(text.encode())
    assert REPRODUCTION.of(again.findings[0].finding) == SHOWN
    assert ATTEMPTS.of(again) == ATTEMPTS.of(REVIEW)
    (past,) = reviews.findings(json.loads(text)["findings"])
    assert REPRODUCTION.of(past) == SHOWN
