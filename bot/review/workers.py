"""Review code regions with a model: pack them into prompts, send these in parallel, read the answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot import render
from bot.findings import read
from bot.review import uses
from bot.review.context import file_questions
from bot.review.context.builder import ContextBuilder
from bot.review.context.file_questions import Part, Sight
from bot.review.context.look_ups import LookUps
from bot.review.context.packing import ONE_PROMPT, PARTS_SCALE, SMALL_SCALE, pack, scale
from bot.review.dialogues import Dialogues
from bot.review.finding_dialogues import FindingDialogues, at_its_line
from bot.review.pairs import altered_definitions
from bot.review.pairs.altered_definitions import Pair
from bot.review.prompts import PromptWriter, SentPrompt, sizes
from bot.review.session import WorkerReply
from bot.review.survey import Survey
from bot.values import Finding, ReaderNotes, Source, Unit
from deeprepo.rlm.errors import PromptTooLong
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Model

# Tokens of surrounding code in all prompts of a large change. What a verdict needs is mostly in the regions
# or in the pairs.
LARGE_NEARBY = 12_000
# Tokens of surrounding code in one prompt of a split change: if pairs are compared, and if they are not.
BACKED_NEARBY, MOST_NEARBY = 4_000, 9_600
LEAST_NEARBY = 1_600  # of BACKED_NEARBY, if the same prompt also shows the uses of altered definitions
# Tokens of code that uses altered definitions, in the one prompt of a medium change, and of a longer one
PAIR_USES, LONG_PAIR_USES = 4_000, 8_000
NOT_ALONE = "one model pass over the diff failed: {}"


@dataclass(frozen=True, slots=True)
class ModelWorker:
    """A cheap model. Each prompt contains whole code regions and the unchanged code around them."""

    model: Model
    calls: Calls
    survey: Survey
    role: Literal["worker", "root"] = "worker"  # "root" if the root's model does the pass itself
    whole: bool = False  # put everything in one prompt, whatever its size
    takes_notes: bool = False  # whether models are asked to summarize the change
    look_ups: LookUps | None = None  # answers requests for more code; None if not allowed
    # Whether pairs, which contain most references to changed code, are compared in separate calls.
    is_backed: bool = False

    @property
    def name(self) -> str:
        """The name in the coverage table."""
        return str(self.source)

    @property
    def source(self) -> Source:
        """The source of its findings."""
        return Source("model", self.model.name, self.role)

    @property
    def _dialogues(self) -> Dialogues:
        return Dialogues(self.calls, self.model, self.role, self.look_ups)

    @property
    def _writer(self) -> PromptWriter:
        return PromptWriter(
            self.survey, self.calls.sizes.window(self.model), self.whole, may_ask=self.look_ups is not None
        )

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:
        """Read every code region in some prompt, all in parallel, and mark what was answered as read."""
        limit, beside = sizes(self.calls.sizes.window(self.model))
        groups = [list(units)] * bool(units) if self.whole else pack(units, limit)
        first = [use.reference for use in self.survey.tracker.open_uses()]
        writer = self._writer
        joint_pairs = await self._pairs(units) if self.whole and not writer.large and not question else ()
        if writer.large:
            beside = min(beside, LARGE_NEARBY // max(1, len(groups)))
        elif self.is_backed or joint_pairs:
            in_pairs = sum(use.size for pair in joint_pairs for use in pair.uses)
            backed = max(LEAST_NEARBY, BACKED_NEARBY - in_pairs)
            beside = min(beside, backed if scale(units) != SMALL_SCALE else beside)
        elif not limit or limit >= PARTS_SCALE.most:
            full_prompts = sum(unit.tokens for unit in units) / ONE_PROMPT
            beside = min(MOST_NEARBY, int(beside * max(1.0, full_prompts / max(1, len(groups)))))
        follows = not self.is_backed and scale(units) != SMALL_SCALE
        builder = self.survey.builder(len(groups), first, beside, completes=not writer.large, follows=follows)
        await builder.found.look_up(units)
        extent = self._extent(units, groups) if not question else "none"
        prompts = [await writer.of_units(group, builder, question, extent, joint_pairs) for group in groups]
        return join(await self._answers(prompts, builder, question))

    async def _pairs(self, units: Sequence[Unit]) -> tuple[Pair, ...]:
        """Return the altered definitions with their uses that the one prompt of a medium change shows.

        A small change shows them anyway. A large one compares them in calls of their own.
        """
        if scale(units) == SMALL_SCALE:
            return ()
        is_long = sum(unit.tokens for unit in units) > PARTS_SCALE.most
        chosen, left = list[Pair](), LONG_PAIR_USES if is_long else PAIR_USES
        for pair in await altered_definitions.pairs(self.survey, units):
            uses = tuple(use for use in pair.uses if not use.overlaps_change)
            size = sum(use.size for use in uses)
            if uses and size <= left:
                chosen.append(replace(pair, uses=uses))
                left -= size
        return tuple(chosen)

    def _extent(self, units: Sequence[Unit], groups: Sequence[Sequence[Unit]]) -> read.Extent:
        """Return which part of the change to summarize.

        Only a single prompt with everything can cover the whole.
        """
        if not self.takes_notes:
            return "none"
        return "whole" if len(groups) == 1 and len(units) == len(self.survey.tracker.units) else "parts"

    async def read_alone(
        self,
        groups: Sequence[Sequence[Unit]],
        view: Literal["diff", "backwards"],
        *,
        at_once: bool = False,
    ) -> WorkerReply:
        """Read only the diff of each of these groups.

        The model cannot request code, and nothing counts as read by this pass. With `at_once`, others read the change
        in parts, and this pass follows it from file to file.
        """
        prompts = [self._writer.of_diff(group, view, at_once=at_once) for group in groups]
        source = replace(self.source, view=view)
        findings, failures = list[Finding](), dict[str, None]()
        for reply in await self.calls.many(self.model, prompts, self.role):
            if isinstance(reply, Completion):
                units = [unit for group in groups for unit in group]
                findings += [at_its_line(finding, units) for finding in read.parse_reply(reply.data, source)[1]]
            else:
                failures.setdefault(str(reply))
        return WorkerReply("", tuple(findings), notes=tuple(map(NOT_ALONE.format, failures)))

    async def uses(self) -> WorkerReply:
        """Read the open uses of changed contracts, as many as the limits allow."""
        left = self.survey.tracker.open_uses()
        limit, _ = sizes(self.calls.sizes.window(self.model))
        room = min(uses.PROMPT_TOKENS, limit or uses.PROMPT_TOKENS)
        groups, beyond = await uses.group(self.survey.tree, self.survey.tracker.units, left, room)
        self.survey.tracker.leave(beyond, uses.TOO_MANY)
        use_prompts = [self._writer.of_uses(*group) for group in groups]
        use_reply = join(await self._answers(use_prompts, self.survey.builder(), ""))
        if use_reply.error:
            self.survey.tracker.leave(
                (use for use in self.survey.tracker.open_uses() if use not in beyond), use_reply.error
            )
        return use_reply

    async def answer(self, parts: Sequence[Part], question: str) -> Sight:
        """Answer a question about files outside the change.

        If the text exceeds the model's window, it is halved.
        """
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
        sight = file_questions.parse_reply(reply.data, self.source, parts)
        self.survey.tracker.saw(text, self.name)
        return sight

    async def _answers(
        self, prompts: Sequence[SentPrompt], builder: ContextBuilder, question: str
    ) -> list[WorkerReply]:
        """Return the answers to all prompts, not necessarily in the prompts' order.

        A prompt that exceeds the model's window is split in two. A single code region is then shown without
        the code around it. If it still doesn't fit, it stays unread, and the answer says so. Raises
        PromptTooLong if everything had to be in one prompt.
        """
        worker_replies: list[WorkerReply] = []
        left = list(prompts)
        while left:
            smaller: list[SentPrompt] = []
            async with FindingDialogues(self._dialogues, self.source, self.survey.tracker) as going:
                offers = self._dialogues.offering([sent_prompt.prompt for sent_prompt in left])
                left = [replace(sent_prompt, prompt=offer) for sent_prompt, offer in zip(left, offers, strict=True)]
                on_first_answer = going.begin_with(left)
                answers = await going.answers(await self.calls.many(self.model, offers, self.role, on_first_answer))
            for sent_prompt, answer in zip(left, answers, strict=True):
                if isinstance(answer, WorkerReply):
                    worker_replies.append(answer)
                elif self.whole and sent_prompt.units:
                    raise answer
                elif len(sent_prompt.units) > 1:
                    middle = len(sent_prompt.units) // 2
                    halves = (sent_prompt.units[:middle], sent_prompt.units[middle:])
                    part: read.Extent = "none" if sent_prompt.notes == "none" else "parts"
                    smaller += [
                        await self._writer.of_units(half, builder, question, part, bare=sent_prompt.bare)
                        for half in halves
                    ]
                elif not sent_prompt.bare:
                    smaller.append(
                        await self._writer.of_units(sent_prompt.units, builder, question, sent_prompt.notes, bare=True)
                    )
                else:
                    what = sent_prompt.units[0].id if sent_prompt.units else "references to changed code"
                    worker_replies.append(WorkerReply("", error=f"{what}: not reviewed, {answer}"))
            left = smaller
        return worker_replies


def join(answers: Sequence[WorkerReply]) -> WorkerReply:
    """Join all answers into one."""
    return WorkerReply(
        "\n".join(reply.text for reply in answers if reply.text),
        tuple(finding for reply in answers for finding in reply.findings),
        "; ".join(dict.fromkeys(reply.error for reply in answers if reply.error)),
        sum(reply.dropped_count for reply in answers),
        _together([reply.reader_notes for reply in answers if reply.reader_notes]),
        tuple(report for reply in answers for report in reply.issues),
        tuple(note for reply in answers for note in reply.notes),
        tuple(answer for reply in answers for answer in reply.answers),
    )


def _together(notes_of_parts: Sequence[ReaderNotes]) -> ReaderNotes | None:
    """Join several passes' notes on their parts of the change."""
    if len(notes_of_parts) <= 1:
        return notes_of_parts[0] if notes_of_parts else None
    return ReaderNotes(files=tuple(file for notes in notes_of_parts for file in notes.files))
