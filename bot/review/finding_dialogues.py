"""The dialogues of a batch of prompts: a finder is asked twice at most, with the code that it wants to see and for what is vague."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bot import render
from bot.context import look_ups
from bot.errors import DeepRepoError, PromptTooLong
from bot.findings import issues, read
from bot.review import dialogues
from bot.review.coverage import CoverageTracker
from bot.review.dialogues import Dialogues
from bot.review.prompts import SentPrompt
from bot.review.session import WorkerReply
from bot.values import Completion, Finding, LookUp, Source, Usage

NO_REPLY = Completion("", Usage())


@dataclass(frozen=True, slots=True)
class Answered:
    """A prompt with its first answer."""

    asked: SentPrompt
    said: WorkerReply
    reply: Completion

    @property
    def wanted(self) -> tuple[LookUp, ...]:
        """What its reader wants to see."""
        return dialogues.wishes(self.asked.prompt, self.reply)


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
        offered = [asked.prompt.answer for asked in sent if not asked.diff_only]
        self._early = all(answer is not None and answer.final is not None for answer in offered)
        self._together = self._early and len(offered) < len(sent)
        return self._go_on if self._early else None

    async def answers(self, replies: Sequence[Completion | DeepRepoError]) -> list[WorkerReply | PromptTooLong]:
        """The last answers, in the order of the prompts."""
        for at, reply in enumerate(replies):
            if at not in self._tasks:
                self._go_on(at, reply)
        answers = list(await asyncio.gather(*(self._tasks[at] for at in range(len(replies)))))
        found = [one for said in answers if isinstance(said, WorkerReply) for one in said.findings]
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
        self, asked: SentPrompt, reply: Completion | DeepRepoError, *, early: bool
    ) -> WorkerReply | PromptTooLong:
        """The last answer of a dialogue. A finder is asked once more at most: with the code that it wants to see, and for what is vague."""
        said = self._read(asked, reply)
        if isinstance(said, PromptTooLong):
            return said
        one = Answered(asked, said, reply if isinstance(reply, Completion) and not said.error else NO_REPLY)
        if one.wanted or any(map(_vague, said.findings)):
            second = await self._further(one)
            (answer,) = await self._dialogues.sent([second.prompt])
            said = self._finished(one, self._read(second, answer))
        if early and said.findings:
            self._heard(said.findings)
        return said

    def _read(self, asked: SentPrompt, reply: Completion | DeepRepoError) -> WorkerReply | PromptTooLong:
        """The answer of one prompt; what was answered is marked as read."""
        if isinstance(reply, PromptTooLong):
            return reply
        if not isinstance(reply, Completion):
            return WorkerReply("", error=str(reply))
        try:
            text, found = read.answer(reply.data, self._source)
        except DeepRepoError as error:
            return WorkerReply("", error=str(error))
        if not asked.diff_only:
            told = (message.text for message in asked.prompt.messages if message.role == "user")
            self._tracker.saw(asked.seen, str(self._source), beside="\n".join(told))
        whole = asked.walkthrough == "whole"
        said = read.reader_notes(reply.data, whole=whole) if asked.walkthrough != "none" else None
        about = issues.reports(reply.data, asked.issues)
        return WorkerReply(text, found, open=read.open_suspicions(reply.data), told=said, issues=about)

    async def _further(self, one: Answered) -> SentPrompt:
        """What a finder is asked after its first answer."""
        vague = [finding for finding in one.said.findings if _vague(finding)]
        if one.wanted:
            shown = await self._dialogues.shown(one.wanted)
            prompt = dialogues.further(one.asked.prompt, one.reply, shown, vague)
            return replace(one.asked, prompt=prompt, seen=look_ups.text(shown))
        again = render.text("prompts/worker_again.md.j2", findings=vague)
        return replace(one.asked, prompt=one.asked.prompt.further(one.reply, again))

    def _finished(self, one: Answered, second: WorkerReply | PromptTooLong) -> WorkerReply:
        """What both answers come to."""
        first = one.said
        failed = str(second) if isinstance(second, PromptTooLong) else second.error
        if isinstance(second, PromptTooLong) or second.error:
            # Its findings stay as they are: a second opinion must find the trigger then.
            lost = f"{self._dialogues.model.name} asked to see more code and gave no answer after that: {failed}"
            return replace(first, error=lost if one.wanted else "", open=(lost,) if one.wanted else first.open)
        kept = [finding for finding in second.findings if not _vague(finding)]
        if one.wanted:  # what the last answer does not repeat is withdrawn
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
