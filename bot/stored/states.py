"""A review's state for the next one: a column on a server, or a line of the summary comment in a workflow.

In a comment it counts only if its author is our own login, as GitHub confirms. If it is too large, data that
only saves work is dropped first, then the oldest findings, which are found and reported again if they still
exist. `stored.reviews` reads it.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from bot.render.section import sections
from bot.stored import markers, reviews
from bot.values import CheckConclusion
from bot.values.change import is_object_id

MAX_STATE_CHARS = 32_000  # characters in the comment; the other half is for people
MAX_STATE_BYTES = 8 << 20  # unpacked, and on a server
MOST_ROUNDS = 100_000
_LINE = re.compile(r"<!-- deeprepo-state:([A-Za-z0-9+/=]*) -->")
_LIKE_STATE = "<!-- deeprepo-state:"
DAMAGED = "the state of the last review is damaged"
NONE = "the last review's summary contains no state"
OTHER = "the summary of the last review was written by another build (deeprepo {by}), whose state this one cannot read"
BEFORE_RELEASE = "before 0.2.0"


@dataclass(frozen=True, slots=True)
class HeadConclusion:
    """A review's conclusion and what it applies to. An event without a review repeats it."""

    conclusion: CheckConclusion
    head: str
    base_ref: str
    settings: str  # a digest of the files and inputs that set the thresholds


def pack(content: Mapping[str, Any], head: HeadConclusion | None = None) -> str:
    """Return the line with a review's state, from its JSON output."""
    state = {**_slim(content), "head_conclusion": asdict(head) if head else None}
    data = _fit(state, lambda data: len(data) <= MAX_STATE_BYTES and len(_text(data)) <= MAX_STATE_CHARS)
    return f"<!-- deeprepo-state:{_text(data)} -->"


def store(content: Mapping[str, Any]) -> bytes:
    """Return the state for a server's database, from the JSON output."""
    return _fit(_slim(content), lambda data: len(data) <= MAX_STATE_BYTES)


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _fit(content: Mapping[str, Any], fits: Callable[[bytes], bool]) -> bytes:
    """Return as much of a state as fits."""
    bare = [{**finding, "spot": None, "replacement": None} for finding in content["findings"]]
    spared: dict[str, Any] = {"summary": "", "issues": [], "files": [], "findings": bare}
    spared |= {section.key: section.to_json(section.nothing) for section in sections() if section.is_remembered}
    unread: dict[str, Any] = {"read": [], "read_by_model": [], "coverage": {"readings": []}}
    for omission in ({}, spared, unread):
        content = {**content, **omission}
        if fits(data := json.dumps(content).encode()):
            return data
    while not fits(data := json.dumps(content).encode()):
        findings, numbers = content["findings"], content["numbers"]
        content = {
            **content,
            "findings": findings[: len(findings) // 2],
            "numbers": numbers[(len(numbers) + 1) // 2 :],
        }
    return data


def unpack(body: str) -> bytes | str:
    """Return the earlier review in one of deeprepo's summaries, or a sentence why it cannot be used."""
    _, _, rest = body.replace("\r\n", "\n").partition("\n")
    line = rest.partition("\n")[0]
    match = _LINE.fullmatch(line)
    if match is None:
        return OTHER.format(by=markers.read(body).by or BEFORE_RELEASE) if line.startswith(_LIKE_STATE) else NONE
    return _unpack(match[1]) if len(match[1]) <= MAX_STATE_CHARS else "the state of the last review is too large"


def head(data: bytes) -> str | None:
    """Return the commit of a state or JSON output; None if unreadable."""
    try:
        return reviews.change(data)[1]
    except reviews.UnreadableError:
        return None


def head_conclusion(data: bytes) -> HeadConclusion | None:
    """Return the conclusion for a state's head, or None if it has none."""
    entry = json.loads(data).get("head_conclusion")
    conclusions = ("success", "neutral", "failure")
    names = {field.name for field in fields(HeadConclusion)}
    is_whole = isinstance(entry, dict) and set(entry) == names and entry["conclusion"] in conclusions
    return HeadConclusion(**entry) if is_whole else None


def from_file(data: bytes) -> bytes | str:
    """Return the earlier review in a file, or a sentence why it cannot be used."""
    try:
        reviews.change(data)
    except reviews.UnreadableError as error:
        return str(error)
    return data


def _slim(full: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the next review needs from the JSON output."""
    rows = [reading for reading in full["coverage"]["readings"] if reading["kind"] == "dependent" and _read(reading)]
    uses = {  # one row for all references to a definition in one file
        (reading["name"], reading["path"], reading["state"] == "unread"): reading
        for reading in full["coverage"]["readings"]
        if reading["kind"] == "use" and (reading["read"] or reading["state"] == "unread")
    }
    return {
        **{
            name: full[name]
            for name in (
                "schema_version",
                "tool",
                "issues",
                "summary",
                "numbers",
                "partial",
                "fault",
            )
        },
        "findings": [
            {k: v for k, v in finding.items() if k not in ("place", *_placement(finding))}
            for finding in full["findings"]
            if finding["status"] not in ("fixed", "refuted", "unproven")
        ],
        **{section.key: section.remember(full[section.key]) for section in sections() if section.is_remembered},
        "round": {"number": full["round"]["number"]},
        "pull": {name: full["pull"][name] for name in ("base", "head")},
        "read": full["read"],
        "read_by_model": full["read_by_model"],
        "coverage": {"readings": _slim_rows([*rows, *uses.values()])},
        "files": [{"path": file["path"]} for file in full["files"]],
    }


def _placement(finding: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which facts about a comment's place are left out. `/deeprepo fix` needs those of a suggestion."""
    return ("refused",) if finding.get("replacement") is not None else ("spot", "replacement", "refused")


def _slim_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    names = {"dependent": ("kind", "path", "state"), "use": ("kind", "path", "state", "name", "read")}
    return [{name: reading[name] for name in names[reading["kind"]]} for reading in rows]


def _read(reading: dict[str, Any]) -> bool:
    return reading["state"] in ("reviewed", "reused")


def _unpack(text: str) -> bytes | str:
    """Return a state's JSON, unpacked within a limit and with checked commit ids."""
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(text, validate=True), MAX_STATE_BYTES)
        if not reader.eof:
            return DAMAGED
        document = json.loads(data)
        is_whole = all(is_object_id(document["pull"][end]) for end in ("base", "head"))
        return data if is_whole and 0 < int(document["round"]["number"]) <= MOST_ROUNDS else DAMAGED
    except (ValueError, KeyError, TypeError, OverflowError, zlib.error, RecursionError):
        return DAMAGED
