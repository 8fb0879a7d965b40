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
        is_worth_more: Callable[[Finding, Precedents], bool] = lambda _finding, _precedents: True,
    ) -> None:
        """Set who is asked.

        - `send`: asks the model whose verdict counts
        - `quick`: asks a cheaper model first. It may confirm what the root's model reports, and refute what only it
          reports itself. `send` is asked about the other serious findings, and sees the code that it looked up.
        - `is_for_quick`: whether the cheaper model is asked about a finding
        - `is_worth_more`: whether `send` may be asked about a serious finding that the cheaper model leaves open
        """
        self._send, self._quick = send, quick
        self._is_for_quick, self._is_worth_more = is_for_quick, is_worth_more
        self._given: dict[str, Completion] = {}

    def may_confirm_quickly(self, finding: Finding, precedents: Precedents) -> bool:
        """Return whether a cheaper model may confirm a finding."""
        return self._quick is not None and finding.basis.is_from_root and self._is_for_quick(finding, precedents)

    async def answers(self, questions: Sequence[OpinionQuestion]) -> Sequence[Reply]:
        """Answer each question. A failed one is asked again."""
        new = {text: question for question in questions if (text := _text(question.prompt)) not in self._given}
        looked_up = await self._ask_quick(
            [one for one in new.values() if self._is_for_quick(one.finding, one.precedents)]
        )
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
        if self._quick is None or not questions:
            return {}
        requests = joint_opinions.requests(questions)
        answers = await self._quick([joint_opinions.prompt(each) for each in requests], _shown(requests))
        given, waiting = dict[str, Completion](), dict[str, Completion]()
        looked_up = dict[str, Sequence[Excerpt]]()
        is_call_made = False  # whether the other model is asked about a serious finding
        confirmed = set[str]()  # fingerprints of findings that the cheaper model has confirmed
        for request, (answer, code) in zip(requests, answers, strict=True):
            for question, reply in zip(request, joint_opinions.replies(request, answer), strict=True):
                text, finding = _text(question.prompt), question.finding
                looked_up[text] = code
                if not isinstance(reply, Completion) or verify.verdict_of(reply.data) is None:
                    is_call_made = True
                    continue
                data = reply.data or {}
                is_settled = _is_settled(finding, reply) or data.get("same_as") in confirmed
                confirmed |= {finding.fingerprint} if is_settled and is_confirmation(data) else set()
                is_call_made |= self._needs_more(question) and not is_settled
                (given if is_settled else waiting)[text] = reply
        for question in questions:
            text, finding = _text(question.prompt), question.finding
            may_join = is_call_made and not finding.basis.is_from_root
            if text in waiting and not (self._needs_more(question) or may_join):
                given[text] = _undecided(waiting[text])
        self._given |= given
        return {text: code for text, code in looked_up.items() if text not in given}

    def _needs_more(self, question: OpinionQuestion) -> bool:
        """Return whether the other model is asked about what the cheaper one left open."""
        return question.finding.serious and self._is_worth_more(question.finding, question.precedents)

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


def _is_settled(finding: Finding, reply: Completion) -> bool:
    """Return whether a cheaper model's verdict is final.

    It may confirm what the root's model reports. It may refute or leave open what only its own passes report, since
    no model confirms its own findings.
    """
    return is_confirmation(reply.data) == finding.basis.is_from_root


def _undecided(reply: Completion) -> Completion:
    """Return an answer as an open verdict with the same reason."""
    return replace(reply, data={**(reply.data or {}), "verdict": Verdict.UNPROVEN.value})


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
