"""The forms in which a request can be made, which to try after a refusal, and the memory of what a server takes.

Nobody can know what each server of each version takes. It answers with 400; the request is then sent once more in another form,
and what was learnt is kept: no parameter is refused twice, but for calls that were on their way together.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from bot.models import failures
from bot.models.failures import SPOILT, HttpFailure
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
STREAM = re.compile(r"\bstream(ing)?\b", re.IGNORECASE)
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
    stream: bool = True
    asks_usage: bool = True  # whether a stream is asked for its usage
    effort: bool = True  # whether the effort is said
    extras: bool = True  # whether thinking goes back
    most: int | None = None  # the longest reply that the model gives

    def cap(self, prompt: Prompt) -> int:
        """The cap of a reply to this prompt."""
        return min(prompt.max_tokens, self.most or prompt.max_tokens)


# When it applies to what a refusal says; what changes.
Rule = tuple[Callable[[RequestForm, Prompt, str], object], dict[str, Any]]

OPENAI: tuple[Rule, ...] = (  # the first that applies
    (lambda f, _, message: f.system and ROLES.search(message), {"system": False}),
    (
        lambda f, _, message: any(n in message for n in TOKENS) and f.tokens == "max_tokens",
        {"tokens": "max_completion_tokens"},
    ),
    (lambda _f, _, message: any(n in message for n in TOKENS), {"tokens": "max_tokens"}),
    (
        lambda f, _, message: f.stream and f.asks_usage and re.search("stream_options|include_usage", message),
        {"asks_usage": False},
    ),
    (lambda f, _, message: f.stream and STREAM.search(message), {"stream": False}),
    # "Function tools with reasoning_effort are not supported": saying no effort would not help there.
    (lambda f, p, message: p.tool and f.tools and TOOLS.search(message) and "'none'" in message, {"tools": False}),
    (lambda f, p, message: f.effort and p.effort and EFFORT.search(message), {"effort": False}),
    (lambda f, p, message: f.extras and _has_extras(p) and EXTRAS.search(message), {"extras": False}),
    (lambda f, p, message: p.answer and f.answer == "schema" and SCHEMA.search(message), {"answer": "tool"}),
    (lambda f, p, message: p.answer and f.answer == "tool" and TOOLS.search(message), {"answer": "text"}),
    (lambda f, p, message: p.tool and f.tools and TOOLS.search(message), {"tools": False}),
)
ANTHROPIC: tuple[Rule, ...] = (
    (lambda f, _, message: f.stream and STREAM.search(message), {"stream": False}),
    (lambda f, p, message: p.answer and f.answer == "tool" and FORCED.search(message), {"answer": "schema"}),
    (
        lambda f, p, message: f.effort and p.effort and ("effort" in message or "output_config" in message),
        {"effort": False},
    ),
    (lambda f, p, message: p.answer and f.answer == "schema" and SCHEMA.search(message), {"answer": "text"}),
    (lambda f, p, message: f.extras and _has_extras(p) and EXTRAS.search(message), {"extras": False}),
)


def change(rules: tuple[Rule, ...], form: RequestForm, refusal: HttpFailure, prompt: Prompt) -> dict[str, Any]:
    """What to change of a form after this refusal; nothing where another form would not help."""
    if refusal.code in SPOILT:
        return {}
    most = MOST.search(refusal.message) if CAP.search(refusal.message) else None
    if most is not None and "input" not in refusal.message.lower():  # the model gives no reply as long as was asked for
        token_cap = min(int(number) for number in most.groups() if number) - (" (exclusive)" in refusal.message)
        if LEAST <= token_cap < form.cap(prompt):
            return {"most": token_cap}
    if failures.too_long(refusal):
        return {}
    return next((values for applies, values in rules if applies(form, prompt, refusal.words)), {})


def _has_extras(prompt: Prompt) -> bool:
    return any(
        message.extra or any(call.extra for call in message.calls)
        for message in prompt.messages
        if message.role == "assistant"
    )
