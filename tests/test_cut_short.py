"""Reviews that are cut short still report every finding, and missing confirmations don't count as clean."""

import os
import signal
from collections.abc import Mapping
from typing import Any

import pytest
from pushes import Hand, judge, titles

from bot import verdict
from bot.outputs import facts
from deeprepo_sandbox.providers import Reply

FOUND = {"A negative amount is accepted", "An empty size crashes the label"}


def asked_to_judge(body: Mapping[str, Any]) -> bool:
    return "The claim, about" in str(body["messages"])


def test_unconfirmed_finding_is_confirmed_in_the_next_review(hand: Hand) -> None:
    """The unconfirmed finding stays open, and loses its mark once it is confirmed."""
    first = hand.review(calls=1)
    again = hand.review(first)
    there = [*again.open_findings]
    assert titles(there) == FOUND
    assert not any(finding.basis.unconfirmed for finding in there)
    assert not again.cut.partial
    assert hand.review(again).reported == ()
    assert hand.requests == []


def test_provider_refusing_confirmations_is_a_fault(hand: Hand) -> None:
    """The review's fault is `provider`, and its findings are reported as unconfirmed."""
    refusing = hand.review(worker=lambda body: Reply("no", status=400) if asked_to_judge(body) else judge(body))
    said = [placed.finding for placed in refusing.findings]
    assert (titles(said), refusing.cut.fault) == (FOUND, "provider")
    assert all(finding.basis.unconfirmed for finding in said)
    assert any("could not be confirmed" in note for note in refusing.notes)


OBSTACLES = {
    "402": (Reply("Insufficient credits", status=402), {}, "quota", "Quota exhausted, so no model"),
    "429": (Reply("slow down", status=429), {"seconds": 2.0}, "quota", "Quota exhausted, so no model"),
    "529": (Reply("overloaded", status=529), {"seconds": 2.0}, "provider", "Provider down, so no model"),
    "filter": (
        Reply("Blocked.", status=400, error="content_filter"),
        {},
        "declined",
        "Content refused, so no model",
    ),
    "declined": (Reply(stop="refusal"), {}, "declined", "Content refused, so no model"),
    "key": (Reply("no", status=401), {}, "setup", "Wrong key or model, so no model"),
    "size": (Reply("unused"), {"context": 2_048}, "too_large", "Limit reached"),
}


@pytest.mark.parametrize("row", OBSTACLES.values(), ids=OBSTACLES)
def test_each_reason_for_a_missing_model_review_has_its_own_message(row: tuple[Any, ...], hand: Hand) -> None:
    """The result begins with the reason, such as a rate limit or a wrong key, and the check is neutral."""
    reply, limits, status, words = row
    review = hand.review(worker=reply, **limits)
    made = verdict.of(review)
    assert (made.status, made.check) == (status, "neutral")
    assert facts.summary(review).result.startswith(words)


def test_no_model_call_is_made_after_ctrl_c(hand: Hand) -> None:
    """Ctrl-C during the root's call shows the workers' findings and makes no further paid calls."""
    kinds: list[str] = []

    def worker(body: Mapping[str, Any]) -> Reply:
        is_root = "execute_python" in str(body.get("tools"))
        kinds.append("root" if is_root else "confirmation" if asked_to_judge(body) else "reader")
        if is_root:
            os.kill(os.getpid(), signal.SIGINT)
        return Reply(fault="hang") if is_root else judge(body)

    review = hand.review(worker=worker, strategy="rlm", root="compatible/root")
    assert titles(placed.finding for placed in review.reported) == FOUND
    assert review.cut.fault == "interrupted"
    assert [kind for kind in kinds if kind != "reader"] == ["root"]
