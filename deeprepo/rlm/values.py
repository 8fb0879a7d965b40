"""What travels to a model and back, and into the REPL and out of it."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Annotated, Any, Final, Literal, Protocol, TypeVar

CHARS_PER_TOKEN = 3.5  # for a budget: a prompt of code has rarely more tokens than that says
DENSER = 1.3  # Claude's tokenizer since Opus 4.7 makes so many times more tokens of the same text
DENSE = re.compile(r"claude-(?:[a-z]+-)?(?:4[-.][789]|[5-9])(?!\d)", re.IGNORECASE)

COMMAND, FUNCTION = "exec:", "function:"  # what the names of models without an API begin with
# Of the user's own: they bill nobody by the token.
OWN_SERVERS = frozenset({"ollama", "compatible", "exec", "function"})

Effort = Literal["none", "low", "medium", "high"]  # how much a model that thinks may think
Role = Literal["system", "user", "assistant", "tool"]
Purpose = Literal["root", "worker", "pairs", "verify"]  # what a call is for
BlockOutcome = Literal["ok", "error", "limit", "crash"]
EXACT: Final = "exact"
T = TypeVar("T")
# A text that is not masked when a value leaves: a name, a path or an id that others look up.
Exact = Annotated[T, EXACT]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool. `arguments` is the parsed JSON object; empty where it did not parse."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    unparsed_arguments: str = ""  # the arguments as the model wrote them, where they did not parse
    extra: Mapping[str, Any] | None = None  # what the provider wants back verbatim, such as a thought signature


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a dialogue. A "tool" message answers the call named by `call_id`."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    extra: Mapping[str, Any] | None = None  # as of ToolCall: thinking blocks of the reply that this message repeats


@dataclass(frozen=True, slots=True)
class Schema:
    """A named JSON schema: of a structured answer, or of a tool's arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    final: "Schema | None" = None  # of an answer that may ask for more: the same without the wish
    forgiven: frozenset[str] = frozenset()  # properties that an answer may leave out or get wrong

    @property
    def required_keys(self) -> Mapping[str, Any]:
        """The keys that an answer must contain."""
        if not self.forgiven:
            return self.parameters
        parts = {name: part for name, part in self.parameters["properties"].items() if name not in self.forgiven}
        return {**self.parameters, "properties": parts, "required": list(parts)}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model: `answer` demands a structured reply, `tool` offers one tool (the REPL)."""

    messages: tuple[Message, ...]
    answer: Schema | None = None
    tool: Schema | None = None
    max_tokens: int = 4096
    effort: Effort | None = None  # how long a model that thinks may think; None leaves it to the provider
    requests: int = 6  # that may be sent for it at most, in whatever form
    number: int = 1  # the n-th request of its own for the same prompt; the journal keeps each of them
    about: str = ""  # its subject in a few words: a further message of the same dialogue begins with it
    on_leaving: Callable[[], None] | None = field(default=None, compare=False, repr=False)  # called before it is sent

    def further(self, reply: "Completion", text: str) -> "Prompt":
        """Return the same dialogue with what came back, and one more message."""
        words = reply.text or json.dumps(reply.data, default=str) if reply.text or reply.data else "(no answer)"
        repetition = Message("assistant", words, extra=reply.extra)
        return replace(self, messages=(*self.messages, repetition, Message("user", text)))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or many calls. `input` includes what was read from or written to the provider's cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run cost. `usd` is None where a price is unknown; it is never guessed."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = 0.0
    root_usd: float | None = 0.0
    failed_calls: int = 0
    models: Exact[tuple[str, ...]] = ()
    verify_usd: float | None = 0.0  # of second opinions; what is neither the root's nor theirs is the workers'


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply. `data` is the parsed object of a structured answer, None where none was asked for or it did not parse."""

    text: str
    usage: Usage
    stop: Literal["end", "length", "refusal"] = "end"
    data: Mapping[str, Any] | None = None
    calls: tuple[ToolCall, ...] = ()
    extra: Mapping[str, Any] | None = None  # for the dialect alone: goes back with the Message of this reply
    cap: int = 0  # tokens that it was allowed at most; 0 where nobody says
    usd: float | None = None  # what the provider says that it bills; None where it says nothing


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model chooses its words, and what else is sent to it, by the names of the providers' libraries; None leaves it to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def on_record(self) -> dict[str, Any]:
        """Return what a journal may record. Headers are omitted, because they contain keys."""
        names = ("temperature", "top_p", "seed", "max_tokens", "stop", "extra_body")
        return {name: value for name in names if (value := getattr(self, name)) not in (None, (), {})}


class Model(Protocol):
    """One model of one provider. Raises ProviderError and its kinds, never a library's exception."""

    name: str  # "provider/model"

    async def complete(self, prompt: Prompt) -> Completion:
        """Send one request, no retries of its own."""

    def price(self, usage: Usage) -> float | None:
        """Return the dollars for this usage, None where the price is unknown."""

    async def close(self) -> None:
        """Close the connections."""


class Masks(Protocol):
    """Hides secrets: providers see a placeholder for each secret, and replies get the secrets back."""

    def prompts(self, prompts: Iterable[Prompt]) -> list[Prompt]:
        """Return the requests as they may be sent."""

    def reply(self, reply: Completion) -> Completion:
        """Return what a model has answered, with the secrets that it was not shown."""

    def hide(self, value: T) -> T:
        """Return the value with a placeholder for each secret, in every text that it contains."""

    def show(self, value: T) -> T:
        """Return the value with each placeholder replaced by its secret."""


def is_amount(value: object) -> bool:
    """Return whether a value is a finite number of 0 or more, which excludes infinity and NaN."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard caps of one run. None means no cap of that kind."""

    usd: float | None = 1.0
    tokens: int | None = 2_000_000  # input and output of all calls together
    calls: int | None = 1_000
    seconds: float | None = 900.0
    turns: int = 12  # of the root
    concurrency: int | None = None  # calls in flight at once; None: by the provider
    context: int | None = None  # tokens of a model's window; None: unknown until a prompt is too long for it
    effort: Effort | None = None  # of every model that thinks; None: by the role
    own: tuple[str, ...] = ()  # providers that are called at a private address: a server of the user's own
    turn_seconds: float = 10.0  # of the block itself; waiting for workers is not counted
    output_chars: int = 40_000  # of one block, so that it can show a file of 1,000 lines: its longest prints are cut
    memory: int = 192  # MB that the variables and the blocks of a root take


@dataclass(frozen=True, slots=True)
class Observation:
    """What a block of code did. `error` is the text that the model reads, None where it ran through."""

    output: str
    error: str | None = None
    outcome: BlockOutcome = "ok"
    omitted: int = 0  # characters cut out of `output`


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the root: what it wrote and what came back."""

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
    """Return the characters per token of a model, for estimates.

    Only the name counts, so that a replay estimates alike.
    """
    return CHARS_PER_TOKEN / DENSER if DENSE.search(model) else CHARS_PER_TOKEN


def tokens(text: str, model: str = "") -> int:
    """Return an estimate of a text's tokens: for packing and for reserving a budget, never for billing."""
    return int(len(text) / density(model)) + 1
