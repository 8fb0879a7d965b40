"""The dialogues of a batch of prompts: a finder is asked twice at most, with the code that it wants to see and for what is vague."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bot import render
from bot.context import look_ups
from bot.errors import DeepRepoError, PromptTooLong
from bot.findings import issues, quotes, read
from bot.review import dialogues
from bot.review.coverage import CoverageTracker
from bot.review.dialogues import Dialogues
from bot.review.prompts import SentPrompt
from bot.review.session import WorkerReply
from bot.values import Completion, Finding, LookUp, Source, Unit, Usage

NO_REPLY = Completion("", Usage())


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """A prompt with its first answer, as it came and as it was read."""

    prompt: SentPrompt
    answer: WorkerReply
    completion: Completion

    @property
    def look_ups(self) -> tuple[LookUp, ...]:
        """What its reader wants to see."""
        return dialogues.wishes(self.prompt.prompt, self.completion)


class FindingDialogues:
    """The dialogues of one batch, each with its last answer.

    If the budget holds a second call for every one of them, each goes on as soon as its first answer is there; else all first
    answers come first. What was offered decides that, so a resumed review and a replay do as the first run did.

    With a reader of the diff alone most defects are found twice, so second opinions wait until all findings are together.
    """

    def __init__(
        self, dialogues: Dialogues, source: Source, tracker: CoverageTracker, heard: Callable[[Sequence[Finding]], None]
    ) -> None:
        self._dialogues, self._source, self._tracker, self._heard = dialogues, source, tracker, heard
        self._sent: Sequence[SentPrompt] = ()
        self._early = self._together = False
        self._tasks: dict[int, asyncio.Task[WorkerReply | PromptTooLong]] = {}

    def begin_with(self, sent: Sequence[SentPrompt]) -> Callable[[int, Completion | DeepRepoError], None] | None:
        """Take the prompts as they are sent. Returns who hears a first answer at once; None if nobody does."""
        self._sent = sent
        offered = [prompt.prompt.answer for prompt in sent if not prompt.diff_only]
        self._early = all(answer is not None and answer.final is not None for answer in offered)
        self._together = self._early and len(offered) < len(sent)
        return self._go_on if self._early else None

    async def answers(self, replies: Sequence[Completion | DeepRepoError]) -> list[WorkerReply | PromptTooLong]:
        """The last answers, in the order of the prompts."""
        for at, reply in enumerate(replies):
            if at not in self._tasks:
                self._go_on(at, reply)
        answers = list(await asyncio.gather(*(self._tasks[at] for at in range(len(replies)))))
        found = [one for answer in answers if isinstance(answer, WorkerReply) for one in answer.findings]
        if self._together and found:
            self._heard(found)
        return answers

    def _go_on(self, at: int, reply: Completion | DeepRepoError) -> None:
        self._tasks[at] = asyncio.create_task(
            self._last(self._sent[at], reply, early=self._early and not self._together)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _last(
        self, prompt: SentPrompt, reply: Completion | DeepRepoError, *, early: bool
    ) -> WorkerReply | PromptTooLong:
        """The last answer of a dialogue. A finder is asked once more at most: with the code that it wants to see, and for what is vague."""
        answer = self._read(prompt, reply)
        if isinstance(answer, PromptTooLong):
            return answer
        readable = isinstance(reply, Completion) and not answer.error
        first = FirstAnswer(prompt, answer, reply if isinstance(reply, Completion) and readable else NO_REPLY)
        if first.look_ups or any(map(_vague, answer.findings)):
            second = await self._further(first)
            (last,) = await self._dialogues.sent([second.prompt])
            answer = self._finished(first, self._read(second, last))
        if early and answer.findings:
            self._heard(answer.findings)
        return answer

    def _read(self, prompt: SentPrompt, reply: Completion | DeepRepoError) -> WorkerReply | PromptTooLong:
        """The answer of one prompt; what was answered is marked as read."""
        if isinstance(reply, PromptTooLong):
            return reply
        if not isinstance(reply, Completion):
            return WorkerReply("", error=str(reply))
        try:
            text, found = read.answer(reply.data, self._source)
        except DeepRepoError as error:
            return WorkerReply("", error=str(error))
        if not prompt.diff_only:
            shown = (message.text for message in prompt.prompt.messages if message.role == "user")
            self._tracker.saw(prompt.seen, str(self._source), beside="\n".join(shown))
        whole = prompt.walkthrough == "whole"
        notes = read.told(reply.data, whole=whole) if prompt.walkthrough != "none" else None
        about = issues.reports(reply.data, prompt.issues)
        units = prompt.units or tuple(self._tracker.units.values())
        findings = tuple(_placed(finding, units) for finding in found)
        return WorkerReply(text, findings, open=read.unsettled(reply.data), told=notes, issues=about)

    async def _further(self, first: FirstAnswer) -> SentPrompt:
        """What a finder is asked after its first answer."""
        vague = [finding for finding in first.answer.findings if _vague(finding)]
        sent = first.prompt
        if first.look_ups:
            shown = await self._dialogues.shown(first.look_ups)
            prompt = dialogues.further(sent.prompt, first.completion, shown, vague)
            return replace(sent, prompt=prompt, seen=look_ups.text(shown))
        again = render.text("prompts/worker_again.md.j2", findings=vague)
        return replace(sent, prompt=sent.prompt.further(first.completion, again))

    def _finished(self, dialogue: FirstAnswer, second: WorkerReply | PromptTooLong) -> WorkerReply:
        """What both answers come to."""
        first, asked_more = dialogue.answer, bool(dialogue.look_ups)
        failed = str(second) if isinstance(second, PromptTooLong) else second.error
        if isinstance(second, PromptTooLong) or second.error:
            # Its findings stay as they are: a second opinion must find the trigger then.
            lost = f"{self._dialogues.model.name} asked to see more code and gave no answer after that: {failed}"
            return replace(first, error=lost if asked_more else "", open=(lost,) if asked_more else first.open)
        kept = [finding for finding in second.findings if not _vague(finding)]
        if asked_more:  # what the last answer does not repeat is withdrawn
            return replace(
                second,
                text=second.text or first.text,
                findings=tuple(kept),
                dropped=len(second.findings) - len(kept),
                told=second.told or first.told,
                issues=second.issues or first.issues,
            )
        whole = [finding for finding in first.findings if not _vague(finding)]
        vague = len(first.findings) - len(whole)
        dropped = vague - len(kept[:vague])
        return replace(first, findings=(*whole, *kept[:vague]), error="", dropped=dropped)


def _vague(finding: Finding) -> bool:
    """Whether a finding leaves open when it happens or whom it hurts."""
    return not finding.trigger.strip() or not finding.consequence.strip()


def _placed(finding: Finding, units: Iterable[Unit]) -> Finding:
    """The finding with the line of its quote in what its reader judged: a quote such as `return None` occurs more than once in a file."""
    rows = (row for unit in units if unit.path == finding.path for row in unit.rows)
    return finding if finding.start else replace(finding, start=quotes.first_line(finding.quote, rows))
