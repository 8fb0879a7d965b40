"""The forms of a request, from the fullest to the simplest.

Servers differ in the parameters that they accept. If a server rejects a request with status 400, the request is sent again
without the parameter that the refusal names, or else without every parameter that this server has not accepted yet. The form
that worked is remembered. Later requests restore the parameters one at a time, because some may have been left out needlessly.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, get_args

from deeprepo.rlm.models.provider import Tokens
from deeprepo.rlm.values import Prompt

TOKENS: tuple[Tokens, ...] = get_args(Tokens)
Answer = Literal["schema", "tool", "text"]
SCHEMA = re.compile(r"response.?format|json.?schema|structured.?output|output_config|output_format", re.IGNORECASE)
TOOLS = re.compile(r"\btools?\b|tool.?(choice|use|call)|function.?call", re.IGNORECASE)
EFFORT = re.compile(
    r"effort|\breasoning\b|support(s|ed)? thinking|\bthink(ing)?\b.{0,40}(support|allow)|output_config", re.IGNORECASE
)
FORCED = re.compile(r"tool_choice|forced tool", re.IGNORECASE)
EXTRAS = re.compile(
    r"reasoning_content|reasoning_details|extra_content|thought_signature|\breasoning\b|`?thinking`? block|signature",
    re.IGNORECASE,
)
MISREAD = re.compile(
    r"failed to parse input|peg-native format|in template\b|raise_exception", re.IGNORECASE
)  # llama.cpp
ROLES = re.compile(
    r"(system|developer) (role|message|instruction)|role.{0,20}system|roles must alternate|only user and assistant roles",
    re.IGNORECASE,
)
USAGE = re.compile(r"stream_options|include_usage")
STREAM = re.compile(r"\bstream(ing|ed)?\b", re.IGNORECASE)
CAP = re.compile(r"max.{0,3}(completion.|output.|new.)?tokens|maximum tokens", re.IGNORECASE)
NUMBER = re.compile(r"(?<![A-Za-z\d_.,-])\d[\d,]*")
MOST_NUMBERS = 12  # in a message that are compared
PROMPT = re.compile(r"input|prompt|context|messages", re.IGNORECASE)
LEAST = 256  # tokens; a shorter reply is not worth a request
PLAIN = 4_095  # reply tokens that every model supports; some have a limit below 4,096


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The parts of a request that some servers reject."""

    tokens: Tokens = "max_tokens"  # the parameter for the reply's cap
    answer: Answer = "schema"  # how a structured answer is requested
    tools: bool = True  # whether a tool is offered
    system: bool = True  # whether instructions are a system message; some chat templates lack that role
    stream: bool = True  # whether the reply is streamed
    asks_usage: bool = True  # whether a stream should report its usage
    effort: bool = True  # whether the effort is sent
    extras: bool = True  # whether the model's earlier thinking is sent back
    most: int | None = None  # the model's maximum reply tokens

    def cap(self, prompt: Prompt) -> int:
        """Return the cap on the reply to this prompt."""
        return min(prompt.max_tokens, self.most or prompt.max_tokens)

    def features(self, prompt: Prompt) -> set[tuple[str, object]]:
        """Return the options that a server accepts if it accepts this prompt in this form."""
        used = {"tokens", "stream"}
        used |= {"asks_usage"} if self.stream else set()
        used |= {"system"} if prompt.messages[0].role == "system" else set()
        used |= {"answer"} if prompt.answer else set()
        used |= {"tools"} if prompt.tool else set()
        used |= {"effort"} if prompt.effort else set()
        used |= {"extras"} if sends_extras(prompt, self) else set()
        return {(name, getattr(self, name)) for name in used}


@dataclass(frozen=True, slots=True)
class Simplification:
    """A change that makes a form simpler. `names`: whether a refusal mentions what it changes."""

    change: dict[str, Any]
    names: Callable[[str], object]

    @property
    def field(self) -> str:
        """The changed field of the form."""
        return next(iter(self.change))


def simpler(
    form: RequestForm, prompt: Prompt, answers: tuple[Answer, ...], fields: frozenset[str]
) -> Iterator[Simplification]:
    """Return the changes that make a form simpler, in the order in which they are tried.

    `answers`: ways to request a structured answer, the preferred one first; `fields`: those that the dialect's servers may reject.
    """
    used = {name for name, value in form.features(prompt) if value is not False} | {"most"}
    says = {"schema": SCHEMA, "tool": FORCED if answers[0] == "tool" else TOOLS}
    steps = (
        Simplification({"system": False}, ROLES.search),
        Simplification(
            {"tokens": next(name for name in TOKENS if name != form.tokens)}, re.compile("|".join(TOKENS)).search
        ),
        Simplification({"asks_usage": False}, USAGE.search),
        # "Function tools with reasoning_effort are not supported": leaving out the effort would not help.
        Simplification({"tools": False}, lambda words: TOOLS.search(words) and "'none'" in words),
        Simplification({"effort": False}, EFFORT.search),
        Simplification({"extras": False}, EXTRAS.search),
        *(
            Simplification({"answer": plainer}, says[form.answer].search)
            for plainer in answers[answers.index(form.answer) + 1 :]
        ),
        Simplification({"stream": False}, STREAM.search),
        Simplification({"tools": False}, lambda words: TOOLS.search(words) or MISREAD.search(words)),
        *([Simplification({"most": PLAIN}, CAP.search)] if form.cap(prompt) > PLAIN + 1 else []),
    )
    return (step for step in steps if step.field in used & fields)


def numbers_in(message: str) -> list[int]:
    """Return the first whole numbers in a refusal."""
    return [int(match[0].replace(",", "")) for match in islice(NUMBER.finditer(message), MOST_NUMBERS)]


def longest_reply(message: str, cap: int) -> int | None:
    """Return the model's maximum reply tokens if a refusal of the `cap` names them, and no prompt, else None."""
    if not CAP.search(message) or PROMPT.search(message):
        return None
    most = max((number for number in numbers_in(message) if LEAST <= number < cap), default=None)
    return most - (" (exclusive)" in message) if most is not None else None


def sends_extras(prompt: Prompt, form: RequestForm) -> bool:
    """Return whether a request in this form contains the model's earlier thinking."""
    said = [message for message in prompt.messages if message.role == "assistant"]
    return form.extras and any(message.extra or any(call.extra for call in message.calls) for message in said)
