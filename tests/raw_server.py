"""A server for which a test writes the raw bytes. All connections are closed when its block ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(handler: Handler) -> AsyncIterator[int]:
    """Serve each connection with the handler and yield the port.

    `asyncio.Server` leaves open connections to the event loop. If the client has not read all bytes,
    the socket stays open, and Python reports it during whichever test runs next.
    """
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client closed the connection before reading everything
        finally:
            writer.transport.abort()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        connections.add(task)

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as listening:
        try:
            yield listening.sockets[0].getsockname()[1]
        finally:
            for task in connections:
                task.cancel()
            await asyncio.gather(*connections, return_exceptions=True)
            await asyncio.sleep(0)  # an aborted transport closes its socket in the next loop iteration
