"""The messages between the harness and a root. Append-only, so that every provider's prompt cache holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot import render
from bot.review.guidance import tongue
from bot.values import Completion, Limits, Message, Observation, Prompt, Schema
from rlm.repl import extraction

MAX_TOKENS = 8_000  # of one reply
MAX_UNREAD = 20  # ids in a turn line
SHORT = 400  # characters of an output that is not worth leaving out
LEFT_OUT = "[This output was left out: the dialogue had become longer than your context window. Print again what you still need.]"

FORM = "prompts/root_"


@dataclass(slots=True)
class Conversation:
    """The conversation with one root."""

    limits: Limits
    turns: int
    messages: list[Message] = field(default_factory=list)
    form: str = FORM  # whose words: those of FORMsystem and FORMturn
    words: Callable[..., str] = render.text
    tool: Schema = extraction.TOOL

    def open(
        self, seed: str, *, gate: bool, language: str = "en", walkthrough: bool = False, consumers: Sequence[str] = ()
    ) -> None:
        """The instructions and the first message. `consumers`: the repositories beside this one that the root may look into."""
        system = self.words(
            f"{self.form}system.md.j2",
            turns=self.turns,
            output_chars=self.limits.output_chars,
            turn_seconds=self.limits.turn_seconds,
            gate=gate,
            walkthrough=walkthrough,
            consumers=consumers,
        )
        self.messages = [Message("system", system + tongue(language)), Message("user", seed)]

    def go_on(self, said: str, text: str) -> None:
        """Another question, after the answer to the one before: roles alternate, as some providers want it."""
        self.messages += [Message("assistant", said or "(no answer)"), Message("user", text)]

    def prompt(self) -> Prompt:
        """What the root is asked now."""
        return Prompt(tuple(self.messages), tool=self.tool, max_tokens=MAX_TOKENS)

    def answer(self, reply: Completion, observation: Observation, unread: Sequence[str], **facts: object) -> None:
        """The root's reply, word for word, and what came back. `facts`: what the last lines of every turn say."""
        said = reply.text or ("" if reply.calls else "(an empty reply)")  # providers refuse an empty message
        self.messages.append(Message("assistant", said, reply.calls, extra=reply.extra))
        text = self.words(
            f"{self.form}turn.md.j2",
            output=observation.output.rstrip("\n"),
            error=observation.error or "",
            turns=self.turns,
            unread=unread[:MAX_UNREAD],
            more_unread=max(0, len(unread) - MAX_UNREAD),
            **facts,
        ).strip("\n")
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
