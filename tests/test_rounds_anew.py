"""If an earlier review is unusable, everything is reviewed again, and a note gives the reason."""

import json
from collections.abc import Callable

import pytest
from pushes import Hand

from bot.outputs import json_file
from bot.values import Review


def _open_numbers(review: Review) -> set[int]:
    return {finding.number for finding in review.open_findings}


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[:200], "not JSON"),
        (lambda _: b"[]", "not written by deeprepo"),
        (lambda text: text.replace(b'"schema_version": 2', b'"schema_version": 7'), "newer deeprepo"),
        (lambda text: json.dumps({**json.loads(text), "read": 5}).encode(), "damaged"),
        (lambda text: json.dumps({**json.loads(text), "findings": [{"path": 1}]}).encode(), "damaged"),
    ],
)
def test_damaged_review_record_leads_to_a_full_review(
    hand: Hand, damage: Callable[[bytes], bytes], reason: str
) -> None:
    """Unreadable or damaged JSON leads to a full review with a note."""
    first = hand.review()
    again = hand.review(damage(json_file.render(first).encode()))
    assert len(again.reported) == len(first.reported)
    assert any(reason in note and "everything was reviewed again" in note for note in again.notes)


def test_rewritten_history_leads_to_a_full_review(hand: Hand) -> None:
    """After an amended commit, findings stay open under their numbers, and none counts as fixed."""
    first = hand.review()
    hand.repository.git("commit", "--amend", "-qm", "another message", "--date", "2026-02-02T00:00:00Z")
    again = hand.review(first)
    assert _open_numbers(again) == _open_numbers(first) != set()
    assert not again.findings_with_status("fixed")
    assert any("does not contain" in note for note in again.notes)


def test_changed_merge_base_leads_to_a_full_review(hand: Hand) -> None:
    """If the merge base changed, findings stay open under their numbers, and none counts as fixed."""
    first = hand.review()
    repo = hand.repository
    repo.git("checkout", "-q", "main")
    repo.commit({"other.py": "x = 1\n"})
    repo.git("checkout", "-q", "feature")
    repo.git("merge", "-q", "--no-edit", "main")
    again = hand.review(first)
    assert _open_numbers(again) == _open_numbers(first) != set()
    assert not again.findings_with_status("fixed")
    assert any("the base changed" in note.lower() for note in again.notes)
