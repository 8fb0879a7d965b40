"""The worker with a model: whole units packed into small prompts, with the unchanged code that decides about them."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, Self

from bot import render
from bot.context import file_questions, look_ups
from bot.context.builder import NEARBY_TOKENS, ContextBuilder
from bot.context.file_questions import Part, Sight
from bot.context.look_ups import LookUps
from bot.context.packing import LARGE_AROUND, LARGE_PROMPT, large, packed
from bot.coverage import CoverageTracker
from bot.diff import told
from bot.errors import DeepRepoError, PromptTooLong
from bot.findings import issues, read
from bot.llm.calls import Calls
from bot.ports import Lens, Model, Tree
from bot.review import dialogues, uses
from bot.review.dialogues import Dialogues
from bot.review.guidance import MAX_CHARS, Guidance, tongue
from bot.review.session import WorkerReply
from bot.values import (
    ChangedFile,
    Completion,
    Finding,
    LinkedIssue,
    LookUp,
    Message,
    Prompt,
    PullRequest,
    ReaderNotes,
    Source,
    Unit,
    Usage,
    tokens,
)

BODY_CHARS = 2_000  # of what the author says
LARGE_BODY, LARGE_ADVICE = 400, 600  # characters of the author's words and of the owner's in a prompt of a large change
LARGE_NEARBY = (
    28_000  # tokens of code beside the units in all prompts of a large change: most of what decides is in the units
)
MAX_LENSES = 4  # questions of one prompt; the first ones of the list are the ones that find most
PART_ANSWER, WHOLE_ANSWER = 4_096, 8_192  # tokens of an answer
QUESTION = "What is wrong with this change, and whom does it break?"
# Tokens of a diff that one more reader sees alone: a shorter one is read well beside other code, a longer one is for the readers of its parts.
DIFF_ONLY = range(2_000, 32_000)
LEAST_UNITS = 300  # tokens of units that a prompt holds at least
INSTRUCTIONS = 1_500  # tokens of a prompt beside the code: what a worker is told, the schema, the questions
UNITS, BESIDE = 0.6, 0.4  # of the rest of a small window: for units, for the code beside them


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """One prompt, and the part of it that its reader judges."""

    units: tuple[Unit, ...]  # none, if it is about uses of what changed alone
    prompt: Prompt
    seen: str
    bare: bool = False  # without the code beside the units
    walkthrough: read.Extent = "none"  # of how much its reader says what the change does
    diff_only: bool = False  # its reader sees no other code and may ask for none; nothing counts as read by it


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


NO_REPLY = Completion("", Usage())


@dataclass(frozen=True, slots=True)
class ModelWorker:
    """A cheap model. Each prompt holds whole units and the unchanged code around them; the answer is structured."""

    model: Model
    calls: Calls
    pull: PullRequest
    files: Sequence[ChangedFile]
    tree: Tree
    tracker: CoverageTracker
    lenses: Mapping[str, Lens] = field(default_factory=dict)
    guidance: Guidance = field(default_factory=Guidance)
    role: Literal["worker", "root"] = "worker"  # "root" where the orchestrating model reads by itself
    whole: bool = False  # everything in one prompt, whatever its size
    walkthrough: bool = False  # whether readers are asked what the change does
    look_ups: LookUps | None = None  # of a reader that wants to see more; None: nobody may
    diff_only: bool = False  # whether one more reader of the whole change sees the diff alone
    heard: Callable[[Sequence[Finding]], None] = lambda _: None  # gets the findings of a prompt while others are out

    @property
    def name(self) -> str:
        """Who it is, as the coverage table says it."""
        return str(self.source)

    @property
    def source(self) -> Source:
        """Who reports what it finds."""
        return Source("model", self.model.name, self.role)

    @property
    def _dialogues(self) -> Dialogues:
        return Dialogues(self.calls, self.model, self.role, self.look_ups)

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:
        """Every unit in some prompt, the prompts all at once; what was answered is marked as read."""
        limit, beside = self._sizes()
        groups = [list(units)] * bool(units) if self.whole else packed(units, limit)
        first = [use.reference for use in self.tracker.open_uses()]
        if self._large:
            beside = min(beside, LARGE_NEARBY // max(1, len(groups)))
        builder = ContextBuilder(self.tree, self.files, len(groups), first=first, most=beside)
        await builder.prepare(units)
        extent = self._extent(units, groups) if not question else "none"
        prompts = [await self._prompt(group, builder, question, extent) for group in groups]
        prompts += self._of_diff(units)
        return _joined(await self._answered(prompts, builder, question))

    def _extent(self, units: Sequence[Unit], groups: Sequence[Sequence[Unit]]) -> read.Extent:
        """Of how much a reader says what the change does: who has all of it in one prompt speaks of the whole."""
        if not self.walkthrough:
            return "none"
        return "whole" if len(groups) == 1 and len(units) == len(self.tracker.units) else "parts"

    def _sizes(self) -> tuple[int, int]:
        """Tokens of units, and of code beside them, in one prompt: less where the model's window is known to be small."""
        window = self.calls.window(self.model)
        if window is None:
            return 0, NEARBY_TOKENS
        free = window - INSTRUCTIONS - min(PART_ANSWER, window // 4)
        return min(LARGE_PROMPT, max(LEAST_UNITS, int(free * UNITS))), max(0, min(NEARBY_TOKENS, int(free * BESIDE)))

    async def uses(self) -> WorkerReply:
        """The uses of changed contracts that nobody has compared or read yet, as many as the limits allow."""
        left = self.tracker.open_uses()
        _, room = self._sizes()
        groups, beyond = await uses.grouped(self.tree, self.tracker.units, left, room)
        self.tracker.leave(beyond, uses.TOO_MANY)
        asked = []
        for changed, mine, beside in groups:
            text = render.text(
                "prompts/worker.md.j2",
                **self._said(use.path for use in mine),
                issues=(),
                parts=told(changed, self.files, 0),
                unchanged=beside,
                elsewhere=(),
                questions=[render.text("prompts/uses.md.j2", uses=mine).strip()],
            )
            asked.append(SentPrompt((), self._of(text), text, bare=True))
        said = _joined(await self._answered(asked, ContextBuilder(self.tree, self.files), ""))
        if said.error:
            self.tracker.leave((use for use in self.tracker.open_uses() if use not in beyond), said.error)
        return said

    async def look(self, parts: Sequence[Part], question: str) -> Sight:
        """A question about files outside the change; what is too long for the model's window is asked about in halves."""
        try:
            return await self._look(parts, question)
        except PromptTooLong as error:
            halves = file_questions.halves(parts)
            if not halves:
                return Sight(error=str(error))
        return file_questions.together([await self.look(half, question) for half in halves])

    async def _look(self, parts: Sequence[Part], question: str) -> Sight:
        text = render.text("prompts/look.md.j2", files={part.label: part.text for part in parts}, question=question)
        prompt = replace(self._of(text), answer=file_questions.schema())
        reply = (await self.calls.many(self.model, [prompt], self.role))[0]
        if isinstance(reply, PromptTooLong):
            raise reply
        if not isinstance(reply, Completion):
            return Sight(error=str(reply))
        try:
            sight = file_questions.answer(reply.data, self.source, parts)
        except DeepRepoError as error:
            return Sight(error=str(error))
        self.tracker.saw(text, self.name)
        return sight

    async def prompt(self, texts: Sequence[str]) -> list[WorkerReply]:
        """Free prompts of the root, answered in prose."""
        prompts = [Prompt((Message("user", text),)) for text in texts]
        answers = []
        for text, reply in zip(texts, await self.calls.many(self.model, prompts, self.role), strict=True):
            if not isinstance(reply, Completion):
                answers.append(WorkerReply("", error=str(reply)))
            elif reply.stop == "length":
                answers.append(WorkerReply("", error=f"the answer of {self.model.name} broke off"))
            elif reply.stop == "refusal" or not reply.text.strip():
                answers.append(WorkerReply("", error=f"{self.model.name} declined to answer"))
            else:
                self.tracker.saw(text, self.name)
                answers.append(WorkerReply(reply.text))
        return answers

    def _of(self, text: str, walkthrough: read.Extent = "none", about: Sequence[LinkedIssue] = ()) -> Prompt:
        return Prompt(
            (
                Message("system", render.text("prompts/worker_system.md.j2") + tongue(self.guidance.language)),
                Message("user", text),
            ),
            answer=issues.schema(walkthrough) if about else read.schema(walkthrough),
            max_tokens=WHOLE_ANSWER if self.whole else PART_ANSWER,
        )

    async def _prompt(
        self,
        units: Sequence[Unit],
        builder: ContextBuilder,
        question: str,
        walkthrough: read.Extent,
        *,
        bare: bool = False,
    ) -> SentPrompt:
        beside = () if bare else await builder.of(units)
        closed = self._closed(units)
        telling = partial(
            render.text,
            "prompts/worker.md.j2",
            **self._said(unit.path for unit in units),
            issues=closed,
            parts=told(units, self.files, LARGE_AROUND if self._large else None),
            questions=[question] if question else self._questions(units),
            elsewhere=builder.elsewhere(units, beside) if self.look_ups is not None else (),
        )
        # Who is shown a unit beside others does not judge it: that is no reading.
        judged = [excerpt for excerpt in beside if not excerpt.changed]
        prompt = self._of(telling(unchanged=beside), walkthrough, closed)
        return SentPrompt(tuple(units), prompt, telling(unchanged=judged), bare, walkthrough)

    def _of_diff(self, units: Sequence[Unit]) -> list[SentPrompt]:
        """The prompt of the reader who sees the diff alone, if there is to be one.

        No reader finds everything, and of a long diff each overlooks something else.
        """
        if not self.diff_only or len(units) < len(self.tracker.units):
            return []
        shown = told(units, self.files)
        size, window = sum(tokens(part.body) for part in shown), self.calls.window(self.model)
        if size not in DIFF_ONLY or (window is not None and size + INSTRUCTIONS + PART_ANSWER > window):
            return []
        text = render.text(
            "prompts/worker.md.j2",
            **{**self._said(()), "guidance": ()},
            issues=(),
            parts=shown,
            unchanged=(),
            questions=[render.text("prompts/diff_only.md.j2").strip()],
            elsewhere=(),
        )
        return [SentPrompt((), self._of(text), "", bare=True, diff_only=True)]

    def _closed(self, units: Sequence[Unit]) -> tuple[LinkedIssue, ...]:
        """The issues that the reader of these units is asked about: who is shown a part of the change cannot tell what all of it does."""
        return self.pull.issues if self.whole and len(units) == len(self.tracker.units) else ()

    @property
    def _large(self) -> bool:
        return large(tuple(self.tracker.units.values()))

    def _said(self, paths: Iterable[str]) -> dict[str, Any]:
        """What every prompt repeats: the author's words and the owner's, fewer of them in the many prompts of a large change."""
        body = self.pull.body[: LARGE_BODY if self._large else BODY_CHARS]
        asked = self.guidance.of(paths, LARGE_ADVICE if self._large else MAX_CHARS)
        return {"title": self.pull.title, "body": body, "guidance": asked}

    def _questions(self, units: Sequence[Unit]) -> list[str]:
        """What the units of one prompt call for, in the words of the lenses."""
        files = {file.path: file for file in self.files}
        wanted = [
            lens.QUESTION
            for lens in self.lenses.values()
            if any(unit.path in files and lens.wants(unit, files[unit.path]) for unit in units)
        ]
        return [render.text(name).strip() for name in wanted[:MAX_LENSES]] or [QUESTION]

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
            lost = f"{self.model.name} asked to see more code and gave no answer after that: {failed}"
            return replace(first, error=lost if one.wanted else "", open=(lost,) if one.wanted else first.open)
        kept = [finding for finding in second.findings if not _vague(finding)]
        if one.wanted:  # what the last answer does not repeat is withdrawn
            dropped = len(second.findings) - len(kept)
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

    async def _answered(
        self, prompts: Sequence[SentPrompt], builder: ContextBuilder, question: str
    ) -> list[WorkerReply]:
        """The answer to every prompt. One that is too long for the model's window is asked again in two parts.

        A single unit is shown without the code beside it; if it is still too long it stays unread, and the answer says so.
        Raises PromptTooLong where everything was to stand in one prompt.
        """
        done: list[WorkerReply] = []
        left = self._affordable(prompts)
        while left:
            smaller: list[SentPrompt] = []
            async with _Dialogues(self._last) as going:
                with self._dialogues.offering([asked.prompt for asked in left]) as offers:
                    pairs = zip(left, offers, strict=True)
                    offered = [dialogues.final(prompt) if asked.diff_only else prompt for asked, prompt in pairs]
                    left = [replace(asked, prompt=prompt) for asked, prompt in zip(left, offered, strict=True)]
                    heard = going.begin_with(left)
                    replies = await self.calls.many(self.model, offered, self.role, heard)
                answers = await going.answers(replies)
                found = [one for said in answers if isinstance(said, WorkerReply) for one in said.findings]
                if going.together and found:
                    self.heard(found)
            for asked, said in zip(left, answers, strict=True):
                if asked.diff_only:
                    done.append(_beside(said))
                elif isinstance(said, WorkerReply):
                    done.append(said)
                elif self.whole and asked.units:
                    raise said
                elif len(asked.units) > 1:
                    middle = len(asked.units) // 2
                    halves = (asked.units[:middle], asked.units[middle:])
                    part: read.Extent = "none" if asked.walkthrough == "none" else "parts"
                    smaller += [await self._prompt(half, builder, question, part, bare=asked.bare) for half in halves]
                elif not asked.bare:
                    smaller.append(await self._prompt(asked.units, builder, question, asked.walkthrough, bare=True))
                else:
                    what = asked.units[0].id if asked.units else "uses of what changed"
                    done.append(WorkerReply("", error=f"{what}: not read, {said}"))
            left = smaller
        return done

    def _affordable(self, prompts: Sequence[SentPrompt]) -> list[SentPrompt]:
        """The prompts, without that of the diff alone where the others could then not ask back: what is left is for them."""
        others = [asked for asked in prompts if not asked.diff_only]
        alone = [asked.prompt for asked in prompts if asked.diff_only]
        if not alone or self.calls.knows(self.model, alone[0]):
            return list(prompts)
        with self._dialogues.offering([*(asked.prompt for asked in others), *alone]) as offered:
            may_ask = all(prompt.answer and prompt.answer.final for prompt in offered[: len(others)])
        return list(prompts) if may_ask and not self.calls.journal.replays else others

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
            (answer,) = await self.calls.many(self.model, [second.prompt], self.role)
            said = self._finished(one, self._read(second, answer))
        if early and said.findings:
            self.heard(said.findings)
        return said

    def _read(self, asked: SentPrompt, reply: Completion | DeepRepoError) -> WorkerReply | PromptTooLong:
        """The answer of one prompt; what was answered is marked as read."""
        if isinstance(reply, PromptTooLong):
            return reply
        if not isinstance(reply, Completion):
            return WorkerReply("", error=str(reply))
        try:
            text, found = read.answer(reply.data, self.source)
        except DeepRepoError as error:
            return WorkerReply("", error=str(error))
        if not asked.diff_only:
            told = (message.text for message in asked.prompt.messages if message.role == "user")
            self.tracker.saw(asked.seen, self.name, beside="\n".join(told))
        whole = asked.walkthrough == "whole"
        said = read.told(reply.data, whole=whole) if asked.walkthrough != "none" else None
        about = issues.reports(reply.data, self._closed(asked.units))
        return WorkerReply(text, found, open=read.unsettled(reply.data), told=said, issues=about)


def _together(said: Sequence[ReaderNotes]) -> ReaderNotes | None:
    """What several readers say of their parts."""
    if len(said) <= 1:
        return said[0] if said else None
    return ReaderNotes(files=tuple(one for told in said for one in told.files))


def _vague(finding: Finding) -> bool:
    """Whether a finding leaves open when it happens or whom it hurts."""
    return not finding.trigger.strip() or not finding.consequence.strip()


def _beside(said: WorkerReply | PromptTooLong) -> WorkerReply:
    """What counts of a reader who sees the diff alone: its findings. What it leaves open, the reader with the code has seen."""
    reply = WorkerReply("", error=str(said)) if isinstance(said, PromptTooLong) else said
    notes = (f"nobody has read the diff by itself: {reply.error}",) if reply.error else ()
    return WorkerReply("", reply.findings, dropped=reply.dropped, notes=notes)


def _joined(answers: Sequence[WorkerReply]) -> WorkerReply:
    """All answers in one."""
    return WorkerReply(
        "\n".join(said.text for said in answers if said.text),
        tuple(finding for said in answers for finding in said.findings),
        "; ".join(dict.fromkeys(said.error for said in answers if said.error)),
        sum(said.dropped for said in answers),
        tuple(dict.fromkeys(point for said in answers for point in said.open)),
        _together([said.told for said in answers if said.told]),
        tuple(report for said in answers for report in said.issues),
        tuple(note for said in answers for note in said.notes),
    )


class _Dialogues:
    """The dialogues of one batch, each with its last answer.

    If the budget holds a second call for every one of them, each goes on as soon as its first answer is there; else all first
    answers come first. What was offered decides that, so a resumed review and a replay do as the first run did.

    With a reader of the diff alone most defects are found twice, so second opinions wait until all findings are `together`.
    """

    def __init__(self, last: Callable[..., Coroutine[Any, Any, WorkerReply | PromptTooLong]]) -> None:
        self._last = last
        self._sent: Sequence[SentPrompt] = ()
        self._early = self.together = False
        self._tasks: dict[int, asyncio.Task[WorkerReply | PromptTooLong]] = {}

    def begin_with(self, sent: Sequence[SentPrompt]) -> Callable[[int, Completion | DeepRepoError], None] | None:
        """Take the prompts as they are sent. Returns who hears a first answer at once; None if nobody does."""
        self._sent = sent
        offered = [asked.prompt.answer for asked in sent if not asked.diff_only]
        self._early = all(answer is not None and answer.final is not None for answer in offered)
        self.together = self._early and len(offered) < len(sent)
        return self._go_on if self._early else None

    async def answers(self, replies: Sequence[Completion | DeepRepoError]) -> list[WorkerReply | PromptTooLong]:
        """The last answers, in the order of the prompts."""
        for at, reply in enumerate(replies):
            if at not in self._tasks:
                self._go_on(at, reply)
        return list(await asyncio.gather(*(self._tasks[at] for at in range(len(replies)))))

    def _go_on(self, at: int, reply: Completion | DeepRepoError) -> None:
        self._tasks[at] = asyncio.create_task(
            self._last(self._sent[at], reply, early=self._early and not self.together)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
