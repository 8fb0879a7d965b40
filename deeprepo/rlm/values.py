"""The values that are sent to models and to the REPL, and their replies."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Annotated, Any, Final, Literal, Protocol, TypeVar

CHARS_PER_TOKEN = 3.5  # a low estimate, so that code rarely has more tokens
DENSER = 1.3  # Claude's tokenizer since Opus 4.7 makes this many times more tokens
DENSE = re.compile(r"claude-(?:[a-z]+-)?(?:4[-.][789]|[5-9])(?!\d)", re.IGNORECASE)

ROWS = (".jsonl", ".ndjson", ".csv", ".tsv", ".log")  # files of rows: pieces of them end at line ends and don't overlap
COMMAND, FUNCTION = "exec:", "function:"  # prefixes of the names of models without an API
# Providers without prices of their own: servers at any address, and programs.
UNLISTED = frozenset({"ollama", "compatible", "exec", "function"})

Effort = Literal["none", "low", "medium", "high"]  # how much a thinking model should think
Role = Literal["system", "user", "assistant", "tool"]
Purpose = Literal["root", "worker", "verify"]  # the purpose of a call
BlockOutcome = Literal["ok", "error", "limit", "crash"]
EXACT: Final = "exact"
T = TypeVar("T")
# Text that is not masked when a value is sent out, because others look it up: a name, path or id.
Exact = Annotated[T, EXACT]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a tool. `arguments` is the parsed JSON object, or empty if it could not be parsed."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    unparsed_arguments: str = ""  # the arguments as text if they could not be parsed
    extra: Mapping[str, Any] | None = None  # what the provider needs back verbatim, such as a thought signature


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a dialogue. A "tool" message answers the call named by `call_id`."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    extra: Mapping[str, Any] | None = None  # as in ToolCall, such as the thinking blocks of a reply


@dataclass(frozen=True, slots=True)
class Schema:
    """A named JSON schema for a structured answer or for a tool's arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    final: "Schema | None" = None  # the schema for the second answer, if the first one may request more code
    forgiven: frozenset[str] = frozenset()  # properties that an answer may omit or get wrong

    @property
    def required_keys(self) -> Mapping[str, Any]:
        """The schema without forgiven properties."""
        if not self.forgiven:
            return self.parameters
        parts = {name: part for name, part in self.parameters["properties"].items() if name not in self.forgiven}
        return {**self.parameters, "properties": parts, "required": list(parts)}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model. `answer` requests a structured reply, and `tool` offers one tool (the REPL)."""

    messages: tuple[Message, ...]
    answer: Schema | None = None
    tool: Schema | None = None
    max_tokens: int = 4096
    effort: Effort | None = None  # how much a thinking model should think; None for the provider's default
    requests: int = 6  # maximum requests, counting other forms of it
    number: int = 1  # counts separate requests for the same prompt, which the journal distinguishes
    run: str = ""  # the run that sends it, if that run was started by another one
    about: str = ""  # its subject in a few words, with which further messages of the dialogue begin
    on_leaving: Callable[[], None] | None = field(default=None, compare=False, repr=False)  # called before it is sent

    def further(self, reply: "Completion", text: str) -> "Prompt":
        """Return the dialogue with the reply and another message."""
        words = reply.text or json.dumps(reply.data, default=str) if reply.text or reply.data else "(no answer)"
        repetition = Message("assistant", words, extra=reply.extra)
        return replace(self, messages=(*self.messages, repetition, Message("user", text)))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls. `input` includes the tokens read from or written to the provider's cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run cost. `usd` is None if a price is unknown; it is never guessed."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = 0.0
    root_usd: float | None = 0.0
    failed_calls: int = 0
    models: Exact[tuple[str, ...]] = ()
    verify_usd: float | None = 0.0  # for confirmations; the remaining cost is the workers'


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply. `data` is the parsed structured answer, or None if none was requested or it could not be parsed."""

    text: str
    usage: Usage
    stop: Literal["end", "length", "refusal"] = "end"
    data: Mapping[str, Any] | None = None
    calls: tuple[ToolCall, ...] = ()
    extra: Mapping[str, Any] | None = None  # only used by the dialect, which sends it back with this reply
    cap: int = 0  # maximum tokens that it was allowed; 0 if unknown
    usd: float | None = None  # the price in US dollars if the provider reports it
    is_filtered: bool = False  # whether a refusal comes from the provider's content filter

    @property
    def lack(self) -> str:
        """What the model did instead of answering, as the end of a sentence, or "" if there is a text."""
        if self.stop == "refusal":
            return "was stopped by the provider's content filter" if self.is_filtered else "declined to answer"
        if self.text.strip():
            return ""
        return "called a tool" if self.calls else "sent only thinking" if self.extra else "sent an empty reply"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling options and other parameters, named as in the providers' libraries. None means the provider's default."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def on_record(self) -> dict[str, Any]:
        """The options that are set, for the journal. Headers are omitted, because they may contain keys."""
        names = ("temperature", "top_p", "seed", "max_tokens", "stop", "extra_body")
        return {name: value for name in names if (value := getattr(self, name)) not in (None, (), {})}


class Model(Protocol):
    """A model. It raises ProviderError or a subclass, never a library's exception."""

    name: str  # "provider/model"

    async def complete(self, prompt: Prompt) -> Completion:
        """Send one request, without retries."""

    def price(self, usage: Usage) -> float | None:
        """Return the price of this usage in US dollars, or None if it is unknown."""

    async def close(self) -> None:
        """Close the connections."""


class Masks(Protocol):
    """Hides secrets. Providers get a placeholder for each secret."""

    def prompts(self, prompts: Iterable[Prompt]) -> list[Prompt]:
        """Return the requests without secrets."""

    def hide(self, value: T) -> T:
        """Return the value with a placeholder for each secret, in every text that it contains."""

    def show(self, value: T) -> T:
        """Return the value with each placeholder replaced by its secret, for the caller whose text it is."""


def is_amount(value: object) -> bool:
    """Return whether a value is a finite number of at least 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard caps of one run. None means no cap of that kind."""

    usd: float | None = 1.0
    tokens: int | None = 2_000_000  # input and output of all calls together
    calls: int | None = 1_000
    seconds: float | None = 900.0
    turns: int = 12  # of the root
    concurrency: int | None = None  # concurrent calls; None for the default of the model and its address
    context: int | None = None  # a model's window in tokens; None if unknown
    effort: Effort | None = None  # of all thinking models; None for the role's default
    turn_seconds: float = 10.0  # CPU seconds of a block, without waiting for workers
    output_chars: int = 40_000  # of a block, enough for a file of 1,000 lines
    memory: int = 192  # MB for the variables and blocks of a root


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a code block. `error` is the text for the model, or None if the block finished."""

    output: str
    error: str | None = None
    outcome: BlockOutcome = "ok"
    omitted: int = 0  # characters left out of `output`


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the root: its text, its code and the result."""

    number: int
    code: str
    observation: Observation
    said: str = ""


def provider_name(model: str) -> str:
    """Return the provider in a model's name.

    It is the part before the slash, "exec" for a command, or "function" for a function.
    """
    return next((kind[:-1] for kind in (COMMAND, FUNCTION) if model.startswith(kind)), model.partition("/")[0])


def density(model: str) -> float:
    """Return a model's estimated characters per token.

    This depends only on the name, so that a resumed run gets the same estimates.
    """
    return CHARS_PER_TOKEN / DENSER if DENSE.search(model) else CHARS_PER_TOKEN


def tokens(text: str, model: str = "") -> int:
    """Estimate a text's tokens, for filling prompts and reserving a budget. Never used for billing."""
    return int(len(text) / density(model)) + 1
