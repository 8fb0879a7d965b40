"""Review code regions with a model: pack them into prompts, send these in parallel, read the answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot import render
from bot.findings import read
from bot.review import worker_replies
from bot.review.context import file_questions
from bot.review.context.file_questions import Part, Sight
from bot.review.context.look_ups import LookUps
from bot.review.context.packing import pack
from bot.review.dialogues import Dialogues
from bot.review.prompts import PromptWriter, SentPrompt, sizes
from bot.review.session import WorkerReply
from bot.review.survey import Survey
from bot.values import Finding, ReaderNotes, Source, Unit
from deeprepo.rlm.errors import PromptTooLong
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Model

NOT_ALONE = "one model pass over the diff failed: {}"


@dataclass(frozen=True, slots=True)
class ModelWorker:
    """A model. Each prompt contains whole code regions and the code that uses them."""

    model: Model
    calls: Calls
    survey: Survey
    role: Literal["worker", "root"] = "worker"  # "root" if the root's model does the pass itself
    takes_notes: bool = False  # whether models are asked to summarize the change
    look_ups: LookUps | None = None  # answers requests for more code; None if not allowed

    @property
    def name(self) -> str:
        """The name in the coverage table."""
        return str(self.source)

    @property
    def source(self) -> Source:
        """The source of its findings."""
        return Source("model", self.model.name, self.role)

    @property
    def _writer(self) -> PromptWriter:
        return PromptWriter(self.survey, self.calls.sizes.window(self.model), may_ask=self.look_ups is not None)

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:
        """Read every code region in some prompt, all in parallel, and mark what was answered as read.

        A prompt that exceeds the model's window is split in two. A single code region is then shown without
        the code that uses it. If it still doesn't fit, it stays unread, and the answer says so.
        """
        limit, beside = sizes(self.calls.sizes.window(self.model))
        groups = pack(units, limit)
        extent = self._extent(units, groups) if not question else "none"
        left = [await self._writer.of_units(group, question, extent, beside) for group in groups]
        dialogues = Dialogues(self.calls, self.model, self.role, self.look_ups)
        replies = list[WorkerReply]()
        while left:
            exchanges = await dialogues.exchanges([one.prompt for one in left], [one.shown for one in left])
            smaller = list[SentPrompt]()
            for sent, exchange in zip(left, exchanges, strict=True):
                if not isinstance(exchange.first, PromptTooLong):
                    replies.append(worker_replies.combined(sent, exchange, self.source, self.survey.tracker))
                elif parts := await self._smaller(sent, question, beside):
                    smaller += parts
                else:
                    replies.append(WorkerReply("", error=f"{sent.units[0].id}: not reviewed, {exchange.first}"))
            left = smaller
        return join(replies)

    async def _smaller(self, sent: SentPrompt, question: str, beside: int) -> list[SentPrompt]:
        """Return the prompts to send instead of one that is too long; none if it can't be split."""
        if len(sent.units) == 1:
            return [await self._writer.of_units(sent.units, question, sent.notes, 0)] if sent.beside else []
        middle = len(sent.units) // 2
        extent: read.Extent = "none" if sent.notes == "none" else "parts"
        halves = sent.units[:middle], sent.units[middle:]
        return [await self._writer.of_units(half, question, extent, sent.beside and beside) for half in halves]

    def _extent(self, units: Sequence[Unit], groups: Sequence[Sequence[Unit]]) -> read.Extent:
        """Only a single prompt with everything can cover the whole change."""
        if not self.takes_notes:
            return "none"
        return "whole" if len(groups) == 1 and len(units) == len(self.survey.tracker.units) else "parts"

    async def read_alone(self, groups: Sequence[Sequence[Unit]]) -> WorkerReply:
        """Read only the diff of each of these groups.

        The model cannot request code.
        """
        prompts = [self._writer.of_diff(group) for group in groups]
        source = replace(self.source, view="diff")
        findings, failures = list[Finding](), dict[str, None]()
        units = [unit for group in groups for unit in group]
        replies = await self.calls.many(self.model, prompts, self.role)
        for group, reply in zip(groups, replies, strict=True):
            if isinstance(reply, Completion):
                self.survey.tracker.note_asked(group)
                parsed = read.parse_reply(reply.data, source)[1]
                found = [worker_replies.at_its_line(finding, units) for finding in parsed]
                has_judged = self.survey.tracker.judge(group, read.judged(reply.data), self.name)
                if not (has_judged or any(finding.start for finding in found)):
                    failures.setdefault(read.EMPTY.format(self.model.name))
                findings += found
            else:
                failures.setdefault(str(reply))
        return WorkerReply("", tuple(findings), notes=tuple(map(NOT_ALONE.format, failures)))

    async def answer(self, parts: Sequence[Part], question: str) -> Sight:
        """Answer a question about files outside the change, in halves if the text exceeds the window."""
        try:
            return await self._look(parts, question)
        except PromptTooLong as error:
            halves = file_questions.halves(parts)
            if not halves:
                return Sight(error=str(error))
        return file_questions.together([await self.answer(half, question) for half in halves])

    async def _look(self, parts: Sequence[Part], question: str) -> Sight:
        text = render.text("prompts/look.md.j2", files={part.label: part.text for part in parts}, question=question)
        prompt = replace(self._writer.of(text, ()), answer=file_questions.schema())
        reply = (await self.calls.many(self.model, [prompt], self.role))[0]
        if isinstance(reply, PromptTooLong):
            raise reply
        if not isinstance(reply, Completion):
            return Sight(error=str(reply))
        return file_questions.parse_reply(reply.data, self.source, parts)


def join(answers: Sequence[WorkerReply]) -> WorkerReply:
    """Join all answers into one."""
    return WorkerReply(
        "\n".join(reply.text for reply in answers if reply.text),
        tuple(finding for reply in answers for finding in reply.findings),
        "; ".join(dict.fromkeys(reply.error for reply in answers if reply.error)),
        _together([reply.reader_notes for reply in answers if reply.reader_notes]),
        tuple(report for reply in answers for report in reply.issues),
        tuple(note for reply in answers for note in reply.notes),
        tuple(answer for reply in answers for answer in reply.answers),
    )


def _together(notes_of_parts: Sequence[ReaderNotes]) -> ReaderNotes | None:
    if len(notes_of_parts) <= 1:
        return notes_of_parts[0] if notes_of_parts else None
    return ReaderNotes(files=tuple(file for notes in notes_of_parts for file in notes.files))
