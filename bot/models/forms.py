"""The forms in which a request can be made, and what the words of a refusal say about them.

Nobody can know what each server of each version takes. It answers with 400; the request is then sent once more in another form,
and what was learnt is kept: no parameter is refused twice, but for calls that were on their way together.
"""

import re
from dataclasses import dataclass
from typing import Literal

from bot.models.provider import Tokens
from bot.values import Prompt

TOKENS: tuple[Tokens, ...] = ("max_completion_tokens", "max_tokens")
SCHEMA = re.compile(r"response.?format|json.?schema|structured.?output|output_config|output_format", re.IGNORECASE)
TOOLS = re.compile(r"\btools?\b|tool.?(choice|use|call)|function.?call", re.IGNORECASE)
EFFORT = re.compile(
    r"effort|\breasoning\b|support(s|ed)? thinking|\bthink(ing)?\b.{0,40}(support|allow)", re.IGNORECASE
)
FORCED = re.compile(r"tool_choice|forced tool", re.IGNORECASE)
EXTRAS = re.compile(
    r"reasoning_content|reasoning_details|extra_content|thought_signature|\breasoning\b|`?thinking`? block|signature",
    re.IGNORECASE,
)
ROLES = re.compile(r"system role|role.{0,20}system|roles must alternate|only user and assistant roles", re.IGNORECASE)
USAGE = re.compile(r"stream_options|include_usage")
CAP = re.compile(r"max.{0,3}(completion.|output.|new.)?tokens|maximum tokens", re.IGNORECASE)
MOST = re.compile(  # how long a reply may be at most
    r"at most (\d+) (?:completion|output) tokens|tokens`?: \d+ > (\d+)|less than or equal to `?(\d+)|\[\d+, ?(\d+)\]"
    r"|model limit of (\d+)|to (\d+) \(exclusive\)|maximum (?:value|of|is) `?(\d+)|<= ?(\d+)",
    re.IGNORECASE,
)
LEAST = 256  # tokens of a reply that is worth asking for


@dataclass(frozen=True, slots=True)
class RequestForm:
    """How to say what servers disagree on."""

    tokens: Tokens = "max_tokens"  # the name of a reply's cap
    answer: Literal["schema", "tool", "text"] = "schema"  # how a structured answer is demanded
    tools: bool = True  # whether a tool is offered
    system: bool = (
        True  # whether instructions are a message of their own; templates of some local models know no such role
    )
    asks_usage: bool = True  # whether a stream is asked for its usage
    effort: bool = True  # whether the effort is said
    extras: bool = True  # whether thinking goes back
    most: int | None = None  # the longest reply that the model gives

    def cap(self, prompt: Prompt) -> int:
        """The cap of a reply to this prompt."""
        return min(prompt.max_tokens, self.most or prompt.max_tokens)


def longest_reply(message: str) -> int | None:
    """The tokens of the longest reply that a model gives, where a refusal names them."""
    most = MOST.search(message) if CAP.search(message) and "input" not in message.lower() else None
    if most is None:
        return None
    tokens = min(int(number) for number in most.groups() if number) - (" (exclusive)" in message)
    return tokens if tokens >= LEAST else None


def sends_extras(prompt: Prompt, form: RequestForm) -> bool:
    """Whether a request in this form repeats what its model has thought."""
    said = [message for message in prompt.messages if message.role == "assistant"]
    return form.extras and any(message.extra or any(call.extra for call in message.calls) for message in said)
