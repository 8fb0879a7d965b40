"""Ask for confirmations, and cache them, since they may be requested several times in a review."""

from collections.abc import Callable, Sequence

from bot.errors import DeepRepoError
from bot.findings import joint_opinions
from bot.findings.joint_opinions import Request
from bot.findings.verify import OpinionQuestion, Precedents, Send, is_confirmation
from bot.values import Finding
from deeprepo.rlm.values import Completion, Prompt

Reply = Completion | DeepRepoError


class Opinions:
    """The confirmations of one review.

    If a finding changes, its prompt changes, and it is confirmed again.
    """

    def __init__(
        self,
        send: Send,
        quick: Send | None = None,
        is_for_quick: Callable[[Finding, Precedents], bool] = lambda _finding, _precedents: False,
    ) -> None:
        """Set who is asked.

        - `send`: asks the model whose verdict counts
        - `quick`: asks a cheaper model, which may only confirm. `send` is asked about what it doesn't confirm.
        - `is_for_quick`: whether the cheaper model is asked about a finding first
        """
        self._send, self._quick, self._is_for_quick = send, quick, is_for_quick
        self._given: dict[str, Completion] = {}

    def asks_quick_first(self, finding: Finding, precedents: Precedents) -> bool:
        """Return whether a cheaper model is asked about a finding first."""
        return self._quick is not None and self._is_for_quick(finding, precedents)

    async def answers(self, questions: Sequence[OpinionQuestion]) -> Sequence[Reply]:
        """Answer each question. A failed one is asked again."""
        new = {text: question for question in questions if (text := _text(question.prompt)) not in self._given}
        begun = [one for one in new.values() if self.asks_quick_first(one.finding, one.precedents)]
        if self._quick is not None and begun:
            quick_replies = await self._ask(joint_opinions.requests(begun), self._quick)
            confirmed = {
                text: r for text, r in quick_replies.items() if isinstance(r, Completion) and is_confirmation(r.data)
            }
            self._given.update(confirmed)
            new = {text: question for text, question in new.items() if text not in confirmed}
        requests = joint_opinions.requests([*new.values()])
        replies = await self._ask(requests, self._send)
        joint = [question for request in requests if len(request) > 1 for question in request]
        left_out = [(question,) for question in joint if joint_opinions.is_left_out(replies[_text(question.prompt)])]
        replies |= await self._ask(left_out, self._send)
        self._given.update({text: reply for text, reply in replies.items() if isinstance(reply, Completion)})
        return [
            self._given[text] if (text := _text(question.prompt)) in self._given else replies[text]
            for question in questions
        ]

    async def _ask(self, requests: Sequence[Request], send: Send) -> dict[str, Reply]:
        """Return the answer about each finding in these requests, by the text of its prompt."""
        shown = [[excerpt for question in request for excerpt in question.excerpts] for request in requests]
        answers = await send([joint_opinions.prompt(each) for each in requests], shown) if requests else ()
        return {
            _text(question.prompt): own
            for request, reply in zip(requests, answers, strict=True)
            for question, own in zip(request, joint_opinions.replies(request, reply), strict=True)
        }


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
