"""The turns of one root: ask it, run its code, tell it what came back, until it has an answer or a rule ends the run."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.agent import tools
from bot.agent.messages import MAX_TOKENS, Conversation
from bot.agent.state import RunState
from bot.agent.tools.report import MAX_ANSWER
from bot.review import judging
from bot.values import Completion, Message, Observation, Prompt, Turn, Usage, Verdict, tokens
from rlm.errors import BudgetSpent, PromptTooLong, ProviderError
from rlm.journal import codec
from rlm.repl import extraction, hints
from rlm.repl.bridge import ReplBridge
from rlm.values import Model

Outcome = Literal["", "answered", "turns", "budget", "provider", "window", "declined", "astray"]
ENDS: dict[str, str] = {
    "turns": "The root used all of its {turns} turns without handing in a summary.",
    "budget": "The root stopped early: {why}.",
    "provider": "The root's model failed: {why}",
    "window": "Nobody looked across the units: {why}.",
    "declined": "The root's model declined to go on. {why}",
    "mute": "The root wrote no Python that could run in {turns} turns, so it brought nothing: its model may not fit this work.",
    "astray": "The root was stopped after {idle} turns that brought nothing new.",
}
READY = f'[bool(answer["ready"]), str(answer["content"])[:{MAX_ANSWER}]]'

NO_CODE = "There was no code in that reply. Call execute_python with code, or write one ```python block. To finish: set_answer('...')."
CUT_OFF = (
    "That reply was cut off at its length limit before the code was complete. Send less at once; nothing of it ran."
)
BROKEN = (
    "The arguments of that tool call were no valid JSON; nothing ran. Send the code again: one string named `code`."
)
REPEATED = "This very cell ran before, and would print the same; it was not run again. Build on its result, or finish: set_answer('...')."
TYPICAL_REPLY = 1_500  # tokens; a call reserves more than that
STALE_ADVICE, STALE_STOP = 2, 5  # turns without a newly read unit, a change of the findings or a new line
HELD = 2  # how often a run goes on because report() refused something in the block that finished
LETTERS = 6  # of a line that can be new: brackets and numbers tell nothing
LOOKS = re.compile(r"\b(?:more|coverage|budget|findings|last_batch|SHOW_VARS)\(")  # worth asking again

_NUMBERED = re.compile(r"^[ +-]?[ \t]*+\d{1,7} ")  # sign and number before a line of code
Advice = Literal["", "synthesis", "stopping", "last", "spent"]
Gain = tuple[int, ...]  # units unread, reports, findings dropped, worker calls


@dataclass(slots=True)
class StallGuard:
    """Where a run stands: what it repeats, whether it still gains, and which note the root must get.

    The rules answer failures seen in transcripts: the same cell again, going round in circles. Searching is progress: a turn that shows
    the root lines which it had not seen is never held against it. Where nothing is counted as read, a block that ran is progress
    (`is_patient`).
    """

    turns: int
    is_patient: bool = False
    stale: int = 0
    held_count: int = 0
    _cells: set[str] = field(default_factory=set)
    _lines: set[str] = field(default_factory=set)  # that the root was shown
    _gain: Gain | None = None

    def repeats(self, code: str) -> bool:
        """Whether this very cell ran before; looking at what changes by itself is not a repetition."""
        cell = code.strip()
        if cell in self._cells and not LOOKS.search(cell):
            return True
        self._cells.add(cell)
        return False

    def note_text(self, text: str) -> bool:
        """Note what the root is shown; whether any line of it is new to it."""
        lines = {re.sub(r"\d+", "0", _NUMBERED.sub("", line, count=1).strip())[:200] for line in text.split("\n")}
        new = {line for line in lines - self._lines if sum(map(str.isalpha, line)) >= LETTERS}
        self._lines |= new
        return bool(new)

    def ran(self, observation: Observation, gain: Gain) -> None:
        """Note what a block did."""
        if observation.outcome in {"limit", "crash"}:
            self._cells.clear()  # its names are gone: the same cell may be needed again
        self.idle(gain, new=self.note_text(observation.output) or self.is_patient)

    def idle(self, gain: Gain, *, new: bool = False) -> None:
        """A turn has passed: was anything learnt or done in it?"""
        self.stale = 0 if new or gain != self._gain else self.stale + 1
        self._gain = gain

    def hold_finish(self) -> bool:
        """Whether the run goes on although the root has finished: it has not seen what report() refused."""
        self.held_count += 1
        if self.held_count <= HELD:
            self._cells.clear()
        return self.held_count <= HELD

    def advice(self, number: int, *, budget_spent: bool) -> Advice:
        """The note that the root must get after turn `number`."""
        if budget_spent:
            return "spent"
        if number >= self.turns - 1:
            return "last"
        if self.stale >= STALE_STOP - 1:
            return "stopping"
        return "synthesis" if self.stale >= STALE_ADVICE else ""

    @property
    def astray(self) -> bool:
        """Turn after turn with nothing new."""
        return self.stale >= STALE_STOP


@dataclass(slots=True)
class Turns:
    """One run of a root over an open REPL."""

    state: RunState
    model: Model
    bridge: ReplBridge
    conversation: Conversation
    guard: StallGuard
    name: str = "root"  # of this run, in the journal
    turns: list[Turn] = field(default_factory=list)
    summary: str = ""
    read: int = 0  # messages that the coverage tracker has seen
    outcome: Outcome = ""
    why: str = ""
    news: tuple[str, ...] = ()  # what the root is told once, beside what its block printed

    async def go(self) -> None:
        """Run all turns; `outcome` says how they ended."""
        calls, at = self.state.session.calls, self.state.session.calls.at
        try:
            await self._go()
        finally:
            calls.at = at
            if not self.state.depth:
                calls.budget.keep(None)

    async def _go(self) -> None:
        self.guard.note_text(self.conversation.messages[-1].text)
        for number in range(1, self.guard.turns + 1):
            self.state.session.say(f"{self.name}: turn {number} of {self.guard.turns}")
            self.state.session.calls.at = f"{self.name}:{number}"
            reply = await self._ask()
            if reply is None:
                return
            # What a turn shows of the budget must not depend on which call ends first: second opinions that began before end here.
            await judging.wait_for_opinions(self.state.session)
            if (
                number == 1 and not self.state.depth
            ):  # what others found has its verdicts before the root's code reports anything
                self.news = await self._judge_findings()
            await self._turn(number, reply)
            if self.outcome:
                return
        self.outcome = "turns"

    async def _judge_findings(self) -> tuple[str, ...]:
        """Give what was found so far its verdicts; as a sentence, if there are any."""
        session = self.state.session
        before = sum(finding.verdict.open for finding in session.findings)
        await judging.apply_opinions(session)
        verdict_counts = Counter(finding.verdict for finding in session.findings)
        decisive = [verdict for verdict in Verdict if verdict.opinion and not verdict.open]
        if not before or not any(verdict_counts[verdict] for verdict in decisive):
            return ()
        counts_text = ", ".join(f"{verdict_counts[verdict]} {verdict}" for verdict in decisive)
        return (f"second opinions are there: {counts_text}; findings() has each",)

    @property
    def end(self) -> str:
        """How it ended, as a sentence, where that was not by an answer."""
        is_mute = self.outcome in {"turns", "astray"} and not any(turn.code for turn in self.turns)
        words = ENDS["mute"] if is_mute else ENDS.get(self.outcome, "")
        return words.format(turns=len(self.turns), why=self.why, idle=self.guard.stale).strip()

    async def conclude(self, message: str) -> None:
        """Ask a root that has used its turns once more, for an answer in words: what it has seen is paid for."""
        self.conversation.messages.append(Message("user", message))
        prompt = replace(self.conversation.prompt(), tool=None)
        calls = self.state.session.calls
        at, calls.at = calls.at, f"{self.name}:{len(self.turns) + 1}"
        try:
            reply = await calls.complete(self.model, prompt, "root")
            self.summary = self.state.accept(reply.text.strip()) if reply.stop != "refusal" else ""
        except (ProviderError, BudgetSpent, ValueError) as error:
            self.why = self.why or str(error)
        finally:
            calls.at = at

    async def _ask(self) -> Completion | None:
        prompt = self.conversation.prompt()
        try:
            reply = await self._fitting()
            prompt = self.conversation.prompt()
        except BudgetSpent as error:
            self.outcome, self.why = "budget", str(error)
        except PromptTooLong as error:  # nothing to ask again for: what workers have read stands
            self.outcome, self.why = "window", str(error)
        except ProviderError as error:
            self.outcome, self.why = "provider", str(error)
        else:
            if reply.stop != "refusal":
                self._has_read(prompt)
                return reply
            self.outcome, self.why = "declined", reply.text[:200]
        return None

    async def _fitting(self) -> Completion:
        """The reply. If the conversation has outgrown the model's window, its oldest outputs are left out."""
        while True:
            try:
                return await self.state.session.calls.complete(self.model, self.conversation.prompt(), "root")
            except PromptTooLong:
                if not self.conversation.shorten():
                    raise

    def _has_read(self, prompt: Prompt) -> None:
        """The root has answered: what it was shown, and what its code has printed to it, it has read."""
        for message in prompt.messages[self.read :]:
            if message.role in {"user", "tool"}:
                text = self.state.session.calls.masks.show(message.text)
                self.state.session.tracker.saw(text, str(self.state.source))
        self.read = len(prompt.messages)

    async def _turn(self, number: int, reply: Completion) -> None:
        calls = self.state.session.calls
        block, start = extraction.of(reply), calls.now()
        observation, hint = await self._observe(number, block, reply)
        turn = Turn(number, block, observation, reply.text)
        self.turns.append(turn)
        calls.journal.turn(codec.turn(self.name, turn, calls.now() - start))
        is_done, is_spent = await self._is_finished(), self._is_spent()
        unreported_findings = (
            dict(self.state.refusals) if is_done and number < self.guard.turns and not is_spent else {}
        )
        if unreported_findings and self.guard.hold_finish():
            self.state.final = None
            await self.bridge.value('answer.update({"ready": False})')
        elif is_done:
            self.outcome, unreported_findings = "answered", {}
        elif self.guard.astray:
            self.outcome = "astray"
        left = self.state.session.calls.budget.left()
        self.conversation.answer(
            reply,
            observation,
            [unit.id for unit in self.state.session.tracker.unread()],
            hint=hint,
            number=number,
            usd=left.usd,
            tokens=left.tokens,
            calls=left.calls,
            advice=self.guard.advice(number, budget_spent=is_spent),
            unreported=unreported_findings,
            notes=(*self.news, *self.state.notes),
        )
        self.news = ()

    async def _observe(self, number: int, block: str, reply: Completion) -> tuple[Observation, str]:
        """What the block did, and the one hint that goes with it."""
        self.state.notes.clear()
        self.state.refusals.clear()
        if not block or reply.stop == "length":  # half a block may be Python too, and do something else
            self.guard.idle(self._gain())
            broken_call = any(call.unparsed_arguments for call in reply.calls)
            return Observation(""), CUT_OFF if reply.stop == "length" else BROKEN if broken_call else NO_CODE
        if self.guard.repeats(block):
            self.guard.idle(self._gain())
            return Observation(""), REPEATED
        observation = self._as_it_was(number, block, await self.bridge.run(block))
        self.state.names.update(dict.fromkeys(extraction.assigned_names(block)))
        if observation.outcome in {"limit", "crash"}:  # where it ended differs from run to run
            self.state.names.clear()
            self.state.notes.clear()
        for title, why in self.state.refusals.items():
            if why not in observation.output:  # report() was called and its answer not printed
                self.state.note(f"report() refused {title!r}: {why}")
        self.guard.ran(observation, self._gain())
        names = (*self.state.names, *tools.KNOWN)
        return observation, hints.hint(observation.error, names) if observation.error else ""

    def _as_it_was(self, number: int, block: str, observation: Observation) -> Observation:
        """A block that a limit ended may end in another line this time: the root is told what it was told before."""
        recording = self.state.session.calls.journal.recorded_turn(self.name, number, block)
        if recording is None or not {recording["outcome"], observation.outcome} <= {"limit", "crash"}:
            return observation
        return Observation(recording["output"], recording["error"], recording["outcome"], recording["omitted"])

    async def _is_finished(self) -> bool:
        """Whether the root has given its answer, in any of the ways it may."""
        ready, content = await self.bridge.value(READY) or (False, "")
        if ready and self.state.final is None:
            try:
                content = self.state.accept(content)
            except ValueError as error:
                ready, content, self.news = False, "", (f'answer["content"] was not taken: {error}',)
                await self.bridge.value('answer.update({"ready": False})')
        self.summary = (self.state.final or content or self.summary).strip()
        return bool(ready) or self.state.final is not None

    def _gain(self) -> Gain:
        session = self.state.session
        return (
            len(session.tracker.unread()),
            len(self.state.reported_ids),
            len(self.state.dropped_ids),
            self.state.question_count,
        )

    def _is_spent(self) -> bool:
        """Whether questions are refused, or the turn after the next one would be: the root is told in time to hand in."""
        budget = self.state.session.calls.budget
        left = budget.left()
        size = sum(tokens(message.text, self.model.name) for message in self.conversation.messages)
        need = Usage(2 * size, MAX_TOKENS + TYPICAL_REPLY)
        usd = self.model.price(need)
        return (
            bool(budget.refused)
            or (left.calls is not None and left.calls <= 1)
            or (left.tokens is not None and left.tokens < need.input + need.output)
            or (left.usd is not None and usd is not None and left.usd < usd)
        )
