"""Run the dialogues of a batch of prompts.

Each model pass gets at most one further call, for code that it requests and for vague findings.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bot import render
from bot.errors import DeepRepoError
from bot.findings import issues, quotes, read
from bot.review import dialogues
from bot.review.context import look_ups
from bot.review.coverage import CoverageTracker
from bot.review.dialogues import Dialogues
from bot.review.prompts import SentPrompt
from bot.review.session import WorkerReply
from bot.values import Finding, LookUp, ReaderNotes, Source, Unit
from deeprepo.rlm.errors import PromptTooLong
from deeprepo.rlm.values import Completion, Usage

NO_REPLY = Completion("", Usage())


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """A prompt with its first answer."""

    sent_prompt: SentPrompt
    worker_reply: WorkerReply
    reply: Completion

    @property
    def look_ups(self) -> tuple[LookUp, ...]:
        """The code that the model requested."""
        return dialogues.wishes(self.sent_prompt.prompt, self.reply)


class FindingDialogues:
    """Run one batch of dialogues, each up to its last answer.

    If the budget covers a second call for all of them, each dialogue continues as soon as its first answer
    arrives. Otherwise, all first answers come first. This depends only on what was offered, so a resumed
    review behaves like the first run.
    """

    def __init__(self, dialogues: Dialogues, source: Source, tracker: CoverageTracker) -> None:
        self._dialogues, self._source, self._tracker = dialogues, source, tracker
        self._sent: Sequence[SentPrompt] = ()
        self._tasks: dict[int, asyncio.Task[WorkerReply | PromptTooLong]] = {}

    def begin_with(
        self, sent_prompts: Sequence[SentPrompt]
    ) -> Callable[[int, Completion | DeepRepoError], None] | None:
        """Take the prompts that are sent.

        Return the function to call with each first answer as it arrives, or None.
        """
        self._sent = sent_prompts
        schemas = [sent_prompt.prompt.answer for sent_prompt in sent_prompts]
        return (
            self._start_last_answer
            if all(answer is not None and answer.final is not None for answer in schemas)
            else None
        )

    async def answers(self, replies: Sequence[Completion | DeepRepoError]) -> list[WorkerReply | PromptTooLong]:
        """Ask all prompts and return their last answers, in the same order."""
        for at, reply in enumerate(replies):
            if at not in self._tasks:
                self._start_last_answer(at, reply)
        return list(await asyncio.gather(*(self._tasks[index] for index in range(len(replies)))))

    def _start_last_answer(self, at: int, reply: Completion | DeepRepoError) -> None:
        self._tasks[at] = asyncio.create_task(self._last(self._sent[at], reply))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _last(self, sent_prompt: SentPrompt, reply: Completion | DeepRepoError) -> WorkerReply | PromptTooLong:
        """Return a dialogue's last answer, after at most one more call for code and vague findings."""
        worker_reply = self._read(sent_prompt, reply)
        if isinstance(worker_reply, PromptTooLong):
            return worker_reply
        first_answer = FirstAnswer(
            sent_prompt, worker_reply, reply if isinstance(reply, Completion) and not worker_reply.error else NO_REPLY
        )
        if first_answer.look_ups or any(map(_vague, worker_reply.findings)):
            second = await self._further(first_answer)
            (answer,) = await self._dialogues.send([second.prompt])
            worker_reply = self._finish(first_answer, self._read(second, answer, is_second=True))
        return worker_reply

    def _read(
        self, sent_prompt: SentPrompt, reply: Completion | DeepRepoError, *, is_second: bool = False
    ) -> WorkerReply | PromptTooLong:
        """Return one prompt's parsed answer, and mark what it covers as read.

        `is_second`: it adds to an answer that showed that the model read the files, so it need not show this.
        """
        if isinstance(reply, PromptTooLong):
            return reply
        if not isinstance(reply, Completion):
            return WorkerReply("", error=str(reply))
        shown = {unit.path for unit in sent_prompt.units or self._tracker.units.values()}
        if not (is_second or read.has_read_files(reply.data, shown, sent_prompt.notes)):
            return WorkerReply("", error=read.EMPTY.format(self._dialogues.model.name))
        text, findings = read.parse_reply(reply.data, self._source)
        user_texts = (message.text for message in sent_prompt.prompt.messages if message.role == "user")
        self._tracker.saw(sent_prompt.seen_text, str(self._source), beside="\n".join(user_texts))
        whole = sent_prompt.notes == "whole"
        notes = read.reader_notes(reply.data, whole=whole) if sent_prompt.notes != "none" else None
        about = issues.reports(reply.data, sent_prompt.issues)
        units = sent_prompt.units or tuple(self._tracker.units.values())
        findings = tuple(at_its_line(finding, units) for finding in findings)
        told = [
            answer for each in sent_prompt.feature_questions for answer in each.answers(reply.data, sent_prompt.units)
        ]
        return WorkerReply(
            text,
            findings,
            reader_notes=notes,
            issues=about,
            answers=tuple(told),
            withdrawn=read.withdrawn(reply.data),
        )

    async def _further(self, answer: FirstAnswer) -> SentPrompt:
        """Return the second prompt of a dialogue."""
        vague = [finding for finding in answer.worker_reply.findings if _vague(finding)]
        if answer.look_ups:
            shown_code = await self._dialogues.show(
                answer.look_ups, answer.sent_prompt.prompt, answer.sent_prompt.shown
            )
            prompt = dialogues.further(answer.sent_prompt.prompt, answer.reply, shown_code, vague)
            return replace(answer.sent_prompt, prompt=prompt, seen_text=look_ups.text(shown_code))
        again = render.text("prompts/worker_again.md.j2", findings=vague)
        return replace(answer.sent_prompt, prompt=answer.sent_prompt.prompt.further(answer.reply, again))

    def _finish(self, answer: FirstAnswer, second: WorkerReply | PromptTooLong) -> WorkerReply:
        """Combine both answers of a dialogue."""
        first = answer.worker_reply
        failure = str(second) if isinstance(second, PromptTooLong) else second.error
        if isinstance(second, PromptTooLong) or second.error:
            # Its findings stay unchanged, so the confirmation has to find the trigger.
            loss = f"{self._dialogues.model.name} asked to see more code and gave no answer after that: {failure}"
            return replace(first, error=loss if answer.look_ups else "")
        kept_findings = [finding for finding in second.findings if not _vague(finding)]
        if answer.look_ups:
            told = {(finding.path, finding.quote) for finding in second.findings}
            standing = [
                finding
                for number, finding in enumerate(first.findings, 1)
                if number not in second.withdrawn and (finding.path, finding.quote) not in told
            ]
            whole = [finding for finding in standing if not _vague(finding)]
            return replace(
                second,
                text=second.text or first.text,
                findings=(*whole, *kept_findings),
                dropped_count=len(standing) - len(whole) + len(second.findings) - len(kept_findings),
                reader_notes=_both_notes(first.reader_notes, second.reader_notes),
                issues=second.issues or first.issues,
                answers=second.answers or first.answers,
            )
        whole = [finding for finding in first.findings if not _vague(finding)]
        vague = len(first.findings) - len(whole)
        dropped_count = vague - len(kept_findings[:vague])
        return replace(first, findings=(*whole, *kept_findings[:vague]), error="", dropped_count=dropped_count)


def _both_notes(first: ReaderNotes | None, second: ReaderNotes | None) -> ReaderNotes | None:
    """Return the summary in a second answer, with what only the first one says."""
    if first is None or second is None:
        return first or second
    return ReaderNotes(second.overview or first.overview, second.first or first.first, second.files or first.files)


def _vague(finding: Finding) -> bool:
    """Return whether a finding doesn't say when it happens or what harm it does."""
    return not finding.is_remark and not (finding.trigger.strip() and finding.consequence.strip())


def at_its_line(finding: Finding, units: Iterable[Unit]) -> Finding:
    """Return the finding with the line of its quote inside the judged code regions.

    A quote such as `return None` can occur more than once in a file.
    """
    rows = (diff_row for unit in units if unit.path == finding.path for diff_row in unit.rows)
    return finding if finding.start else replace(finding, start=quotes.first_line(finding.quote, rows))
