"""Git over HTTP: git's own `http-backend` behind GitHub's check of the token."""

import asyncio
import os
import re
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bot.checkout.git import environment
from bot.machine.processes import end_process
from deeprepo_sandbox.github import access
from deeprepo_sandbox.github.call import Caller, GitHubRefusal
from deeprepo_sandbox.github.things import Repository
from deeprepo_sandbox.github.world import World

PATH = re.compile(r"/([^/]+)/([^/]+)\.git(/.*)")
CHUNK = 1 << 16
ASK = {"www-authenticate": 'Basic realm="GitHub"'}


class GitAnswer(StreamingResponse):
    """The output of a git process, which the server ends with the answer, even if the client hangs up."""

    def __init__(self, process: asyncio.subprocess.Process, out: asyncio.StreamReader, body: bytes) -> None:
        super().__init__(_chunks(out))
        self._process, self._out = process, out
        self._feeding = asyncio.ensure_future(_feed(process, body))

    async def read_head(self) -> None:
        """Read the status and the headers, which come before the output."""
        while line := (await self._out.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "status":
                self.status_code = int(value.split()[0])
            else:
                self.headers[name.lower()] = value.strip()

    async def end(self) -> None:
        """Wait for a process that has sent everything, and end another."""
        if self._out.at_eof():
            await self._process.wait()
        else:
            await end_process(self._process, self._out)
        await self._feeding


async def answer(world: World, request: Request, path: str) -> Response:
    """What git asks of a repository, if its token may read it."""
    found = PATH.fullmatch(path)
    repository = world.repository(found[1], found[2]) if found else None
    if found and (moved := world.moved(found[1], found[2])):
        query = f"?{request.url.query}" if request.url.query else ""
        return Response(None, 301, {"location": f"{world.origin}/{moved.full_name}.git{found[3]}{query}"})
    if found is None or repository is None:
        return Response("Repository not found.", 404)
    try:
        caller = access.caller(world, request.headers.get("authorization", ""))
    except GitHubRefusal:
        return Response("Invalid username or token.", 401, ASK)
    writes = "git-receive-pack" in found[3] or request.query_params.get("service") == "git-receive-pack"
    try:
        access.enter(world, caller, repository, ("contents",), "write" if writes else "read")
    except GitHubRefusal as refused:
        if caller == Caller():
            return Response("Authentication is needed.", 401, ASK)
        return Response(f"fatal: {refused}", 404 if refused.answer.status == 404 else 403)  # noqa: PLR2004 - HTTP's own
    return await _backend(world, request, repository, found[3])


async def _backend(world: World, request: Request, repository: Repository, rest: str) -> Response:
    head = request.headers
    env = {
        "GIT_PROJECT_ROOT": str(repository.git.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH_INFO": f"/{repository.git.name}{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.url.query,
        "CONTENT_TYPE": head.get("content-type", ""),
        "REMOTE_USER": "sandbox",
        "REMOTE_ADDR": "127.0.0.1",
        "GIT_PROTOCOL": head.get("git-protocol", ""),
        "HTTP_CONTENT_ENCODING": head.get("content-encoding", ""),
    }
    body = await request.body()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "git",
        "http-backend",
        env=environment(env | {"CONTENT_LENGTH": str(len(body))}),
        stdin=pipe,
        stdout=pipe,
        limit=1 << 20,
    )
    if process.stdout is None:
        raise RuntimeError("git was started without pipes")
    reply = GitAnswer(process, process.stdout, body)
    try:
        await reply.read_head()
    except BaseException:
        world.finish(reply.end())
        raise
    return reply


async def _feed(process: asyncio.subprocess.Process, body: bytes) -> None:
    if process.stdin is None:
        raise RuntimeError("git was started without pipes")
    try:
        process.stdin.write(body)
        await process.stdin.drain()
    except ConnectionError:  # git has read enough
        return
    finally:
        process.stdin.close()


async def _chunks(out: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while chunk := await out.read(CHUNK):
        yield chunk
