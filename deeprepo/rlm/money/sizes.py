"""Estimate the tokens of prompts, replies and context windows, and improve the estimates with each reply."""

import json
from collections import Counter
from dataclasses import dataclass, replace

from deeprepo.rlm.errors import PromptTooLong
from deeprepo.rlm.money import capacity
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.values import Completion, Message, Model, Prompt, Purpose, Schema, Usage

SPARE = 64  # tokens of the window that are kept free
ENLARGE = "increase the context window of the server (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or set `models.context` to its actual size"


@dataclass(frozen=True, slots=True)
class Request:
    """A request with its size and the room for its reply."""

    prompt: Prompt
    role: Purpose
    size: int  # characters
    most: int  # maximum tokens that the prompt can have
    room: int  # tokens for the reply, including thinking
    least: int = 0  # minimum of `room` that is useful
    is_search: bool = False  # whether it was refused with a larger `room`


class Sizes:
    """What a run has learned about its models."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._windows: dict[str, int] = {}  # detected context windows in tokens
        self._silent: set[str] = set()  # models whose servers cut a prompt that is too long, without a word
        self._rooms: dict[str, int] = {}  # caps on a reply that a server accepted after it had refused twice as much
        self._exhausted: set[str] = set()  # models whose servers refused even the least cap for a prompt
        self._broken: dict[tuple[str, Purpose], int] = {}  # tokens after which replies were cut off
        self.hidden = Counter[str]()  # tokens that a gateway adds to a prompt
        self._density: dict[str, float] = {}  # tokens per character of a prompt
        self._read: dict[tuple[str, Purpose], tuple[tuple[Message, ...], int]] = {}  # the last prompt, and its tokens

    def window(self, model: Model) -> int | None:
        """Return the model's context window in tokens, as set or as detected, or None if it is unknown."""
        windows = (self._budget.limits.context, self._windows.get(model.name))
        return min((size for size in windows if size), default=None)

    def learned(self, model: Model) -> dict[str, int]:
        """Return what a resumed run needs to know about a model: its `window` and `room`, if they were detected."""
        found = {"window": self._windows.get(model.name), "room": self._rooms.get(model.name)}
        return {name: tokens for name, tokens in found.items() if tokens}

    def recall(self, model: Model, window: int | None, room: int | None = None) -> None:
        """Remember a detected window, and an accepted cap on replies, if they are smaller than the known ones."""
        for known, tokens in ((self._windows, window), (self._rooms, room)):
            if tokens:
                known[model.name] = min(tokens, known.get(model.name, tokens))

    def smaller(self, model: Model, request: Request, error: PromptTooLong) -> Request | None:
        """Return a refused request with a lower cap on its reply, or None if its prompt is too long.

        The cap is what the window leaves, if the refusal states it. Otherwise it is half of the refused one.
        """
        name, sent = model.name, min(request.room, error.cap)
        if error.size:
            self.measure(model, request.size, error.size)
        self.recall(model, error.window)
        if sent <= capacity.USEFUL:
            self._exhausted |= {name} if error.cap else set()
            return None
        room = (
            self._rooms.get(name, sent)
            if error.window is None
            else error.window - SPARE - (error.size or self.likely(model, request.size))
        )
        if error.size and error.window and room < capacity.USEFUL:
            return None
        if room >= sent:
            room = capacity.USEFUL if name in self._exhausted else sent // 2
        room = max(capacity.USEFUL, room)
        return replace(request, room=room, least=min(request.least, room), is_search=True)

    def settle(self, model: Model, request: Request, usage: Usage) -> None:
        """Remember how much more than possible the server has counted, and the cap of a request that had been refused with a higher one."""
        self.hidden[model.name] = max(usage.input - request.most, self.hidden[model.name])
        if request.is_search and model.name not in self._exhausted:
            self.recall(model, None, request.room)

    def likely(self, model: Model, size: int) -> int:
        """Return the likely tokens of a prompt with `size` characters."""
        return int(size * self._density.get(model.name, 1 / capacity.LIKELY_CHARS)) + 1

    def measure(self, model: Model, size: int, tokens: int) -> None:
        """Record how many tokens a prompt with `size` characters had."""
        self._density[model.name] = max(tokens / max(1, size), self._density.get(model.name, 0.0))

    def request(self, model: Model, prompt: Prompt, role: Purpose, size: int, broke_off: int) -> Request:
        """Return the request to send, with the reply room that its role and its model's thinking need."""
        name, visible = model.name, prompt.max_tokens
        before, tokens = self._read.get((name, role), ((), 0))
        if not before or prompt.messages[: len(before)] != before:
            before, tokens = (), sum(_schema(schema) for schema in (prompt.answer, prompt.tool) if schema)
        rest = prompt.messages[len(before) :]  # the size of the dialogue so far is known
        most = tokens + sum(_most(message) for message in rest)
        tokens_wanted = max(
            capacity.of(name, role, visible),
            2 * broke_off,
            min(capacity.LARGEST, 2 * self._broken.get((name, role), 0)),
        )
        least = broke_off + broke_off // 2 if broke_off else min(visible, capacity.USEFUL)
        effort = capacity.effort(name, role, prompt.effort)
        return Request(replace(prompt, effort=effort), role, size, most, tokens_wanted, least)

    def next_reply(self, model: Model, request: Request) -> Usage:
        """Estimate the usage of the root's next reply from its earlier replies, not from its maximum."""
        visible = request.prompt.max_tokens
        reply_tokens = min(request.room, self._budget.expected_reply(model.name, request.role, visible))
        return Usage(self.likely(model, request.size), reply_tokens)

    def fitting(self, model: Model, request: Request) -> Request:
        """Return the request with a reply limit that fits into the window.

        Raises PromptTooLong if nothing fits, but only if the server would not say so itself.
        """
        request = replace(
            request, room=max(request.least, min(request.room, self._rooms.get(model.name, request.room)))
        )
        window = self.window(model)
        if window is None:
            return request
        tokens = self.likely(model, request.size)
        is_ours = window == self._budget.limits.context or model.name in self._silent
        if is_ours and tokens + request.least > window:
            raise PromptTooLong(
                f"a prompt of about {tokens:,} tokens does not fit into the window of {model.name} ({window:,} tokens): {ENLARGE}",
                window,
            )
        return replace(request, room=max(request.least, min(request.room, window - tokens - SPARE)))

    def learn(self, model: Model, prompt: Prompt, role: Purpose, size: int, reply: Completion) -> Completion:
        """Learn from a reply and return it.

        Raises PromptTooLong if the server has read only part of the prompt, or if its window had no room for a reply.
        """
        name, usage = model.name, reply.usage
        used = usage.input + usage.output
        if name not in self._silent and used > self._windows.get(name, used):
            del self._windows[name]
        if capacity.is_silently_truncated(name, prompt.messages, usage):
            self._silent.add(name)
            self.recall(model, usage.input)
            note = (
                f"{name} silently truncates prompts that are longer than its window, so "
                f"such a prompt counts as not read. {ENLARGE[:1].upper()}{ENLARGE[1:]}."
            )
            self._budget.note(note)
            raise PromptTooLong(
                f"{name} read only {usage.input:,} of about {capacity.least_tokens(prompt.messages):,} tokens: {ENLARGE}",
                usage.input,
            )
        if usage.input:
            self.measure(model, size, usage.input)
            self._read[name, role] = (prompt.messages, usage.input)
        if is_window_full(reply):
            self.recall(model, used)
            if usage.output < min(prompt.max_tokens, capacity.USEFUL):
                raise PromptTooLong(
                    f"{name} had room for only {usage.output:,} tokens after a prompt of {usage.input:,}: {ENLARGE}",
                    used,
                )
        elif reply.stop == "length":
            self._broken[name, role] = max(self._broken.get((name, role), 0), usage.output)
        return reply


def is_window_full(reply: Completion) -> bool:
    """Return whether a reply was cut off below the cap that was asked for, so that a higher cap wouldn't help."""
    is_below_cap = reply.stop == "length" and 0 < reply.usage.output < reply.cap
    return is_below_cap and reply.usage.input + reply.usage.output >= capacity.SMALLEST_WINDOW


def _most(message: Message) -> int:
    """Return the maximum tokens of a message, including thinking that is sent back."""
    calls = [call.unparsed_arguments or json.dumps(dict(call.arguments), ensure_ascii=False) for call in message.calls]
    extras = [json.dumps(dict(extra)) for extra in (message.extra, *(call.extra for call in message.calls)) if extra]
    return capacity.most_tokens((message.text, *calls, *extras)) + capacity.FRAME * (1 + len(calls))


def _schema(schema: Schema) -> int:
    """Return the most tokens that a schema can take, because some providers expand it."""
    return 2 * capacity.most_tokens((schema.name, schema.description, json.dumps(schema.parameters, default=dict)))
