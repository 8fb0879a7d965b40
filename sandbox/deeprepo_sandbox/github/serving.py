"""An ASGI application on a port of 127.0.0.1, in the loop that is running: no signals caught, nothing waited for at the end."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

BACKLOG = 1024
END = 1.0  # seconds for answers that are on their way when the block ends


@asynccontextmanager
async def serving(app: ASGIApp, port: int = 0) -> AsyncIterator[str]:
    """The application at the address that is given back, until the block ends. A request that is still open then is cut off."""
    config = uvicorn.Config(
        app, lifespan="off", log_config=None, access_log=False, http="h11", ws="none", backlog=BACKLOG
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    listener = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # named so: else each answer waits 40 ms
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    await server.startup(sockets=[listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await _end(server)


async def _end(server: uvicorn.Server) -> None:
    for one in server.servers:
        one.close()
    for task in tuple(server.server_state.tasks):
        task.cancel()
    await asyncio.gather(*server.server_state.tasks, return_exceptions=True)
    for connection in tuple(server.server_state.connections):
        if connection.transport is not None:
            connection.transport.close()
    try:
        async with asyncio.timeout(END):
            for one in server.servers:
                await one.wait_closed()
    except TimeoutError:  # a client that does not read what it has asked for
        for connection in tuple(server.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()
