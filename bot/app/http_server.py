"""Run uvicorn: open the port, handle signals, and shut down in order."""

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

from bot.app.connections import Connection, raise_file_limit
from bot.app.logs import log
from bot.config.server import ServerOptions
from bot.errors import UsageError

# Longer than proxies keep idle connections, so that no proxy sends a request on a connection that we just
# closed.
KEEP_ALIVE_SECONDS = 75
REQUEST_SECONDS = 10  # at shutdown, how long requests in progress may still take
FORCED_EXIT_STATUS = 130  # exit status after a second signal
Drain = Callable[[], Coroutine[Any, Any, None]]
_log = log("server")


class Shutdown:
    """Handle stop signals. The first requests an orderly shutdown, and the second exits immediately.

    An immediate exit loses nothing, because all jobs are on disk, as after a crash.
    """

    def __init__(self) -> None:
        self.is_requested = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def on_signal(self) -> None:
        """Record a signal. This method is safe to call from a signal handler."""
        self._loop.call_soon_threadsafe(self._next)

    def _next(self) -> None:
        if self.is_requested.is_set():
            _log("stopping now. Running jobs resume at the next start")
            logging.shutdown()
            os._exit(FORCED_EXIT_STATUS)
        self.is_requested.set()


class _Server(uvicorn.Server):
    """A uvicorn server that doesn't exit on signals, so that it answers requests while jobs are stopped."""

    def __init__(self, config: uvicorn.Config, on_signal: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_signal = on_signal

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - overrides uvicorn's method
        _log("asked to stop", signal=signal.Signals(sig).name)
        self._on_signal()


def listen(options: ServerOptions) -> socket.socket:
    """Return a socket that listens on the configured address.

    Raises UsageError if the address is not available.
    The socket is opened before anything else starts, so a wrong address is reported immediately.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio only sets TCP_NODELAY if the protocol is given explicitly.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen()  # clients that connect during the start are answered once the server runs
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise UsageError(
            f"{options.host}:{options.port} is not available ({reason}). Set DEEPREPO_HOST and DEEPREPO_PORT to another address"
        ) from None
    listener.setblocking(False)  # noqa: FBT003 - the argument is positional-only
    return listener


async def serve(
    app: FastAPI,
    listener: socket.socket,
    options: ServerOptions,
    shutdown: Shutdown,
    *,
    drain: Drain | None = None,
    until: asyncio.Event,
) -> None:
    """Answer requests until a signal arrives or `until` is set.

    At shutdown, `drain` stops the jobs while requests are still answered. Then the HTTP server stops.
    """
    server = _Server(_config(app, options), shutdown.on_signal)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    _log("listening", address=options.address(listener.getsockname()[1]))
    ends = [asyncio.create_task(event.wait()) for event in (shutdown.is_requested, until)]
    try:
        await asyncio.wait({serving, *ends}, return_when=asyncio.FIRST_COMPLETED)
        if drain is not None and not serving.done():
            await drain()
    finally:
        for task in ends:
            task.cancel()
        server.should_exit = True
        await serving


def _config(app: FastAPI, options: ServerOptions) -> uvicorn.Config:
    connection = partial(Connection, waiting={}, limit=raise_file_limit())
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
        timeout_graceful_shutdown=REQUEST_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
