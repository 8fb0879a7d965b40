"""Claude as Amazon Bedrock and Google Vertex AI serve it: Anthropic's dialect behind each cloud's paths, signatures and framing."""

import base64
import json
import re
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote
from zlib import crc32

from deeprepo_sandbox.providers import anthropic
from deeprepo_sandbox.providers.dialect import ArrivedRequest, Invalid, demand

SIGNED = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<who>\w+)/(?P<day>\d{8})/(?P<region>[a-z0-9-]+)/bedrock/aws4_request, "
    r"SignedHeaders=(?P<headers>[a-z0-9;-]+), Signature=(?P<signature>[0-9a-f]{64})"
)
MODEL = re.compile(r"/model/([^/]+)/invoke(-with-response-stream)?$")
PUBLISHED = re.compile(
    r"/projects/[^/]+/locations/[^/]+/publishers/anthropic/models/([^/:]+):(streamRawPredict|rawPredict)$"
)
EXCEPTIONS = {"rate_limit_error": "throttlingException", "overloaded_error": "serviceUnavailableException"}


class Bedrock:
    """InvokeModel and InvokeModelWithResponseStream."""

    FAMILY = "anthropic"
    KIND = "application/vnd.amazon.eventstream"

    def body(self, request: ArrivedRequest) -> Mapping[str, Any]:
        """The request as Messages would have it: here the path names the model and asks for a stream."""
        found = MODEL.search(request.path)
        return {**request.body, "model": unquote(found[1]), "stream": bool(found[2])} if found else request.body

    def check(self, request: ArrivedRequest, key: str, rejects: tuple[str, ...]) -> None:
        """Raise Invalid where the cloud would refuse the request."""
        given = request.headers.get("authorization", "")
        if not given.startswith("Bearer "):
            _check_signature(given, request.headers)
        elif key and given != f"Bearer {key}":
            raise Invalid("The security token included in the request is invalid.", status=403)
        demand(request.body.get("anthropic_version"), "anthropic_version: Field required")
        for name in {"model", "stream"} & request.body.keys():
            raise Invalid(f"{name}: Extra inputs are not permitted")
        anthropic.check(_plain(request, self.body(request)), "", rejects)

    render = staticmethod(anthropic.render)

    def stream(self, body: Mapping[str, Any], whole: Mapping[str, Any], *, index: bool) -> list[bytes]:
        """The reply in frames, each with one event."""
        events = anthropic.stream(body, whole, index=index)
        return [self._frame("event", "chunk", _inside(event.partition(b"data: ")[2].strip())) for event in events]

    def event(self, item: Mapping[str, Any]) -> bytes:
        """An error in the middle of a stream is a frame of its own kind."""
        error = item.get("error", item)
        kind = EXCEPTIONS.get(error.get("type", ""), "internalServerException")
        return self._frame("exception", kind, {"message": error["message"]})

    def refuse(self, message: str, status: int, code: str, param: str) -> dict[str, Any]:
        """An error as the cloud would write it, or what becomes one in a stream."""
        if code in EXCEPTIONS:
            return anthropic.refuse(message, status, code, param)
        return {"message": message}

    def _frame(self, kind: str, name: str, payload: Mapping[str, Any]) -> bytes:
        named = {":event-type" if kind == "event" else ":exception-type": name}
        headers = b"".join(map(_header, {**named, ":content-type": "application/json", ":message-type": kind}.items()))
        raw = json.dumps(payload).encode()
        prelude = struct.pack("!II", 16 + len(headers) + len(raw), len(headers))
        head = prelude + struct.pack("!I", crc32(prelude)) + headers + raw
        return head + struct.pack("!I", crc32(head))


class Vertex:
    """rawPredict and streamRawPredict of Anthropic's models."""

    FAMILY = "anthropic"
    KIND = "text/event-stream"

    def body(self, request: ArrivedRequest) -> Mapping[str, Any]:
        """The request as Messages would have it: here the path names the model."""
        found = PUBLISHED.search(request.path)
        return {**request.body, "model": unquote(found[1])} if found else request.body

    def check(self, request: ArrivedRequest, key: str, rejects: tuple[str, ...]) -> None:
        """Raise Invalid where the cloud would refuse the request."""
        given = request.headers.get("authorization", "")
        if not given.startswith("Bearer ") or (key and given != f"Bearer {key}"):
            raise Invalid("Request had invalid authentication credentials.", status=401)
        demand(request.body.get("anthropic_version"), "anthropic_version: Field required")
        demand("model" not in request.body, "model: Extra inputs are not permitted")
        streams = bool(request.body.get("stream"))
        demand(streams == request.path.endswith(":streamRawPredict"), "stream: does not fit the method of the path")
        anthropic.check(_plain(request, self.body(request)), "", rejects)

    render, stream = staticmethod(anthropic.render), staticmethod(anthropic.stream)
    event, refuse = staticmethod(anthropic.event), staticmethod(anthropic.refuse)


def _plain(request: ArrivedRequest, body: Mapping[str, Any]) -> ArrivedRequest:
    """The request as Anthropic's own endpoint would get it: the cloud has checked who asks."""
    return replace(request, headers={"x-api-key": "the cloud's", "anthropic-version": "the cloud's"}, body=dict(body))


def _check_signature(signature: str, headers: Mapping[str, str]) -> None:
    found = SIGNED.fullmatch(signature)
    if found is None:
        raise Invalid("Missing Authentication Token", status=403)
    signed = found["headers"].split(";")
    day = headers.get("x-amz-date", "")
    fits = (
        {"host", "x-amz-date"} <= set(signed) and all(name in headers for name in signed) and signed == sorted(signed)
    )
    if not fits or not day.startswith(found["day"]):
        raise Invalid("The request signature we calculated does not match the signature you provided.", status=403)


def _inside(event: bytes) -> dict[str, str]:
    return {"bytes": base64.b64encode(event).decode(), "p": "abcdefgh"}


def _header(pair: tuple[str, str]) -> bytes:
    name, value = (part.encode() for part in pair)
    return struct.pack("!B", len(name)) + name + struct.pack("!BH", 7, len(value)) + value
