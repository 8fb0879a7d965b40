"""What counts for a commit: the worst truth of all that is open for it, whatever the order in which it came. Pure.

GitHub takes the newest check run of a name for a commit's answer, and several pull requests may have one commit as their head: against
other branches, with other settings. So each of our check runs on a commit shows what is worst for any of them. A state is made by
`fold` from what happened, oldest first; each transition returns a new one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Literal, TypeVar

from bot.values import Ending

Standing = Ending | Literal["pending"]  # pending: something open has no outcome of its own yet

BADNESS: tuple[Standing, ...] = (
    "success",
    "skipped",
    "neutral",
    "pending",
    "cancelled",
    "failure",
)  # a required check stops at the last three
Grade = TypeVar("Grade", bound=Standing)
How = Literal["reviewed", "declined", "broken"]
QUEUE = 0  # in the place of a pull request's number: a merge queue that was stopped at the commit
Place = tuple[int, str]  # a pull request by its number, and the base branch that its commit was compared with


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """What is known of one commit against one base branch.

    `last_ending`: the end of its last review. `without`: the worst of what came to no review since. `rules`: of the last of these, if all of them were left out by rules.
    """

    last_ending: Ending | None = None
    without: Ending | None = None
    rules: str = ""

    @property
    def ending(self) -> Ending | None:
        """The worst of both."""
        return worst((self.last_ending, self.without))


@dataclass(frozen=True, slots=True)
class CommitState:
    """One commit: what became of it in each place, and the pull requests that are open with it as their head.

    `unknown_pulls`: pull requests with a bad outcome of which nobody knows whether they are open.
    """

    outcomes: Mapping[Place, CommitOutcome] = field(default_factory=lambda: MappingProxyType({}))
    open: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))  # number -> base branch
    unknown_pulls: tuple[int, ...] = ()

    @property
    def ending(self) -> Standing | None:
        """What every check run on the commit has to show. None: nothing is open."""
        return worst(self.to_show(place) for place in self.open.items())

    @property
    def blame(self) -> int | None:
        """The pull request that brings the worst; of several the first."""
        return next((n for n, base in sorted(self.open.items()) if self.to_show((n, base)) == self.ending), None)

    def outcome(self, place: Place) -> CommitOutcome:
        """What is known of a place."""
        return self.outcomes.get(place, CommitOutcome())

    def to_show(self, place: Place) -> Standing:
        """What an open place brings: one without an outcome of its own is not reviewed.

        Until it is, the reviews of the same commit against the same branch count, those of closed pull requests too.
        """
        own = self.outcome(place)
        if own.last_ending is not None:
            return own.ending or "pending"
        others = (one.last_ending for (_, base), one in self.outcomes.items() if base == place[1])
        return worst((own.without or "pending", *others)) or "pending"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check run that came to its end, as it counts for its own pull request alone."""

    pull: int
    base: str
    ending: Ending
    how: How
    rules: str = ""  # by which its owner's own rules left it out: `policy.mark_of_rules`; empty: another reason, or an earlier version


def worst(endings: Iterable[Grade | None]) -> Grade | None:
    """The worst of these; None if there are none."""
    return max((one for one in endings if one is not None), key=BADNESS.index, default=None)


def with_open_pull(state: CommitState, pull: int, base: str) -> CommitState:
    """A pull request is open with this commit as its head: opened, opened again, or now against another branch."""
    return replace(state, open=MappingProxyType({**state.open, pull: base}))


def with_closed_pull(state: CommitState, pull: int) -> CommitState:
    """It is closed, or its head is another commit. What is known of it stays known."""
    return replace(state, open=MappingProxyType({n: base for n, base in state.open.items() if n != pull}))


def with_ending(state: CommitState, one: CheckResult) -> CommitState:
    """A check run ended.

    A review replaces what was known of its place. A review that was declined adds nothing to one that was made: the change is the same.
    One that was broken off makes it worse and never better.
    """
    place, outcome = (one.pull, one.base), state.outcome((one.pull, one.base))
    if one.how == "reviewed":
        outcome = CommitOutcome(one.ending)
    elif one.how == "broken" or outcome.last_ending is None:
        rules = one.rules if outcome.without is None or outcome.rules else ""  # another reason stays one
        outcome = replace(outcome, without=worst((outcome.without, one.ending)), rules=rules)
    return replace(state, outcomes=MappingProxyType({**state.outcomes, place: outcome}))


def fold(rows: Iterable[CheckResult], now_open: Mapping[int, str]) -> CommitState:
    """The state after these, oldest first, with what is open now. A queue that was stopped at the commit is never closed."""
    rows = tuple(rows)
    stopped_queue = {QUEUE: ""} if any(row.pull == QUEUE for row in rows) else {}
    return reduce(with_ending, rows, CommitState(open=MappingProxyType({**stopped_queue, **now_open})))


def waits_for(rows: Iterable[CheckResult], sure: Mapping[int, str]) -> tuple[int, ...]:
    """The pull requests that could make it worse than what is sure, the worst first: whether they are open has to be asked.

    `sure`: those that are known to be open. Any other may be open against a branch that it has no outcome for.
    """
    state = fold(rows, sure)
    least = BADNESS.index(state.ending) if state.ending is not None else -1
    bad: dict[int, int] = {}
    bases = {base for _, base in state.outcomes}
    for pull in {pull for pull, _ in state.outcomes} - sure.keys() - {QUEUE}:
        bad[pull] = max(BADNESS.index(one) for one in ("pending", *(state.to_show((pull, base)) for base in bases)))
    return tuple(
        sorted((pull for pull, badness in bad.items() if badness > least), key=lambda pull: (-bad[pull], pull))
    )
