"""The messages between the harness and a root. Append-only, so that every provider's prompt cache holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot import render
from bot.agent.repl import extraction
from bot.agent.stall_guard import Advice
from bot.llm.budget import Left
from bot.review.guidance import tongue
from bot.values import Completion, Limits, Message, Observation, Prompt, Schema

MAX_TOKENS = 8_000  # of one reply
MAX_UNREAD = 20  # ids in a turn line
SHORT = 400  # characters of an output that is not worth leaving out
LEFT_OUT = "[This output was left out: the dialogue had become longer than your context window. Print again what you still need.]"

FORM = "prompts/root"


@dataclass(slots=True)
class Conversation:
    """The conversation with one root."""

    limits: Limits
    turns: int
    messages: list[Message] = field(default_factory=list)
    form: str = FORM  # whose words: FORM_system and FORM_turn
    words: Callable[..., str] = render.text
    tool: Schema = extraction.TOOL

    def open(
        self,
        seed: str,
        *,
        gate: bool,
        language: str = "en",
        walkthrough: bool = False,
        consumers: Sequence[str] = (),
    ) -> None:
        """The instructions and the first message. `consumers`: the repositories beside this one that the root may look into."""
        system = self.words(
            f"{self.form}_system.md.j2",
            turns=self.turns,
            output_chars=self.limits.output_chars,
            turn_seconds=self.limits.turn_seconds,
            gate=gate,
            walkthrough=walkthrough,
            consumers=consumers,
        )
        self.messages = [Message("system", system + tongue(language)), Message("user", seed)]

    def prompt(self) -> Prompt:
        """What the root is asked now."""
        return Prompt(tuple(self.messages), tool=self.tool, max_tokens=MAX_TOKENS)

    def add_reply(self, reply: Completion) -> None:
        """Keep the root's reply, word for word."""
        text = reply.text or ("" if reply.calls else "(an empty reply)")  # providers refuse an empty message
        self.messages.append(Message("assistant", text, reply.calls, extra=reply.extra))

    def answer(self, reply: Completion, text: str) -> None:
        """What came back, as the answer to the tool call where there was one."""
        if not reply.calls:
            self.messages.append(Message("user", text))
            return
        self.messages.append(Message("tool", text, call_id=reply.calls[0].id))
        for call in reply.calls[1:]:
            self.messages.append(Message("tool", "It ran together with the first call.", call_id=call.id))

    def shorten(self) -> bool:
        """Leave out the older half of what blocks printed; False where nothing is left to leave out."""
        outputs = [
            at
            for at, one in enumerate(self.messages)
            if at > 1 and one.role in {"user", "tool"} and len(one.text) > SHORT
        ]
        for at in outputs[: -(-len(outputs) // 2)]:
            self.messages[at] = replace(self.messages[at], text=LEFT_OUT)
        return bool(outputs)


@dataclass(frozen=True, slots=True)
class TurnStatus:
    """What the last lines of every turn say."""

    number: int
    turns: int
    left: Left
    unread: tuple[str, ...]
    advice: Advice = ""
    finish_refused: bool = False  # the root wanted to finish and may not yet
    unreported_findings: Mapping[str, str] = field(
        default_factory=dict
    )  # title -> why; report() refused it in the block that finished
    notes: tuple[str, ...] = ()  # what look-ups say beside the values that they gave


def turn_text(
    observation: Observation, hint: str, status: TurnStatus, form: str = FORM, words: Callable[..., str] = render.text
) -> str:
    """Output, error, hint and the turn line."""
    text = words(
        f"{form}_turn.md.j2",
        output=observation.output.rstrip("\n"),
        error=observation.error or "",
        hint=hint,
        number=status.number,
        turns=status.turns,
        usd=status.left.usd,
        tokens=status.left.tokens,
        calls=status.left.calls,
        unread=status.unread[:MAX_UNREAD],
        more_unread=max(0, len(status.unread) - MAX_UNREAD),
        advice=status.advice,
        refused=status.finish_refused,
        unreported=status.unreported_findings,
        notes=status.notes,
    )
    return text.strip("\n")
