"""The server's process: a port, signals, and the order of shutdown."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from functools import partial
from types import FrameType
from typing import Any, cast

import uvicorn
from fastapi import FastAPI

from bot.app.connections import Connection, raise_files
from bot.app.logs import log
from bot.config import ServerOptions
from bot.errors import UsageError

BACKLOG = 2048
KEPT = 75  # seconds for an idle connection: longer than a proxy keeps one, which would else send into a closed one
CONNECTIONS = 10  # seconds for requests that are being answered when the server leaves
HURRIED = 130  # the status of who was told twice
Rest = Callable[[], Coroutine[Any, Any, None]]
_log = log("server")


class Shutdown:
    """What signals ask for: the first to leave in good order, the second to leave now, as after a crash: all is on disk."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def on_signal(self) -> None:
        """Note that a signal has come; callable from its handler."""
        self._loop.call_soon_threadsafe(self._next)

    def _next(self) -> None:
        if self.asked.is_set():
            _log("stopping now. Running jobs resume at the next start")
            logging.shutdown()
            os._exit(HURRIED)
        self.asked.set()


class _Server(uvicorn.Server):
    """Uvicorn, that leaves when we say so: the jobs come to rest while it still answers."""

    def __init__(self, config: uvicorn.Config, on_signal: Callable[[], None]) -> None:
        super().__init__(config)
        self._signalled = on_signal

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - of the library
        _log("asked to stop", signal=signal.Signals(sig).name)
        self._signalled()


def listen(options: ServerOptions) -> socket.socket:
    """Return the port, taken before anything else is started. Raises UsageError."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # Named, for asyncio to send answers without delay.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen(BACKLOG)  # a connection that is made while the server starts is answered once it runs
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise UsageError(
            f"{options.host}:{options.port} is not available ({reason}). Set DEEPREPO_HOST and DEEPREPO_PORT to another address"
        ) from None
    listener.setblocking(False)  # noqa: FBT003 - of the library
    return listener


async def serve(
    app: FastAPI,
    listener: socket.socket,
    options: ServerOptions,
    shutdown: Shutdown,
    *,
    rest: Rest | None = None,
    until: asyncio.Event,
) -> None:
    """Answer requests until a signal arrives or `until` is set.

    Work stops while requests are still answered.
    """
    server = _Server(_config(app, options), shutdown.on_signal)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    _log("listening", address=options.address(listener.getsockname()[1]))
    ends = [asyncio.create_task(event.wait()) for event in (shutdown.asked, until)]
    try:
        await asyncio.wait({serving, *ends}, return_when=asyncio.FIRST_COMPLETED)
        if rest is not None and not serving.done():
            await rest()
    finally:
        for task in ends:
            task.cancel()
        server.should_exit = True
        await serving


def _config(app: FastAPI, options: ServerOptions) -> uvicorn.Config:
    connection = partial(Connection, waiting={}, most=raise_files())
    return uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", connection),
        ws="none",
        log_config=None,
        workers=1,
        proxy_headers=options.trusted_proxy is not None,
        forwarded_allow_ips=options.trusted_proxy or "",
        server_header=False,
        lifespan="off",
        backlog=BACKLOG,
        timeout_graceful_shutdown=CONNECTIONS,
        timeout_keep_alive=KEPT,
    )
