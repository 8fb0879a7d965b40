"""Ask for confirmations, and cache them, since they may be requested several times in a review."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.errors import DeepRepoError
from bot.findings import joint_opinions, verify
from bot.findings.joint_opinions import Request
from bot.findings.verify import OpinionQuestion, Precedents, Send, SendAndShow, is_confirmation
from bot.values import Excerpt, Finding, Verdict
from deeprepo.rlm.values import Completion, Prompt

Reply = Completion | DeepRepoError


class Opinions:
    """The confirmations of one review.

    If a finding changes, its prompt changes, and it is confirmed again.
    """

    def __init__(
        self,
        send: Send,
        quick: SendAndShow | None = None,
        is_for_quick: Callable[[Finding, Precedents], bool] = lambda _finding, _precedents: False,
    ) -> None:
        """Set who is asked.

        - `send`: asks the model whose verdict counts
        - `quick`: asks a cheaper model, which may only confirm. `send` is asked about the serious findings that it
          doesn't confirm, and sees the code that it looked up.
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
        looked_up = await self._ask_quick(begun)
        open_questions = {text: question for text, question in new.items() if text not in self._given}
        replies = await self._ask_again(open_questions, looked_up)
        self._given.update({text: reply for text, reply in replies.items() if isinstance(reply, Completion)})
        return [
            self._given[text] if (text := _text(question.prompt)) in self._given else replies[text]
            for question in questions
        ]

    async def _ask_quick(self, questions: Sequence[OpinionQuestion]) -> dict[str, Sequence[Excerpt]]:
        """Ask the cheaper model, and keep its answers that are final.

        Returns the code that it looked up for the other questions, by the text of their prompts.
        """
        looked_up = dict[str, Sequence[Excerpt]]()
        if self._quick is None or not questions:
            return looked_up
        requests = joint_opinions.requests(questions)
        answers = await self._quick([joint_opinions.prompt(each) for each in requests], _shown(requests))
        for request, (answer, code) in zip(requests, answers, strict=True):
            for question, reply in zip(request, joint_opinions.replies(request, answer), strict=True):
                text, is_open = _text(question.prompt), True
                if isinstance(reply, Completion) and verify.verdict_of(reply.data) is not None:
                    is_open = question.finding.serious and not is_confirmation(reply.data)
                    self._given |= {} if is_open else {text: _at_most_confirmed(reply)}
                looked_up |= {text: code} if is_open else {}
        return looked_up

    async def _ask_again(
        self, questions: dict[str, OpinionQuestion], looked_up: dict[str, Sequence[Excerpt]]
    ) -> dict[str, Reply]:
        """Ask the model whose verdict counts, and show it the code that was looked up."""
        texts: dict[int, str] = {}
        asked = list[OpinionQuestion]()
        for text, question in questions.items():
            code = looked_up.get(text, ())
            asked.append(verify.with_code(question, code) if code else question)
            texts[id(asked[-1])] = text
        requests = joint_opinions.requests(asked)
        replies = await self._ask(requests)
        joint = [question for request in requests if len(request) > 1 for question in request]
        left_out = [(one,) for one in joint if joint_opinions.is_left_out(replies[id(one)])]
        replies |= await self._ask(left_out)
        return {texts[key]: reply for key, reply in replies.items()}

    async def _ask(self, requests: Sequence[Request]) -> dict[int, Reply]:
        """Return the answer to each question in these requests, by the question's identity."""
        prompts = [joint_opinions.prompt(each) for each in requests]
        answers = await self._send(prompts, _shown(requests)) if requests else ()
        return {
            id(question): own
            for request, reply in zip(requests, answers, strict=True)
            for question, own in zip(request, joint_opinions.replies(request, reply), strict=True)
        }


def _shown(requests: Sequence[Request]) -> list[list[Excerpt]]:
    """Return the code in the prompt of each request."""
    return [[excerpt for question in request for excerpt in question.excerpts] for request in requests]


def _at_most_confirmed(reply: Completion) -> Completion:
    """Return a cheaper model's answer, with a refutation as an open verdict, since it may only confirm."""
    if verify.verdict_of(reply.data) is Verdict.CONFIRMED:
        return reply
    return replace(reply, data={**(reply.data or {}), "verdict": Verdict.UNPROVEN.value})


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
