"""A model that is never asked: it weighs each prompt and says the least that goes on. What an estimate is made with."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.agent.repl import extraction
from bot.llm import capacity
from bot.values import Completion, Prompt, Purpose, Schema, ToolCall, Usage
from bot.values.model import likely_tokens

REPLY_TOKENS = 300  # of an answer, findings included
TURN_TOKENS = 700  # of a root's reply: its thoughts and its code
OVERHEAD = 4  # tokens around each message
Price = Callable[[Usage], float | None]
END = "set_answer('rehearsed')"


@dataclass
class DryRun:
    """Satisfies `ports.Model`. Nothing leaves the process."""

    name: str
    price: Price
    prompt_usages: list[Usage] = field(default_factory=list)  # what each prompt would use
    look_up_usages: list[Usage] = field(default_factory=list)  # the same of those whose answer may ask to see more

    async def complete(self, prompt: Prompt) -> Completion:
        """An empty answer, or the shortest block that ends a root's run."""
        reply_tokens = TURN_TOKENS if prompt.tool else REPLY_TOKENS
        reply_tokens += self.thinking("root" if prompt.tool else "worker")
        form = prompt.answer or prompt.tool
        size = sum(likely_tokens(m.text, self.name) + OVERHEAD for m in prompt.messages)
        size += likely_tokens(json.dumps(form.parameters), self.name) if form is not None else 0
        self.prompt_usages.append(Usage(size, min(reply_tokens, capacity.LARGEST)))
        if prompt.answer is not None and prompt.answer.final is not None:
            self.look_up_usages.append(self.prompt_usages[-1])
        if prompt.tool:
            return Completion("", Usage(), "tool", None, (ToolCall("rehearsal", extraction.TOOL.name, {"code": END}),))
        return Completion("", Usage(), data=_least(prompt.answer))

    def thinking(self, role: Purpose) -> int:
        """Tokens of thinking that are assumed for one reply."""
        return 0 if capacity.thinking(self.name) == "no" else capacity.HABIT[role]

    async def close(self) -> None:
        """Nothing is open."""


def _least(form: Schema | None) -> dict[str, Any]:
    """An answer that says nothing and fits its form: one that does not fit would be asked for again, and weighed twice."""
    properties = form.parameters.get("properties", {}) if form is not None else {}
    return {name: [] if row.get("type") == "array" else "" for name, row in properties.items()}
