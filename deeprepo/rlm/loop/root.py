"""The root model's loop: ask it, run its code and send it the output, until it answers or a rule ends the run."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from deeprepo.rlm.errors import BudgetSpent, PromptTooLong, ProviderError
from deeprepo.rlm.journal import codec
from deeprepo.rlm.loop.conversation import MAX_TOKENS, Conversation
from deeprepo.rlm.loop.host_calls import BlockCalls
from deeprepo.rlm.loop.stall import STALE_STOP, StallGuard
from deeprepo.rlm.loop.tools import MAX_ANSWER, Work
from deeprepo.rlm.money.calls import Run
from deeprepo.rlm.repl import extraction, frames, hints
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Completion, Message, Model, Observation, Turn, Usage, tokens

Outcome = Literal["", "answered", "turns", "budget", "provider", "window", "declined", "astray"]
ENDS: dict[str, str] = {
    "turns": "The root model used all {turns} turns without an answer.",
    "budget": "The root model stopped early: {why}.",
    "provider": "The root model failed: {why}",
    "window": "The root model could not go on: {why}.",
    "declined": "The root model {why}",
    "mute": "The root model wrote no working Python in {turns} turns, so it contributed nothing. Try another root model.",
    "cut": "Every reply of the root model was cut off at its length limit. Raise its `max_tokens`, or use another root model.",
    "empty": "The root model was stopped after {empty} replies without text. In the last one, it {why}.",
    "astray": "The root model was stopped after {idle} turns without progress.",
}
# Evaluated in the child: whether the answer is ready, its content, and the rest; and an expression that makes it "not
# ready" again.
ANSWER = (
    f'[bool(answer.get("ready")), (lambda x: x[:{MAX_ANSWER}] if isinstance(x, str) else x)(answer["content"]),'
    ' {key: value for key, value in answer.items() if key not in ("content", "ready")}]'
)
WITHDRAWN = 'bool(answer.get("ready")) and not answer.update(ready=False)'

NO_CODE = "There was no code in that reply. Call execute_python with code, or write one ```python block. To finish: set_answer('...')."
CUT_OFF = "That reply was cut off at its length limit before the code was complete, so nothing ran. Send shorter code."
BROKEN = "The arguments of that tool call were not valid JSON, so nothing ran. Send the code again as one string named `code`."
REPEATED = (
    "This code ran before with exactly the same result. {stale} turns in a row brought no progress, and {stop} end the "
    "run. To finish: set_answer('...'). "
)
DIVERGED = (
    "When the run was resumed, block {number} of {run} made other calls than before it was cut off, "
    "so it may have paid for some answers that it did not use. All calls are in the totals."
)
MUTE_TURNS = 2  # turns without any code, or replies in a row without text, after which a run ends
TYPICAL_REPLY = 1_500  # tokens; a call reserves more than that
GONE = frozenset({"limit", "crash"})  # outcomes after which a new REPL is started


@dataclass(slots=True)
class RootRun:
    """One run of a root over an open REPL. `run` takes its turns, and the other fields contain the results."""

    work: Work
    model: Model
    repl: Repl
    conversation: Conversation
    guard: StallGuard
    name: str = "root"  # the run's name in the journal
    turns: list[Turn] = field(default_factory=list)
    summary: str = ""
    cut_off: int = 0  # number of replies that reached their length limit
    outcome: Outcome = ""
    why: str = ""
    news: tuple[str, ...] = ()  # notes for the next message only
    code_of: Callable[[Completion, Collection[str]], str] = extraction.of
    empty: int = 0  # number of replies in a row without text and code

    async def run(self) -> None:
        """Take turns until one of them sets `outcome`, or there are no more turns."""
        self.guard.note_text(self.conversation.messages[-1].text)
        with self.work.calls.running(self.name) as run:
            for number in range(1, self.guard.turns + 1):
                self.work.say(f"{self.name}: turn {number} of {self.guard.turns}")
                run.turn = number
                await self.take_turn(number, run)
                if self.outcome:
                    return
            self.outcome = "turns"

    async def take_turn(self, number: int, run: Run) -> None:
        """Ask for a reply, run its code, and add the output to the conversation."""
        reply = await self.ask()
        if reply is None:
            return
        self.news = ()
        calls, code = self.work.calls, self.code_of(reply, self.repl.names)
        start, run.before_block = calls.now(), run.left()
        observation, hint = await self.observe(number, code, reply, run)
        self.turns.append(Turn(number, code, observation, reply.text))
        calls.journal.turn(codec.turn(self.name, self.turns[-1], calls.now() - start))
        is_done, is_spent = await self.is_answered(), self.is_spent(run)
        has_failed = bool(self.work.refusals or observation.error)
        is_held = is_done and has_failed and number < self.guard.turns and not is_spent and self.guard.hold_finish()
        if is_held:
            self.work.final = None
            await self._withdraw_finish()
        elif is_done:
            self.outcome = "answered"
        elif self.guard.astray or self.empty == MUTE_TURNS or self._is_mute(number):
            self.outcome = "astray"
        self.conversation.answer(
            reply,
            observation,
            hint=hint,
            number=number,
            turns=self.guard.turns,
            **asdict(run.left()),
            advice=self.guard.advice(number, budget_spent=is_spent),
            refusals=self.work.refusals,
            is_held=is_held,
            notes=(*self.news, *(note for note in self.work.notes if note not in observation.output)),
            **self.work.facts(),
        )

    def _is_mute(self, number: int) -> bool:
        """Return whether no reply of the first turns had code, so that the model won't write any."""
        return number == MUTE_TURNS and not self.cut_off and not any(turn.code for turn in self.turns)

    async def ask(self) -> Completion | None:
        """Return the root's reply, or None if its run has ended.

        If the conversation is too long for the model's window, its oldest outputs are removed.
        """
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
        except PromptTooLong as error:  # cannot be retried; what workers have read still counts
            self.outcome, self.why = "window", str(error)
        except ProviderError as error:
            self.outcome, self.why = "provider", str(error)
        else:
            if reply.stop != "refusal":
                return reply
            self.outcome, self.why = "declined", f"{reply.lack}. {reply.text[:200]}"
        return None

    async def observe(self, number: int, code: str, reply: Completion, run: Run) -> tuple[Observation, str]:
        """Run the code, and return its output and a hint for the root."""
        work = self.work
        work.notes.clear()
        work.refusals.clear()
        self.cut_off += reply.stop == "length"
        is_broken = any(call.unparsed_arguments for call in reply.calls)
        lack = "" if code or is_broken or reply.stop == "length" else reply.lack
        self.empty = self.empty + 1 if lack else 0
        if not code or reply.stop == "length":  # an incomplete block may be valid Python that does something else
            self.guard.idle(work.gain)
            if lack:
                self.why = lack
                return Observation(""), f"You {lack}. {NO_CODE}"
            return Observation(""), CUT_OFF if reply.stop == "length" else BROKEN if is_broken else NO_CODE
        answered = run.answered
        observation = await self._run(number, code)
        work.paid_calls += run.answered - answered
        if observation.outcome in GONE:  # a resumed run may stop at a different point
            work.notes.clear()
        hint = hints.hint(observation.error) if observation.error else ""
        if self.guard.ran(code, observation, work.gain):
            hint = (REPEATED.format(stale=self.guard.stale, stop=STALE_STOP) + hint).strip()
        return observation, hint

    async def is_answered(self) -> bool:
        """Return whether the root has answered, by a call or by setting `answer`."""
        is_ready, content = False, ""
        try:
            is_ready, value, rest = await self.repl.value(ANSWER)
            content = (self.work.accept(value) if is_ready and self.work.final is None else str(value))[:MAX_ANSWER]
            if is_ready and self.work.final is None:
                self.work.take(rest)
        except (ValueError, TypeError) as error:  # `answer` is invalid, or the root has replaced it
            is_ready = False
            if await self._withdraw_finish():
                self.news = (f'answer["content"] was not accepted: {error}',)
        self.summary = frames.sound(self.work.final or content or self.summary).strip()
        return is_ready or self.work.final is not None

    async def _withdraw_finish(self) -> bool:
        """Continue a run that the root has finished. Return whether it had."""
        with suppress(ValueError):
            return bool(await self.repl.value(WITHDRAWN))
        return False

    def is_spent(self, run: Run) -> bool:
        """Return whether the budget is spent, or will be after the next turn, so that the root must answer now."""
        left = run.left()
        size = sum(tokens(message.text, self.model.name) for message in self.conversation.messages)
        need = Usage(2 * size, MAX_TOKENS + TYPICAL_REPLY)
        usd = self.model.price(need)
        return (
            (run.is_refused if run.parent is not None else bool(self.work.calls.budget.refused))
            or (left.calls is not None and left.calls <= 1)
            or (left.tokens is not None and left.tokens < need.input + need.output)
            or (left.usd is not None and usd is not None and left.usd < usd)
        )

    async def conclude(self, message: str) -> None:
        """Ask a root without turns for an answer in words, so that what it has read is not wasted."""
        self.conversation.messages.append(Message("user", message))
        prompt = replace(self.conversation.prompt(), tool=None)
        try:
            with self.work.calls.running(self.name) as run:
                run.turn = len(self.turns) + 1
                reply = await self.work.calls.complete(self.model, prompt, "root")
            name, text = extraction.ending(reply) or ("", "")
            is_answer = reply.stop != "refusal" and (name == "FINAL" or not extraction.is_code(reply, self.repl.names))
            said = frames.sound(text if name == "FINAL" else reply.text.strip())
            self.summary = self.work.accept(said) if is_answer else ""
        except (ProviderError, BudgetSpent, ValueError) as error:
            self.why = self.why or str(error)

    @property
    def end(self) -> str:
        """A sentence about how the run ended, or "" if the root answered."""
        is_mute = self.outcome in {"turns", "astray"} and not any(turn.code for turn in self.turns)
        mute = "cut" if self.cut_off == len(self.turns) else "mute"
        why = "empty" if self.empty == MUTE_TURNS else mute if is_mute else self.outcome
        return (
            ENDS.get(why, "")
            .format(turns=len(self.turns), why=self.why, idle=self.guard.stale, empty=self.empty)
            .strip()
        )

    async def _run(self, number: int, code: str) -> Observation:
        """Run a block. If an earlier run finished it, repeat its host calls and return the recorded output."""
        calls = self.work.calls
        recording = calls.journal.outcomes.turn(self.name, number)
        recording = recording if recording is not None and recording["code"] == code else None
        block_calls = BlockCalls(calls.journal, calls.masks, self.name, number, is_finished=recording is not None)
        observation = await self.repl.run(code, block_calls.next)
        for frame in block_calls.left():
            await self.repl.call(frame)
        if block_calls.has_diverged:
            calls.budget.note(DIVERGED.format(number=number, run=self.name))
        if recording is None:
            return observation
        if recording["outcome"] in GONE and observation.outcome not in GONE:
            await self.repl.start()  # the block had also ended its REPL when it was recorded
        return Observation(recording["output"], recording["error"], recording["outcome"], recording["omitted"])
