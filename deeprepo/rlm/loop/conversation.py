"""The messages between the harness and a root.

They are only appended, so that provider prompt caches stay valid.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import Completion, Message, Observation, Prompt

MAX_TOKENS = 8_000  # per reply
SHORT = 400  # characters; shorter outputs are always kept
LEFT_OUT = "[This output was left out: the dialogue had become longer than your context window. Print again what you still need.]"


@dataclass(slots=True)
class Conversation:
    """The conversation with one root."""

    tell: Callable[..., str]  # renders the message after a turn from `output`, `error` and other facts
    messages: list[Message] = field(default_factory=list)

    def open(self, instructions: str, message: str) -> None:
        """Start with the instructions and the first message."""
        self.messages = [Message("system", instructions), Message("user", message)]

    def go_on(self, said: str, text: str) -> None:
        """Add the previous answer and another question. Some providers require alternating roles."""
        self.messages += [Message("assistant", said or "(no answer)"), Message("user", text)]

    def prompt(self) -> Prompt:
        """Return the next request to the root."""
        return Prompt(tuple(self.messages), tool=extraction.TOOL, max_tokens=MAX_TOKENS)

    def answer(self, reply: Completion, observation: Observation, **facts: object) -> None:
        """Add the root's exact reply and its code's output. `facts` are shown after every turn."""
        said = reply.text or ("" if reply.calls else "(an empty reply)")  # providers reject an empty message
        self.messages.append(Message("assistant", said, reply.calls, extra=reply.extra))
        output, error = observation.output.rstrip("\n"), observation.error or ""
        text = self.tell(output=output, error=error, **facts).strip("\n")
        if not reply.calls:
            self.messages.append(Message("user", text))
            return
        self.messages.append(Message("tool", text, call_id=reply.calls[0].id))
        for call in reply.calls[1:]:
            self.messages.append(Message("tool", "It ran together with the first call.", call_id=call.id))

    def shorten(self) -> bool:
        """Shorten the older half of the printed outputs. Return False if there was nothing to shorten."""
        outputs = [
            at
            for at, one in enumerate(self.messages)
            if at > 1 and one.role in {"user", "tool"} and len(one.text) > SHORT
        ]
        for at in outputs[: -(-len(outputs) // 2)]:
            self.messages[at] = replace(self.messages[at], text=LEFT_OUT)
        return bool(outputs)
