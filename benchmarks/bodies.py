"""Webhook bodies that GitHub would never send: real ones, damaged in many ways, each with the statuses that are right for it.

A body depends on its number alone, so that it can be made again.
"""

import copy
import gzip
import hashlib
import hmac
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic_core import from_json

EXAMPLES = Path(__file__).parents[1] / "tests" / "workflow" / "octokit.json.gz"
READ = (
    "pull_request", "issue_comment", "pull_request_review_comment", "pull_request_review", "check_run", "check_suite",
    "merge_group", "installation", "installation_repositories", "repository",
)  # fmt: skip
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
MOST = 25 << 20  # bytes: the longest body that GitHub documents
TAKEN, BROKEN = frozenset({202}), frozenset({400})
SHALLOW, DEEP = (
    150,
    100_000,
)  # levels: every parser reads a body of the first depth; the server's parsers refuse the second
HUGE = 400  # one of this many bodies has megabytes
LARGEST = (1 << 20, 8 << 20, MOST - 4096, MOST + 1)
STRANGE: tuple[object, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**63, 2**64, 10**300, 1.5, -0.0, 1e308, "", " ", "\0", "0", "..", "../..", "\ud83d",
    "\ude00\ud83d", "\u202e\u200b\ufeff", "e\u0301" * 40, "💥" * 400, "a" * 70_000, "\n\r\x1b[2J", "<script>", "{{ 7 * 7 }}", "' OR 1=1 --",
    "/deeprepo review", "/deeprepo " * 900, "@deeprepo why?", "`" * 5_000, [], {}, [[]], [None], {"": {}}, {"id": "7"}, ["x"] * 2_000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Body:
    """A delivery: the event's name, the bytes, their content type, and the statuses that are right."""

    event: str
    raw: bytes
    kind: str
    right: frozenset[int]
    damage: str

    def head(self, secret: str, guid: str) -> dict[str, str]:
        """The headers, with GitHub's own signature over these bytes."""
        signature = hmac.new(secret.encode(), self.raw, hashlib.sha256).hexdigest()
        return {
            "content-type": self.kind,
            "x-github-event": self.event,
            "x-github-delivery": guid,
            "x-hub-signature-256": f"sha256={signature}",
        }


@cache
def examples(read: bool = True) -> list[tuple[str, dict[str, Any]]]:
    """Real deliveries, each with the name of its event: of the events that a server reads, or all."""
    found = [(name, body) for name, body in json.loads(gzip.decompress(EXAMPLES.read_bytes()))]
    return [(name, body) for name, body in found if not read or name in READ]


def body(number: int) -> Body:
    """The damaged body of this number."""
    chance = random.Random(number)  # noqa: S311 - the same bodies for everybody
    event, whole = chance.choice(examples(read=chance.random() < 0.9))
    payload = copy.deepcopy(whole)
    payload.setdefault("installation", {"id": chance.randrange(1, 40)})
    if number % HUGE == HUGE - 1:
        return _large(event, payload, LARGEST[number // HUGE % len(LARGEST)])
    damage = chance.choice(DAMAGES)
    made = damage(event, payload, chance)
    if made.kind == JSON and made.right == TAKEN and chance.random() < 0.1:
        return Body(event, b"payload=" + quote(made.raw).encode(), FORM, made.right, f"{made.damage}, as a form")
    return made


def sound(number: int) -> Body:
    """A whole delivery, which must be taken on: a push to a pull request of its own."""
    payload = copy.deepcopy(
        next(found for name, found in examples() if name == "pull_request" and found["action"] == "synchronize")
    )
    payload["number"] = payload["pull_request"]["number"] = 1_000_000 + number
    payload["installation"] = {"id": 1_000 + number % 40}  # no damaged body removes this one
    return Body("pull_request", _plain(payload), JSON, TAKEN, "none")


def _changed_values(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401 - any JSON value
    """A few values of another type or content."""
    for _ in range(chance.randrange(1, 6)):
        holder, key = chance.choice(list(_places(payload)))
        holder[key] = copy.deepcopy(chance.choice(STRANGE))
    return Body(event, _written(payload, chance), JSON, TAKEN, "values")


def _top(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """One of the fields that every reader looks at, of another type or gone."""
    for _ in range(chance.randrange(1, 3)):
        key = chance.choice(sorted(payload) or ["action"])
        if chance.random() < 0.3:
            payload.pop(key, None)
        else:
            payload[key] = copy.deepcopy(chance.choice(STRANGE))
    return Body(event, _written(payload, chance), JSON, TAKEN, "top")


def _lost_keys(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Keys that are gone, misspelt, or moved elsewhere."""
    for _ in range(chance.randrange(1, 8)):
        places = [(holder, key) for holder, key in _places(payload) if isinstance(holder, dict)]
        if not places:
            break
        holder, key = chance.choice(places)
        value = holder.pop(key)
        fate = chance.randrange(3)
        if fate == 1:
            holder[key.upper() + "\u0130"] = value
        elif fate == 2:
            payload[key] = value
    return Body(event, _written(payload, chance), JSON, TAKEN, "keys")


def _other_event(_event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """A payload under the name of another event, or under a name that is no event's."""
    name = chance.choice((*READ, "ping", "star", "unheard_of"))
    return Body(name, _plain(payload), JSON, TAKEN, "event")


def _doubled(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Keys that are written twice with different values: JSON allows it."""
    key = chance.choice(sorted(payload))
    twice = json.dumps({key: chance.choice(STRANGE)})[1:-1]
    return Body(event, _plain(payload)[:-1] + f", {twice}}}".encode(), JSON, TAKEN, "doubled")


def _nested(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """A value many levels deep, below any key."""
    deep = chance.random() < 0.5
    levels = DEEP if deep else SHALLOW
    opened, closed = chance.choice((("[", "]"), ('{"a":', "}")))
    inner = "0" if opened != "[" else ""
    text = opened * levels + inner + closed * (levels if chance.random() < 0.9 or not deep else 0)
    raw = _planted(payload, text, chance)
    return Body(event, raw, JSON, BROKEN if deep else TAKEN, "deep" if deep else "nested")


def _numbers(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Numbers at the edge of what JSON allows and beyond."""
    text, right = chance.choice(
        (
            ("NaN", BROKEN), ("Infinity", BROKEN), ("-Infinity", BROKEN), ("01", BROKEN), ("+1", BROKEN), ("1.", BROKEN), (".5", BROKEN),
            ("0x10", BROKEN), ("1e999", TAKEN), ("-0", TAKEN), ("1e-999", TAKEN), ("9" * 4_000, TAKEN), ("9" * 90_000, BROKEN),
        )
    )  # fmt: skip
    return Body(event, _planted(payload, text, chance), JSON, right, "numbers")


def _bytes(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Bytes that are turned over, cut out, doubled or put in."""
    raw = bytearray(_written(payload, chance))
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(raw) + 1)
        fate = chance.randrange(5)
        if fate == 0 and at < len(raw):
            raw[at] ^= 1 << chance.randrange(8)
        elif fate == 1:
            del raw[at : at + chance.choice((1, 2, 40, 4_000))]
        elif fate == 2:
            raw[at:at] = raw[at : at + chance.choice((1, 9, 400))]
        elif fate == 3:
            raw[at:at] = chance.choice(
                (b"\0", b"\xff", b"\xed\xa0\x80", b"\xf0\x9f", b"\xef\xbb\xbf", b"\\u", b'"', b"}", b"/*")
            )
        else:
            del raw[at:]
    return Body(event, bytes(raw), JSON, _judged(bytes(raw)), "bytes")


def _encoded(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Another encoding, or a byte order mark."""
    name = chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037"))
    return Body(event, json.dumps(payload).encode(name), JSON, BROKEN, "encoding")


def _no_object(event: str, _payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Valid JSON that is not an object, and bytes that are not JSON."""
    raw = chance.choice(
        (b"", b"null", b"[]", b"1", b'"x"', b"[{}]", b"true", b" ", b"{}{}", b"{", b"}", b"payload={}", b"\x1f\x8b\x08")
    )
    return Body(event, raw, JSON, BROKEN, "no object")


def _forms(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Forms without their field, with a broken one, with two, or with bytes that are no form."""
    whole = b"payload=" + quote(_plain(payload)).encode()
    raw, right = chance.choice(
        (
            (b"", BROKEN), (b"payload", BROKEN), (b"payload=", BROKEN), (b"other=1", BROKEN), (b"payload=%ff%fe", BROKEN), (b"payload=[]", BROKEN),
            (b"payload=%", BROKEN), (b"payload=\xc3\xa9", BROKEN), (whole + b"&payload=%7B", TAKEN), (whole + b"&x=1", TAKEN),
            (b"&".join([b"a=1"] * 5_000) + b"&" + whole, TAKEN),
        )
    )  # fmt: skip
    return Body(event, raw, FORM, right, "form")


def _kinds(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Other content types."""
    taken = ("application/json; charset=utf-8", "APPLICATION/JSON", "application/json;" + "a=b;" * 60)
    other = (
        "text/plain",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/json5",
        "json",
        "",
        "," * 300,
    )
    kind = chance.choice((*taken, *other))
    return Body(event, _plain(payload), kind, TAKEN if kind in taken else frozenset({415}), "content type")


def _texts(event: str, payload: Any, chance: random.Random) -> Body:  # noqa: ANN401
    """Every text of the payload, replaced by texts of another script, with marks and without end."""
    alphabet = chance.choice(
        ("אבגدحخ", "漢字かな", "e\u0301\u0327", "\u202e\u2066a", "💥🏳️\u200d🌈", "\u0000\u001f", "\ufffe\uffff")
    )
    for holder, key in list(_places(payload)):
        if isinstance(holder[key], str) and chance.random() < 0.5:
            holder[key] = "".join(chance.choices(alphabet, k=chance.choice((1, 30, 300))))
    return Body(event, _written(payload, chance), JSON, TAKEN, "texts")


Damage = Callable[[str, Any, random.Random], Body]
DAMAGES: Sequence[Damage] = (
    _changed_values, _changed_values, _changed_values, _top, _top, _lost_keys, _other_event, _doubled, _nested, _numbers, _bytes, _bytes,
    _encoded, _no_object, _forms, _kinds, _texts,
)  # fmt: skip


def _large(event: str, payload: dict[str, Any], size: int) -> Body:
    """A body of megabytes, in one text; one is longer than GitHub's longest."""
    payload["padding"] = ""
    raw = _plain(payload)
    payload["padding"] = "x" * (size - len(raw))
    return Body(event, _plain(payload), JSON, frozenset({413}) if size > MOST else TAKEN, f"{size >> 20} MB")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401
    """Every place of a value that can be written to: what holds it, and its key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _planted(payload: Any, text: str, chance: random.Random) -> bytes:  # noqa: ANN401
    """The payload with these characters as the value of some place."""
    holder, key = chance.choice(list(_places(payload)))
    holder[key] = "@here@"
    return _plain(payload).replace(b'"@here@"', text.encode(), 1)


def _written(payload: Any, chance: random.Random) -> bytes:  # noqa: ANN401
    """As JSON: escaped, or in UTF-8 if every character has a form there; narrow or with blanks."""
    indent = chance.choice((None, None, None, 7))
    try:
        return json.dumps(payload, ensure_ascii=chance.random() < 0.5, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(payload, indent=indent).encode()


def _plain(payload: Any) -> bytes:  # noqa: ANN401
    return json.dumps(payload).encode()


def _judged(raw: bytes) -> frozenset[int]:
    """What a parser that shares no code with the product says; where half a surrogate pair is written, both answers are right."""
    try:
        found = from_json(raw, allow_inf_nan=False)
    except ValueError:
        return TAKEN | BROKEN if b"\\ud" in raw.lower() else BROKEN
    return TAKEN if isinstance(found, dict) else BROKEN
