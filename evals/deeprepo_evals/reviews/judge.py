"""A judge: a model that says whether a finding describes a labelled defect.

The judge alone can move a score by several points, so two of different vendors may be asked: a difference that only one of them
sees does not count.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.errors import DeepRepoError
from bot.findings.read import strict, text
from bot.secrets.masking import Masks
from deeprepo.rlm.errors import BadAnswer, ProviderError
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Limits, Message, Model, Prompt, Schema
from deeprepo_evals import results, words
from deeprepo_evals.results import Item, Run
from deeprepo_evals.reviews.cases import Defect, near
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview

Reply = Callable[[Calls, Item], Awaitable[Completion | DeepRepoError]]
EXPERIMENT = "judgements"
ANSWER_TOKENS = 1_024
SAME = Schema(
    name="same",
    description="Say whether the finding and the known problem are the same.",
    parameters=strict(
        reason=text("one sentence"),
        same={"type": "boolean", "description": "whether both describe the same underlying problem"},
    ),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One finding beside one known defect of the same case."""

    defect: str
    finding: str

    def item(self, judge: str) -> Item:
        """What a judgement is found again by."""
        return {"judge": judge, "defect": self.defect, "finding": self.finding}


def is_at(finding: MeasuredFinding, defect: Defect) -> bool:
    """Whether a finding is at the defect: the right file, near its lines. A defect without lines is anywhere."""
    return not defect.spans or near(finding.path, finding.start, finding.end, defect.spans)


def pair(finding: MeasuredFinding, defect: Defect) -> Pair:
    """A finding beside a defect."""
    return Pair(defect.description, finding.text)


def pairs(rows: Iterable[MeasuredReview]) -> tuple[Pair, ...]:
    """Every finding at the place of a defect, each pair once: what a judge has to be asked."""
    found = [
        pair(said, defect)
        for row in rows
        for defect in row.case.defects
        for said in row.outcome.findings
        if is_at(said, defect)
    ]
    return tuple(dict.fromkeys(found))


async def ask(
    model: Model, items: Sequence[Item], prompt: Callable[[Item], Prompt], run: Run, at_once: int = 8
) -> results.Outcome:
    """Ask what is not answered yet; each judgement is kept as it comes. An answer that cannot be used is kept as none."""

    async def once(calls: Calls, item: Item) -> Completion | DeepRepoError:
        return (await calls.many(model, [prompt(item)], "worker"))[0]

    return await settle(model, items, once, run, at_once)


async def settle(model: Model, items: Sequence[Item], reply_to: Reply, run: Run, at_once: int = 8) -> results.Outcome:
    """Do the same with a dialogue of one's own about each item."""
    calls = Calls(Budget(Limits(usd=None, tokens=None, calls=None, seconds=None)), Journal(), Masks())

    async def one(item: Item) -> Mapping[str, Any]:
        reply = await reply_to(calls, item)
        if isinstance(reply, BadAnswer):
            return {"same": None, "reason": str(reply), "usd": None}
        if not isinstance(reply, Completion):
            raise ProviderError(str(reply)) from reply
        return {"same": None, **(reply.data or {}), "usd": model.price(reply.usage)}

    return await results.carry_out(run, items, one, at_once=at_once)


def question(item: Item) -> Prompt:
    """The prompt about a pair, in our own words."""
    system = Message("system", words.text("reviews/judge_system.md.j2"))
    asked = words.text("reviews/judge.md.j2", defect=item["defect"], finding=item["finding"])
    return Prompt((system, Message("user", asked)), answer=SAME, max_tokens=ANSWER_TOKENS)


@dataclass(frozen=True, slots=True)
class JudgeAnswers:
    """The judgements of one judge."""

    name: str
    verdicts: Mapping[Pair, bool | None]

    def same(self, finding: MeasuredFinding, defect: Defect) -> bool:
        """Whether it holds the finding for the defect. What it gave no usable answer on counts as no."""
        return self.verdicts.get(pair(finding, defect)) is True


def judges(rows: Iterable[results.Row], judge: str = "") -> tuple[JudgeAnswers, ...]:
    """The judges of finished rows, or the named one."""
    found: dict[str, dict[Pair, bool | None]] = {}
    for row in rows:
        if row.experiment == EXPERIMENT and judge in ("", row.item["judge"]):
            known = found.setdefault(row.item["judge"], {})
            known[Pair(row.item["defect"], row.item["finding"])] = row.result["same"]
    return tuple(JudgeAnswers(name, verdicts) for name, verdicts in found.items())
