"""One delivery of GitHub's: bytes and headers in, a name and a payload out. Nothing is believed before its signature."""

import json
import re
from collections.abc import AsyncIterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from fastapi import HTTPException
from githubkit import webhooks
from pydantic import SecretStr

MOST = 25 << 20  # bytes of a body; GitHub sends no more
MOST_TOGETHER = 48 << 20  # bytes of all bodies that are arriving at one time
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SIGNATURE = re.compile(r"sha256=[0-9a-fA-F]{64}")
_GUID = re.compile(r"[A-Za-z0-9-]{1,64}")
UNSIGNED = "X-Hub-Signature-256 is missing, or was not made with the webhook secret"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Delivery:
    """What GitHub says has happened. A redelivery has the same `guid`."""

    event: str
    guid: str
    payload: Mapping[str, Any]

    @property
    def action(self) -> str:
        """What kind of the event, "" where it has no kinds."""
        action = self.payload.get("action")
        return action if isinstance(action, str) and len(action) <= 64 else ""  # noqa: PLR2004 - a word, not a text


class Arriving:
    """The bodies that are arriving, bounded together. When there is no room the largest one is given up.

    A sender who imitates the form of a signature can send large bodies; GitHub's small deliveries still get through.
    """

    def __init__(self, most: int = MOST_TOGETHER) -> None:
        self._most, self._bodies = most, dict[int, bytearray]()

    @contextmanager
    def one(self) -> Iterator[bytearray]:
        """A body to fill."""
        read = bytearray()
        self._bodies[id(read)] = read
        try:
            yield read
        finally:
            self._bodies.pop(id(read), None)

    def add(self, read: bytearray, chunk: bytes) -> None:
        """Add what has arrived. Raises HTTPException if this body was given up, or has to be now."""
        while id(read) in self._bodies and sum(map(len, self._bodies.values())) + len(chunk) > self._most:
            largest = max(self._bodies.values(), key=len)
            self._bodies.pop(id(largest)).clear()
        if id(read) not in self._bodies:
            raise HTTPException(503, "too many large deliveries at one time: send it again")
        read += chunk


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse what cannot be a delivery before its body is read: the form of the signature tells. Raises HTTPException."""
    if not _SIGNATURE.fullmatch(headers.get("x-hub-signature-256", "")):
        raise HTTPException(401, UNSIGNED)


async def body(headers: Mapping[str, str], chunks: AsyncIterable[bytes], arriving: Arriving | None = None) -> bytes:
    """The whole body. Raises HTTPException as soon as it is known to be too long, whatever its header says."""
    too_long = HTTPException(413, f"a delivery has at most {MOST >> 20} MB")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()):
        raise HTTPException(400, "Content-Length is not a number")
    if len(length) > len(str(MOST)) or int(length) > MOST:
        raise too_long
    arriving = arriving or Arriving()
    with arriving.one() as read:
        async for chunk in chunks:
            if len(read) + len(chunk) > MOST:
                raise too_long
            arriving.add(read, chunk)
        return bytes(read)


def read(headers: Mapping[str, str], raw: bytes, secret: SecretStr) -> Delivery:
    """The delivery, if GitHub has sent it. Raises HTTPException."""
    if not genuine(secret.get_secret_value(), raw, headers.get("x-hub-signature-256")):
        raise HTTPException(401, UNSIGNED)
    event, guid = headers.get("x-github-event", ""), headers.get("x-github-delivery", "")
    if not _NAME.fullmatch(event):
        raise HTTPException(400, "X-GitHub-Event is missing or is not an event's name")
    if not _GUID.fullmatch(guid):
        raise HTTPException(400, "X-GitHub-Delivery is missing or is not a delivery's id")
    return Delivery(event, guid, _payload(headers.get("content-type", ""), raw))


def genuine(secret: str, raw: bytes, header: str | None) -> bool:
    """Whether the signature was made with the secret, over these very bytes. Takes the same time for each wrong one.

    githubkit also verifies signatures made with SHA-1: those are refused before.
    """
    if not header or not header.isascii() or not header.startswith("sha256="):
        return False
    return webhooks.verify(secret, raw, header)


def _payload(kind: str, raw: bytes) -> Mapping[str, Any]:
    """The JSON object of a body, in either of the forms that an App can choose at GitHub."""
    name = kind.partition(";")[0].strip().lower()
    if name not in {JSON, FORM}:
        raise HTTPException(415, f"the content type is neither {JSON} nor {FORM}")
    try:
        text = raw.decode() if name == JSON else parse_qs(raw.decode("ascii"), strict_parsing=True)["payload"][0]
        payload = json.loads(text, parse_constant=_no_number)
    except KeyError:
        raise HTTPException(400, "the form has no field `payload`") from None
    except RecursionError:
        raise HTTPException(400, "the payload is nested too deeply") from None
    except ValueError:
        raise HTTPException(400, "the payload is not valid JSON") from None
    if not isinstance(payload, dict):
        raise HTTPException(400, "the payload is not a JSON object")
    return payload


def _no_number(name: str) -> None:
    raise ValueError(name)
