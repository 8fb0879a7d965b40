"""Choose which model confirms a finding.

Below effort `high`, the worker's model is asked first. It may confirm what the root's model reports, and refute
what only its own passes report, since no model confirms its own findings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.findings import verify
from bot.findings.verify import OpinionQuestion, Precedents
from bot.review.dialogues import Dialogues, Reply
from bot.values import Finding, Verdict
from deeprepo.rlm.values import Completion

Decides = Callable[[Finding, Precedents], bool]


@dataclass(frozen=True, slots=True)
class Opinions:
    """Asks for confirmations."""

    judge: Dialogues  # the model whose verdict counts
    quick: Dialogues | None  # a cheaper model that is asked first
    is_for_quick: Decides
    is_worth_more: Decides  # whether the judge is asked about a serious finding that the cheaper model leaves open

    def may_confirm_quickly(self, finding: Finding, precedents: Precedents) -> bool:
        """Return whether a cheaper model may confirm a finding."""
        return self.quick is not None and finding.basis.is_from_root and self.is_for_quick(finding, precedents)

    async def answers(self, questions: Sequence[OpinionQuestion]) -> list[Reply]:
        """Answer each question."""
        replies = dict[int, Reply]()
        if self.quick is not None:
            asked = [at for at, one in enumerate(questions) if self.is_for_quick(one.finding, one.precedents)]
            for at, reply in zip(asked, await _ask(self.quick, [questions[at] for at in asked]), strict=True):
                settled = self._settled(questions[at], reply)
                replies |= {at: settled} if settled is not None else {}
        left = [at for at in range(len(questions)) if at not in replies]
        replies |= zip(left, await _ask(self.judge, [questions[at] for at in left]), strict=True)
        return [replies[at] for at in range(len(questions))]

    def _settled(self, question: OpinionQuestion, reply: Reply) -> Reply | None:
        """Return the cheaper model's answer if the judge need not be asked, else None."""
        if not isinstance(reply, Completion) or verify.verdict_of(reply.data) is None:
            return None
        finding = question.finding
        if verify.is_confirmation(reply.data) == finding.basis.is_from_root:
            return reply
        if finding.serious and self.is_worth_more(finding, question.precedents):
            return None
        return replace(reply, data={**(reply.data or {}), "verdict": Verdict.UNPROVEN.value})


async def _ask(model: Dialogues, questions: Sequence[OpinionQuestion]) -> list[Reply]:
    return await model.answers([one.prompt for one in questions], [one.excerpts for one in questions])
