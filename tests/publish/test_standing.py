"""What stands on a commit, whatever the order of events."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from families import few

from bot.publish.standing import (
    QUEUE,
    CheckResult,
    CommitState,
    fold,
    waits_for,
    with_closed_pull,
    with_ending,
    with_open_pull,
)
from bot.values import Ending

GAMES = 10_000
BASES = ("main", "v1", "next")
ENDINGS: tuple[Ending, ...] = ("success", "neutral", "failure")
WORSE = ("success", "skipped", "neutral", "pending", "cancelled", "failure")  # written down again: the oracle's own
PASSES = {"success", "skipped", "neutral"}


@dataclass
class Oracle:
    """The same told by hand: a list of what happened, asked anew each time. It shares no code with the model."""

    history: list[tuple[int, str, str, str]] = field(default_factory=list)
    open: dict[int, str] = field(default_factory=dict)

    def truths(self) -> list[str]:
        """What is true of each open pull request: its last review, with what was broken off since.

        Without one the refusals, else that it waits; and the last review that each other pull request had against the same branch, open or closed.
        """
        told = []
        for pull, base in self.open.items():
            mine = [(how, ending) for number, where, how, ending in self.history if (number, where) == (pull, base)]
            reviews = [at for at, (how, _) in enumerate(mine) if how == "reviewed"]
            since = mine[reviews[-1] + 1 :] if reviews else mine
            told += [ending for how, ending in since if how == "broken" or not reviews]
            told += [mine[reviews[-1]][1]] if reviews else []
            told += [] if mine else ["pending"]
            told += [] if reviews else self.others(pull, base)
        return told

    def others(self, pull: int, base: str) -> list[str]:
        """The last review of each other pull request against a branch."""
        last = {number: ending for number, where, how, ending in self.history if where == base and how == "reviewed"}
        return [ending for number, ending in last.items() if number != pull]


def played(dice: random.Random) -> None:
    """One game: up to 30 events about up to four pull requests with one head; after each the model's answer is compared.

    An event that asks for a review is followed by it after a while, in which others happen; the review is of the base that is there then,
    or of the one that was there when it began.
    """
    state, rows, oracle, due = CommitState(), list[CheckResult](), Oracle(), list[tuple[int, str]]()
    for _ in range(dice.randint(4, 30)):
        pull = dice.randint(1, 4)
        match dice.choice(("open", "retarget", "close", "review", "decline", "break", "late", "queue")):
            case "open" | "retarget":
                base = dice.choice(BASES)
                state, oracle.open[pull] = with_open_pull(state, pull, base), base
                due.append((pull, base))
            case "close":
                state = with_closed_pull(state, pull)
                oracle.open.pop(pull, None)
            case "queue":  # is answered by what stands, and changes nothing
                assert (state.ending in PASSES) == (bool(oracle.truths()) and {*oracle.truths()} <= PASSES)
            case "late" if not due:
                continue
            case event:
                how = {"review": "reviewed", "late": "reviewed", "decline": "declined", "break": "broken"}[event]
                ending = "cancelled" if event == "break" and dice.random() < 0.5 else dice.choice(ENDINGS)
                base = oracle.open.get(pull) or dice.choice(BASES)  # a late word about one that is closed
                if event == "late":
                    pull, base = due.pop(dice.randrange(len(due)))
                rows.append(CheckResult(pull, base, ending, how))  # type: ignore[arg-type]
                state = with_ending(state, rows[-1])
                oracle.history.append((pull, base, how, ending))
        truths = oracle.truths()
        assert state.ending == (max(truths, key=WORSE.index) if truths else None)
        assert state.ending not in PASSES or all(
            any((number, where) == place for number, where, _, _ in oracle.history) for place in oracle.open.items()
        )
    compared(state, rows, oracle)


def compared(state: CommitState, rows: list[CheckResult], oracle: Oracle) -> None:
    """The state is the same when it is made anew from the rows: as after a crash."""
    assert fold(rows, oracle.open).ending == state.ending
    assert discovered(rows, oracle.open) == state.ending


def discovered(rows: list[CheckResult], really: Mapping[int, str]) -> Ending | None:
    """The same if it is known who is open without a verdict, and of the others only those are asked for that could make it worse."""
    ruled, asked = {row.pull for row in rows}, set[int]()
    known = {pull: base for pull, base in really.items() if pull not in ruled}
    while left := [pull for pull in waits_for(rows, known) if pull not in asked]:
        asked.add(left[0])
        known |= {left[0]: really[left[0]]} if left[0] in really else {}
    return fold(rows, known).ending


@pytest.mark.parametrize("games", few([GAMES // 20, GAMES], 0))
def test_no_order_of_events_makes_a_commit_better_than_its_worst_truth(games: int) -> None:
    """Of random orders: pull requests with one head and other bases, closed, opened again, declined, broken off, reviewed."""
    dice = random.Random(20261121)  # noqa: S311 - a game
    for _ in range(games):
        played(dice)


def test_a_refusal_never_covers_the_review_of_the_same_change() -> None:
    """Neither a failure nor a success: a draft that is ready again is the same commit."""
    for ending in ENDINGS:
        rows = [CheckResult(1, "main", ending, "reviewed"), CheckResult(1, "main", "neutral", "declined")]
        assert fold(rows, {1: "main"}).ending == ending


def test_what_is_open_and_not_reviewed_waits() -> None:
    """However green another base branch or another pull request has made the commit; only what stops it already is worse."""
    green = [CheckResult(1, "next", "success", "reviewed")]
    assert fold(green, {1: "next"}).ending == "success"
    for now_open in ({1: "main"}, {1: "next", 2: "main"}):
        state = fold(green, now_open)
        assert (state.ending, state.blame) == ("pending", max(now_open))
    red = [*green, CheckResult(3, "main", "failure", "reviewed")]
    assert fold(red, {2: "main", 3: "main"}).ending == "failure"


def test_a_closed_pull_request_counts_until_the_next_one_is_reviewed() -> None:
    """The same commit against the same branch: neither waiting nor a refusal takes its verdict away; another branch is another change."""
    rows = [CheckResult(1, "main", "failure", "reviewed")]
    assert fold(rows, {2: "main"}).ending == "failure"
    refused = [*rows, CheckResult(2, "main", "skipped", "declined"), CheckResult(2, "v1", "skipped", "declined")]
    assert [fold(refused, {2: base}).ending for base in ("main", "v1")] == ["failure", "skipped"]
    assert fold([*refused, CheckResult(2, "main", "neutral", "reviewed")], {2: "main"}).ending == "neutral"


def test_a_base_branch_has_its_own_verdict() -> None:
    """Another base brings other settings: to go there and back loses nothing."""
    rows = [CheckResult(1, "main", "failure", "reviewed"), CheckResult(1, "v1", "neutral", "reviewed")]
    assert [fold(rows, {1: base}).ending for base in ("main", "v1", "main")] == ["failure", "neutral", "failure"]


def test_a_queue_that_was_stopped_counts_as_long_as_its_commit_is_there() -> None:
    """Whatever is reviewed with the same head, closed or not; whether it is open is not asked."""
    rows = [CheckResult(QUEUE, "", "failure", "reviewed"), CheckResult(2, "main", "success", "reviewed")]
    for now_open in ({}, {2: "main"}):
        state = fold(rows, now_open)
        assert (state.ending, state.blame) == ("failure", QUEUE)
    assert waits_for(rows, {}) == ()


@pytest.mark.parametrize(
    ("marks", "kept"), [(("A",), "A"), (("A", "B"), "B"), (("", "A"), ""), (("A", ""), ""), (("A", "", "B"), "")]
)
def test_a_head_is_left_out_by_rules_only_if_nothing_else_left_it_out(marks: tuple[str, ...], kept: str) -> None:
    """A pause, or a review that broke off, is not forgotten because a later event starts none by the owner's rules."""
    rows = [CheckResult(1, "main", "neutral", "declined", mark) for mark in marks]
    assert fold(rows, {1: "main"}).outcome((1, "main")).rules == kept
    assert fold([*rows, CheckResult(1, "main", "success", "reviewed")], {1: "main"}).outcome((1, "main")).rules == ""
