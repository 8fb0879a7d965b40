"""What a review says when something stood in its way: no finding is lost without a word, and no missing opinion reads as clean."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from pushes import Hand, first_push, judge, titles

from bot import wiring
from bot.errors import UsageError
from bot.outputs import facts
from bot.values import Review, ReviewRequest
from deeprepo_sandbox.providers import Reply

FOUND = {"A negative amount is accepted", "An empty size crashes the label"}


@pytest.fixture
def hand(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hand:
    """A feature branch on which the first push is made."""
    return first_push(repository, tmp_path / "scratch", monkeypatch)


def offline(repository: Repository, tmp_path: Path) -> Review:
    """The branch, reviewed with no model."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return asyncio.run(
        wiring.local_review(ReviewRequest(str(repository.folder)), {"strategy": "offline"}, str(scratch))
    )


def test_an_unchanged_file_that_ends_its_reader_is_open(repository: Repository, tmp_path: Path) -> None:
    """It may use what changed, and nobody could look: the review is not clean and counts as cut off."""
    repository.commit(
        {"price.py": "def total(items, tax):\n    return 1\n", "cart.py": "from price import total\n\ntotal([], 1)\n"}
    )
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit({"price.py": "def total(items):\n    return 1\n"})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    unread = {"cart.py": "reading it went over the limit of 20 seconds of computing"}
    request = ReviewRequest(str(repository.folder))
    review = asyncio.run(wiring.local_review(request, {"strategy": "offline"}, str(scratch), left_out=unread))
    assert [row.reason for row in review.coverage.open if "`cart.py` was not read" in row.reason]
    assert "cut" in review.shortfalls
    assert facts.conclusion(review) == "incomplete"


def asked_to_judge(body: Mapping[str, Any]) -> bool:
    return "The claim, about" in str(body["messages"])


def test_a_cap_before_the_second_opinions_is_said(hand: Hand) -> None:
    """What got no verdict is said and marked; the review is partial, names the cap, and is not clean."""
    review = hand.review(calls=1)
    said = [placed.finding for placed in review.reported]
    assert (len(hand.requests), titles(said), review.unproven) == (1, FOUND, ())
    assert all(finding.unconfirmed for finding in said)
    assert any("2 findings without a second opinion" in note and "cap of 1 calls" in note for note in review.notes)
    assert (review.cut.partial, review.cut.fault, facts.conclusion(review)) == (True, "", "findings")


def test_what_got_no_opinion_is_read_again_in_the_next_round(hand: Hand) -> None:
    """It stays open, and is no longer marked once a second opinion has confirmed it."""
    first = hand.review(calls=1)
    again = hand.review(first)
    there = [*again.open]
    assert titles(there) == FOUND
    assert not any(finding.unconfirmed for finding in there)
    assert not again.cut.partial
    assert hand.review(again).reported == ()
    assert hand.requests == []


def test_a_root_that_is_missing_is_said_before_anything_is_paid(hand: Hand) -> None:
    """The workers do not read first."""
    with pytest.raises(UsageError, match="--root"):
        hand.review(strategy="rlm", worker=lambda _: pytest.fail("asked"))


def test_a_provider_that_refuses_the_second_opinions_is_a_fault(hand: Hand) -> None:
    """The exit code is 3, not 0."""
    refusing = hand.review(worker=lambda body: Reply("no", status=400) if asked_to_judge(body) else judge(body))
    said = [placed.finding for placed in refusing.findings]
    assert (titles(said), refusing.cut.fault) == (FOUND, "provider")
    assert all(finding.unconfirmed for finding in said)
    assert any("without a second opinion" in note for note in refusing.notes)


def gives_up(when: Callable[[Mapping[str, Any]], bool]) -> Callable[[Mapping[str, Any]], Reply]:
    """A worker whose user presses Ctrl-C, once, while it keeps the user waiting for an answer of this kind."""
    pressed: list[int] = []

    def worker(body: Mapping[str, Any]) -> Reply:
        if not when(body):
            return judge(body)
        if not pressed:
            pressed.append(1)
            os.kill(os.getpid(), signal.SIGINT)
        return Reply(fault="hang")

    return worker


def test_ctrl_c_during_the_second_opinions_shows_what_was_found(hand: Hand) -> None:
    """What the workers found was paid for: it is shown as unproven."""
    review = hand.review(worker=gives_up(asked_to_judge))
    assert {(placed.finding.title, placed.finding.verdict) for placed in review.reported} == {
        (title, "unproven") for title in FOUND
    }
    assert (review.cut.partial, review.cut.fault) == (True, "interrupted")


def test_after_ctrl_c_nothing_more_is_asked(hand: Hand) -> None:
    """The interrupted root follows the workers and the opinions on their findings: these are shown, and no further call is paid."""
    kinds: list[str] = []

    def worker(body: Mapping[str, Any]) -> Reply:
        is_root = "execute_python" in str(body.get("tools"))
        kinds.append("root" if is_root else "opinion" if asked_to_judge(body) else "reader")
        if {*kinds[-2:]} == {"root", "opinion"}:  # they are asked at one time, in either order
            os.kill(os.getpid(), signal.SIGINT)
        return Reply(fault="hang") if is_root else judge(body)

    review = hand.review(worker=worker, strategy="rlm", root="compatible/root")
    assert titles(placed.finding for placed in review.reported) == FOUND
    assert review.cut.fault == "interrupted"
    last_kinds = kinds[
        min(kinds.index("root"), kinds.index("opinion")) :
    ]  # of several opinions all may be on their way
    assert {*last_kinds} == {"root", "opinion"}
    assert kinds.count("root") == 1
    assert kinds.count("opinion") <= len(FOUND)


@pytest.mark.parametrize("strategy", ["direct", "fanout", "rlm"])
def test_a_cap_under_which_nothing_is_read_is_a_fault(hand: Hand, strategy: str) -> None:
    """No model has read anything: that is said before all else, with the cap and what to do, and the exit code is 3."""
    review = hand.review(root="compatible/worker", strategy=strategy, calls=0)
    assert (hand.requests, review.cut.partial, review.cut.fault) == ([], True, "provider")
    assert "cap of 0 calls is reached" in review.cut.failure
    assert any("cap of 0 calls" in note for note in review.notes)


def test_an_earlier_review_that_is_no_text_is_read_anew(hand: Hand) -> None:
    """A picture in the place of the JSON output is said, and is no defect."""
    review = hand.review(b"\x89PNG\r\n\x1a\n\xff\xfe")
    assert titles(placed.finding for placed in review.reported) == FOUND
    assert any("not JSON" in note and "everything was read again" in note for note in review.notes)


@pytest.mark.parametrize("also", [{}, {"app/new.py": "def fresh():\n    return 1\n"}])
def test_a_module_that_only_moved_still_breaks_its_importers(
    repository: Repository, tmp_path: Path, also: dict[str, str | bytes | None]
) -> None:
    """It has no changed line and so no unit; the importer is reported, and counts as looked at."""
    module = "def helper(x):\n    return x + 1\n\n\ndef other(y):\n    return y * 2\n"
    user = "from app.util import helper\n\n\ndef go():\n    return helper(3)\n"
    repository.commit({"app/__init__.py": "", "app/util.py": module, "app/use.py": user})
    repository.git("checkout", "-qb", "feature")
    repository.commit({"app/util.py": None, "app/tools.py": module, **also})
    review = offline(repository, tmp_path)
    assert [(placed.finding.path, placed.finding.verdict) for placed in review.reported] == [("app/use.py", "proven")]
    assert review.coverage.complete


def test_a_name_that_only_another_file_defines_is_still_undefined_here(repository: Repository, tmp_path: Path) -> None:
    """A forgotten import: that the tree defines the name somewhere does not refute what ruff has proven of this file."""
    repository.commit({"b.py": "def helper(x):\n    return x\n"})
    repository.git("checkout", "-qb", "feature")
    repository.commit({"a.py": "def go(x):\n    return helper(x)\n"})
    review = offline(repository, tmp_path)
    assert [(placed.finding.rule, placed.finding.path) for placed in review.reported] == [("F821", "a.py")]
    assert review.dropped == 0


def test_a_root_whose_window_is_too_small_leaves_what_workers_have_read(hand: Hand) -> None:
    """Every unit was read in parts: the review is whole, and says that nobody looked across the units."""
    small = Reply(
        "This model's maximum context length is 8000 tokens. However, your messages resulted in 9000 tokens.",
        status=400,
        error="context_length_exceeded",
    )

    def answer(body: Mapping[str, Any]) -> Reply:
        return small if "You work in a Python REPL" in str(body["messages"][0]) else judge(body)

    review = hand.review(worker=answer, root="compatible/worker", strategy="rlm")
    assert titles(placed.finding for placed in review.reported) == FOUND
    assert (review.cut.fault, review.cut.partial) == ("", False)
    assert any(note.startswith("Nobody looked across the units") for note in review.notes)
