"""How a provider behaves beside what it answers: it thinks, streams, counts tokens per minute, has one slot or a small window.

The wordings of refusals are those of the providers' own servers; `tests/models/test_too_long.py` holds the client to each.
"""

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from deeprepo_sandbox.providers.dialect import Invalid

Form = Literal["hidden", "blocks", "reasoning_content", "reasoning", "reasoning_details", "thought_signature"]
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Modes:
    """What a server does to every request. The defaults are a server that does nothing of it and streams when asked to.

    `thinking` says where a reply holds its thinking: "hidden" is counted only; "blocks" is Anthropic's own, the rest are
    fields of the OpenAI dialect. With `wants_thinking` a dialogue that comes back without it is refused, as the providers do.
    """

    thinks: int = 0  # tokens before every answer; they count against the cap of the reply
    thinking: Form = "hidden"
    wants_thinking: bool = False
    prefix: str = ""  # stands before every text, such as "<think>a draft</think>"
    streams: bool = True  # False: plain JSON although a stream is asked for
    index: Literal["given", "missing"] = "given"  # Gemini leaves out the index of a tool call's deltas
    window: int | None = None  # tokens
    overflow: Literal["refuse", "truncate"] = "refuse"  # truncate: in silence, the usage alone shows it
    wording: str = "openai"  # of the refusal; one of TOO_LONG
    tokens_per_minute: int | None = None
    minute: float = 60.0  # seconds that this server's minute takes
    slots: int | None = None  # requests that are worked on at once, the rest wait; None: all


TOO_LONG: Mapping[str, tuple[str, str]] = {  # code, message
    "openai": (
        "context_length_exceeded",
        (
            "This model's maximum context length is {window} tokens. However, your messages resulted in {size} "
            "tokens. Please reduce the length of the messages."
        ),
    ),
    "vllm": (
        "",
        (
            "This model's maximum context length is {window} tokens. However, you requested {cap} output tokens "
            "and your prompt contains at least {size} input tokens, for a total of at least {total} tokens. "
            "Please reduce the length of the input prompt or the number of requested output tokens."
        ),
    ),
    "vllm 0.13": (
        "",
        (
            "'max_tokens' or 'max_completion_tokens' is too large: {cap}. This model's maximum context length is {window} "
            "tokens and your request has {size} input tokens ({cap} > {window} - {size}). (parameter=max_tokens, value={cap})"
        ),
    ),
    "sglang": (
        "",
        (
            "Requested token count exceeds the model's maximum context length of {window} tokens. You requested a total of "
            "{total} tokens: {size} tokens from the input messages and {cap} tokens for the completion. Please reduce the "
            "number of tokens in the input messages or the completion to fit within the limit."
        ),
    ),
    "unsaid with cap": ("context_length_exceeded", "The context length is exceeded."),
    "llama.cpp": (
        "exceed_context_size_error",
        "request ({size} tokens) exceeds the available context size ({window} tokens), try increasing it",
    ),
    "anthropic": ("", "prompt is too long: {size} tokens > {window} maximum"),
    "anthropic with cap": (
        "",
        (
            "input length and `max_tokens` exceed context limit: {size} + {cap} > {window}, decrease input "
            "length or `max_tokens` and try again"
        ),
    ),
    "gemini": (
        "INVALID_ARGUMENT",
        "The input token count ({size}) exceeds the maximum number of tokens allowed ({window}).",
    ),
    "mistral": (
        "3051",
        "Prompt contains {size} tokens and 0 draft tokens, too large for model with {window} maximum context length",
    ),
    "groq": ("context_length_exceeded", "Please reduce the length of the messages or completion."),
    "bedrock": ("", "Input is too long for requested model."),
    "ollama": ("", "the input length exceeds the context length"),
    "openrouter": (
        "",
        (
            "This endpoint's maximum context length is {window} tokens. However, you requested about {total} "
            "tokens ({size} of text input, {cap} in the output). Please reduce the length of either one, or use "
            "the context-compression plugin to compress your prompt automatically."
        ),
    ),
    "xai": ("", "This model's maximum prompt length is {window} but the request contains {size} tokens."),
    "deepseek": (
        "invalid_request_error",
        (
            "This model's maximum context length is {window} tokens. However, you requested {total} tokens "
            "({size} in the messages, {cap} in the completion). Please reduce the length of the messages or "
            "completion."
        ),
    ),
    "together": (
        "",
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= {window}. Given: {size} "
            "`inputs` tokens and {cap} `max_new_tokens`"
        ),
    ),
    "fireworks": ("", "The prompt is too long: {size}, model maximum context length: {window}"),
}
COUNTS_CAP = {
    "vllm",
    "vllm 0.13",
    "sglang",
    "unsaid with cap",
    "anthropic with cap",
    "openrouter",
    "deepseek",
    "together",
}


def size(body: Mapping[str, Any]) -> int:
    """The tokens of a prompt, as this server counts them."""
    return len(json.dumps([body.get("system"), body.get("messages")])) // CHARS_PER_TOKEN


def cap(body: Mapping[str, Any]) -> int:
    """The most tokens that the reply may have."""
    return int(body.get("max_completion_tokens") or body.get("max_tokens") or 1 << 30)


def check_window(body: Mapping[str, Any], modes: Modes) -> None:
    """Refuse a prompt that does not fit the window, in the words of the provider."""
    if modes.window is None or modes.overflow == "truncate":
        return
    asked, most = size(body), cap(body)
    if asked + (most if modes.wording in COUNTS_CAP else 0) <= modes.window:
        return
    code, message = TOO_LONG[modes.wording]
    said = message.format(size=asked, window=modes.window, cap=most, total=asked + most)
    raise Invalid(said, status=422 if modes.wording == "together" else 400, code=code)


class Bucket:
    """The tokens of a minute: full at first, filled evenly. `clock` is the loop's or the test's own."""

    def __init__(self, modes: Modes, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._minute, self._clock = modes.tokens_per_minute, modes.minute, clock
        self._level, self._at = float(modes.tokens_per_minute or 0), clock()

    def take(self, need: int) -> float:
        """Take what a request needs: 0, or the seconds after which it would be there. Raises Invalid for more than a minute's."""
        if self._most is None:
            return 0.0
        now = self._clock()
        self._level = min(self._most, self._level + (now - self._at) * self._most / self._minute)
        self._at = now
        if need > self._most:
            message = (
                "Request too large for this model in organization `org_double` service tier `on_demand` on tokens per minute "
                f"(TPM): Limit {self._most}, Requested {need}, please reduce your message size and try again."
            )
            raise Invalid(message, status=413, code="rate_limit_exceeded")
        if need > self._level:
            return (need - self._level) * self._minute / self._most
        self._level -= need
        return 0.0


class Slots:
    """Requests that wait for their turn: `take` starts one now or later, `free` ends one and starts the next."""

    def __init__(self, most: int | None) -> None:
        self._most, self._busy = most, 0
        self._waiting: deque[tuple[object, Callable[[], None]]] = deque()

    def take(self, whose: object, begin: Callable[[], None]) -> None:
        """Begin now when a slot is free, else when one becomes free."""
        if self._most is not None and self._busy >= self._most:
            self._waiting.append((whose, begin))
            return
        self._busy += 1
        begin()

    def free(self) -> None:
        """A request is done."""
        self._busy -= 1
        if self._waiting:
            self._busy += 1
            self._waiting.popleft()[1]()

    def left(self, whose: object) -> int:
        """A client has hung up: what it waited with is forgotten. How many requests that were."""
        before = len(self._waiting)
        self._waiting = deque(item for item in self._waiting if item[0] is not whose)
        return before - len(self._waiting)
