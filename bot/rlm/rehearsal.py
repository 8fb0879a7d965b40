"""A model that is never asked: it weighs each prompt and says the least that goes on. What an estimate is made with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.rlm import code, room
from bot.rlm.room import Role
from bot.values import Completion, Prompt, ToolCall, Usage, tokens

REPLY_TOKENS = 300  # of an answer, findings included
TURN_TOKENS = 700  # of a root's reply: its thoughts and its code
OVERHEAD = 4  # tokens around each message
Price = Callable[[Usage], float | None]
END = "set_answer('rehearsed')"


@dataclass
class Rehearsal:
    """Satisfies `ports.Model`. Nothing leaves the process."""

    name: str
    price: Price
    asked: list[Usage] = field(default_factory=list)  # what each prompt would use

    async def complete(self, prompt: Prompt) -> Completion:
        """An empty answer, or the shortest block that ends a root's run."""
        said = TURN_TOKENS if prompt.tool else REPLY_TOKENS
        said += self.thinking("root" if prompt.tool else "worker")
        self.asked.append(Usage(sum(tokens(m.text) + OVERHEAD for m in prompt.messages), min(said, room.LARGEST)))
        if prompt.tool:
            return Completion("", Usage(), "tool", None, (ToolCall("rehearsal", code.TOOL.name, {"code": END}),))
        return Completion("", Usage(), data={"answer": "", "findings": []})

    def thinking(self, role: Role) -> int:
        """Tokens of thinking that are assumed for one reply."""
        return 0 if room.thinking(self.name) == "no" else room.HABIT[role]

    async def close(self) -> None:
        """Nothing is open."""
