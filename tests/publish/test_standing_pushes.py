"""What stands on each head of a pull request that is pushed to, whatever the order of pushes, refusals and reviews."""

import random
from dataclasses import dataclass, field, replace

import pytest
from families import few

from bot import config
from bot.config import Config, Settings, policy
from bot.config.policy import Go, No
from bot.publish.standing import CheckResult, fold
from bot.values import Ending
from bot.values.ask import PullRef, ReviewAsk, Trigger
from bot.values.host import PullFacts

GAMES = 10_000
PASSES = {"success", "skipped", "neutral"}
PULL = PullRef(7, 11, "acme", "shop", 1)
FACTS = PullFacts(
    "t", "", "author", "User", draft=False, state="open", merged=False, base_ref="main", base_sha="b" * 40, head_ref="feature",
    head_sha="a" * 40, fork=False, labels=(), url="", changed_files=1, additions=1, deletions=0, repository="acme/shop",
)  # fmt: skip
BARS = (
    "fail_on: high\n",
    "fail_on: high\nfail_also: []\n",
    "fail_on: high\nfail_also: [unreviewed, cut, dropped]\n",
    "",
)
TRIGGERS = (
    "",
    "triggers: {paths: ['shop/**']}\n",
    "triggers: {events: [opened, reopened, ready]}\n",
    "triggers: {skip_files: 5}\n",
    "triggers: {paths: ['shop/**'], events: [push]}\n",
)
BASES = ("main", "v1")


@dataclass
class Game:
    """One pull request, and by hand what its reviews have come to: base branch and ending, oldest first."""

    settings: Config
    facts: PullFacts = FACTS
    paths: tuple[str, ...] = ("shop/a.py",)
    rows: list[CheckResult] = field(default_factory=list)  # of the head
    reviews: list[tuple[str, Ending]] = field(default_factory=list)

    def last(self) -> Ending | None:
        """The worse of the last review and the last one against the branch that is its base now."""
        mine = [ending for base, ending in self.reviews if base == self.facts.base_ref]
        endings = {*mine[-1:], *(ending for _, ending in self.reviews[-1:])}
        return next((one for one in ("failure", "neutral", "success") if one in endings), None)  # type: ignore[return-value]

    def asked(self, trigger: Trigger, dice: random.Random) -> str:
        """What becomes of an event: a review, its breaking off, or a refusal; as the workflow goes about it."""
        conditions = self.settings.conditions
        last = self.last() if policy.asks_for_last(self.settings) else None
        decision: Go | No = policy.decide(self.facts, ReviewAsk(PULL, trigger), conditions, is_paused=False)
        if isinstance(decision, Go):
            decision = policy.decide_on_paths(self.paths, conditions, trigger)
        if isinstance(decision, No):
            ending = policy.ending_without_review(self.settings, decision.lacks, last)
            self.rows.append(CheckResult(1, self.facts.base_ref, ending, "declined"))
            return "declined"
        if dice.random() < 0.2:
            ending = policy.ending_without_review(self.settings, last=last)
            self.rows.append(CheckResult(1, self.facts.base_ref, ending, "broken"))
            return "broken"
        ending = dice.choice(
            ("success", "neutral", "failure") if policy.has_bar(self.settings) else ("success", "neutral")
        )
        self.rows.append(CheckResult(1, self.facts.base_ref, ending, "reviewed"))
        self.reviews.append((self.facts.base_ref, ending))
        return "reviewed"


def played(dice: random.Random) -> None:
    """One game: up to 20 events, of which some are declined by their files, their kind, a draft or their size."""
    text = dice.choice(BARS) + dice.choice(TRIGGERS)
    game = Game(config.resolve({}, text.encode(), Settings()))
    events: list[str] = []
    for at in range(dice.randint(2, 20)):
        event = (
            "opened"
            if not at
            else dice.choice(("push", "push", "push", "draft", "ready", "reopened", "retarget", "command"))
        )
        trigger: Trigger = event if event in ("opened", "ready", "reopened", "command") else "push"  # type: ignore[assignment]
        if event == "push":
            game.rows = []
            game.paths = dice.choice((("shop/a.py",), ("README.md",), ("lib/a.py", "README.md")))
            game.facts = replace(game.facts, changed_files=dice.choice((1, 1, 9)))
        if event in ("draft", "ready"):
            game.facts = replace(game.facts, draft=event == "draft")
        if event == "retarget":
            game.facts = replace(game.facts, base_ref=dice.choice(BASES))
        before = game.last()
        events.append(f"{event}: {game.asked(trigger, dice)}")
        state = fold(game.rows, {1: game.facts.base_ref})
        has_own = any(row.how == "reviewed" and row.base == game.facts.base_ref for row in game.rows)
        if policy.has_bar(game.settings) and before == "failure" and not has_own:  # this head was not reviewed
            assert state.ending not in PASSES, (text, events)
        if events[-1].endswith("reviewed"):  # it closes what was open, and what a push before it was declined for
            assert state.ending == game.reviews[-1][1], (text, events)


@pytest.mark.parametrize("games", few([GAMES // 20, GAMES], 0))
def test_no_push_without_a_review_makes_a_failed_check_pass(games: int) -> None:
    """Declined by `triggers.paths`, `events`, a draft or its size, or broken off, whatever `fail_also` says: what the last review left open decides."""
    dice = random.Random(20261123)  # noqa: S311 - a game
    for _ in range(games):
        played(dice)
