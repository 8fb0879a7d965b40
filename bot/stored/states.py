"""Write stored reviews and their states for the next review, and find a state in a summary comment.

`stored.reviews` parses both.

A server stores the state in its database. A workflow stores it in a line of the summary comment, which only
counts if GitHub confirms that the comment's author is our own account. If the state is too large, data that
only saves work is dropped first. Then the oldest findings are dropped, which the next review finds and
reports again.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from bot import verdict
from bot.render import safe_json
from bot.sections import sections
from bot.stored import markers, reviews
from bot.stored.reviews import parse
from bot.values import CheckConclusion
from bot.values.change import is_object_id

MAX_STATE_CHARS = 32_000  # in a comment; about half of GitHub's limit, so the rest is left for people
MAX_STATE_BYTES = 8 << 20  # uncompressed, and in a server's database
_LINE = re.compile(r"<!-- deeprepo-state:([A-Za-z0-9+/=]*) -->")
_LIKE_STATE = "<!-- deeprepo-state:"
DAMAGED = "the state of the last review is damaged"
NO_STATE = "the last review's summary contains no state"
OTHER_BUILD = (
    "the summary of the last review was written by another build (deeprepo {by}), whose state this one cannot read"
)


@dataclass(frozen=True, slots=True)
class HeadConclusion:
    """A review's conclusion, and what it applies to.

    An event that needs no review sets this conclusion again, if nothing that it depends on has changed.
    """

    conclusion: CheckConclusion
    head: str
    base_ref: str
    settings: str  # a digest of the files and inputs that set the thresholds


def pack(content: Mapping[str, Any], head: HeadConclusion | None = None) -> str:
    """Return the line for a comment with a review's state. `content` is the review's JSON output."""
    state = {**_slim(content), "head_conclusion": asdict(head) if head else None}
    data = _fit(state, lambda data: len(data) <= MAX_STATE_BYTES and len(_text(data)) <= MAX_STATE_CHARS)
    return f"<!-- deeprepo-state:{_text(data)} -->"


def store(content: Mapping[str, Any]) -> bytes:
    """Return a review's state for a server's database. `content` is the review's JSON output."""
    return _fit(_slim(content), lambda data: len(data) <= MAX_STATE_BYTES)


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _fit(content: Mapping[str, Any], fits: Callable[[bytes], bool]) -> bytes:
    """Return as much of a state as `fits` accepts, as JSON."""
    bare = [{**finding, "spot": None, "replacement": None} for finding in content["findings"]]
    without_optional: dict[str, Any] = {"summary": "", "issues": [], "files": [], "findings": bare}
    without_optional |= {section.key: section.to_json(section.empty) for section in sections() if section.is_remembered}
    without_coverage: dict[str, Any] = {"read": [], "judged_by_model": [], "coverage": {"readings": []}}
    for omission in ({}, without_optional, without_coverage):
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
    """Return the state in the body of a summary comment, or a sentence why it cannot be used."""
    _, _, rest = body.replace("\r\n", "\n").partition("\n")
    line = rest.partition("\n")[0]
    match = _LINE.fullmatch(line)
    if match is None:
        return OTHER_BUILD.format(by=markers.read(body).by) if line.startswith(_LIKE_STATE) else NO_STATE
    return _unpack(match[1]) if len(match[1]) <= MAX_STATE_CHARS else "the state of the last review is too large"


def head(data: bytes) -> str | None:
    """Return the head commit of a state or a JSON output, or None if it cannot be read."""
    try:
        return reviews.change(data)[1]
    except reviews.UnreadableError:
        return None


def head_conclusion(data: bytes) -> HeadConclusion | None:
    """Return the conclusion for a state's head, or None if it has none."""
    entry = json.loads(data).get("head_conclusion")
    conclusions = {conclusion for row in verdict.ROWS for conclusion in row.check}
    names = {field.name for field in fields(HeadConclusion)}
    is_whole = isinstance(entry, dict) and set(entry) == names and entry["conclusion"] in conclusions
    return HeadConclusion(**entry) if is_whole else None


def from_file(data: bytes) -> bytes | str:
    """Return the contents of a review's file unchanged, or a sentence why it cannot be used."""
    try:
        reviews.change(data)
    except reviews.UnreadableError as error:
        return str(error)
    return data


def _slim(full: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a review's JSON output that the next review needs."""
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
        "judged_by_model": full["judged_by_model"],
        "coverage": {"readings": _slim_rows(uses.values())},
        "files": [{"path": file["path"]} for file in full["files"]],
    }


def _placement(finding: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys about a comment's location to leave out. `/deeprepo fix` needs them for suggestions."""
    return ("refused",) if finding.get("replacement") is not None else ("spot", "replacement", "refused")


def _slim_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: reading[name] for name in ("kind", "path", "state", "name", "read")} for reading in rows]


def _unpack(text: str) -> bytes | str:
    """Return a state's JSON, or `DAMAGED`.

    The size and the commit IDs are checked, because people can edit it.
    """
    try:
        decompressor = zlib.decompressobj()
        data = decompressor.decompress(base64.b64decode(text, validate=True), MAX_STATE_BYTES)
        if not decompressor.eof:
            return DAMAGED
        document = json.loads(data)
        is_whole = all(is_object_id(document["pull"][end]) for end in ("base", "head"))
        return data if is_whole and int(document["round"]["number"]) > 0 else DAMAGED
    except (ValueError, KeyError, TypeError, OverflowError, zlib.error, RecursionError):
        return DAMAGED


def write(content: Mapping[str, Any]) -> str:
    """Return a review's JSON document as text."""
    return safe_json(json.dumps(content, ensure_ascii=False, indent=2)) + "\n"


def with_numbers(data: bytes, numbers: Mapping[str, int]) -> str:
    """Return a stored review with finding numbers that were assigned after it was stored.

    `numbers` are by fingerprint. Raises UnreadableError.
    """
    document = parse(data)
    for finding in document["findings"]:
        if finding["status"] == "silenced":
            finding["number"] = finding["number"] or numbers.get(finding["fingerprint"], 0)
    known_numbers = {number for number, _ in document["numbers"]}
    new_numbers = ([number, mark] for mark, number in numbers.items() if number not in known_numbers)
    document["numbers"] = sorted([*document["numbers"], *new_numbers])
    return write(document)


def with_unsaid(data: bytes, numbers: Collection[int]) -> bytes:
    """Return a state with the numbers of findings that could not be posted. Raises UnreadableError."""
    return write({**parse(data), "unsaid": sorted(numbers)}).encode()
