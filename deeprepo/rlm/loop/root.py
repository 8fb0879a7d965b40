"""The loop of a root: ask it, run its code and return the output, until it answers or a rule ends the run."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from deeprepo.rlm.errors import BudgetSpent, PromptTooLong, ProviderError
from deeprepo.rlm.journal import codec
from deeprepo.rlm.loop.conversation import MAX_TOKENS, Conversation
from deeprepo.rlm.loop.host_calls import BlockCalls
from deeprepo.rlm.loop.stall import StallGuard
from deeprepo.rlm.loop.tools import MAX_ANSWER, Work
from deeprepo.rlm.repl import extraction, hints
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Completion, Message, Model, Observation, Prompt, Turn, Usage, tokens

Outcome = Literal["", "answered", "turns", "budget", "provider", "window", "declined", "astray"]
ENDS: dict[str, str] = {
    "turns": "The root model used all {turns} turns without an answer.",
    "budget": "The root model stopped early: {why}.",
    "provider": "The root model failed: {why}",
    "window": "The root model could not go on: {why}.",
    "declined": "The root model declined to continue. {why}",
    "mute": "The root model wrote no working Python in {turns} turns, so it contributed nothing. Try another root model.",
    "cut": "Every reply of the root model was cut off at its length limit. Raise its `max_tokens`, or use another root model.",
    "astray": "The root model was stopped after {idle} turns without progress.",
}
# Expressions for the child: the root's answer as it stands; and its withdrawal, which is true if the root had called it ready.
ANSWER = f'[bool(answer.get("ready")), (lambda x: x[:{MAX_ANSWER}] if isinstance(x, str) else x)(answer["content"])]'
WITHDRAWN = 'bool(answer.get("ready")) and not answer.update(ready=False)'

NO_CODE = "There was no code in that reply. Call execute_python with code, or write one ```python block. To finish: set_answer('...')."
CUT_OFF = (
    "That reply was cut off at its length limit before the code was complete. Send less at once; nothing of it ran."
)
BROKEN = (
    "The arguments of that tool call were no valid JSON; nothing ran. Send the code again: one string named `code`."
)
REPEATED = "This very cell ran before, and would print the same; it was not run again. Build on its result, or finish: set_answer('...')."
OTHER_NUMBERS = (
    "When the run was resumed, block {number} of {run} repeated its calls with other numbers, such as the hash of an "
    "object. It got the recorded answers, so nothing was paid again."
)
DIVERGED = (
    "When the run was resumed, block {number} of {run} made other calls than before it was cut off, "
    "so it may have paid for some answers that it did not use. All calls are in the totals."
)
TYPICAL_REPLY = 1_500  # tokens; a call reserves more than that
GONE = frozenset({"limit", "crash"})  # outcomes of a block after which its REPL begins anew


@dataclass(slots=True)
class RootRun:
    """One run of a root over an open REPL: `run` takes its turns, and the rest of the fields says what they came to."""

    work: Work
    model: Model
    repl: Repl
    conversation: Conversation
    guard: StallGuard
    name: str = "root"  # of this run, in the journal
    turns: list[Turn] = field(default_factory=list)
    summary: str = ""
    cut_off: int = 0  # replies that ended at their length limit
    outcome: Outcome = ""
    why: str = ""
    read: int = 0  # messages that the root has answered
    news: tuple[str, ...] = ()  # what the root is told once, beside what its block printed

    async def run(self) -> None:
        """Run all turns; `outcome` says how they ended."""
        calls, at = self.work.calls, self.work.calls.at
        self.guard.note_text(self.conversation.messages[-1].text)
        try:
            for number in range(1, self.guard.turns + 1):
                self.work.say(f"{self.name}: turn {number} of {self.guard.turns}")
                calls.at = f"{self.name}:{number}"
                await self.take_turn(number)
                if self.outcome:
                    return
            self.outcome = "turns"
        finally:
            calls.at = at
            if not self.work.depth:
                calls.budget.keep(None)

    async def take_turn(self, number: int) -> None:
        """Ask for a reply, run its code and send the root the output."""
        reply = await self.ask()
        if reply is None:
            return
        self.news = ()
        calls, code = self.work.calls, extraction.of(reply)
        start = calls.now()
        observation, hint = await self.observe(number, code, reply)
        self.turns.append(Turn(number, code, observation, reply.text))
        calls.journal.turn(codec.turn(self.name, self.turns[-1], calls.now() - start))
        is_done, is_spent = await self.is_answered(), self.is_spent()
        refused = dict(self.work.refusals) if is_done and number < self.guard.turns and not is_spent else {}
        if refused and self.guard.hold_finish():
            self.work.final = None
            await self._withdraw_finish()
        elif is_done:
            self.outcome, refused = "answered", {}
        elif self.guard.astray:
            self.outcome = "astray"
        self.conversation.answer(
            reply,
            observation,
            hint=hint,
            number=number,
            turns=self.guard.turns,
            **asdict(calls.budget.left()),
            advice=self.guard.advice(number, budget_spent=is_spent),
            unreported=refused,
            notes=(*self.news, *self.work.notes),
            **self.work.facts(),
        )

    async def ask(self) -> Completion | None:
        """Ask the root what to do next; None where its run has ended. A conversation that outgrows the window loses its oldest outputs."""
        try:
            while True:
                prompt = self.conversation.prompt()
                try:
                    reply = await self.work.calls.complete(self.model, prompt, "root")
                    break
                except PromptTooLong:
                    if not self.conversation.shorten():
                        raise
        except BudgetSpent as error:
            self.outcome, self.why = "budget", str(error)
        except PromptTooLong as error:  # nothing to ask again for: what workers have read stands
            self.outcome, self.why = "window", str(error)
        except ProviderError as error:
            self.outcome, self.why = "provider", str(error)
        else:
            if reply.stop != "refusal":
                self._note_read(prompt)
                return reply
            self.outcome, self.why = "declined", reply.text[:200]
        return None

    async def observe(self, number: int, code: str, reply: Completion) -> tuple[Observation, str]:
        """Run the code, and return what it did with the one hint that goes with it."""
        work = self.work
        work.notes.clear()
        work.refusals.clear()
        self.cut_off += reply.stop == "length"
        if not code or reply.stop == "length":  # half a block may be Python too, and do something else
            self.guard.idle(work.gain)
            broken_call = any(call.unparsed_arguments for call in reply.calls)
            return Observation(""), CUT_OFF if reply.stop == "length" else BROKEN if broken_call else NO_CODE
        if self.guard.repeats(code):
            self.guard.idle(work.gain)
            return Observation(""), REPEATED
        observation = await self._run(number, code)
        if observation.outcome in GONE:  # where it ended differs from run to run
            work.notes.clear()
        for name, why in work.refusals.items():
            if why not in observation.output:  # the root has not printed it, and has to know
                work.note(f"{name!r} was refused: {why}")
        self.guard.ran(observation, work.gain)
        return observation, hints.hint(observation.error) if observation.error else ""

    async def is_answered(self) -> bool:
        """Return whether the root has given its answer, in any of the ways it may."""
        is_ready, content = False, ""
        try:
            is_ready, value = await self.repl.value(ANSWER)
            content = (self.work.accept(value) if is_ready and self.work.final is None else str(value))[:MAX_ANSWER]
        except (ValueError, TypeError) as error:  # the root has put something else in the place of `answer`
            is_ready = False
            if await self._withdraw_finish():
                self.news = (f'answer["content"] was not taken: {error}',)
        self.summary = (self.work.final or content or self.summary).strip()
        return is_ready or self.work.final is not None

    async def _withdraw_finish(self) -> bool:
        """Let the run go on although the root has finished; whether it had."""
        with suppress(ValueError):
            return bool(await self.repl.value(WITHDRAWN))
        return False

    def is_spent(self) -> bool:
        """Return whether the budget refuses calls, or will after the next turn. The root then gets time to answer."""
        budget = self.work.calls.budget
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

    async def conclude(self, message: str) -> None:
        """Ask a root that has used its turns once more, for an answer in words: what it has seen is paid for."""
        self.conversation.messages.append(Message("user", message))
        prompt = replace(self.conversation.prompt(), tool=None)
        calls = self.work.calls
        at, calls.at = calls.at, f"{self.name}:{len(self.turns) + 1}"
        try:
            reply = await calls.complete(self.model, prompt, "root")
            is_answer = reply.stop != "refusal" and not extraction.is_code(reply.text)
            self.summary = self.work.accept(reply.text.strip()) if is_answer else ""
        except (ProviderError, BudgetSpent, ValueError) as error:
            self.why = self.why or str(error)
        finally:
            calls.at = at

    @property
    def end(self) -> str:
        """How it ended, as a sentence, where that was not by an answer."""
        is_mute = self.outcome in {"turns", "astray"} and not any(turn.code for turn in self.turns)
        why = "cut" if is_mute and self.cut_off == len(self.turns) else "mute" if is_mute else self.outcome
        words = ENDS.get(why, "")
        return words.format(turns=len(self.turns), why=self.why, idle=self.guard.stale).strip()

    def _note_read(self, prompt: Prompt) -> None:
        """The root has answered: what it was shown, and what its code has printed to it, it has read."""
        for message in prompt.messages[self.read :]:
            if message.role in {"user", "tool"}:
                self.work.has_read(self.work.calls.masks.show(message.text))
        self.read = len(prompt.messages)

    async def _run(self, number: int, code: str) -> Observation:
        """Run a block. If an earlier run finished it, repeat its host calls and return the recorded output."""
        calls = self.work.calls
        recording = calls.journal.outcomes.turn(self.name, number)
        recording = recording if recording is not None and recording["code"] == code else None
        asked = BlockCalls(calls.journal, calls.masks, self.name, number, is_finished=recording is not None)
        observation = await self.repl.run(code, asked.next)
        for frame in asked.left():
            await self.repl.call(frame)
        for sentence, is_true in ((OTHER_NUMBERS, asked.has_other_numbers), (DIVERGED, asked.has_diverged)):
            if is_true:
                calls.budget.note(sentence.format(number=number, run=self.name))
        if recording is None:
            return observation
        if recording["outcome"] in GONE and observation.outcome not in GONE:
            await self.repl.start()  # as it was after that block
        return Observation(recording["output"], recording["error"], recording["outcome"], recording["omitted"])
