"""Signed deliveries in the size of real ones: pushes to pull requests, and bodies that are damaged at random. Their number decides how."""

import copy
import gzip
import hashlib
import hmac
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.workflow.events import ACTIONS

SECRET = "the secret of this bench, which is none"  # noqa: S105 - as it says
EXAMPLES = Path(__file__).parents[1] / "tests" / "workflow" / "octokit.json.gz"
DEEP = 100_000  # levels of a list, more than any parser reads
STRANGE: tuple[object, ...] = (
    None, True, -1, 2**64, 10**300, -0.0, "", "\0", "../..", "\ud83d", "\u202e\u200b\ufeff", "a" * 70_000, "\n\r\x1b[2J", "{{ 7 * 7 }}",
    "/deeprepo " * 900, "`" * 5_000, [], {}, [[]], {"": {}}, {"id": "7"}, ["x"] * 2_000,
)  # fmt: skip
BYTES = (b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\u", b'"', b"}", b"NaN", b"9" * 90_000, b"[" * DEEP)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The name of an event, and the body."""

    event: str
    raw: bytes

    def headers(self, guid: str, secret: str = SECRET) -> dict[str, str]:
        """The headers, with GitHub's own signature over these bytes."""
        signature = hmac.new(secret.encode(), self.raw, hashlib.sha256).hexdigest()
        return {
            "content-type": "application/json",
            "x-github-event": self.event,
            "x-github-delivery": guid,
            "x-hub-signature-256": f"sha256={signature}",
        }


@cache
def examples() -> list[tuple[str, dict[str, Any]]]:
    """Real deliveries of the events that a server reads, each with the event's name."""
    return [(name, body) for name, body in json.loads(gzip.decompress(EXAMPLES.read_bytes())) if name in ACTIONS]


def push(number: int) -> Delivery:
    """A push to a pull request of its own."""
    found = (body for name, body in examples() if name == "pull_request" and body["action"] == "synchronize")
    payload = next(found)
    payload["number"] = payload["pull_request"]["number"] = number
    payload["installation"] = {"id": 1_000 + number % 40}
    return Delivery("pull_request", json.dumps(payload).encode())


def damaged(number: int) -> Delivery:
    """A real delivery in which a few values are replaced or lost, or bytes are cut out, doubled or put in."""
    chance = random.Random(number)  # noqa: S311 - the same bodies for everybody
    event, whole = chance.choice(examples())
    payload = {"installation": {"id": chance.randrange(1, 40)}, **copy.deepcopy(whole)}
    for _ in range(chance.randrange(6)):
        holder, key = chance.choice([*_places(payload)] or [(payload, "action")])
        if isinstance(holder, dict) and chance.random() < 0.3:
            holder.pop(key, None)
        else:
            holder[key] = copy.deepcopy(chance.choice(STRANGE))
    raw = bytearray(json.dumps(payload).encode())
    for _ in range(chance.choice((0, 0, 1, 3))):
        at = chance.randrange(len(raw) + 1)
        cut = at + chance.choice((0, 1, 40, 4_000, len(raw)))
        raw[at:cut] = chance.choice((b"", raw[at : at + 400], *BYTES))
    return Delivery(event, bytes(raw))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - any JSON value
    """Every place of a value that can be written to: what holds it, and its key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
