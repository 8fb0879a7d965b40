"""Loopback servers that speak OpenAI Chat Completions and Anthropic Messages, so that the real libraries are exercised.

    async with doubles.openai_server(["first reply", doubles.Reply(status=429, retry_after="2")]) as server:
        model = models.connect("openai/some-model", "any key", server.base_url)

What a provider does to every request is a mode: it thinks, it counts tokens per minute, its window is small (`Modes`).

    async with doubles.openai_server("ok", modes=doubles.Modes(thinks=1_100, window=8_192)) as server:

`in_thread` runs one beside a loop that must not be shared.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Literal

from deeprepo_sandbox.providers.modes import Modes
from deeprepo_sandbox.providers.reply import PerModel, Reply, Script, code, verdict
from deeprepo_sandbox.providers.server import Server
from deeprepo_sandbox.providers.thread import in_thread


@asynccontextmanager
async def serving(dialect: Literal["openai", "anthropic"], script: Script = "", **how: Any) -> AsyncIterator[Server]:  # noqa: ANN401 - as `Server` takes it
    """A server whose `base_url` is for this dialect; see `Server` for the arguments."""
    async with Server(script, **how) as server:
        server.base_url = server.openai_url if dialect == "openai" else server.anthropic_url
        yield server


openai_server = partial(serving, "openai")
anthropic_server = partial(serving, "anthropic")
__all__ = [
    "Modes",
    "PerModel",
    "Reply",
    "Script",
    "Server",
    "anthropic_server",
    "code",
    "in_thread",
    "openai_server",
    "verdict",
]
