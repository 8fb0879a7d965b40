"""Cache confirmations, which may be requested several times in a review."""

from collections.abc import Sequence

from bot.errors import DeepRepoError
from bot.findings import joint_opinions
from bot.findings.joint_opinions import Request
from bot.findings.verify import OpinionQuestion, Send
from deeprepo.rlm.values import Completion, Prompt

Reply = Completion | DeepRepoError


class Opinions:
    """The confirmations of one review.

    If a finding changes, its prompt changes, and it is confirmed again.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._given: dict[str, Completion] = {}

    async def answers(self, questions: Sequence[OpinionQuestion]) -> Sequence[Reply]:
        """Answer each question. A failed one is asked again."""
        new = {text: question for question in questions if (text := _text(question.prompt)) not in self._given}
        requests = joint_opinions.requests([*new.values()])
        replies = await self._ask(requests)
        joint = [question for request in requests if len(request) > 1 for question in request]
        left_out = [(question,) for question in joint if joint_opinions.is_left_out(replies[_text(question.prompt)])]
        replies |= await self._ask(left_out)
        self._given.update({text: reply for text, reply in replies.items() if isinstance(reply, Completion)})
        return [
            self._given[text] if (text := _text(question.prompt)) in self._given else replies[text]
            for question in questions
        ]

    async def _ask(self, requests: Sequence[Request]) -> dict[str, Reply]:
        """Return the answer about each claim in these requests, by the text of its own prompt."""
        shown = [[excerpt for question in request for excerpt in question.excerpts] for request in requests]
        answers = await self._send([joint_opinions.prompt(each) for each in requests], shown) if requests else ()
        return {
            _text(question.prompt): own
            for request, reply in zip(requests, answers, strict=True)
            for question, own in zip(request, joint_opinions.replies(request, reply), strict=True)
        }


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
