"""What a call has cost that gave no reply of use: decided here, for each way in which a call can fail.

A provider that turns a request away before it works on it bills nothing. Once it has taken the prompt it may bill: what it counted
itself where that was read, else the prompt and what had arrived; where neither is known, the reservation counts.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from bot.errors import ProviderError
from bot.models.forms import CHARS_PER_TOKEN
from bot.models.stream import Assembly
from bot.values import Prompt, Usage

FRAME = {"role", "type", "id", "index", "finish_reason", "logprobs"}  # fields around what is written
WORK = ("choices", "content")  # of a reply: what the model has written


@dataclass(slots=True)
class Arrival:
    """What has come back of one request so far: a stream is put together in `assembly`, which knows how far it came."""

    assembly: Assembly
    # unsent: no connection. lost: sent, and the connection ended without an answer. refused: an error says why. accepted: any other 2xx.
    state: Literal["unsent", "lost", "refused", "accepted"] = "unsent"
    reply: Mapping[str, Any] | None = None  # a whole one
    page_size: int = 0  # characters of an answer that is no JSON, and not the beginning of any

    def so_far(self) -> Mapping[str, Any] | None:
        """The reply as far as it came; None where nothing of it is known."""
        reply = self.assembly.so_far() if self.reply is None else self.reply
        if reply is not None and self.state == "refused" and not _has_work(reply):
            return None
        return reply


@contextmanager
def billing(arrival: Arrival, prompt: Prompt, usage_of: Callable[[Mapping[str, Any], Prompt], Usage]) -> Iterator[None]:
    """Give a ProviderError what the provider bills all the same. `usage_of` counts the tokens of a reply, whole or not."""
    try:
        yield
    except ProviderError as error:
        reply = arrival.so_far()
        if reply is not None:
            error.usage = usage_of(reply, prompt)
        elif arrival.page_size:
            error.usage = estimate(prompt, arrival.page_size)
        elif arrival.state in {"lost", "accepted"}:
            error.may_be_billed = True
        raise


def estimate(prompt: Prompt, reply_chars: int) -> Usage:
    """The tokens of a prompt and of so many characters of its reply, where the provider has not counted them."""
    chars = sum(
        len(message.text) + sum(len(json.dumps(dict(call.arguments))) for call in message.calls)
        for message in prompt.messages
    )
    chars += sum(
        len(json.dumps(schema.parameters, default=dict))
        for schema in (prompt.answer, prompt.tool)
        if schema is not None
    )
    return Usage(chars // CHARS_PER_TOKEN + 1, reply_chars // CHARS_PER_TOKEN + 1)


def written_chars(work: object) -> int:
    """About how many characters a model has written, by the part of a reply that holds it."""
    chars, left = 0, [work]
    while left:  # no recursion: a reply may be nested as deep as its parser allows
        part = left.pop()
        if isinstance(part, Mapping):
            left += [value for name, value in part.items() if name not in FRAME]
        elif isinstance(part, list):
            left += part
        elif part is not None:
            chars += len(str(part))
    return chars


def count(tokens: object) -> int:
    """A provider's count of tokens; 0 for any other value."""
    return max(0, int(tokens)) if isinstance(tokens, (int, float)) and tokens < float("inf") else 0


def _has_work(reply: Mapping[str, Any]) -> bool:
    """Whether a reply that is an error too tells of tokens, or holds anything that a model wrote."""
    report = reply.get("usage")
    counts = report.values() if isinstance(report, Mapping) else ()
    return any(count(tokens) for tokens in counts) or any(reply.get(field) for field in WORK)
