"""Several plain calls on one diff, joined: the baseline that anything more expensive has to beat.

Equal findings are joined by the same model; what more of the readings have found stands first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from bot.findings.read import many, strict
from bot.values import SEVERITIES
from deeprepo.rlm.values import Message, Model, Prompt, Schema
from deeprepo_evals import words
from deeprepo_evals.results import Item, Run
from deeprepo_evals.reviews import judge
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview, Outcome

EXPERIMENT = "joined readings"
AT_COST = "plain calls at its cost"
MOST = 12  # readings that a dear review is compared with
OUTPUT_WEIGHT = 5  # of a token that a model writes, beside one that it reads, where there is no price
ANSWER_TOKENS = 2_048
GROUPS = Schema(
    name="groups",
    description="Hand in the groups.",
    parameters=strict(groups=many(many({"type": "integer"}), "the numbers of the findings that are about one issue")),
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The readings of one change that are joined under one name."""

    name: str
    readings: tuple[MeasuredReview, ...]

    @property
    def findings(self) -> list[tuple[int, MeasuredFinding]]:
        """All findings, each with the number of its reading."""
        return [(at, found) for at, reading in enumerate(self.readings) for found in reading.outcome.findings]

    def item(self, model: str) -> Item:
        """What the joining is found again by."""
        return {"model": model, "findings": [located(found) for _, found in self.findings]}


def several(count: int) -> str:
    """What the tables call so many plain calls."""
    return f"{count} plain calls"


def located(found: MeasuredFinding) -> str:
    """A finding with its place, as one text."""
    return f"{found.path}:{found.start}-{max(found.start, found.end)}: {found.text}"


def count_at_cost(reviews: Sequence[Outcome], readings: Sequence[Outcome]) -> int:
    """How many such readings cost what a review did. 0: it cost nothing."""
    outcomes = (*reviews, *readings)
    priced = all(one.usd is not None for one in outcomes) and any(one.usd for one in readings)
    costs = [float(one.usd or 0) if priced else float(one.input + OUTPUT_WEIGHT * one.output) for one in outcomes]
    review, reading = fmean(costs[: len(reviews)]), fmean(costs[len(reviews) :])
    return min(MOST, max(1, round(review / reading))) if review and reading else 0


async def join(
    bundles: Sequence[Bundle], model: Model, run: Run, quota: int, at_once: int
) -> tuple[list[MeasuredReview], tuple[str, ...]]:
    """The bundles as reviews; sentences about what is left open."""
    items = [bundle.item(model.name) for bundle in bundles if len(bundle.readings) > 1 and bundle.findings]
    went = await judge.ask(model, items, _prompt, run, at_once)
    groups = {_key(row.item): row.result for row in run.rows(items)}
    joined = [_joined(bundle, groups.get(_key(bundle.item(model.name)), {}), quota) for bundle in bundles]
    return joined, went.why


def _key(item: Item) -> tuple[str, ...]:
    return (item["model"], *item["findings"])


def _prompt(item: Item) -> Prompt:
    system = Message("system", words.text("published/join_system.md.j2"))
    asked = words.text("published/join.md.j2", findings=item["findings"])
    return Prompt((system, Message("user", asked)), answer=GROUPS, max_tokens=ANSWER_TOKENS)


def _joined(bundle: Bundle, answer: Mapping[str, Any], quota: int) -> MeasuredReview:
    """One telling of each group, the worst that was said of it; those that most readings have made first."""
    told = bundle.findings
    groups = _groups(answer.get("groups") or [], len(told))
    ranked = sorted(
        groups, key=lambda group: (-len({told[at][0] for at in group}), min(_rank(told[at][1]) for at in group), group)
    )
    best = [min((told[at][1] for at in group), key=_rank) for group in ranked]
    found = (replace(one, place="inline" if at < quota else "folded") for at, one in enumerate(best))
    outcomes = [reading.outcome for reading in bundle.readings]
    paid = [one.usd for one in outcomes] + [answer.get("usd", 0.0)]
    outcome = Outcome(
        findings=tuple(found),
        seconds=max(one.seconds for one in outcomes),
        calls=sum(one.calls for one in outcomes) + bool(answer),
        input=sum(one.input for one in outcomes),
        output=sum(one.output for one in outcomes),
        usd=None if None in paid else sum(filter(None, paid)),
        notes=tuple(dict.fromkeys(note for one in outcomes for note in one.notes)),
    )
    return MeasuredReview(bundle.readings[0].case, bundle.name, 1, outcome)


def _groups(answer: Sequence[Sequence[int]], count: int) -> list[list[int]]:
    """Groups of which each number is in exactly one, whatever a model answers."""
    left, groups = set(range(count)), list[list[int]]()
    for group in answer:
        mine = sorted(left.intersection(group))
        left.difference_update(mine)
        groups += [mine] if mine else []
    return groups + [[at] for at in sorted(left)]


def _rank(found: MeasuredFinding) -> int:
    return SEVERITIES.index(found.severity) if found.severity in SEVERITIES else len(SEVERITIES)
