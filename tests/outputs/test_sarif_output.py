import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from sample_reviews import CLEAN, FINDING, REVIEW, UNREAD, with_finding

from bot.outputs import sarif
from bot.values import Cut, PlacedFinding, Review, Silencing
from tests.findings_changed import changed

SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
ODD = with_finding(
    path='a b/ü"#?%\n..\udc80.py', start=0, end=0, quote="\ud800", evidence=(), fingerprint="", trigger=""
)


@pytest.mark.parametrize("review", [REVIEW, CLEAN, UNREAD, ODD, replace(CLEAN, cut=Cut(partial=True))])
def test_every_review_matches_the_sarif_schema(review: Review) -> None:
    """Every review validates against the OASIS schema."""
    Draft7Validator(SCHEMA).validate(json.loads(sarif.render(review)))


def test_result_has_location_snippet_and_fingerprint() -> None:
    """Tools find the lines and recognize the problem in the next run."""
    result = _run(REVIEW)["results"][0]
    location = result["locations"][0]["physicalLocation"]

    assert location["artifactLocation"] == {"uri": "src/app/loader.py", "uriBaseId": "SRCROOT"}
    assert location["region"] == {"startLine": 41, "endLine": 42, "snippet": {"text": FINDING.quote}}
    assert result["partialFingerprints"] == {"deeprepo/v1": "f0e1", "primaryLocationLineHash": "f0e1:1"}
    assert result["properties"]["place"] == "inline"


def test_every_open_finding_is_a_result() -> None:
    """Code scanning closes alerts that are missing, so all open findings are results, but no fixed ones."""
    known = with_finding(status="still", number=7).findings[0].finding
    gone = changed(known, status="fixed", fingerprint="f8")
    silenced = changed(gone, status="silenced", silencing=Silencing("meant", "finding"))
    run = _run(replace(REVIEW, findings=(*REVIEW.findings, *map(PlacedFinding, (known, gone, silenced)))))

    assert [result["properties"]["status"] for result in run["results"]] == ["new", "new", "new", "still"]
    assert run["results"][-1]["locations"][0]["physicalLocation"]["region"]["startLine"] == 41


def test_partial_review_is_not_marked_successful() -> None:
    """A review that ended early must not look clean."""
    assert _run(CLEAN)["invocations"][0]["executionSuccessful"] is True
    assert _run(replace(CLEAN, cut=Cut(partial=True)))["invocations"][0]["executionSuccessful"] is False


def test_unread_code_becomes_a_notification() -> None:
    """Unread code regions and limits become notifications."""
    run = _run(UNREAD)
    said = [item["message"]["text"] for item in run["invocations"][0]["toolExecutionNotifications"]]

    assert "1 changed code region was not read by a model. Not checked: 12 usages that may break." in said


def _run(review: Review) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(sarif.render(review))["runs"][0]
    return run


@pytest.mark.parametrize("title", ["[here](https://evil.example)", "\\[here\\](1)", "[here\\\\](1)"])
def test_message_contains_no_link(title: str) -> None:
    """A viewer shows a model's Markdown as text, and not as the link that SARIF allows in messages."""
    text = _run(with_finding(title=title, why="w"))["results"][0]["message"]["text"]
    assert re.search(r"(?<!\\)(?:\\\\)*\]\(", text) is None
    assert "here" in text
