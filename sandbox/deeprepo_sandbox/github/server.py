"""The HTTP face: REST, GraphQL, git and the pages behind one ASGI application."""

import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from deeprepo_sandbox.github import access, backend, graphql, validate
from deeprepo_sandbox.github.api import OPERATIONS
from deeprepo_sandbox.github.call import DOCS, Answer, Call, Caller, GitHubRefusal
from deeprepo_sandbox.github.description import Operation, find
from deeprepo_sandbox.github.faults import PRIMARY, Fault
from deeprepo_sandbox.github.oauth import Flow
from deeprepo_sandbox.github.pages import door
from deeprepo_sandbox.github.things import Json, SeenRequest
from deeprepo_sandbox.github.world import LIMIT, World

API_VERSIONS = ("2022-11-28", "2026-03-10")
NO_AGENT = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
OF_REPOSITORY = re.compile(r"/repos/([^/]+)/([^/]+)(/.*)?")
BY_ID = re.compile(r"/repositories/([0-9]+)(/.*)?")
REST, GRAPHQL, GIT, OAUTH = "/api/v3", "/api/graphql", ".git/", "/login/oauth/"
FAILED = 400
HERE = frozenset({"127.0.0.1", "localhost"})


class Server:
    """The ASGI application of one world."""

    def __init__(self, world: World, *, check: bool = True) -> None:
        self.world, self._check = world, check
        self.flow = Flow(world)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, with whatever is to go wrong with it."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        path = scope.get("raw_path", scope["path"].encode()).decode().partition("?")[0]
        fault = self.world.faults.take(request.method, path)
        if fault and not fault.after:
            await fault.strike()
        if fault and fault.spoils and not fault.after:
            self._note(request, path, Answer(fault.status or 0), None, None)
            await _spoil(fault, receive, send)
            return
        try:
            reply = await self._reply(request, path)
        except ClientDisconnect:
            return
        try:
            if fault and fault.after:
                await fault.strike()
            if fault and fault.after and fault.spoils:
                await _spoil(fault, receive, send)
            else:
                await reply(scope, receive, send)
        finally:
            if isinstance(reply, backend.GitAnswer):
                self.world.finish(reply.end())

    async def _reply(self, request: Request, path: str) -> Response:
        if request.url.hostname not in HERE:  # a page of elsewhere whose name leads to this machine
            return PlainTextResponse("The sandbox answers under its own address alone.", 421)
        if path.startswith(REST):
            return await self._rest(request, path.removeprefix(REST))
        if path == GRAPHQL:
            return await self._graphql(request)
        if GIT in path:
            self._note(request, path, Answer(200), None, None)
            return await backend.answer(self.world, request, path)
        if path.startswith(OAUTH):
            return await door.agree(self.flow, request)
        return await door.answer(self.world, request)

    async def _rest(self, request: Request, path: str) -> Response:
        operation, params = find(request.method, self._named(path)) or (None, {})
        raw = await request.body()
        body, broken = _parse(raw)
        caller = Caller()
        try:
            caller = access.caller(self.world, request.headers.get("authorization", ""))
            self._count()
            if moved := self._moved(request, path, caller):
                self._note(request, path, moved, None, body, caller)
                return _response(moved, self._limits())
            if operation is None:
                raise GitHubRefusal(404, "Not Found")  # noqa: TRY301 - one road for every refusal
            if not request.headers.get("user-agent"):
                raise GitHubRefusal(403, NO_AGENT)  # noqa: TRY301 - the same
            if request.headers.get("x-github-api-version", API_VERSIONS[0]) not in API_VERSIONS:
                raise GitHubRefusal(400, "Unsupported API version")  # noqa: TRY301 - the same
            if broken:
                raise GitHubRefusal(400, "Problems parsing JSON")  # noqa: TRY301 - the same
            repository = self.world.repository(params["owner"], params["repo"]) if "owner" in params else None
            access.allow(self.world, operation.id, operation.method, caller, repository)
            call = Call(
                self.world,
                operation,
                caller,
                params,
                request.query_params,
                body or {},
                path,
                request.headers.get("accept", ""),
            )
            answer = await OPERATIONS[operation.id](call)
        except GitHubRefusal as refused:
            answer = refused.answer
        self._note(request, path, answer, operation, body, caller)
        return _response(answer, self._limits())

    def _named(self, path: str) -> str:
        """The path with the repository's name, if it has its id: what redirects lead to."""
        by_id = BY_ID.fullmatch(path)
        repository = self.world.repositories.get(int(by_id[1])) if by_id else None
        if by_id is None or repository is None or repository.is_deleted:
            return path
        return f"/repos/{repository.full_name}{by_id[2] or ''}"

    def _moved(self, request: Request, path: str, caller: Caller) -> Answer | None:
        """The redirect from a repository's former address, for who may see it: what reads and what writes has a status of its own."""
        old = OF_REPOSITORY.fullmatch(path)
        repository = self.world.moved(old[1], old[2]) if old else None
        if old is None or repository is None:
            return None
        if caller.app is None:
            access.enter(self.world, caller, repository, ("metadata",), "read")
        query = f"?{request.url.query}" if request.url.query else ""
        to = f"{self.world.api}/repositories/{repository.id}{old[3] or ''}{query}"
        said = {"message": "Moved Permanently", "url": to, "documentation_url": DOCS}
        return Answer(301 if request.method in {"GET", "HEAD"} else 307, said, {"location": to})

    async def _graphql(self, request: Request) -> Response:
        body, _ = _parse(await request.body())
        caller = Caller()
        try:
            caller = access.caller(self.world, request.headers.get("authorization", ""))
            self._count()
            answer = Answer(200, await graphql.answer(self.world, caller, body if isinstance(body, dict) else {}))
        except GitHubRefusal as refused:
            answer = refused.answer
        self._note(request, GRAPHQL, answer, None, body, caller)
        return _response(answer, self._limits())

    def _count(self) -> None:
        if not self.world.spend():
            raise GitHubRefusal(403, PRIMARY)

    def _limits(self) -> Mapping[str, str]:
        left = self.world.remaining
        return {
            "x-ratelimit-limit": str(LIMIT),
            "x-ratelimit-remaining": str(left),
            "x-ratelimit-used": str(LIMIT - left),
            "x-ratelimit-reset": str(int(self.world.reset.timestamp())),
            "x-ratelimit-resource": "core",
        }

    def _note(
        self,
        request: Request,
        path: str,
        answer: Answer,
        operation: Operation | None,
        body: Any,  # noqa: ANN401 - any JSON value
        caller: Caller | None = None,
    ) -> None:
        """Write the request down, and what does not fit GitHub's description."""
        query = request.url.query
        login = caller.user.login if caller and caller.user else ""
        name = operation.id if operation else ""
        where = f"{path}?{query}" if query else path
        self.world.requests.append(SeenRequest(request.method, where, name, answer.status, body, login))
        self.world.stirred.set()
        if operation is None:
            is_fault = answer.body is None  # that was put in its way: nobody has looked for the operation
            if path != GRAPHQL and GIT not in path and answer.status == 404 and not is_fault:  # noqa: PLR2004 - HTTP's own number
                self.world.violations.append(f"{request.method} {path}: no such operation")
            return
        if self._check:
            wrong = [f"request: {text}" for text in validate.request(operation, query, body)]
            wrong += [
                f"answer {answer.status}: {text}" for text in validate.answer(operation, answer.status, answer.body)
            ]
            self.world.violations += [f"{operation.id}: {text}" for text in wrong]


def _parse(raw: bytes) -> tuple[Json | None, bool]:
    """The body as JSON, and whether it is broken."""
    if not raw:
        return None, False
    try:
        found = json.loads(raw)
    except ValueError:
        return None, True
    return (found, False) if isinstance(found, dict) else (None, True)


def _response(answer: Answer, headers: Mapping[str, str]) -> Response:
    """The answer as HTTP."""
    extra = {**headers, **answer.headers, "x-github-request-id": "SAND:BOX", "server": "github.com"}
    if answer.body is None:
        return Response(None, answer.status, extra)
    if isinstance(answer.body, str):
        return Response(answer.body, answer.status, extra)
    kind = "application/json; charset=utf-8"
    return Response(json.dumps(answer.body), answer.status, extra, media_type=kind)


async def _spoil(fault: Fault, receive: Receive, send: Send) -> None:
    """Answer as the fault wants it, or not at all."""
    if fault.hang:
        message: Message = {"type": ""}
        while message["type"] != "http.disconnect":
            message = await receive()
        return
    if fault.drop:  # a promised body that never comes: the server then closes the connection
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        return
    body = json.dumps(fault.body()).encode()
    head = {"content-type": "application/json; charset=utf-8", "content-length": str(len(body)), **fault.headers}
    raw = [(name.encode(), value.encode()) for name, value in head.items()]
    await send({"type": "http.response.start", "status": fault.status or 500, "headers": raw})
    await send({"type": "http.response.body", "body": body})
